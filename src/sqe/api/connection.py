"""The Python door: connections, embedded in the caller's process."""

from __future__ import annotations

import getpass
import os
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, overload

from sqe.api.base_connection import BaseConnection
from sqe.api.cursor import Cursor
from sqe.coordinator import Coordinator
from sqe.errors import InterfaceError
from sqe.policy.configured import from_config as policy_from_config
from sqe.policy.decision import Policy
from sqe.session import Identity
from sqe.statement import Statement, run

if TYPE_CHECKING:
    from sqe.api.remote.connection import RemoteConnection
    from sqe.config.config import Config
    from sqe.engine.spark.spark import Spark
    from sqe.tree.expressions import Expression

__all__ = ["Connection", "Cursor", "connect"]


@overload
def connect(
    *,
    host: str,
    port: int = 50051,
    user: str | None = None,
    password: str | None = None,
    token: str | Callable[[], str] | None = None,
    tls: bool = False,
    insecure: bool = False,
) -> RemoteConnection: ...


@overload
def connect(
    *,
    warehouse: str | Path | None = None,
    catalogs: Mapping[str, str | Path] | None = None,
    memory: bool = False,
    memory_limit: str | None = None,
    config: Config | str | Path | None = None,
    policy: Policy | None = None,
    spark: Spark | None = None,
) -> Connection: ...


def connect(
    *,
    warehouse: str | Path | None = None,
    catalogs: Mapping[str, str | Path] | None = None,
    memory: bool = False,
    memory_limit: str | None = None,
    config: Config | str | Path | None = None,
    policy: Policy | None = None,
    spark: Spark | None = None,
    host: str | None = None,
    port: int | None = None,
    user: str | None = None,
    password: str | None = None,
    token: str | Callable[[], str] | None = None,
    tls: bool = False,
    insecure: bool = False,
) -> Connection | RemoteConnection:
    """An embedded engine, or with `host` a connection to a server. Without arguments its tables are in
    ~/.sqe/warehouse. `spark` is a lane to share with other connections; its owner closes it. A `token` that
    is renewed now and then is a function that gives the one that holds."""
    here = (warehouse, catalogs, memory or None, memory_limit, config, policy, spark)
    there = (port, user, password, token, tls or None, insecure or None)
    if host is not None:
        if any(argument is not None for argument in here):
            raise InterfaceError("host is for a server, the other arguments for this process")
        from sqe.api.remote.client import Address
        from sqe.api.remote.connection import RemoteConnection

        renewed = token if callable(token) else None
        return RemoteConnection(
            Address(
                host,
                50051 if port is None else port,
                user,
                password,
                token() if callable(token) else token,
                tls=tls,
                insecure=insecure,
                renewed_token=renewed,
            )
        )
    if any(argument is not None for argument in there):
        raise InterfaceError("port, user, password, token and tls are for a server", hint="add host")
    from sqe.catalog.catalogs import embedded
    from sqe.config.config import Config, load, usual_path

    if not isinstance(config, Config):
        overrides = {"spark.driver_memory": memory_limit} if memory_limit else {}
        path = Path(config) if config is not None else usual_path(os.environ)
        config = load(path, os.environ, overrides)
    if warehouse is None and catalogs is None and not memory and config.catalogs:
        from sqe.catalog.mount import from_config

        mounted = from_config(config)
    else:
        mounted = embedded(
            warehouse=warehouse, catalogs=catalogs, memory=memory, default=config.query.default_catalog
        )
    return Connection(
        Coordinator(config, mounted, policy=policy or policy_from_config(config), spark=spark),
        Identity(_operating_system_user()),
    )


def _operating_system_user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "sqe"


class Connection(BaseConnection[Statement]):
    """One session of an engine in this process. Closing it ends its Spark server."""

    def __init__(self, coordinator: Coordinator, identity: Identity) -> None:
        super().__init__(coordinator.close)
        self.coordinator = coordinator
        self.session = coordinator.session(identity)

    def statement(
        self, sql: str, parameters: tuple[Expression, ...], values: Sequence[object], *, rows: int = 1
    ) -> Statement:
        return Statement(sql, self.session, parameters=parameters, rows=rows)

    def run(self, statement: Statement) -> None:
        run(statement, self.coordinator)

    def cancel(self, statement: Statement) -> None:
        statement.cancelled = True
        self.coordinator.cancel(statement.id)

    def stage(self, statement: Statement) -> str:
        waits = statement.lane == "spark" and not self.coordinator.spark.started
        return "starting Spark" if waits else "running"

    def warm_up(self) -> None:
        self.coordinator.spark.start()
