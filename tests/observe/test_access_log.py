"""One line of the log for each statement that ended."""

from __future__ import annotations

import hashlib
import logging

import pytest

from sqe.observe.access_log import AccessLog
from sqe.observe.events import Event


@pytest.fixture
def heard(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.INFO, "sqe.access")
    return caplog


def test_a_finished_statement(heard: pytest.LogCaptureFixture) -> None:
    log = AccessLog()
    log.hear(Event("received", "s1", "joe", details={"text": "SELECT 1"}))
    log.hear(Event("started", "s1", "joe", details={"lane": "fast"}))
    details = {
        **{"statement_type": "query", "lane": "fast", "seconds": 0.25, "rows": 1, "session_id": "x"},
        **{"updated": None, "timings": {"parse": 1.0}},
    }
    log.hear(Event("finished", "s1", "joe", details=details))
    (line,) = heard.records
    said = vars(line)
    assert line.getMessage() == "statement finished" and line.name == "sqe.access"
    assert said["statement_id"] == "s1" and said["user"] == "joe" and said["session_id"] == "x"
    assert said["statement_type"] == "query" and said["lane"] == "fast" and said["rows"] == 1
    assert said["duration_ms"] == 250 and said["status"] == "success"
    assert said["query_hash"] == hashlib.sha256(b"SELECT 1").hexdigest()
    assert "query_text" not in said and "SELECT" not in line.getMessage()


@pytest.mark.parametrize(("code", "status"), [("USER_CANCELED", "cancelled"), ("TABLE_NOT_FOUND", "error")])
def test_a_failed_one(heard: pytest.LogCaptureFixture, code: str, status: str) -> None:
    details = {"code": code, "error_type": "USER_ERROR", "message": "no table secret_plans"}
    AccessLog().hear(Event("failed", "s1", "joe", details=details))
    (line,) = heard.records
    assert vars(line)["status"] == status and vars(line)["error_code"] == code
    assert "secret_plans" not in repr(vars(line)), "messages repeat what was asked"


def test_the_text_is_there_where_it_is_asked_for(heard: pytest.LogCaptureFixture) -> None:
    log = AccessLog(with_text=True)
    log.hear(Event("received", "s1", "joe", details={"text": "SELECT 1"}))
    log.hear(Event("finished", "s1", "joe"))
    assert vars(heard.records[0])["query_text"] == "SELECT 1"


def test_statements_whose_end_is_never_heard_are_forgotten() -> None:
    log = AccessLog()
    for number in range(25_000):
        log.hear(Event("received", str(number), "joe", details={"text": "SELECT 1"}))
    assert log.waiting == 10_000
