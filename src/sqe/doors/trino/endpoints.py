"""What all endpoints of the door share: who calls, how failures are answered, and threads that may wait."""

from __future__ import annotations

import asyncio
import ipaddress
import json
import logging
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import Route

from sqe.doors.trino.errors import text_of
from sqe.doors.trino.http_client import TrinoClient
from sqe.doors.trino.queries import Gone
from sqe.doors.trino.request_headers import BadRequest
from sqe.errors import (
    AccessDenied,
    AuthenticationFailed,
    LimitExceeded,
    NotFound,
    SessionExpired,
    SqeError,
    Unavailable,
    UserError,
)
from sqe.observe.request_ids import request_ids

log = logging.getLogger(__name__)

T = TypeVar("T")
THREADS = 512
"""Calls at once, and more than one user may have; each waits for a second at most."""
SAFE = {"X-Content-Type-Options": "nosniff", "Cache-Control": "no-store"}
# Nothing of a statement's text can run in a page, and no other page can show it as a part of its own.
NO_SCRIPTS = {
    "Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
}
JSON = "application/json"
_TEXT = "text/plain; charset=utf-8"
# What a client is told to try again later for, and what it is not let in for.
_STATUS: tuple[tuple[type[SqeError], int], ...] = (
    (BadRequest, 400),
    (AuthenticationFailed, 401),
    (SessionExpired, 401),
    (AccessDenied, 403),
    (Gone, 410),
    (NotFound, 404),
    (LimitExceeded, 429),
    (Unavailable, 503),
    (UserError, 400),
)

Work = Callable[[Request, TrinoClient], Awaitable[Response]]


class Endpoints:
    """`challenges` are what a client that has to log in is told."""

    def __init__(
        self, trusted_proxies: Sequence[str], challenges: Callable[[TrinoClient], Sequence[str]]
    ) -> None:
        self._trusted = [ipaddress.ip_network(network) for network in trusted_proxies]
        self._challenges = challenges
        self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="sqe-trino")

    def close(self) -> None:
        self._threads.shutdown(wait=False, cancel_futures=True)

    async def in_thread(self, work: Callable[[], T]) -> T:
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    def answered(self, work: Work) -> Any:
        """An endpoint that answers every failure in the protocol's way."""

        async def handle(request: Request) -> Response:
            try:
                client = TrinoClient(request, self._trusted)
            except BadRequest as error:
                return plain(error.message, 400)
            try:
                return await work(request, client)
            except (ClientDisconnect, TimeoutError):
                return Response(status_code=400)
            except SqeError as error:
                return self._refusal(error, client)
            except Exception as bug:
                log.error(
                    "a request failed by a bug of ours",
                    exc_info=bug,
                    extra=request_ids(client.headers).shown(),
                )
                return plain("a bug of ours", 500)

        return handle

    def _refusal(self, error: SqeError, client: TrinoClient) -> Response:
        status = next((status for kind, status in _STATUS if isinstance(error, kind)), 500)
        response = plain(text_of(error), status)
        if status == 401:
            for challenge in self._challenges(client):
                response.headers.append("WWW-Authenticate", challenge)
        if status in (429, 503):
            response.headers["Retry-After"] = "1"
        return response


def route(method: str, path: str, endpoint: Any) -> Route:
    made = Route(path, endpoint, methods=[method])
    # Else HEAD would be answered by GET.
    made.methods = {method}
    return made


async def body(request: Request, most: int, *, seconds: float, limit: str) -> bytes:
    """Of at most so many bytes, for the reason of `limit`, that come within that time."""
    content = bytearray()
    async with asyncio.timeout(seconds):
        async for chunk in request.stream():
            content += chunk
            if len(content) > most:
                raise BadRequest(f"the body has more than {most} bytes ({limit})")
    return bytes(content)


def json_answer(content: object) -> Response:
    return Response(json.dumps(content), headers=SAFE, media_type=JSON)


def plain(text: str, status: int) -> Response:
    return Response(text, status, SAFE, _TEXT)
