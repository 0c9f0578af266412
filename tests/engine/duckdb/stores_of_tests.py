"""A store of objects for the fast lane's own tests: files of a directory, by as much of S3's protocol as
reading takes. It notes each request, checks no signature, and can be told to refuse."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote

_RANGE = re.compile(r"bytes=(\d+)-(\d*)")


class FakeStore:
    """`requests` are (method, key of an object, id of an access key). After `most` that read it answers all
    others with `status` and `body`."""

    def __init__(self, root: Path, address: str) -> None:
        self.root = root
        self.address = address
        self.requests: list[tuple[str, str, str]] = []
        self.most: int | None = None
        self.status = 403
        self.body = ""

    def secret(self, prefix: str, key: str = "KEY") -> dict[str, str]:
        """For the fast lane's processes."""
        return {
            "scope": prefix,
            "region": "us-east-1",
            "endpoint": self.address,
            "url_style": "path",
            "use_ssl": "false",
            "key_id": key,
            "secret": f"secret-of-{key}",
            "session_token": f"token-of-{key}",
        }


@contextmanager
def fake_store(root: Path) -> Iterator[FakeStore]:
    class Objects(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_HEAD(self) -> None:
            self._answer(with_body=False)

        def do_GET(self) -> None:
            self._answer(with_body=True)

        def _answer(self, *, with_body: bool) -> None:
            key = unquote(self.path.partition("?")[0]).lstrip("/")
            signed = re.search(r"Credential=([^/]+)/", self.headers.get("Authorization", ""))
            store.requests.append((self.command, key, signed[1] if signed else ""))
            reads = sum(method == "GET" for method, _, _ in store.requests)
            if store.most is not None and reads > store.most:
                self._send(store.status, store.body.encode() if with_body else b"", with_body=with_body)
                return
            file = store.root / key
            if not file.is_file():
                self._send(404, b"", with_body=with_body)
                return
            content = file.read_bytes()
            part = _RANGE.match(self.headers.get("Range", ""))
            if part is None:
                self._send(200, content, with_body=with_body)
                return
            begin, end = int(part[1]), min(int(part[2] or len(content)), len(content) - 1)
            headers = {"Content-Range": f"bytes {begin}-{end}/{len(content)}"}
            self._send(206, content[begin : end + 1], headers, with_body=with_body)

        def _send(
            self, status: int, content: bytes, headers: dict[str, str] | None = None, *, with_body: bool
        ) -> None:
            self.send_response(status)
            own = {"Content-Length": str(len(content)), "ETag": '"1"', "Accept-Ranges": "bytes"}
            own["Last-Modified"] = "Wed, 01 Apr 2026 00:00:00 GMT"
            for name, value in {**own, **(headers or {})}.items():
                self.send_header(name, value)
            self.end_headers()
            if with_body:
                self.wfile.write(content)

        def log_message(self, format: str, *arguments: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Objects)
    store = FakeStore(root, f"127.0.0.1:{server.server_port}")
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield store
    finally:
        server.shutdown()
        server.server_close()
