"""Transactions of clients, by the id that they send. Each statement commits by itself, so all that one has is
how many have written since it began."""

from __future__ import annotations

import threading
import time
import uuid

from sqe.errors import UserError
from sqe.session import Identity

IDLE_SECONDS = 300.0
MOST = 10_000


class Transactions:
    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._open: dict[str, tuple[Identity, int, float]] = {}

    def __len__(self) -> int:
        return len(self._open)

    def begin(self, owner: Identity) -> str:
        id_ = str(uuid.uuid4())
        with self._lock:
            self._forget_idle()
            self._open[id_] = (owner, 0, time.monotonic())
        return id_

    def written(self, id_: str, owner: Identity) -> int:
        """How many statements have written in it. UserError for one of somebody else, as for one that is
        over."""
        with self._lock:
            self._forget_idle()
            transaction = self._open.get(id_)
            if transaction is None or transaction[0] != owner:
                raise UserError(f"Unknown transaction ID: {id_}", code="UNKNOWN_TRANSACTION")
            self._open[id_] = (owner, transaction[1], time.monotonic())
            return transaction[1]

    def wrote(self, id_: str, count: int) -> None:
        with self._lock:
            if id_ in self._open:
                self._open[id_] = (self._open[id_][0], count, time.monotonic())

    def end(self, id_: str) -> None:
        with self._lock:
            self._open.pop(id_, None)

    def _forget_idle(self) -> None:
        """Called with the lock held. The oldest stand first."""
        before = time.monotonic() - IDLE_SECONDS
        for id_, (_, _, used) in list(self._open.items()):
            if used < before or len(self._open) >= MOST:
                del self._open[id_]
