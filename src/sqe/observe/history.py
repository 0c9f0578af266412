"""The statements of this process, those that run and the last ones that ended."""

from __future__ import annotations

import sys
import threading
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import field, replace

from sqe.foundation.record import record

KEPT = 1000
# Of the text of each, in characters: a thousand INSERTs of a megabyte are not worth their memory.
KEPT_TEXT = 20_000
# And of all texts together.
KEPT_BYTES = 8 << 20
# What a record takes beside its text.
_RECORD_BYTES = 1500


@record
class Record:
    """What is known of a statement; times are seconds since the epoch. It holds no rows."""

    id: str
    user: str
    text: str
    state: str
    created: float
    ended: float | None = None
    timings: Mapping[str, float] = field(default_factory=dict)
    rows: int | None = None
    updated: int | None = None
    lane: str | None = None
    lane_reason: str | None = None
    error_kind: str | None = None
    error_code: str | None = None


class History:
    """Ended statements are kept as records, so that their results are freed."""

    def __init__(self, *, kept: int = KEPT) -> None:
        self._lock = threading.Lock()
        self._running: dict[str, Callable[[], Record]] = {}
        self._ended: deque[Record] = deque()
        self._kept = kept
        self._bytes = 0

    def begin(self, statement_id: str, look: Callable[[], Record]) -> None:
        with self._lock:
            self._running[statement_id] = look

    def end(self, statement_id: str, *, rows: int | None = None) -> None:
        with self._lock:
            look = self._running.pop(statement_id, None)
            if look is not None:
                record = look()
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

    def records(self, user: str) -> list[Record]:
        """The user's own, oldest first."""
        with self._lock:
            found = [*self._ended, *(look() for look in self._running.values())]
        return [record for record in found if record.user == user]


def _bytes(record: Record) -> int:
    return _RECORD_BYTES + sys.getsizeof(record.text)
