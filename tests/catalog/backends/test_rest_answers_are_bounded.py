"""A REST server that sends on for ever, or nests for ever, ends in one error, soon and in little memory."""

from __future__ import annotations

import itertools
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from sqe.catalog.backends import rest_client, rest_connections, rest_schemas
from sqe.catalog.backends.rest import RestCatalog
from sqe.errors import SqeError, Unavailable

Answer = Callable[[str, dict[str, str]], Iterator[bytes] | bytes | dict[str, Any]]
CONFIG: dict[str, Any] = {"defaults": {}, "overrides": {}}


@contextmanager
def served(answer: Answer) -> Iterator[tuple[RestCatalog, list[str]]]:
    """A server that answers `/v1/config` as others do, and the rest by `answer`."""
    asked: list[str] = []

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            asked.append(parts.path)
            query = {key: values[0] for key, values in parse_qs(parts.query).items()}
            body = CONFIG if parts.path.endswith("/config") else answer(parts.path, query)
            self.send_response(200)
            self.end_headers()
            chunks = [json.dumps(body).encode()] if isinstance(body, dict) else body
            try:
                for chunk in [chunks] if isinstance(chunks, bytes) else chunks:
                    self.wfile.write(chunk)
            except ConnectionError:
                pass

        def log_message(self, *_: object) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    http.daemon_threads = True
    threading.Thread(target=http.serve_forever, args=(0.02,), daemon=True).start()
    catalog = RestCatalog("lake", f"http://127.0.0.1:{http.server_address[1]}", warehouse="w")
    try:
        yield catalog, asked
    finally:
        catalog.close()
        http.shutdown()
        http.server_close()


def test_pages_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rest_client, "MOST_PAGES", 20)
    numbers = itertools.count()
    page = {"namespaces": [["a"]]}
    with served(lambda _, query: {**page, "next-page-token": f"t{next(numbers)}"}) as (catalog, asked):
        with pytest.raises(Unavailable, match="catalog 'lake' lists its namespaces without end"):
            catalog.namespaces()
        assert len(asked) == 21, "the configuration, and as many pages as there may be"


def test_pages_in_a_circle() -> None:
    def circle(_: str, query: dict[str, str]) -> dict[str, Any]:
        return {"namespaces": [], "next-page-token": "b" if query.get("pageToken") == "a" else "a"}

    with served(circle) as (catalog, asked):
        with pytest.raises(Unavailable, match="without end"):
            catalog.namespaces()
        assert len(asked) == 4


def test_items_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rest_client, "MOST_ITEMS", 1000)
    numbers = itertools.count()
    page = {"identifiers": [{"namespace": ["a"], "name": "t"}] * 300}
    with served(lambda _, query: {**page, "next-page-token": f"t{next(numbers)}"}) as (catalog, asked):
        with pytest.raises(Unavailable, match="lists its identifiers without end"):
            catalog.tables(("a",))
        assert len(asked) == 5


def test_an_answer_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rest_connections, "MOST_BYTES", 4 << 20)

    def endless() -> Iterator[bytes]:
        yield b'{"namespaces": ["'
        while True:
            yield b"x" * (1 << 16)

    with served(lambda *_: endless()) as (catalog, asked):
        with pytest.raises(Unavailable, match="answers with more than 256 MiB"):
            catalog.namespaces()
        assert len(asked) == 2, "it is not asked again"


def test_an_answer_that_drips(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each byte is in time, and the whole never is."""
    monkeypatch.setattr(rest_connections, "WHOLE_SECONDS", 0.3)
    monkeypatch.setattr(rest_connections, "_CHUNK", 1)
    ended = threading.Event()

    def dripping() -> Iterator[bytes]:
        while not ended.wait(0.05):
            yield b" "

    with served(lambda *_: dripping()) as (catalog, _):
        with pytest.raises(Unavailable, match="does not answer within"):
            catalog.namespaces()
        ended.set()


@pytest.mark.parametrize("depth", [900, 100_000])
def test_nesting(depth: int) -> None:
    """Of JSON itself, and of the types of a table."""
    with served(lambda *_: b'{"namespaces":' + b"[" * depth + b"]" * depth + b"}") as (catalog, _):
        with pytest.raises(SqeError) as refused:
            catalog.namespaces()
        assert refused.value.code == "ICEBERG_CATALOG_ERROR"

    def nested(path: str, query: dict[str, str]) -> bytes:
        kind = b'"int"'
        for number in range(depth):
            kind = b'{"type":"list","element-id":%d,"element-required":false,"element":%b}' % (
                number + 2,
                kind,
            )
            if len(kind) > 1 << 20:
                break
        field = b'{"id":1,"name":"a","required":false,"type":%b}' % kind
        schema = b'{"type":"struct","schema-id":0,"fields":[%b]}' % field
        return (
            b'{"metadata-location":"s3://b/t/m.json","metadata":{"format-version":2,"table-uuid":"u",'
            b'"location":"s3://b/t","current-schema-id":0,"schemas":[%b],"partition-specs":[{"spec-id":0,"fields":[]}],'
            b'"default-spec-id":0,"sort-orders":[{"order-id":0,"fields":[]}],"default-sort-order-id":0,"properties":{},"snapshots":[]}}'
            % schema
        )

    with served(nested) as (catalog, _):
        with pytest.raises(SqeError) as refused:
            catalog.find_table(("a",), "t")
        assert refused.value.code in ("ICEBERG_CATALOG_ERROR", "ICEBERG_INVALID_METADATA", "TABLE_NOT_FOUND")


def test_schemas_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each has another one in it."""
    monkeypatch.setattr(rest_schemas, "MOST_PARTS", 5)

    def deeper(_: str, query: dict[str, str]) -> dict[str, Any]:
        parent = query["parent"].split("\x1f") if "parent" in query else []
        return {"namespaces": [[*parent, "a"]]}

    with served(deeper) as (catalog, _):
        assert len(catalog.namespaces()) == 5
    monkeypatch.setattr(rest_schemas, "MOST_PARTS", 1000)
    monkeypatch.setattr(rest_schemas, "MOST_SCHEMAS", 50)
    with served(deeper) as (catalog, _), pytest.raises(Unavailable, match="more than 50 schemas"):
        catalog.namespaces()


@pytest.mark.parametrize(
    "answer", [{"namespaces": 7}, {"namespaces": [7]}, {"namespaces": {"a": "b"}}, {"namespaces": ["a"]}]
)
def test_lists_of_something_else(answer: dict[str, Any]) -> None:
    refused = pytest.raises(Unavailable, match="does not answer as an Iceberg REST catalog")
    with served(lambda *_: answer) as (catalog, _), refused:
        catalog.namespaces()
