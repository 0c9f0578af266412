"""A document of an identity provider, kept for a time and fetched again no more often than it must be."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Generic, TypeVar

from sqe.errors import Unavailable

log = logging.getLogger(__name__)
T = TypeVar("T")

FRESH_SECONDS = 600.0
# While the identity provider is down, what it said last holds for this long.
STALE_SECONDS = 3600.0
LEAST_SECONDS = 10.0


class Fetched(Generic[T]):
    """One thread fetches, at most once in LEAST_SECONDS; the others go on with what there is, if anything."""

    def __init__(self, fetch: Callable[[], T], *, clock: Callable[[], float] = time.monotonic) -> None:
        self._fetch = fetch
        self._clock = clock
        self._lock = threading.Lock()
        self._value: T | None = None
        self._fetched = float("-inf")
        self._tried = float("-inf")
        self._failure: str | None = None

    def get(self) -> T:
        """Unavailable, if there is none and it cannot be had."""
        value, age = self._value, self._clock() - self._fetched
        if value is not None and age < FRESH_SECONDS:
            return value
        may_wait = value is None or age >= STALE_SECONDS
        if not self._lock.acquire(blocking=may_wait):
            assert value is not None
            return value
        try:
            if self._clock() - self._fetched < FRESH_SECONDS:
                assert self._value is not None
                return self._value
            try:
                return self._renew()
            except Unavailable:
                if may_wait or value is None:
                    raise
                return value
        finally:
            self._lock.release()

    def newer_than(self, value: T) -> T | None:
        """What there is in place of a value that lacked something; None if there is nothing newer, or if it
        was fetched a moment ago."""
        with self._lock:
            if self._value is not value:
                return self._value
            if self._clock() - self._tried < LEAST_SECONDS:
                return None
            return self._renew()

    def _renew(self) -> T:
        """Called with the lock held."""
        if self._failure is not None and self._clock() - self._tried < LEAST_SECONDS:
            raise Unavailable(self._failure, code="IDENTITY_PROVIDER_UNAVAILABLE", hint="try again later")
        self._tried = self._clock()
        try:
            value = self._fetch()
        except Unavailable as error:
            self._failure = error.message
            log.warning("an identity provider does not answer: %s", error.message)
            raise
        self._value, self._fetched, self._failure = value, self._clock(), None
        return value
