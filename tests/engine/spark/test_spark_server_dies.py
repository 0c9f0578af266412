"""The Spark server and its owner may be killed at any moment, and nothing hangs or stays behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from sqe.config.spark import SparkSettings
from sqe.engine.spark.jars import default_cache
from sqe.engine.spark.spark import Spark
from sqe.errors import LimitExceeded, Unavailable

pytestmark = [pytest.mark.spark, pytest.mark.faults]

ENDLESS = "SELECT count(*) FROM range(0, 1000000000000000, 1, 1) WHERE id % 7 = 3"
# Starts a server, says where it is, and then waits to be killed or just ends.
OWNER = f"""
import sys
from sqe.engine.spark.jars import default_cache
from sqe.engine.spark.spark import Spark
from sqe.config.spark import SparkSettings
lane = Spark(SparkSettings(driver_memory="512m"), default_cache())
server = lane.link().server
print(server.jvm, server.directory, flush=True)
if sys.argv[1] == "runs":
    list(lane.session("x", {{}}).run("{ENDLESS}", statement_id="e", user="x"))
"""


@pytest.fixture
def lane() -> Iterator[Spark]:
    lane = Spark(SparkSettings(driver_memory="512m"), default_cache())
    yield lane
    lane.close(wait=60)


@pytest.mark.long
def test_a_killed_server_fails_its_statement_and_the_next_one_works(lane: Spark) -> None:
    session = lane.session("x", {})

    def kill(_: object) -> None:
        server = lane.link().server
        assert server is not None
        os.kill(server.jvm, signal.SIGKILL)

    with pytest.raises(Unavailable, match="the Spark server ended while the statement ran"):
        list(session.run(ENDLESS, statement_id="e1", user="x", on_progress=kill))
    assert not lane.started
    assert [b.num_rows for b in session.run("SELECT 1", statement_id="e2", user="x")] == [1]
    # The new server is the one that runs out of memory: 4 GB of result do not fit into 512 MB.
    with pytest.raises(LimitExceeded, match=r"spark\.driver"):
        list(session.run("SELECT repeat('x', 4000) FROM range(1000000)", statement_id="e3", user="x"))


@pytest.mark.long
def test_a_server_that_was_replaced_leaves_no_zombie(lane: Spark) -> None:
    link = lane.link()
    assert link.server is not None
    watchdog = link.server._process.pid
    # As a restart does it, which waits for nothing.
    link.end()
    deadline = time.monotonic() + 60
    while Path(f"/proc/{watchdog}").exists():
        assert time.monotonic() < deadline, "the watchdog stays as a zombie"
        time.sleep(0.05)


def test_no_statement_is_lost_with_a_server_that_is_replaced(lane: Spark) -> None:
    session = lane.session("x", {})
    before = lane.link().server
    assert before is not None
    runs = threading.Event()
    answers: list[int] = []

    def ask_slowly() -> None:
        sql = "SELECT count(*) FROM range(0, 5000000000, 1, 1) WHERE id % 7 = 3"
        stream = session.run(sql, statement_id="slow", on_progress=lambda _: runs.set())
        answers.extend(batch.column(0)[0].as_py() for batch in stream)

    slow = threading.Thread(target=ask_slowly)
    slow.start()
    assert runs.wait(60)
    # As if Spark's log said that a cancelled task goes on.
    before._has_runaways = True
    asked = 0
    while lane.link().server is before:
        asked += 1
        assert [b.num_rows for b in session.run("SELECT 1", statement_id=f"s{asked}")] == [1]
    assert [b.num_rows for b in session.run("SELECT 1", statement_id="after")] == [1]
    slow.join(60)
    assert answers == [714285714]
    deadline = time.monotonic() + 60
    while before.alive:
        assert time.monotonic() < deadline, "the server that was replaced goes on"
        time.sleep(0.05)


@pytest.mark.parametrize("how", ["runs", pytest.param("ends", marks=pytest.mark.long)])
def test_a_server_ends_with_its_owner(how: str) -> None:
    owner = subprocess.Popen([sys.executable, "-c", OWNER, how], stdout=subprocess.PIPE, text=True)
    assert owner.stdout is not None
    jvm, directory = owner.stdout.readline().split(maxsplit=1)
    if how == "runs":
        owner.kill()
    assert owner.wait(60) == (-signal.SIGKILL if how == "runs" else 0)
    deadline = time.monotonic() + 60
    while _exists(int(jvm)) or Path(directory.strip()).exists():
        assert time.monotonic() < deadline, "the server outlived its owner by a minute"
        time.sleep(0.05)


def test_a_lane_closed_while_it_starts_leaves_no_server(lane: Spark) -> None:
    started = threading.Thread(target=lambda: _ignore_unavailable(lane))
    started.start()
    lane.close()
    started.join(60)
    assert not lane.started
    with pytest.raises(Unavailable, match="closed"):
        lane.link()


def _ignore_unavailable(lane: Spark) -> None:
    try:
        lane.link()
    except Unavailable as error:
        assert "closed" in str(error)


def _exists(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True
