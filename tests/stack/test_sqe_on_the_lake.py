"""SQE on a real lake: Keycloak knows alice and bob, Nessie says what they may, MinIO has the files. Both ask
through Flight SQL at the same time."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import adbc_driver_flightsql.dbapi as adbc
import adbc_driver_manager
import pytest
from stack.sqe_config import sqe_config
from tests.stack.lake import Lake

from sqe.config.config import load
from sqe.doors.open import OpenServer

pytestmark = [pytest.mark.spark, pytest.mark.integration]
Ask = Callable[..., list[tuple[Any, ...]]]
PORTS = (
    "[coordinator]\nflight_sql_port = 0\ntrino_http_port = 0\n"
    "[metrics]\nprometheus_port = 0\nhealth_port = 0\n"
)


@pytest.fixture(scope="module")
def ask(lake: Lake, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ask]:
    """`ask("alice", sql)`: the rows, of a connection with her password."""
    config = tmp_path_factory.mktemp("sqe") / "sqe.toml"
    config.write_text(PORTS + sqe_config(lake.servers))
    server = OpenServer(load(config, {}))
    server.start()
    connections: dict[str, Any] = {}

    def ask(user: str, sql: str) -> list[tuple[Any, ...]]:
        if user not in connections:
            keys = {"username": user, "password": f"{user}-secret"}
            address = f"grpc://127.0.0.1:{server.flight.port}"
            connections[user] = adbc.connect(address, db_kwargs=keys, autocommit=True)
        with connections[user].cursor() as cursor:
            cursor.execute(sql)
            return [] if cursor.description is None else cursor.fetchall()

    try:
        for schema in ("sales", "hr"):
            ask("bob", f"CREATE SCHEMA IF NOT EXISTS lake.{schema}")
            ask("bob", f"CREATE OR REPLACE TABLE lake.{schema}.people AS SELECT 1 AS id, 'x' AS name")
        yield ask
    finally:
        for connection in connections.values():
            connection.close()
        server.close()


def refusal(ask: Ask, user: str, sql: str) -> str:
    with pytest.raises(adbc_driver_manager.Error) as refused:
        ask(user, sql)
    return str(refused.value)


def test_each_may_what_the_catalog_lets_them(ask: Ask) -> None:
    for user in ("alice", "bob"):
        assert ask(user, "SELECT id, name FROM lake.sales.people") == [(1, "x")]
    assert ask("bob", "SELECT count(*) FROM lake.hr.people") == [(1,)]
    for sql in (
        "SELECT * FROM lake.hr.people",
        "INSERT INTO lake.sales.people VALUES (2, 'y')",
        "CREATE TABLE lake.sales.of_alice (a integer)",
        "DROP TABLE lake.sales.people",
    ):
        assert "PermissionDenied" in refusal(ask, "alice", sql), sql
    ask("bob", "INSERT INTO lake.sales.people VALUES (2, 'y')")
    assert ask("alice", "SELECT count(*) FROM lake.sales.people") == [(2,)]


def test_the_logs_name_the_user_of_every_step(ask: Ask, lake: Lake) -> None:
    before, objects = len(lake.catalog_log()), len(lake.object_log())
    ask("bob", "CREATE TABLE lake.sales.steps AS SELECT 1 AS a")
    ask("bob", "INSERT INTO lake.sales.steps VALUES 2")
    ask("bob", "DROP TABLE lake.sales.steps")
    # The server also asks, for nobody, whether the catalog is there; it is told nothing.
    lines = lake.catalog_log()[before:]
    of_bob = [line for line in lines if line["user"] != "-"]
    assert all("/config" in line["path"] for line in lines if line not in of_bob)
    assert {line["user"] for line in of_bob} == {"bob"}
    assert {"GET", "POST", "DELETE"} <= {line["method"] for line in of_bob}
    root = lake.servers["s3"].facts["access_key"]
    written = [line for line in lake.object_log()[objects:] if "steps" in str(line["object"])]
    assert any(str(line["object"]).endswith(".parquet") for line in written)
    data = [line for line in written if str(line["object"]).endswith((".parquet", ".avro"))]
    assert root not in {line["access_key"] for line in data}


def test_nothing_tells_a_token_or_a_key(ask: Ask, caplog: pytest.LogCaptureFixture, tmp_path: Path) -> None:
    caplog.set_level(logging.DEBUG)
    plan = str(ask("alice", "EXPLAIN SELECT * FROM lake.sales.people"))
    assert "Bearer" not in caplog.text and "secret-access-key" not in plan + caplog.text
