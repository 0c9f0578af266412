"""The statements of this process, those that run and the last ones that ended."""

from __future__ import annotations

import sys
import threading
from collections import deque
from collections.abc import Callable
from dataclasses import replace

from sqe.observe.events import Event, StatementFailed, StatementFinished, StatementReceived
from sqe.observe.statement_record import Record

KEPT = 1000
# Characters of each text: a thousand INSERTs of a megabyte are not worth their memory.
KEPT_TEXT = 20_000
# Of all records together.
KEPT_BYTES = 8 << 20
# What a record takes beside its text.
_RECORD_BYTES = 1500


class History:
    """An observer. Ended statements are kept as records, so that their results are freed."""

    def __init__(self, *, kept: int = KEPT) -> None:
        self._lock = threading.Lock()
        self._running: dict[str, Callable[[], Record | None]] = {}
        self._ended: deque[Record] = deque()
        self._kept = kept
        self._bytes = 0

    def hear(self, event: Event) -> None:
        match event:
            case StatementReceived(origin=origin, current=current):
                with self._lock:
                    self._running[origin.statement_id] = current
            case StatementFinished(origin=origin):
                self._end(origin.statement_id, event.rows)
            case StatementFailed(origin=origin):
                self._end(origin.statement_id, None)

    def _end(self, statement_id: str, rows: int | None) -> None:
        with self._lock:
            current = self._running.pop(statement_id, None)
            record = None if current is None else current()
            if record is not None:
                rows = record.rows if rows is None else rows
                self._keep(replace(record, text=record.text[:KEPT_TEXT], rows=rows))

    def _keep(self, record: Record) -> None:
        self._ended.append(record)
        self._bytes += _bytes(record)
        while len(self._ended) > self._kept or (self._bytes > KEPT_BYTES and len(self._ended) > 1):
            self._bytes -= _bytes(self._ended.popleft())

    @property
    def bytes(self) -> int:
        return self._bytes

    @property
    def running(self) -> int:
        """How many have not ended."""
        with self._lock:
            return len(self._running)

    def records(self, who: str) -> list[Record]:
        """Those of one identity (`Identity.who`), oldest first."""
        with self._lock:
            records = [*self._ended, *(current() for current in self._running.values())]
        return [record for record in records if record is not None and (record.owner or record.user) == who]


def _bytes(record: Record) -> int:
    return _RECORD_BYTES + sys.getsizeof(record.text)
