"""A proxy between SQE and a real server, for what real servers do not do on demand: keys that end within
seconds, slow answers, refusals in the middle."""

from __future__ import annotations

import contextlib
import http.client
import json
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import urlsplit

import jwt

_CREDENTIAL = re.compile(r"Credential=([^/]+)/")


@dataclass(frozen=True)
class Asked:
    method: str
    path: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def _authorization(self) -> str:
        # Some write it with a small letter.
        return next((value for name, value in self.headers.items() if name.lower() == "authorization"), "")

    @property
    def access_key(self) -> str | None:
        """Of the keys that it is signed with."""
        match = _CREDENTIAL.search(self._authorization)
        return None if match is None else match[1]

    @property
    def token(self) -> str | None:
        scheme, _, token = self._authorization.partition(" ")
        return token if scheme == "Bearer" else None

    @property
    def user(self) -> str | None:
        """Whose token it is."""
        if self.token is None:
            return None
        claims = jwt.decode(self.token, options={"verify_signature": False})
        return str(claims["preferred_username"])


@dataclass
class Told:
    status: int
    headers: list[tuple[str, str]] = field(default_factory=list)
    body: bytes = b""

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Between:
    """`refuse` may answer in place of the server behind, or wait; `change` may change what that answered."""

    def __init__(self, url: str) -> None:
        self._behind = urlsplit(url)
        self.asked: list[Asked] = []
        self.refuse: Callable[[Asked], Told | None] = lambda asked: None
        self.change: Callable[[Asked, Told], None] = lambda asked, told: None
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}{self._behind.path.rstrip('/')}"
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()

    def answer(self, asked: Asked) -> Told:
        self.asked.append(asked)
        refused = self.refuse(asked)
        if refused is not None:
            return refused
        connection = http.client.HTTPConnection(self._behind.netloc, timeout=120)
        try:
            # Signed with the host: it goes on as it came.
            connection.putrequest(asked.method, asked.path, skip_host=True, skip_accept_encoding=True)
            for name, value in asked.headers.items():
                if name.lower() not in ("connection", "expect"):
                    connection.putheader(name, value)
            connection.endheaders(asked.body or None)
            answer = connection.getresponse()
            kept = [(n, v) for n, v in answer.getheaders() if n.lower() not in _OF_ONE_STEP]
            told = Told(answer.status, kept, answer.read())
            if asked.method == "HEAD" and answer.headers.get("Content-Length"):
                told.headers.append(("Content-Length", answer.headers["Content-Length"]))
        finally:
            connection.close()
        self.change(asked, told)
        return told


# Headers of one connection.
_OF_ONE_STEP = frozenset(
    {"connection", "transfer-encoding", "content-length", "keep-alive", "date", "server"}
)


def _handler(between: Between) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            told = between.answer(Asked(self.command, self.path, dict(self.headers.items()), body))
            self.send_response(told.status)
            for name, value in told.headers:
                self.send_header(name, value)
            if self.command != "HEAD" and told.status not in (204, 304):
                self.send_header("Content-Length", str(len(told.body)))
            # Whoever waited too long has gone.
            with contextlib.suppress(ConnectionError):
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(told.body)

        do_POST = do_PUT = do_DELETE = do_HEAD = do_GET

        def log_message(self, format: str, *arguments: Any) -> None:
            pass

    return Handler


@contextmanager
def between(url: str) -> Iterator[Between]:
    proxy = Between(url)
    try:
        yield proxy
    finally:
        proxy.close()


class ShortKeys:
    """Keys that end after `seconds`, whatever the store that made them thinks: the catalog says so, and the
    store refuses them then. `used` are those that were, in order; `owners` says whom each was vended to."""

    def __init__(self, catalog: Between, store: Between, seconds: float) -> None:
        self.seconds = seconds
        self.delay: Callable[[Asked], float] = lambda asked: 0.0
        self.used: dict[str, int] = {}
        self.owners: dict[str, str | None] = {}
        self.refused = 0
        self._ends: dict[str, float] = {}
        self._store = store
        catalog.change = self._shorten
        store.refuse = self._check

    def _shorten(self, asked: Asked, told: Told) -> None:
        if told.status != 200 or b"s3.session-token" not in told.body:
            return
        answer = told.json
        config = answer["config"]
        ends = time.time() + self.seconds
        self._ends[config["s3.access-key-id"]] = ends
        self.owners[config["s3.access-key-id"]] = asked.user
        config["s3.endpoint"] = self._store.url
        config["s3.session-token-expires-at-ms"] = str(int(ends * 1000))
        told.body = json.dumps(answer).encode()

    def _check(self, asked: Asked) -> Told | None:
        key = asked.access_key
        if key in self._ends and time.time() >= self._ends[key]:
            self.refused += 1
            body = b"<Error><Code>ExpiredToken</Code><Message>The token has expired.</Message></Error>"
            return Told(400, [("Content-Type", "application/xml")], body)
        if key is not None:
            self.used[key] = self.used.get(key, 0) + 1
        time.sleep(self.delay(asked))
        return None
