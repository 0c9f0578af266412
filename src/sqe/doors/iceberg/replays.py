"""Idempotency keys: a request that is sent again gets the answer that it got."""

from __future__ import annotations

import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator

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
    """Answers by the key of their request, whose first part is who made it. Where they take too much room,
    the oldest of whoever has most of it go: nobody's large answers cost another's."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._entries: OrderedDict[tuple[str, ...], _Entry] = OrderedDict()
        self._bytes: Counter[str] = Counter()

    @property
    def bytes(self) -> int:
        return self._bytes.total()

    def once(self, key: tuple[str, ...], digest: str, work: Callable[[], Answer]) -> Answer:
        """While the first of a key is at work, others wait. Only what succeeded is kept: whatever failed
        changed nothing, and may be tried again."""
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
            self._bytes[key[0]] += entry.bytes
            oldest = time.monotonic() - LIFETIME_SECONDS
            for other in [k for k, e in self._done() if e.began <= oldest]:
                self._forget(other)
            while self.bytes > MOST_BYTES:
                ((largest, _),) = self._bytes.most_common(1)
                self._forget(next(k for k, _ in self._done() if k[0] == largest))

    def _done(self) -> Iterator[tuple[tuple[str, ...], _Entry]]:
        return ((key, entry) for key, entry in self._entries.items() if entry.answer is not None)

    def _forget(self, key: tuple[str, ...]) -> None:
        self._bytes[key[0]] -= self._entries.pop(key).bytes
        if not self._bytes[key[0]]:
            del self._bytes[key[0]]
