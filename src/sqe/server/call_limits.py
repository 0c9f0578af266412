"""How many calls one user may have at once."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager

from sqe.errors import LimitExceeded

MOST_PER_USER = 384


class CallLimits:
    """Each call takes a thread of its door. Nobody may take them all."""

    def __init__(self) -> None:
        self._most = MOST_PER_USER
        self._lock = threading.Lock()
        self._calls: Counter[str] = Counter()

    @contextmanager
    def counted(self, user: str) -> Iterator[None]:
        with self._lock:
            if self._calls[user] >= self._most:
                raise LimitExceeded(
                    f"there are {self._most} calls of one user already", code="TOO_MANY_CALLS"
                )
            self._calls[user] += 1
        try:
            yield
        finally:
            with self._lock:
                self._calls[user] -= 1
                if not self._calls[user]:
                    del self._calls[user]
