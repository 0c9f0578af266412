"""A statement in a thread of its own, so that Ctrl-C and the progress are not held up by it."""

from __future__ import annotations

import contextlib
import queue
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sqe.api.cursor import Cursor

# How often the wait for a result calls `waiting`.
TICK_SECONDS = 0.1
# A statement that does not end at once is left to end by itself.
CANCEL_SECONDS = 1.5
_END = object()


class Running:
    """`waiting` is called again and again while nothing arrives, and `arrived` when something does."""

    def __init__(
        self, cursor: Cursor, sql: str, *, waiting: Callable[[], None], arrived: Callable[[], None]
    ) -> None:
        self._cursor = cursor
        self._sql = sql
        self._waiting = waiting
        self._arrived = arrived
        self._ready: queue.Queue[Any] = queue.Queue(maxsize=4)
        self._stopped = threading.Event()
        self._thread = threading.Thread(target=self._work, name="sqe-statement", daemon=True)
        self._thread.start()

    def batches(self) -> Iterator[Any]:
        while True:
            try:
                item = self._ready.get(timeout=TICK_SECONDS)
            except queue.Empty:
                self._waiting()
                continue
            self._arrived()
            if item is _END:
                return
            if isinstance(item, BaseException):
                raise item
            yield item

    def cancel(self) -> None:
        """In a thread, which another Ctrl-C does not reach: that one only ends the wait."""
        self._stopped.set()
        ending = threading.Thread(target=self._cursor.cancel, name="sqe-cancel", daemon=True)
        with contextlib.suppress(KeyboardInterrupt):
            ending.start()
            self._arrived()
            ending.join(CANCEL_SECONDS)
            self._thread.join(CANCEL_SECONDS)

    def close(self) -> None:
        """Frees what the result holds; not while the thread may still be reading it."""
        if not self._thread.is_alive():
            self._cursor.close()

    def _work(self) -> None:
        try:
            self._cursor.execute(self._sql)
            if self._cursor.columns is not None:
                for batch in self._cursor.fetch_record_batches():
                    self._put(batch)
            self._put(_END)
        except BaseException as error:
            # Raised again in the thread that waits.
            self._put(error)

    def _put(self, item: Any) -> None:
        while not self._stopped.is_set():
            try:
                self._ready.put(item, timeout=TICK_SECONDS)
                return
            except queue.Full:
                continue
