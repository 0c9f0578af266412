"""How many statements run at once on a server: for everybody and for each user, and a queue for the rest."""

from __future__ import annotations

import threading
import time
from collections import Counter, OrderedDict
from typing import Protocol

from sqe.config.config import QuerySettings
from sqe.errors import Cancelled, LimitExceeded, Unavailable


class Ticketed(Protocol):
    """What is asked of a statement here."""

    id: str
    cancelled: bool

    @property
    def charged(self) -> str: ...


# How often a statement that waits checks whether it was cancelled.
LOOK_SECONDS = 0.25


class Admission:
    """First come, first served, past those whose user already runs as much as one may."""

    def __init__(self, limits: QuerySettings) -> None:
        self._limits = limits
        self._changed = threading.Condition()
        self._running: dict[str, str] = {}
        self._of_user: Counter[str] = Counter()
        self._waiting: OrderedDict[str, str] = OrderedDict()
        self._draining = False

    @property
    def running(self) -> int:
        return len(self._running)

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    def enter(self, statement: Ticketed) -> None:
        """Returns when the statement may run; raises an error that names the limit."""
        with self._changed:
            self._check_open()
            key, user = statement.id, statement.charged
            if not self._waiting and self._fits(user):
                self._take(key, user)
                return
            if len(self._waiting) >= self._limits.max_queued:
                raise LimitExceeded(
                    f"{len(self._waiting)} statements are waiting already (query.max_queued)",
                    code="QUERY_QUEUE_FULL",
                    hint="try again later",
                )
            self._waiting[key] = user
            try:
                self._wait(statement)
            finally:
                self._waiting.pop(key, None)
                self._changed.notify_all()

    def leave(self, statement: Ticketed) -> None:
        """Once the engine's work on it is over; more than once does no harm."""
        with self._changed:
            user = self._running.pop(statement.id, None)
            if user is not None:
                self._of_user[user] -= 1
                if not self._of_user[user]:
                    del self._of_user[user]
                self._changed.notify_all()

    def drain(self) -> None:
        """Nothing new from now on; what waits is turned away."""
        with self._changed:
            self._draining = True
            self._changed.notify_all()

    def wait_until_idle(self, seconds: float) -> bool:
        with self._changed:
            return self._changed.wait_for(lambda: not self._running, seconds)

    def _wait(self, statement: Ticketed) -> None:
        key, user = statement.id, statement.charged
        deadline = time.monotonic() + self._limits.queue_timeout_secs
        while not (self._fits(user) and self._is_next(key)):
            seconds = deadline - time.monotonic()
            if seconds <= 0:
                raise self._too_long(user)
            self._changed.wait(min(seconds, LOOK_SECONDS))
            self._check_open()
            if statement.cancelled:
                raise Cancelled("the statement was cancelled")
        self._take(key, user)

    def _is_next(self, key: str) -> bool:
        """The first of those that could run now."""
        for other, user in self._waiting.items():
            if other == key:
                return True
            if self._fits(user):
                return False
        return False

    def _fits(self, user: str) -> bool:
        most, mine = self._limits.max_concurrent_queries, self._limits.max_concurrent_per_user
        return (not most or len(self._running) < most) and (not mine or self._of_user[user] < mine)

    def _take(self, key: str, user: str) -> None:
        self._running[key] = user
        self._of_user[user] += 1

    def _check_open(self) -> None:
        if self._draining:
            raise Unavailable("the server is shutting down", code="SERVER_SHUTTING_DOWN")

    def _too_long(self, user: str) -> LimitExceeded:
        mine = self._limits.max_concurrent_per_user
        own = bool(mine) and self._of_user[user] >= mine
        name = "max_concurrent_per_user" if own else "max_concurrent_queries"
        limit = mine if own else self._limits.max_concurrent_queries
        return LimitExceeded(
            f"the statement waited longer than query.queue_timeout_secs"
            f" ({self._limits.queue_timeout_secs} s) for one of query.{name} ({limit})",
            code="QUERY_QUEUE_TIMEOUT",
            hint="try again later, or let other statements end first",
        )
