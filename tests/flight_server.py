"""A real server in this process, on ports of its own. Spark is the test run's."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import adbc_driver_flightsql.dbapi as adbc
import pytest
from adbc_driver_flightsql import DatabaseOptions

from sqe.config.config import load
from sqe.doors.open import OpenServer
from sqe.engine.spark.spark import Spark

# They may log in, with a key each; whoever has none is nobody.
KEYS = {user: f"sqe_{user}_0123456789abcdef0123456789abcdef" for user in ("ann", "joe")}
_KEY = '[[auth.providers.keys]]\nuser = "{user}"\nhash = "sha256:{hash}"\n'
Serve = Callable[..., OpenServer]
Connect = Callable[..., Any]


@pytest.fixture(scope="session")
def serve(spark_lane: Spark, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serve]:
    """`serve("[query]\\n…")` starts a server with more of a configuration."""
    servers: list[OpenServer] = []

    def start(more: str = "", *, warehouse: Path | None = None, coordinator: str = "") -> OpenServer:
        home = tmp_path_factory.mktemp("server")
        keys = [_KEY.format(user=user, hash=sha256(key.encode()).hexdigest()) for user, key in KEYS.items()]
        config = home / "sqe.toml"
        config.write_text(
            f"[coordinator]\nflight_sql_port = 0\ntrino_http_port = 0\n{coordinator}\n"
            "[metrics]\nprometheus_port = 0\nhealth_port = 0\n"
            '[[auth.providers]]\ntype = "api_key"\n' + "".join(keys) + "[catalogs.lake.backend]\n"
            f'type = "sqlite"\nwarehouse = "{warehouse or home / "lake"}"\n' + more
        )
        server = OpenServer(load(config, {}), spark=spark_lane)
        servers.append(server)
        server.start()
        return server

    yield start
    for server in servers:
        server.close()


@pytest.fixture(scope="session")
def server(serve: Serve) -> OpenServer:
    """One for all tests that change nothing about it."""
    return serve()


@pytest.fixture
def connect_as(server: OpenServer) -> Iterator[Connect]:
    """`connect_as("ann")` is a connection of ADBC's own driver."""
    made: list[Any] = []

    def open_(user: str, *, to: OpenServer | None = None, **more: str) -> Any:
        port = (to or server).flight.port
        connection = adbc.connect(
            f"grpc://127.0.0.1:{port}",
            db_kwargs={DatabaseOptions.AUTHORIZATION_HEADER.value: f"Bearer {KEYS[user]}", **more},
            autocommit=True,
        )
        made.append(connection)
        return connection

    yield open_
    for connection in made:
        connection.close()
