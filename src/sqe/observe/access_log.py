"""One line of the server's log for each statement that has ended."""

from __future__ import annotations

import hashlib
import logging

from sqe.observe.events import Event, StatementFailed, StatementFinished

log = logging.getLogger("sqe.access")


class AccessLog:
    """The text stays out of the log unless `with_text`; its hash tells which statements are the same."""

    def __init__(self, *, with_text: bool = False) -> None:
        self._with_text = with_text

    def hear(self, event: Event) -> None:
        if isinstance(event, StatementFinished):
            counts = {"rows": event.rows, "updated": event.updated}
            self._write("finished", event, {name: n for name, n in counts.items() if n is not None})
        elif isinstance(event, StatementFailed):
            self._write("failed", event, {"error_code": event.code, "error_type": event.error_type})

    def _write(self, end: str, event: StatementFinished | StatementFailed, more: dict[str, object]) -> None:
        origin = event.origin
        context: dict[str, object] = {
            "statement_id": origin.statement_id,
            "user": origin.user,
            "session_id": origin.session_id,
            **origin.request.shown(),
            "statement_type": event.statement_type,
        }
        if event.lane is not None:
            context["lane"] = event.lane
        context |= {**more, "duration_ms": round(1000 * event.seconds, 3), "status": event.status}
        context["query_hash"] = hashlib.sha256(origin.text.encode(errors="replace")).hexdigest()
        if self._with_text:
            context["query_text"] = origin.text
        log.info("statement %s", end, extra=context)
