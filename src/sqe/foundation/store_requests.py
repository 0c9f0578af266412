"""How many requests a statement makes to object stores, counted where they are sent."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class RequestCount:
    """Of one statement, in the thread that works on it."""

    def __init__(self) -> None:
        self.requests = 0


_current: ContextVar[RequestCount | None] = ContextVar("store_requests", default=None)


@contextmanager
def counting(count: RequestCount) -> Iterator[None]:
    """What this thread asks of stores meanwhile is added to `count`."""
    token = _current.set(count)
    try:
        yield
    finally:
        _current.reset(token)


def count_request() -> None:
    count = _current.get()
    if count is not None:
        count.requests += 1
