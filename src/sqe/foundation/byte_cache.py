"""A cache that counts bytes, not entries, and evicts what was used least recently."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable
from typing import Generic, TypeVar

from sqe.foundation.record import record

V = TypeVar("V")


@record
class _Entry(Generic[V]):
    value: V
    bytes: int
    of: Hashable


class ByteCache(Generic[V]):
    """Values by key, safe for threads. Of one subject (a table, say) only the newest value is cached: whoever
    still uses an older one holds a reference to it. `weight` estimates how many bytes a value takes."""

    def __init__(self, most_bytes: int, weight: Callable[[V], int]) -> None:
        self._most = most_bytes
        self._weight = weight
        self._entries: OrderedDict[Hashable, _Entry[V]] = OrderedDict()
        self._newest: dict[Hashable, Hashable] = {}
        self._lock = threading.Lock()
        self._bytes = 0

    @property
    def bytes(self) -> int:
        return self._bytes

    def __len__(self) -> int:
        return len(self._entries)

    def get(self, key: Hashable) -> V | None:
        with self._lock:
            entry = self._entries.get(key)
            if entry is None:
                return None
            self._entries.move_to_end(key)
            return entry.value

    def put(self, key: Hashable, value: V, *, of: Hashable = None) -> None:
        """`of` is the subject of the value. A value that is larger than the whole cache is not cached."""
        size = self._weight(value)
        with self._lock:
            self._remove(key)
            if of is not None:
                self._remove(self._newest.get(of))
            if size > self._most:
                return
            self._entries[key] = _Entry(value, size, of)
            self._bytes += size
            if of is not None:
                self._newest[of] = key
            while self._bytes > self._most:
                self._remove(next(iter(self._entries)))

    def remove(self, keys: Iterable[Hashable]) -> None:
        with self._lock:
            for key in keys:
                self._remove(key)

    def _remove(self, key: Hashable) -> None:
        entry = self._entries.pop(key, None)
        if entry is not None:
            self._bytes -= entry.bytes
            if entry.of is not None and self._newest.get(entry.of) == key:
                del self._newest[entry.of]
