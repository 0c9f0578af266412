"""Idempotency keys: a request that is sent again gets the answer that it got."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable

from sqe.doors.iceberg.answers import Answer, Unprocessable

LIFETIME_SECONDS = 30 * 60.0
MOST_BYTES = 64 << 20
_ENTRY_BYTES = 1000


class _Entry:
    def __init__(self, key: tuple[str, ...], digest: str) -> None:
        self.digest = digest
        self._key_bytes = sum(map(len, key))
        self.began = time.monotonic()
        self.lock = threading.Lock()
        self.answer: Answer | None = None

    @property
    def bytes(self) -> int:
        return _ENTRY_BYTES + self._key_bytes + len((self.answer and self.answer.content) or b"")


class Replays:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._entries: OrderedDict[tuple[str, ...], _Entry] = OrderedDict()
        self.bytes = 0

    def once(self, key: tuple[str, ...], digest: str, work: Callable[[], Answer]) -> Answer:
        """`key` names the request and who makes it. While the first is at work, others of its key wait. Only
        what succeeded is kept: whatever failed changed nothing, and may be tried again."""
        with self._lock:
            entry = self._entries.setdefault(key, _Entry(key, digest))
        with entry.lock:
            if entry.digest != digest:
                raise Unprocessable("the idempotency key is of another request")
            if entry.answer is None:
                try:
                    entry.answer = work()
                finally:
                    self._keep(key, entry)
            return entry.answer

    def _keep(self, key: tuple[str, ...], entry: _Entry) -> None:
        with self._lock:
            if entry.answer is None:
                self._entries.pop(key, None)
                return
            # One that waited while another of its key failed is not there any more.
            self._entries[key] = entry
            self.bytes += entry.bytes
            oldest = time.monotonic() - LIFETIME_SECONDS
            done = (item for item in list(self._entries.items()) if item[1].answer is not None)
            for other, kept in done:
                if self.bytes <= MOST_BYTES and kept.began > oldest:
                    return
                del self._entries[other]
                self.bytes -= kept.bytes
