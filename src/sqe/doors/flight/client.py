"""A client of gRPC, as the server's rooms see it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from functools import cached_property
from typing import Any

COOKIE = "arrow_flight_session_id"
# A call that ends this shortly before its deadline was ended by it.
LATE_SECONDS = 0.1


class GrpcClient:
    """A `sqe.server.client.Client`."""

    def __init__(self, context: Any) -> None:
        self.context = context

    @property
    def connection(self) -> str:
        return str(self.context.peer())

    @property
    def host(self) -> str:
        return self.connection.rpartition(":")[0]

    @cached_property
    def headers(self) -> Mapping[str, str]:
        """Those that are text; of several with one name, the last."""
        return {
            key: value if isinstance(value, str) else value.decode("latin-1")
            for key, value in self.context.invocation_metadata()
            if not key.endswith("-bin")
        }

    @property
    def session_cookie(self) -> str | None:
        for part in self.headers.get("cookie", "").split(";"):
            name, _, value = part.strip().partition("=")
            if name == COOKIE:
                return value.strip('"')
        return None

    def keep_cookie(self, value: str) -> None:
        self.context.send_initial_metadata((("set-cookie", f"{COOKIE}={value}; HttpOnly"),))

    def when_gone(self, act: Callable[[], None]) -> threading.Event:
        """Not in gRPC's own thread, which all calls wait for."""
        over = threading.Event()

        def ended() -> None:
            if not over.is_set():
                threading.Thread(target=act, name="sqe-flight-left", daemon=True).start()

        if not self.context.add_callback(ended):
            ended()
        return over

    @property
    def is_late(self) -> bool:
        left = self.context.time_remaining()
        return left is not None and left < LATE_SECONDS

    def cancel(self) -> None:
        self.context.cancel()
