"""A table of pages as an application: GET and HEAD alone, and one request a connection."""

from __future__ import annotations

import json
import logging
from collections.abc import Callable, Mapping
from http import HTTPStatus
from typing import Any

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from sqe.foundation.http_server import Bounds
from sqe.foundation.record import record

log = logging.getLogger(__name__)

BOUNDS = Bounds(head=8 << 10, seconds=5.0, connections=64)
_HEADERS = {"Cache-Control": "no-store", "X-Content-Type-Options": "nosniff", "Connection": "close"}


@record
class Page:
    body: bytes
    content_type: str = "application/json"
    status: HTTPStatus = HTTPStatus.OK


Pages = Mapping[str, Callable[[Mapping[str, str]], Page]]
"""Makers of pages by path; each gets the headers of the request, in lower case."""


def json_page(content: object, status: HTTPStatus = HTTPStatus.OK) -> Page:
    return Page(json.dumps(content, default=str).encode() + b"\n", status=status)


def pages_app(pages: Pages) -> Any:
    app = Starlette(
        routes=[Route(path, _endpoint(path, make), methods=["GET"]) for path, make in pages.items()],
        exception_handlers={404: _refuse(HTTPStatus.NOT_FOUND), 405: _refuse(HTTPStatus.METHOD_NOT_ALLOWED)},
    )
    app.router.redirect_slashes = False
    return app


def _endpoint(path: str, make: Callable[[Mapping[str, str]], Page]) -> Callable[[Request], Response]:
    # No coroutine: a page may take a moment, and others are answered meanwhile.
    def answer(request: Request) -> Response:
        try:
            return _response(make(request.headers))
        except Exception:
            log.exception("a page failed", extra={"path": path})
            return _response(json_page({"error": "internal error"}, HTTPStatus.INTERNAL_SERVER_ERROR))

    return answer


def _refuse(status: HTTPStatus) -> Callable[[Request, Exception], Response]:
    def answer(request: Request, error: Exception) -> Response:
        response = _response(json_page({"error": status.phrase.lower()}, status))
        if status == HTTPStatus.METHOD_NOT_ALLOWED:
            response.headers["Allow"] = "GET, HEAD"
        return response

    return answer


def _response(page: Page) -> Response:
    return Response(page.body, page.status, _HEADERS, page.content_type)
