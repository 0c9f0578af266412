"""One line of the log for each statement that ended."""

from __future__ import annotations

import hashlib
import logging

import pytest
from tests.observe.event_samples import failed, finished, origin, received

from sqe.observe.access_log import AccessLog
from sqe.observe.events import StatementStarted
from sqe.observe.request_ids import RequestIds


@pytest.fixture
def heard(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    caplog.set_level(logging.INFO, "sqe.access")
    return caplog


def test_a_finished_statement(heard: pytest.LogCaptureFixture) -> None:
    log = AccessLog()
    log.hear(received())
    log.hear(StatementStarted(origin(), "", "query", "fast"))
    log.hear(finished(rows=1, timings={"parse": 1.0}))
    (line,) = heard.records
    said = vars(line)
    assert line.getMessage() == "statement finished" and line.name == "sqe.access"
    assert said["statement_id"] == "s1" and said["user"] == "joe" and said["session_id"] == "session"
    assert said["statement_type"] == "query" and said["lane"] == "fast" and said["rows"] == 1
    assert said["duration_ms"] == 250 and said["status"] == "success"
    assert said["query_hash"] == hashlib.sha256(b"SELECT 1").hexdigest()
    assert "query_text" not in said and "SELECT" not in line.getMessage()
    assert not {"updated", "request_id", "traceparent", "error_code"} & set(said)


@pytest.mark.parametrize(("code", "status"), [("USER_CANCELED", "cancelled"), ("TABLE_NOT_FOUND", "error")])
def test_a_failed_one(heard: pytest.LogCaptureFixture, code: str, status: str) -> None:
    AccessLog().hear(failed(code=code))
    (line,) = heard.records
    assert vars(line)["status"] == status and vars(line)["error_code"] == code
    assert "secret_plans" not in repr(vars(line)), "messages repeat what was asked"


def test_the_text_is_there_where_it_is_asked_for(heard: pytest.LogCaptureFixture) -> None:
    AccessLog(with_text=True).hear(finished())
    assert vars(heard.records[0])["query_text"] == "SELECT 1"


def test_what_other_systems_call_the_request(heard: pytest.LogCaptureFixture) -> None:
    ids = RequestIds("r-1", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01")
    AccessLog().hear(finished(origin(request=ids)))
    said = vars(heard.records[0])
    assert (said["request_id"], said["traceparent"]) == (ids.request_id, ids.traceparent)
