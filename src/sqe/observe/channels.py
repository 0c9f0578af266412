"""How events reach observers: at once and without fail, or soon and as far as there is room.

A statement waits for those that must miss nothing, such as its history. A slow or broken observer of the
other kind never holds one up: when its queue is full, events are dropped and counted.
"""

from __future__ import annotations

import logging
import threading
from collections import deque
from collections.abc import Sequence

from sqe.observe.events import Event, Observer

log = logging.getLogger(__name__)

# How long events are gathered: a thread that woke for each would take the interpreter from a statement each
# time.
GATHER_SECONDS = 0.02


class Events:
    """Both channels. `certain` observers hear each event before `emit` returns, in the thread that sends it:
    there is no queue that could be full. `best_effort` ones hear it a moment later, if their queue has
    room."""

    def __init__(
        self,
        best_effort: Sequence[Observer] = (),
        *,
        certain: Sequence[Observer] = (),
        capacity: int = 10_000,
    ) -> None:
        self._certain = tuple(certain)
        self._queue = Queue(best_effort, capacity=capacity)

    @property
    def dropped(self) -> int:
        """Events that best-effort observers missed."""
        return self._queue.dropped

    def emit(self, event: Event) -> None:
        for observer in self._certain:
            _tell(observer, event)
        self._queue.put(event)

    def close(self, timeout: float = 5) -> None:
        """Deliver what is queued, then end."""
        self._queue.close(timeout)


class Queue:
    """The bounded queue between statements and best-effort observers."""

    def __init__(self, observers: Sequence[Observer], *, capacity: int) -> None:
        self._observers = tuple(observers)
        self._capacity = capacity
        self._events: deque[Event] = deque()
        self._more = threading.Event()
        self._closing = threading.Event()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()
        self.dropped = 0

    def put(self, event: Event) -> None:
        if not self._observers:
            return
        with self._lock:
            if len(self._events) >= self._capacity:
                self.dropped += 1
                return
            self._events.append(event)
            if self._thread is None:
                self._thread = threading.Thread(target=self._deliver, name="sqe-events", daemon=True)
                self._thread.start()
        if not self._more.is_set():
            self._more.set()

    def close(self, timeout: float) -> None:
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
            while self._events:
                event = self._events.popleft()
                for observer in self._observers:
                    _tell(observer, event)


def _tell(observer: Observer, event: Event) -> None:
    try:
        observer.hear(event)
    except Exception:
        log.exception("an observer failed")
