"""Idempotency keys: a request that is sent again gets the answer that it got."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable

from sqe.doors.iceberg.answers import Answer, Unprocessable

LIFETIME_SECONDS = 30 * 60.0
_MOST = 10_000


class _Entry:
    def __init__(self, digest: str) -> None:
        self.digest = digest
        self.began = time.monotonic()
        self.lock = threading.Lock()
        self.answer: Answer | None = None


class Replays:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._entries: OrderedDict[tuple[str, ...], _Entry] = OrderedDict()

    def once(self, key: tuple[str, ...], digest: str, work: Callable[[], Answer]) -> Answer:
        """`key` names the request and who makes it. While the first is at work, others of its key wait. Only
        what succeeded is kept: whatever failed changed nothing, and may be tried again."""
        with self._lock:
            self._forget()
            entry = self._entries.setdefault(key, _Entry(digest))
        with entry.lock:
            if entry.digest != digest:
                raise Unprocessable("the idempotency key is of another request")
            if entry.answer is None:
                # Bodies are large, and whoever asks again wants to know that it was done.
                entry.answer = work()
            return entry.answer

    def _forget(self) -> None:
        oldest = time.monotonic() - LIFETIME_SECONDS
        while self._entries:
            key, entry = next(iter(self._entries.items()))
            if len(self._entries) < _MOST and entry.began > oldest:
                return
            del self._entries[key]
