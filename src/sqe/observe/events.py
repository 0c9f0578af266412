"""Events of statements, delivered to observers over a bounded queue.

A slow or broken observer never holds up a statement: when the queue is full, events are dropped and
counted.
"""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Mapping
from dataclasses import field
from typing import Protocol

from sqe.record import record

log = logging.getLogger(__name__)


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
        self._queue: queue.Queue[Event | None] = queue.Queue(capacity)
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self.dropped = 0

    def emit(self, event: Event) -> None:
        if not self._observers:
            return
        self._start()
        try:
            self._queue.put_nowait(event)
        except queue.Full:
            self.dropped += 1

    def close(self, timeout: float = 5) -> None:
        """Deliver what is queued, then end."""
        thread = self._thread
        if thread is None:
            return
        self._queue.put(None)
        thread.join(timeout)

    def _start(self) -> None:
        with self._lock:
            if self._thread is None:
                self._thread = threading.Thread(target=self._deliver, name="sqe-events", daemon=True)
                self._thread.start()

    def _deliver(self) -> None:
        while True:
            event = self._queue.get()
            if event is None:
                return
            for observer in self._observers:
                try:
                    observer.hear(event)
                except Exception:
                    log.exception("an observer failed")
