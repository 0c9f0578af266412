"""An SQE whose catalog is the lake: through Flight SQL with the users of Keycloak or, where the lake is
somebody else's, embedded and with the users' tokens."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import adbc_driver_flightsql.dbapi as adbc
import adbc_driver_manager
import pytest
from adbc_driver_flightsql import DatabaseOptions
from stack.sqe_config import sqe_config
from tests.stack.lake import Lake

from sqe.api.connection import Connection
from sqe.catalog.backends.rest_auth import StaticToken
from sqe.catalog.mount import from_config
from sqe.config.config import load
from sqe.coordinator import Coordinator
from sqe.doors.iceberg.server import IcebergDoor
from sqe.doors.open import OpenServer
from sqe.engine.spark.spark import Spark
from sqe.errors import SqeError
from sqe.policy.decision import AllowAll
from sqe.session import Identity

PORTS = (
    "[coordinator]\nflight_sql_port = 0\ntrino_http_port = 0\n"
    "[metrics]\nprometheus_port = 0\nhealth_port = 0\n"
)
_HEADER = DatabaseOptions.RPC_CALL_HEADER_PREFIX.value + "authorization"
Rows = list[tuple[Any, ...]]


class Serving:
    """`ask("alice", sql)` on a connection with her password, which is kept."""

    def __init__(self, server: OpenServer, iceberg: IcebergDoor) -> None:
        self.server = server
        self.iceberg_url = f"http://127.0.0.1:{iceberg.port}"
        self._connections: dict[str, Any] = {}

    @property
    def address(self) -> str:
        return f"grpc://127.0.0.1:{self.server.flight.port}"

    def connect(self, user: str, password: str | None = None) -> Any:
        keys = {"username": user, "password": password or f"{user}-secret"}
        return adbc.connect(self.address, db_kwargs=keys, autocommit=True)

    def connect_with(self, token: str) -> Any:
        return adbc.connect(self.address, conn_kwargs={_HEADER: f"Bearer {token}"}, autocommit=True)

    def ask(self, user: str, sql: str) -> Rows:
        if user not in self._connections:
            self._connections[user] = self.connect(user)
        return rows(self._connections[user], sql)

    def refusal(self, user: str, sql: str) -> str:
        with pytest.raises(adbc_driver_manager.Error) as refused:
            self.ask(user, sql)
        return str(refused.value)

    def leave(self, user: str) -> None:
        """The next statement of that user begins with a log-in."""
        connection = self._connections.pop(user, None)
        if connection is not None:
            connection.close()

    def close(self) -> None:
        for user in list(self._connections):
            self.leave(user)


class Embedded:
    """As Serving, for a lake of which nothing is known but its address and tokens."""

    def __init__(self, coordinator: Coordinator, lake: Lake) -> None:
        self._coordinator = coordinator
        self._lake = lake
        self._connections: dict[str, Connection] = {}

    def ask(self, user: str, sql: str) -> Rows:
        connection = self._connections.get(user)
        if connection is None:
            connection = self._connections[user] = Connection(self._coordinator, Identity(user))
            connection.session.tokens = StaticToken(self._lake.token(user))
        cursor = connection.execute(sql)
        return [] if cursor.description is None else cursor.fetchall()

    def refusal(self, user: str, sql: str) -> str:
        with pytest.raises(SqeError) as refused:
            self.ask(user, sql)
        # As the door of Flight SQL says it.
        status = {"PERMISSION_DENIED": "PermissionDenied"}.get(refused.value.code, "NotFound")
        return f"{refused.value} ({status})"


def rows(connection: Any, sql: str) -> Rows:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return [] if cursor.description is None else list(cursor.fetchall())


@contextmanager
def serving(
    lake: Lake,
    home: Path,
    spark: Spark,
    *,
    catalog_url: str | None = None,
    providers: str = "",
    settings: Mapping[str, object] | None = None,
) -> Iterator[Serving]:
    """`settings` are further keys of the catalog; `providers` are further ones of `[[auth.providers]]`."""
    text = PORTS + providers + sqe_config(lake.servers)
    if catalog_url is not None:
        text = text.replace(lake.url, catalog_url)
    more = "".join(f"{key} = {value}\n" for key, value in (settings or {}).items())
    config = home / "sqe.toml"
    config.write_text(text.replace("[catalogs.lake]\n", f"[catalogs.lake]\n{more}"))
    server = OpenServer(load(config, {}), spark=spark)
    iceberg = IcebergDoor(server.clients, 0)
    try:
        server.start()
        iceberg.start()
        opened = Serving(server, iceberg)
        yield opened
        opened.close()
    finally:
        iceberg.close()
        server.close()


@contextmanager
def embedded(lake: Lake, home: Path, spark: Spark) -> Iterator[Embedded]:
    config = home / "sqe.toml"
    config.write_text(
        f'[catalogs.lake]\ncatalog_url = "{lake.url}"\nwarehouse = "{lake.warehouse}"\n'
        "[storage]\ns3_allow_http = true\n"
    )
    settings = load(config, {})
    coordinator = Coordinator(settings, from_config(settings), policy=AllowAll(), spark=spark)
    try:
        yield Embedded(coordinator, lake)
    finally:
        coordinator.close()
