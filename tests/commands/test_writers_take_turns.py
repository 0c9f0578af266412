"""Our own writers of a table wait for each other, and a waiting one can be ended."""

from __future__ import annotations

import threading

import pytest

from sqe.api.connection import Connection
from sqe.errors import Cancelled, LimitExceeded


@pytest.fixture
def waiting(schema: Connection) -> Connection:
    schema.execute("CREATE TABLE t (a integer)")
    return schema


def test_a_writer_that_waits_can_be_cancelled(waiting: Connection) -> None:
    table = ".".join((waiting.session.catalog, *waiting.session.namespace, "t"))
    cursor = waiting.cursor()
    with waiting.coordinator.write_lock(table):
        threading.Timer(0.3, cursor.cancel).start()
        with pytest.raises(Cancelled):
            cursor.execute("INSERT INTO t VALUES 1")
    assert waiting.execute("SELECT count(*) FROM t").fetchall() == [(0,)]


def test_a_writer_waits_no_longer_than_its_time_limit(waiting: Connection) -> None:
    table = ".".join((waiting.session.catalog, *waiting.session.namespace, "t"))
    waiting.execute("SET SESSION query_max_run_time = '200ms'")
    try:
        with waiting.coordinator.write_lock(table), pytest.raises(LimitExceeded) as error:
            waiting.execute("INSERT INTO t VALUES 1")
    finally:
        waiting.execute("RESET SESSION query_max_run_time")
    assert error.value.code == "EXCEEDED_TIME_LIMIT"
