"""How many requests a statement makes to object stores, counted where they are sent."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager


class RequestCount:
    """Of one statement, in the thread that works on it."""

    def __init__(self) -> None:
        self.requests = 0


class _Thread(threading.local):
    count: RequestCount | None = None


_thread = _Thread()


@contextmanager
def counting(count: RequestCount) -> Iterator[None]:
    """What this thread asks of stores meanwhile is added to `count`."""
    before, _thread.count = _thread.count, count
    try:
        yield
    finally:
        _thread.count = before


def count_request() -> None:
    if _thread.count is not None:
        _thread.count.requests += 1
