"""What a REST catalog makes of servers that are slow, broken, or changed by others."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from tests.catalog.backends.conformance import DEFAULT, definition, name
from tests.catalog.backends.fake_rest_server import FakeRestServer, fake_rest_server
from tests.catalog.backends.local_places import ANYWHERE

from sqe.api.connection import connect
from sqe.catalog.backends import rest_client
from sqe.catalog.backends.rest import RestCatalog
from sqe.errors import (
    AccessDenied,
    CommitConflict,
    ConfigError,
    LimitExceeded,
    NotFound,
    NotSupported,
    Unavailable,
    UserError,
)
from sqe.tree import changes as c


@pytest.fixture
def server(tmp_path: Path) -> Iterator[FakeRestServer]:
    with fake_rest_server(tmp_path) as server:
        yield server


@pytest.fixture
def catalog(server: FakeRestServer) -> Iterator[RestCatalog]:
    catalog = RestCatalog("lake", server.url, warehouse="lake", allowed=ANYWHERE)
    catalog.create_namespace(DEFAULT)
    yield catalog
    catalog.close()


def test_a_server_that_is_busy_is_asked_again(server: FakeRestServer, catalog: RestCatalog) -> None:
    server.failures = [("GET", "/namespaces", 503), ("GET", "/namespaces", 502), ("POST", "/tables", 503)]
    assert catalog.namespaces() == [DEFAULT]
    catalog.create_table(definition(catalog, "t"))
    assert catalog.tables(DEFAULT) == ["t"]


def test_a_server_that_is_silent_is_asked_once(
    server: FakeRestServer, catalog: RestCatalog, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rest_client, "ANSWER_SECONDS", 0.2)
    catalog.close()
    server.requests.clear()
    server.speaks.clear()
    with pytest.raises(Unavailable, match="catalog 'lake' does not answer within"):
        catalog.namespaces()
    with pytest.raises(Unavailable, match="did not say whether the change was made"):
        catalog._client.post("namespaces", body={"namespace": ["other"]})
    assert [request.split()[0] for request in server.requests] == ["GET", "POST"]


def test_those_who_meet_a_silent_server_wait_side_by_side(
    server: FakeRestServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also before anything is known of it."""
    monkeypatch.setattr(rest_client, "ANSWER_SECONDS", 5)
    server.speaks.clear()
    catalog = RestCatalog("lake", server.url, warehouse="lake", allowed=ANYWHERE)
    with ThreadPoolExecutor(4) as pool:
        waiting = [pool.submit(catalog.namespaces) for _ in range(4)]
        end = time.monotonic() + 60
        while len(server.requests) < 4:
            assert time.monotonic() < end and not any(call.done() for call in waiting)
            time.sleep(0.01)
        server.speaks.set()
        assert [call.result(60) for call in waiting] == [[]] * 4
    catalog.close()


def test_time_limits_count_what_a_catalog_takes_to_answer(
    server: FakeRestServer, catalog: RestCatalog, tmp_path: Path
) -> None:
    catalog.create_table(definition(catalog, "t"))
    config = tmp_path / "sqe.toml"
    config.write_text(
        f'[catalogs.lake]\ncatalog_url = "{server.url}"\nwarehouse = "lake"\nallowed_locations = ["/"]\n'
    )
    with connect(config=config) as connection, ThreadPoolExecutor(1) as pool:
        connection.execute("SET SESSION query_max_run_time = '200ms'")
        server.requests.clear()
        server.speaks.clear()
        asking = pool.submit(connection.execute, "SELECT * FROM lake.default.t")
        while not server.requests:
            time.sleep(0.01)
        time.sleep(0.3)
        server.speaks.set()
        with pytest.raises(LimitExceeded) as late:
            asking.result(60)
        limit = "0.2 s (session property query_max_run_time)"
        assert (late.value.code, str(late.value)) == (
            "EXCEEDED_TIME_LIMIT",
            f"the statement ran longer than {limit}",
        )
        [record] = connection.coordinator.history.records(connection.session.identity.user)[-1:]
        assert record.state == "failed" and "run" not in record.timings


