"""The library changes nothing in the process of its host; what it needs for a moment it gives back."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

import sqe
from sqe.api.connection import Connection
from sqe.foundation.recursion import MAX_NESTING, deep_recursion

# What a host has set up before it meets us, and what it finds afterwards.
HOST = """
import json, logging, os, signal, sys, threading, warnings
import numpy

def state():
    # Libraries give their own loggers a handler that does nothing, as the standard library asks of them.
    loggers = {name: (logger.level, logger.disabled, logger.propagate,
                      sum(type(handler).__name__ != "NullHandler" for handler in logger.handlers))
               for name, logger in logging.root.manager.loggerDict.items()
               if isinstance(logger, logging.Logger)}
    return {
        "recursion limit": sys.getrecursionlimit(),
        "environment": dict(os.environ),
        "root logger": (logging.root.level, len(logging.root.handlers), logging.raiseExceptions),
        "configured loggers": {n: s for n, s in loggers.items() if s[:2] != (0, False) or s[3]},
        "hidden modules": sorted(name for name, module in sys.modules.items() if module is None),
        "numpy": id(sys.modules["numpy"]),
        "hooks": [id(hook) for hook in (sys.excepthook, threading.excepthook, warnings.showwarning)],
        "signals": [str(signal.getsignal(n)) for n in (signal.SIGINT, signal.SIGTERM)],
        "filters": len(warnings.filters),
        "path": sys.path,
    }

before = state()
import sqe
with sqe.connect(memory=True) as connection:
    for statement in json.loads(sys.argv[1]):
        cursor = connection.execute(statement)
        cursor.description and cursor.fetchall()
    during = state()
after = state()
for when, now in (("with an open connection", during), ("afterwards", after)):
    changed = {name: (before[name], now[name]) for name in before if before[name] != now[name]}
    print(when, json.dumps(changed))
print(before["hidden modules"])
"""


def changes(*statements: str) -> list[str]:
    environment = {name: value for name, value in os.environ.items() if name != "GRPC_VERBOSITY"}
    environment["PYTHONPATH"] = str(Path(sqe.__file__).parent.parent)
    done = subprocess.run(
        [sys.executable, "-c", HOST, json.dumps(statements)],
        capture_output=True,
        text=True,
        env=environment,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


UNCHANGED = ["with an open connection {}", "afterwards {}", "[]"]


def test_a_statement_changes_nothing_in_its_host() -> None:
    deep = "(" * (MAX_NESTING - 1) + "1" + ")" * (MAX_NESTING - 1)
    assert changes("SELECT 1", f"SELECT {deep}", "CREATE TABLE t (a integer)", "SHOW TABLES") == UNCHANGED


@pytest.mark.spark
def test_nor_does_one_on_spark() -> None:
    assert changes("SET SESSION lane = 'spark'", "SELECT 1") == UNCHANGED


def test_statements_nest_as_deeply_as_in_the_command(connection: Connection) -> None:
    limit = sys.getrecursionlimit()
    depth = MAX_NESTING - 1
    text = "SELECT " + "abs(" * depth + "-1" + ")" * depth
    with pytest.raises(sqe.Error, match="nested more than"):
        connection.execute(f"SELECT {'(' * 300}1{')' * 300}")
    assert connection.execute(text).fetchall() == [(1,)]
    assert sys.getrecursionlimit() == limit


@pytest.fixture
def hosts_limit() -> Iterator[None]:
    """As Python begins with it: a command that an earlier test ran in this process raises it for good."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(1000)
    yield
    sys.setrecursionlimit(limit)


@pytest.mark.usefixtures("hosts_limit")
def test_the_limit_stays_until_the_last_thread_has_left() -> None:
    limit = sys.getrecursionlimit()
    inside, leave = threading.Event(), threading.Event()

    def stay() -> None:
        with deep_recursion():
            inside.set()
            leave.wait(10)

    thread = threading.Thread(target=stay)
    with deep_recursion():
        raised = sys.getrecursionlimit()
        thread.start()
        inside.wait(10)
    assert raised > limit and sys.getrecursionlimit() == raised
    leave.set()
    thread.join()
    assert sys.getrecursionlimit() == limit


def test_a_limit_that_the_host_sets_meanwhile_is_kept() -> None:
    limit = sys.getrecursionlimit()
    try:
        with deep_recursion():
            sys.setrecursionlimit(limit + 7)
        assert sys.getrecursionlimit() == limit + 7
    finally:
        sys.setrecursionlimit(limit)


@pytest.mark.usefixtures("hosts_limit")
def test_a_caller_deeper_than_the_limit_leaves_it_to_the_next_to_restore() -> None:
    limit = sys.getrecursionlimit()

    def descend(frames: int) -> None:
        if frames:
            descend(frames - 1)
            return
        with deep_recursion():
            leave.set()
            thread.join()

    inside, leave = threading.Event(), threading.Event()

    def stay() -> None:
        with deep_recursion():
            inside.set()
            leave.wait(10)

    thread = threading.Thread(target=stay)
    thread.start()
    inside.wait(10)
    descend(limit + 100)
    assert sys.getrecursionlimit() > limit
    with deep_recursion():
        pass
    assert sys.getrecursionlimit() == limit
