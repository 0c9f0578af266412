"""A server with its doors and without Spark, for people of an identity provider."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import adbc_driver_flightsql.dbapi as adbc
from adbc_driver_flightsql import DatabaseOptions

from sqe.config.config import load
from sqe.config.spark import SparkSettings
from sqe.doors.iceberg.server import IcebergDoor
from sqe.doors.open import OpenServer
from sqe.engine.spark.jars import default_cache
from sqe.engine.spark.spark import Spark
from sqe.session import TokenSource

HEADER = DatabaseOptions.RPC_CALL_HEADER_PREFIX.value + "authorization"


class TokenServer:
    def __init__(self, server: OpenServer, iceberg: IcebergDoor) -> None:
        self.server = server
        self.iceberg_url = f"http://127.0.0.1:{iceberg.port}"
        self.port = server.flight.port

    def connect(self, token: str) -> Any:
        return adbc.connect(
            f"grpc://127.0.0.1:{self.port}", conn_kwargs={HEADER: f"Bearer {token}"}, autocommit=True
        )

    def connect_by_password(self, user: str, password: str) -> Any:
        options = {"username": user, "password": password}
        return adbc.connect(f"grpc://127.0.0.1:{self.port}", db_kwargs=options, autocommit=True)

    def tokens(self) -> list[TokenSource | None]:
        """Of each session."""
        return [session.session.tokens for session in self.server.clients.sessions.all()]


@contextmanager
def token_server(home: Path, providers: str, more: str = "") -> Iterator[TokenServer]:
    config = home / "sqe.toml"
    config.write_text(
        "[coordinator]\nflight_sql_port = 0\ntrino_http_port = 0\n"
        "[metrics]\nprometheus_port = 0\nhealth_port = 0\n"
        + providers
        + f'[catalogs.lake.backend]\ntype = "sqlite"\nwarehouse = "{home / "lake"}"\n'
        + more
    )
    server = OpenServer(load(config, {}), spark=Spark(SparkSettings(), default_cache()))
    iceberg = IcebergDoor(server.clients, 0)
    try:
        server.clients.start()
        server.flight.start()
        iceberg.start()
        yield TokenServer(server, iceberg)
    finally:
        iceberg.close()
        server.close()


def rows(connection: Any, text: str) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(text)
        return list(cursor.fetchall())
