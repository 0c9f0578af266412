"""Whether the mounted catalogs answer: each is asked now and then, in a thread of its own."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable

from sqe.catalog.catalogs import Catalogs
from sqe.errors import SqeError

log = logging.getLogger(__name__)

EVERY_SECONDS = 10.0
# Listing schemas takes milliseconds: one that needs longer than this is of no use to statements either.
ANSWER_SECONDS = 5.0
# So long the end waits for questions that are under way.
END_SECONDS = 0.5
NOT_YET = "has not answered yet"


class Watch:
    """From `start` to `close`. `tell` is called after every answer; one that does not come is only seen by
    those who ask for `reasons`. A catalog that hangs holds its own thread, and no second one."""

    def __init__(self, catalogs: Catalogs, tell: Callable[[], None]) -> None:
        self._catalogs = catalogs
        self._tell = tell
        self._lock = threading.Lock()
        self._reasons = dict.fromkeys(catalogs.names(), NOT_YET)
        self._asked: dict[str, float] = {}
        self._ended = threading.Event()
        self._threads = [
            threading.Thread(target=self._ask, args=(name,), name=f"sqe-watch-{name}", daemon=True)
            for name in self._reasons
        ]

    def start(self) -> None:
        for thread in self._threads:
            thread.start()

    def close(self) -> None:
        self._ended.set()
        until = time.monotonic() + END_SECONDS
        for thread in self._threads:
            if thread.is_alive():
                thread.join(max(0.0, until - time.monotonic()))

    def reasons(self) -> dict[str, str]:
        """Why each does not answer; empty where it does."""
        late = time.monotonic() - ANSWER_SECONDS
        with self._lock:
            return {
                name: _silent() if self._asked.get(name, late) < late else reason
                for name, reason in self._reasons.items()
            }

    def _ask(self, name: str) -> None:
        catalog = self._catalogs.get(name)
        while not self._ended.is_set():
            began = time.monotonic()
            with self._lock:
                self._asked[name] = began
            reason = ""
            try:
                catalog.check()
            except SqeError as error:
                reason = error.message
            except Exception:
                # A thread that ended by it would leave the last answer standing.
                if not self._ended.is_set():
                    log.exception("a catalog cannot be asked", extra={"catalog": name})
                reason = "cannot be asked"
            if time.monotonic() - began > ANSWER_SECONDS:
                reason = reason or _silent()
            with self._lock:
                del self._asked[name]
                self._reasons[name] = reason
            if not self._ended.is_set():
                self._tell()
            self._ended.wait(EVERY_SECONDS)


def _silent() -> str:
    return f"does not answer within {ANSWER_SECONDS:g} s"