@pytest.mark.parametrize("status", [500, 502, 504])
def test_a_change_whose_fate_is_unknown_is_not_sent_twice(
    server: FakeRestServer, catalog: RestCatalog, status: int
) -> None:
    table = catalog.create_table(definition(catalog, "t")).name
    server.failures = [("POST", "/tables/t", status)]
    with pytest.raises(Unavailable, match="did not say whether the change was made"):
        catalog.alter_table(table, c.SetComment("x"))
    assert len([r for r in server.requests if r.startswith("POST") and r.endswith("/tables/t")]) == 1


def test_a_change_that_others_beat_is_made_again(server: FakeRestServer, catalog: RestCatalog) -> None:
    table = catalog.create_table(definition(catalog, "t")).name
    server.failures = [("POST", "/tables/t", 409)] * 3
    assert catalog.alter_table(table, c.SetComment("x")).comment == "x"
    server.failures = [("POST", "/tables/t", 409)] * 100
    with pytest.raises(CommitConflict, match="changed by others"):
        catalog.alter_table(table, c.SetComment("y"))


@pytest.mark.parametrize(("status", "error"), [(401, AccessDenied), (403, AccessDenied), (400, UserError)])
def test_refusals_are_errors_of_the_user(
    server: FakeRestServer, catalog: RestCatalog, status: int, error: type[Exception]
) -> None:
    server.failures = [("GET", "/namespaces", status)]
    with pytest.raises(error, match="catalog 'lake'"):
        catalog.namespaces()


def test_a_warehouse_that_the_server_does_not_know(server: FakeRestServer) -> None:
    with pytest.raises(Unavailable, match="does not know its warehouse"):
        RestCatalog("lake", server.url, warehouse="other", allowed=ANYWHERE).namespaces()


def test_a_table_that_goes_while_it_is_changed(server: FakeRestServer, catalog: RestCatalog) -> None:
    table = catalog.create_table(definition(catalog, "t")).name
    server.failures = [("POST", "/tables/t", 404)]
    assert catalog.alter_table(table, c.SetComment("x")).comment == "x"
    catalog.drop_table(DEFAULT, "t")
    with pytest.raises(NotFound):
        catalog.alter_table(table, c.SetComment("x"))


def test_an_ended_connection_is_replaced(server: FakeRestServer, catalog: RestCatalog) -> None:
    assert catalog.namespaces() == [DEFAULT]
    connections = catalog._client._server._connections
    assert connections is not None and connections._reading.pool is not None
    kept = [connection for connection in connections._reading.pool.queue if connection is not None]
    assert len(kept) == 1
    for connection in kept:
        connection.sock.shutdown(2)
    assert catalog.namespaces() == [DEFAULT]


def test_schemas_cannot_be_renamed(catalog: RestCatalog) -> None:
    with pytest.raises(NotSupported, match="of type rest"):
        catalog.rename_namespace(DEFAULT, ("other",))
    assert name(catalog, "t").catalog == "lake"


@pytest.mark.parametrize("content", [b"<html>", b"[1]", b"\xff\xfe", json.dumps("x").encode()])
def test_a_server_of_another_kind(content: bytes) -> None:
    class Other(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Other)
    threading.Thread(target=http.serve_forever, daemon=True).start()
    try:
        catalog = RestCatalog("lake", f"http://127.0.0.1:{http.server_address[1]}", warehouse="w")
        with pytest.raises(Unavailable, match="does not answer as an Iceberg REST catalog"):
            catalog.namespaces()
    finally:
        http.shutdown()
        http.server_close()


@pytest.mark.parametrize("url", ["", "host:8181", "ftp://host/x", "http://", "http://host/?a=b"])
def test_an_address_that_is_none(url: str) -> None:
    with pytest.raises(ConfigError, match="catalog_url"):
        RestCatalog("lake", url, warehouse="w", allowed=ANYWHERE)
