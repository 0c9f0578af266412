"""threadsafety = 2: threads share a connection, each with cursors of its own."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

import sqe

pytestmark = pytest.mark.spark


def test_many_threads_read_and_write_at_once(schema: sqe.Connection) -> None:
    schema.execute("CREATE TABLE t (thread integer, n integer)")
    together = threading.Barrier(4)

    def work(thread: int) -> list[tuple[int, ...]]:
        together.wait(timeout=60)
        found = []
        for n in range(2):
            with schema.cursor() as cursor:
                cursor.execute("INSERT INTO t VALUES (?, ?)", (thread, n))
                assert cursor.rowcount == 1
                cursor.execute("SELECT count(*), min(thread), max(n) FROM t WHERE thread = ?", [thread])
                found += cursor.fetchall()
        return found

    with ThreadPoolExecutor(4) as pool:
        answers = list(pool.map(work, range(4)))
    assert answers == [[(n + 1, thread, n) for n in range(2)] for thread in range(4)]
    assert schema.execute("SELECT count(*), count(DISTINCT thread) FROM t").fetchall() == [(8, 4)]


def test_statements_that_change_metadata_at_once(schema: sqe.Connection) -> None:
    def work(number: int) -> list[tuple[object, ...]]:
        schema.execute(f"CREATE TABLE t{number} (a integer)")
        with pytest.raises(sqe.ProgrammingError):
            schema.execute(f"CREATE TABLE t{number} (a integer)")
        rows = schema.execute(f"SELECT * FROM t{number}").fetchall()
        schema.execute(f"DROP TABLE t{number}")
        return rows

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(work, range(12))) == [[]] * 12


def until(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 120
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)


SLOW = (
    "SELECT count(*) FROM TABLE(sequence(1, 3000000)) AS a (x)"
    " CROSS JOIN TABLE(sequence(1, 100000)) AS b (y) WHERE x % 7 = y % 11"
)


def test_another_thread_sees_the_progress_and_cancels(schema: sqe.Connection) -> None:
    schema.execute("SET SESSION lane = 'spark'")
    schema.execute("SELECT 1").fetchall()
    cursor = schema.cursor()
    caught: list[sqe.Error] = []

    def run() -> None:
        try:
            cursor.execute(SLOW).fetchall()
        except sqe.Error as error:
            caught.append(error)

    assert cursor.progress() is None
    thread = threading.Thread(target=run)
    thread.start()
    try:
        until(lambda: (cursor.progress() or (0, 0, 0))[1] > 0)
        progress = cursor.progress()
    finally:
        cursor.cancel()
        thread.join(timeout=120)
    assert progress is not None
    assert 0 <= progress.done <= progress.total and progress.rows == 0
    assert progress == (progress.done, progress.total, progress.rows)
    assert not thread.is_alive()
    (error,) = caught
    assert isinstance(error, sqe.OperationalError)
    assert (error.code, error.query_id) == ("USER_CANCELED", cursor.query_id)
    # The cursor and its connection go on.
    assert cursor.execute("SELECT 2").fetchall() == [(2,)]
    schema.execute("RESET SESSION lane")


def test_cancelling_what_does_not_run_does_nothing(schema: sqe.Connection) -> None:
    cursor = schema.cursor()
    cursor.cancel()
    assert cursor.execute("SELECT 1").fetchall() == [(1,)]
    cursor.cancel()
