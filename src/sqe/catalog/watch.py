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
# How long `close` waits for checks that are under way.
END_SECONDS = 0.5
NOT_YET = "has not answered yet"


class Watch:
    """From `start` to `close`. `on_answer` is called after every answer; one that does not come is only seen
    by those who ask for `reasons`. A catalog that hangs holds its own thread, and no second one."""

    def __init__(self, catalogs: Catalogs, on_answer: Callable[[], None]) -> None:
        self._catalogs = catalogs
        self._on_answer = on_answer
        self._lock = threading.Lock()
        self._reasons = dict.fromkeys(catalogs.names(), NOT_YET)
        self._asked_at: dict[str, float] = {}
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
        deadline = time.monotonic() + END_SECONDS
        for thread in self._threads:
            if thread.is_alive():
                thread.join(max(0.0, deadline - time.monotonic()))

    def reasons(self) -> dict[str, str]:
        """Why each does not answer; empty where it does."""
        late = time.monotonic() - ANSWER_SECONDS
        with self._lock:
            return {
                name: _silent() if self._asked_at.get(name, late) < late else reason
                for name, reason in self._reasons.items()
            }

    def _ask(self, name: str) -> None:
        catalog = self._catalogs.get(name)
        while not self._ended.is_set():
            began = time.monotonic()
            with self._lock:
                self._asked_at[name] = began
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
                del self._asked_at[name]
                self._reasons[name] = reason
            if not self._ended.is_set():
                self._on_answer()
            self._ended.wait(EVERY_SECONDS)


def _silent() -> str:
    return f"does not answer within {ANSWER_SECONDS:g} s"
