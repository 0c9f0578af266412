"""One line of the server's log for each statement that has ended."""

from __future__ import annotations

import hashlib
import logging
from collections import OrderedDict
from collections.abc import Mapping

from sqe.observe.events import Event

log = logging.getLogger("sqe.access")

_CONTEXT = ("session_id", "statement_type", "lane", "rows", "updated")
# Of statements whose end was never heard, because the queue of events was full.
_KEPT = 10_000


class AccessLog:
    """The text stays out of the log unless `with_text`; its hash tells which statements are the same."""

    def __init__(self, *, with_text: bool = False) -> None:
        self._with_text = with_text
        self._texts: OrderedDict[str, Mapping[str, object]] = OrderedDict()

    @property
    def waiting(self) -> int:
        """Statements that have not ended, as far as was heard."""
        return len(self._texts)

    def hear(self, event: Event) -> None:
        if event.kind == "received":
            text = str(event.details.get("text", ""))
            digest = hashlib.sha256(text.encode(errors="replace")).hexdigest()
            kept: dict[str, object] = {"query_hash": digest}
            if self._with_text:
                kept["query_text"] = text
            self._texts[event.statement_id] = kept
            while len(self._texts) > _KEPT:
                self._texts.popitem(last=False)
        elif event.kind in ("finished", "failed"):
            self._tell(event, self._texts.pop(event.statement_id, {}))

    def _tell(self, event: Event, text: Mapping[str, object]) -> None:
        said = event.details
        context: dict[str, object] = {"statement_id": event.statement_id, "user": event.user}
        context |= {name: said[name] for name in _CONTEXT if said.get(name) is not None}
        seconds = said.get("seconds")
        if isinstance(seconds, (int, float)):
            context["duration_ms"] = round(1000 * seconds, 3)
        context["status"] = event.status
        if event.kind == "failed":
            context |= {"error_code": said.get("code"), "error_type": said.get("error_type")}
        log.info("statement %s", event.kind, extra=context | dict(text))
