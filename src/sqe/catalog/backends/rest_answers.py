"""What a REST catalog answered to one identity with one token, for a configured time.

Whatever we change ourselves is seen at once, whoever asks: a change makes what was answered before it out of
date, for everybody who reaches the catalog through this process.
"""

from __future__ import annotations

import hashlib
import secrets
import threading
import time
from collections.abc import Callable
from dataclasses import field
from typing import Any

from sqe.foundation.byte_cache import ByteCache
from sqe.foundation.record import record

ANSWERS_BYTES = 32 << 20
# Measured: what a byte of JSON takes as objects.
_BYTES_OF_OBJECTS = 5
# Schemas whose last change is remembered one by one.
_MOST_SCHEMAS = 1000
# Tokens are kept as hashes that mean nothing outside of this process.
_KEY = secrets.token_bytes(32)


@record
class Answer:
    """`at` is when it came, in seconds since 1970: keys in it hold from then on. `size` is of its text."""

    content: dict[str, Any] = field(repr=False)
    at: float
    size: int


@record
class _Kept:
    answer: Answer
    schema: str
    until: float
    # Of the last change before it was asked for.
    change: int


class Changes:
    """Those that we have made in one catalog, for whomever, by number."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._last = 0
        self._everywhere = 0
        self._in_schema: dict[str, int] = {}

    @property
    def last(self) -> int:
        return self._last

    def add(self, schema: str | None) -> None:
        """A change of what is in one schema, or, without one, anywhere. Called when it was answered, or when
        it is known that no answer will come."""
        with self._lock:
            self._last += 1
            if schema is None or len(self._in_schema) >= _MOST_SCHEMAS:
                self._everywhere = self._last
                self._in_schema.clear()
            else:
                self._in_schema[schema] = self._last

    def last_in(self, schema: str) -> int:
        with self._lock:
            return max(self._everywhere, self._in_schema.get(schema, 0))


class Answers:
    """Of one identity. Nothing is kept of a refusal, nor of a name that was not there: who is given a right,
    or makes a table elsewhere, need not wait."""

    def __init__(
        self, changes: Changes, seconds: float, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.changes = changes
        self._seconds = seconds
        self._clock = clock
        self._kept: ByteCache[_Kept] = ByteCache(
            ANSWERS_BYTES, lambda kept: kept.answer.size * _BYTES_OF_OBJECTS
        )

    @property
    def bytes(self) -> int:
        return self._kept.bytes

    def find(self, token: str | None, path: str) -> Answer | None:
        kept = self._kept.get(_key(token, path))
        if kept is None or self._clock() >= kept.until or kept.change < self.changes.last_in(kept.schema):
            return None
        return kept.answer

    def keep(self, token: str | None, path: str, answer: Answer, *, schema: str, change: int) -> None:
        """`change` is the last one that had been made when it was asked for."""
        kept = _Kept(answer, schema, self._clock() + self._seconds, change)
        self._kept.put(_key(token, path), kept)


def _key(token: str | None, path: str) -> tuple[bytes, str]:
    digest = hashlib.blake2b((token or "").encode(errors="surrogatepass"), key=_KEY, digest_size=16).digest()
    return digest, path
