"""Ends the calls of clients that neither send nor take anything for too long."""

from __future__ import annotations

import logging
import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

from sqe.server.client import Client

log = logging.getLogger(__name__)

Message = TypeVar("Message")


class SilentClients:
    """`seconds` is how long a client has that is given no other time; 0 is no limit."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._waiting: dict[int, tuple[Client, float]] = {}

    def __len__(self) -> int:
        """How many clients are waited for."""
        return len(self._waiting)

    @contextmanager
    def waiting(self, client: Client, seconds: float | None = None) -> Iterator[None]:
        """While it is the client's turn, for which it has `seconds`."""
        seconds = self._seconds if seconds is None else seconds
        self._waiting[id(client)] = (client, time.monotonic() + (seconds or math.inf))
        try:
            yield
        finally:
            self._waiting.pop(id(client), None)

    def messages(
        self, client: Client, messages: Iterator[Message], seconds: float | None = None
    ) -> Iterator[Message]:
        """What a client sends, each message within `seconds`."""
        while True:
            with self.waiting(client, seconds):
                message = next(messages, None)
            if message is None:
                return
            yield message

    def sweep(self) -> None:
        now = time.monotonic()
        for client, deadline in list(self._waiting.values()):
            if deadline < now:
                log.warning("a client was silent for too long; its call is ended")
                client.cancel()
