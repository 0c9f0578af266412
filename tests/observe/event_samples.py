"""Events as statements send them, for observers that are tested alone."""

from __future__ import annotations

from typing import Any

from sqe.observe.events import Origin, StatementFailed, StatementFinished, StatementReceived
from sqe.observe.request_ids import NO_IDS, RequestIds
from sqe.observe.statement_record import Record


def origin(id: str = "s1", user: str = "joe", text: str = "SELECT 1", request: RequestIds = NO_IDS) -> Origin:
    return Origin(id, user, "session", text, request)


def received(id: str = "s1", user: str = "joe", text: str = "SELECT 1") -> StatementReceived:
    return StatementReceived(origin(id, user, text), lambda: Record(id, user, text, "finished", 1.0, 2.0))


def finished(of: Origin | None = None, **known: Any) -> StatementFinished:
    return StatementFinished(
        of or origin(), **{"statement_type": "query", "lane": "fast", "seconds": 0.25, **known}
    )


def failed(of: Origin | None = None, **known: Any) -> StatementFailed:
    usual = {
        "statement_type": "query",
        "lane": None,
        "seconds": 0.25,
        "code": "TABLE_NOT_FOUND",
        "error_type": "USER_ERROR",
        "message": "no table secret_plans",
    }
    return StatementFailed(of or origin(), **{**usual, **known})
