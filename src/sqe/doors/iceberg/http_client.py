"""A client of HTTP, as the server's rooms see it."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping

from starlette.requests import Request

# What PyIceberg sends if it was given none.
_NO_TOKEN = "Bearer None"


class HttpClient:
    """A `sqe.server.client.Client`. The protocol has no sessions: all calls from one host that say the same
    of who makes them have one."""

    session_cookie = None
    is_late = False

    def __init__(self, request: Request) -> None:
        self.host = request.client.host if request.client is not None else ""
        self.connection = f"iceberg-rest {self.host}"
        headers = dict(request.headers)
        if headers.get("authorization") == _NO_TOKEN:
            del headers["authorization"]
        self.headers: Mapping[str, str] = headers

    def keep_cookie(self, value: str) -> None:
        """These clients keep none."""

    def when_gone(self, act: Callable[[], None]) -> threading.Event:
        """A call is short, and a commit that has begun is better finished."""
        return threading.Event()

    def cancel(self) -> None:
        """It is answered in any case."""
