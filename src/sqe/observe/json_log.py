"""Events as JSON, one object per line, in a file that the operator names."""

from __future__ import annotations

import json
import os
from pathlib import Path

from sqe.errors import ConfigError
from sqe.observe.events import (
    Event,
    LogIn,
    Origin,
    StatementFailed,
    StatementFinished,
    StatementReceived,
    StatementStarted,
)


class JsonLog:
    def __init__(self, path: Path) -> None:
        try:
            descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
        except OSError as error:
            raise ConfigError(
                f"events.log_path cannot be written: {error.strerror}", hint=str(path)
            ) from None
        self._file = os.fdopen(descriptor, "w", buffering=1, encoding="utf-8")

    def hear(self, event: Event) -> None:
        self._file.write(json.dumps(_line(event)) + "\n")


def _line(event: Event) -> dict[str, object]:
    more: dict[str, object]
    match event:
        case StatementReceived(origin=origin):
            return _head("received", event.at, origin) | {"text": origin.text}
        case StatementStarted(origin=origin):
            views = [] if event.bound is None else [str(name) for name in event.bound.views]
            more = {"lane": event.lane, "kind": event.kind, "statement_type": event.statement_type}
            return _head("started", event.at, origin) | more | ({"views": views} if views else {})
        case StatementFinished(origin=origin):
            more = {"rows": event.rows, "updated": event.updated, "timings": dict(event.timings)}
            return _head("finished", event.at, origin) | more | _account(event)
        case StatementFailed(origin=origin):
            more = {"code": event.code, "error_type": event.error_type, "message": event.message}
            return _head("failed", event.at, origin) | more | _account(event)
        case LogIn():
            more = {"provider": event.provider, "result": event.result, "seconds": event.seconds}
            about = {"event": "log_in", "at": round(event.at, 6), "user": event.user, "peer": event.peer}
            return about | more


def _head(name: str, at: float, origin: Origin) -> dict[str, object]:
    return {
        "event": name,
        "at": round(at, 6),
        "statement_id": origin.statement_id,
        "user": origin.user,
        "session_id": origin.session_id,
        **origin.request.shown(),
    }


def _account(event: StatementFinished | StatementFailed) -> dict[str, object]:
    return {
        "statement_type": event.statement_type,
        "lane": event.lane,
        "seconds": event.seconds,
        "first_row_seconds": event.first_row_seconds,
    }
