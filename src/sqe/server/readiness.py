"""Whether the server may be given work, part by part and with reasons."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping

from sqe.foundation.record import record
from sqe.observe.redact import for_strangers


@record
class Part:
    ready: bool
    reason: str


class Readiness:
    """Ready when every required part is, and the server does not drain. Other parts are only reported."""

    def __init__(self, required: Iterable[str] = ()) -> None:
        self._required = tuple(required)
        self._lock = threading.Lock()
        self._parts: dict[str, Part] = {name: Part(False, "not started") for name in self._required}
        self._draining = ""

    def require(self, part: str) -> None:
        """From now on there is no readiness without it."""
        with self._lock:
            self._required = (*self._required, part)
            self._parts.setdefault(part, Part(False, "not started"))

    def set(self, part: str, ready: bool, reason: str = "") -> None:
        """`reason` is read by whoever reaches the port, so that it loses paths, addresses and secrets."""
        with self._lock:
            self._parts[part] = Part(ready, for_strangers(reason))

    def drain(self, reason: str = "shutting down") -> None:
        """From now on not ready; running statements may go on."""
        with self._lock:
            self._draining = for_strangers(reason)

    @property
    def draining(self) -> bool:
        return bool(self._draining)

    @property
    def ready(self) -> bool:
        with self._lock:
            return self._is_ready()

    def parts(self) -> Mapping[str, Part]:
        with self._lock:
            return dict(self._parts)

    def report(self) -> dict[str, object]:
        """For /readyz: every part, in the order in which they were named."""
        with self._lock:
            parts = {
                name: {"ready": part.ready, "required": name in self._required, "reason": part.reason}
                for name, part in self._parts.items()
            }
            parts["draining"] = {
                "ready": not self._draining,
                "required": True,
                "reason": self._draining,
            }
            return {"ready": self._is_ready(), "parts": parts}

    def _is_ready(self) -> bool:
        return not self._draining and all(self._parts[name].ready for name in self._required)
