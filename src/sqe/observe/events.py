"""Events of statements, delivered to observers over a bounded queue.

A slow or broken observer never holds up a statement: when the queue is full, events are dropped and
counted. They are delivered some at a time: a thread that woke for each would take the interpreter from a
statement each time.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Mapping
from dataclasses import field
from typing import Protocol

from sqe.foundation.record import record

log = logging.getLogger(__name__)

# So long events are gathered.
GATHER_SECONDS = 0.02


@record
class Event:
    """kind: received, parsed, bound, secured, routed, started, finished, failed."""

    kind: str
    statement_id: str
    user: str
    at: float = field(default_factory=time.time)
    details: Mapping[str, object] = field(default_factory=dict)

    @property
    def status(self) -> str:
        """How an ended statement ended: success, error or cancelled."""
        if self.kind == "finished":
            return "success"
        return "cancelled" if self.details.get("code") == "USER_CANCELED" else "error"


class Observer(Protocol):
    def hear(self, event: Event) -> None: ...


class Events:
    """The queue between statements and observers."""

    def __init__(self, observers: list[Observer], *, capacity: int = 10_000) -> None:
        self._observers = observers
        self._capacity = capacity
        self._queue: deque[Event] = deque()
        self._more = threading.Event()
        self._closing = threading.Event()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self.dropped = 0

    def emit(self, event: Event) -> None:
        if not self._observers:
            return
        with self._lock:
            if len(self._queue) >= self._capacity:
                self.dropped += 1
                return
            self._queue.append(event)
            if self._thread is None:
                self._thread = threading.Thread(target=self._deliver, name="sqe-events", daemon=True)
                self._thread.start()
        if not self._more.is_set():
            self._more.set()

    def close(self, timeout: float = 5) -> None:
        """Deliver what is queued, then end."""
        self._closing.set()
        self._more.set()
        if self._thread is not None:
            self._thread.join(timeout)

    def _deliver(self) -> None:
        closing = False
        while not closing:
            self._more.wait()
            self._closing.wait(GATHER_SECONDS)
            self._more.clear()
            closing = self._closing.is_set()
            while self._queue:
                self._tell(self._queue.popleft())

    def _tell(self, event: Event) -> None:
        for observer in self._observers:
            try:
                observer.hear(event)
            except Exception:
                log.exception("an observer failed")
