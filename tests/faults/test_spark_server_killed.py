"""The Spark server killed with -9 under a connection: the statement fails at once, the next one works."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Iterator

import pytest

import sqe
from sqe.api.connection import Connection, Cursor
from sqe.engine.spark.server import SparkServer
from sqe.errors import Cancelled, NotFound, Unavailable
from sqe.statement import Statement

pytestmark = [pytest.mark.spark, pytest.mark.faults]

ROWS = "TABLE(sequence(1, 100000)) AS a (x), TABLE(sequence(1, 100000)) AS b (y)"
SECONDS = 60


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    """A connection with a Spark of its own."""
    place = tmp_path_factory.mktemp("killed") / "warehouse"
    with sqe.connect(warehouse=place, memory_limit="512m") as connection:
        connection.execute("SET SESSION lane = 'spark'")
        connection.execute("CREATE TABLE t (x BIGINT)")
        connection.execute("INSERT INTO t VALUES (1), (2)")
        yield connection


def kill_when_it_works(connection: Connection, cursor: Cursor) -> threading.Thread:
    """Kills the server as soon as it reports that a task of the statement runs."""

    def kill() -> None:
        deadline = time.monotonic() + SECONDS
        while cursor.progress() is None and time.monotonic() < deadline:
            time.sleep(0.02)
        server = connection.coordinator.spark.link().server
        assert server is not None
        os.kill(server.jvm, signal.SIGKILL)

    thread = threading.Thread(target=kill)
    thread.start()
    return thread


def assert_fails_soon(connection: Connection, sql: str) -> None:
    cursor = connection.cursor()
    killer = kill_when_it_works(connection, cursor)
    begin = time.monotonic()
    with pytest.raises(Unavailable) as caught:
        cursor.execute(sql).fetchall()
    seconds = time.monotonic() - begin
    killer.join(SECONDS)
    print(f"{caught.value} after {seconds:.1f} s: {sql}")
    assert str(caught.value).startswith("the Spark server ended while the statement ran")
    assert caught.value.hint == "the next statement starts a new one"
    # Until the first task reports, and then until the end is noticed: seconds, on the slowest machine.
    assert seconds < SECONDS
    assert isinstance(cursor.statement, Statement)
    assert (cursor.statement.state, cursor.statement.error) == ("failed", caught.value)


@pytest.mark.long
def test_in_a_query(own: Connection) -> None:
    assert_fails_soon(own, f"SELECT count(*) FROM {ROWS} WHERE x % 7 = y % 11")
    assert own.execute("SELECT x FROM t ORDER BY x").fetchall() == [(1,), (2,)]


def test_in_a_write(own: Connection) -> None:
    assert_fails_soon(own, f"INSERT INTO t SELECT x * y FROM {ROWS}")
    assert_fails_soon(own, f"CREATE TABLE u AS SELECT x * y AS z FROM {ROWS}")
    with pytest.raises(NotFound):
        own.execute("SELECT * FROM u")
    assert own.execute("INSERT INTO t VALUES (3)").rowcount == 1
    assert own.execute("SELECT x FROM t ORDER BY x").fetchall() == [(1,), (2,), (3,)]


@pytest.mark.long
def test_tasks_that_go_on_after_a_cancel_end_with_their_server(own: Connection) -> None:
    """One row is unnested to a billion here, and Spark looks for a cancel between rows."""
    before = own.coordinator.spark.link().server
    assert before is not None
    for seconds in (4, 10, 20):
        # Before the loop begins Spark ends it as it should.
        if _replaced_after_a_cancel(own, before, seconds):
            break
    assert not before.alive
    assert own.execute("SELECT 7").fetchall() == [(7,)]
    assert own.coordinator.spark.link().server is not before


def _replaced_after_a_cancel(own: Connection, server: SparkServer, seconds: float) -> bool:
    numbers = ", ".join(f"UNNEST(sequence(1, 10000)) {name} ({name})" for name in ("a", "b", "c"))
    cursor = own.cursor()
    threading.Timer(seconds, cursor.cancel).start()
    with pytest.raises(Cancelled):
        cursor.execute(f"SELECT count(*) FROM {numbers} WHERE a * b % 7 = c % 11").fetchall()
    deadline = time.monotonic() + SECONDS
    while server.alive and time.monotonic() < deadline:
        time.sleep(0.1)
    return not server.alive
