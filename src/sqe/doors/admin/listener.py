"""A small HTTP server for a table of pages: GET and HEAD alone, and bounds on everything a peer can send."""

from __future__ import annotations

import contextlib
import io
import json
import logging
import socket
import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, HTTPServer
from socketserver import ThreadingMixIn
from typing import Any

from sqe.foundation.record import record

log = logging.getLogger(__name__)

MOST_HEAD = 8 << 10
"""Bytes of a request line and headers."""
SECONDS = 5.0
"""For a whole request to arrive, however slowly it drips, and again for the answer to be taken."""
MOST_CONNECTIONS = 64


@record
class Page:
    body: bytes
    content_type: str = "application/json"
    status: HTTPStatus = HTTPStatus.OK


Pages = Mapping[str, Callable[[Mapping[str, str]], Page]]
"""Makers of pages by path; each is given the headers of the request, in lower case."""


def json_page(content: object, status: HTTPStatus = HTTPStatus.OK) -> Page:
    return Page(json.dumps(content, default=str).encode() + b"\n", status=status)


class Listener(ThreadingMixIn, HTTPServer):
    """A thread a connection, of which there are few. When there are too many the oldest has to go: a peer
    that holds all of them must not keep out the probe that comes last."""

    daemon_threads = True
    block_on_close = False
    allow_reuse_address = True
    request_queue_size = 128

    def __init__(self, host: str, port: int, pages: Pages, *, name: str) -> None:
        self.pages = pages
        self._open: OrderedDict[int, socket.socket] = OrderedDict()
        self._open_lock = threading.Lock()
        if ":" in host:
            self.address_family = socket.AF_INET6
        super().__init__((host, port), _Request)
        self._closing = False
        self._thread = threading.Thread(target=self._serve, name=name, daemon=True)

    @property
    def port(self) -> int:
        return int(self.server_address[1])

    def server_bind(self) -> None:
        """Without HTTPServer's look-up of the host's name, which may take seconds."""
        super(HTTPServer, self).server_bind()
        self.server_name, self.server_port = str(self.server_address[0]), int(self.server_address[1])

    def start(self) -> None:
        self._thread.start()

    def close(self) -> None:
        self._closing = True
        if self._thread.is_alive():
            # It waits for a peer, without an end; so here is one.
            with contextlib.suppress(OSError):
                socket.create_connection((str(self.server_address[0]), self.port), timeout=SECONDS).close()
            self._thread.join(SECONDS)
        self.server_close()
        with self._open_lock:
            connections = list(self._open.values())
        for connection in connections:
            _hang_up(connection)

    def _serve(self) -> None:
        while not self._closing:
            self.handle_request()

    def process_request(self, request: Any, client_address: Any) -> None:
        with self._open_lock:
            too_many = len(self._open) >= MOST_CONNECTIONS
            oldest = self._open.popitem(last=False)[1] if too_many else None
            self._open[id(request)] = request
        if oldest is not None:
            _hang_up(oldest)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        with self._open_lock:
            self._open.pop(id(request), None)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        # Peers that hang up or drip are nothing to wake an operator for.
        log.debug("a connection to %s ended by an error", self.port, exc_info=True)


class _Request(BaseHTTPRequestHandler):
    server: Listener

    def version_string(self) -> str:
        return "sqe"

    def handle(self) -> None:
        """One request a connection: its head is read within its bounds before anything looks at it."""
        head = _head(self.connection)
        if head is None:
            return
        self.rfile = io.BytesIO(head)
        self.connection.settimeout(SECONDS)
        self.handle_one_request()

    def do_GET(self) -> None:
        make = self.server.pages.get(self.path.partition("?")[0])
        if make is None:
            self._answer(json_page({"error": "not found"}, HTTPStatus.NOT_FOUND))
            return
        try:
            page = make({name.lower(): value for name, value in self.headers.items()})
        except Exception:
            log.exception("a page failed", extra={"path": self.path[:200]})
            page = json_page({"error": "internal error"}, HTTPStatus.INTERNAL_SERVER_ERROR)
        self._answer(page)

    do_HEAD = do_GET

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """In place of http.server's page, which repeats what the peer sent."""
        status = HTTPStatus(code)
        if status == HTTPStatus.NOT_IMPLEMENTED:
            status = HTTPStatus.METHOD_NOT_ALLOWED
        self._answer(json_page({"error": status.phrase.lower()}, status))

    def _answer(self, page: Page) -> None:
        self.close_connection = True
        self.send_response(page.status)
        if page.status == HTTPStatus.METHOD_NOT_ALLOWED:
            self.send_header("Allow", "GET, HEAD")
        self.send_header("Content-Type", page.content_type)
        self.send_header("Content-Length", str(len(page.body)))
        self.send_header("Cache-Control", "no-store")
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Connection", "close")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(page.body)

    def log_message(self, format: str, *args: object) -> None:
        """Probes come every second: they are not worth a line."""


def _head(connection: socket.socket) -> bytes | None:
    """A request up to its empty line; None if the peer is gone, too slow or too talkative."""
    deadline = time.monotonic() + SECONDS
    head = b""
    while b"\r\n\r\n" not in head and b"\n\n" not in head:
        seconds = deadline - time.monotonic()
        if seconds <= 0 or len(head) > MOST_HEAD:
            return None
        connection.settimeout(seconds)
        more = connection.recv(MOST_HEAD)
        if not more:
            return None
        head += more
    return head


def _hang_up(connection: socket.socket) -> None:
    try:
        connection.shutdown(socket.SHUT_RDWR)
    except OSError:
        # It is gone already.
        return
