"""An engine in this process whose users are those of a lake, each with a token of their own."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from stack.sqe_config import sqe_config
from tests.stack.lake import Lake

from sqe.api.connection import Connection, connect
from sqe.auth.tokens import ClientToken
from sqe.config.config import load
from sqe.coordinator import Coordinator
from sqe.engine.spark.spark import Spark
from sqe.session import Identity

# Longer than any of these tests.
HOLDS_SECONDS = 3600.0


class Engine:
    """`of("alice")` is her connection."""

    def __init__(self, coordinator: Coordinator, lake: Lake) -> None:
        self.coordinator = coordinator
        self._lake = lake
        self._connections: dict[str, Connection] = {}
        self._all: list[Connection] = []

    def of(self, user: str) -> Connection:
        if user not in self._connections:
            self._connections[user] = self.another(user)
        return self._connections[user]

    def another(self, user: str) -> Connection:
        """A session of its own, of the same user."""
        connection = Connection(self.coordinator, Identity(user, issuer="lake", subject=user))
        connection.session.tokens = ClientToken(self._lake.token(user), time.time() + HOLDS_SECONDS)
        # One that nobody holds would close the engine with it.
        self._all.append(connection)
        return connection

    def rows(self, user: str, sql: str) -> list[tuple[Any, ...]]:
        return self.of(user).execute(sql).fetchall()

    def lane(self, user: str, sql: str) -> str:
        """Which lane answers, and why."""
        (text,) = self.rows(user, f"EXPLAIN {sql}")[0]
        return str(next(line for line in text.splitlines() if line.startswith("Lane: ")))

    def requests(self, user: str, sql: str) -> int:
        """As EXPLAIN ANALYZE tells them."""
        with self.of(user).execute(f"EXPLAIN ANALYZE {sql}") as cursor:
            columns = [column[0] for column in cursor.description or ()]
            return int(cursor.fetchall()[0][columns.index("requests")])


@contextmanager
def engine_on(lake: Lake, home: Path, *, more: str = "", spark: Spark | None = None) -> Iterator[Engine]:
    """`more` is added to its configuration."""
    file = home / "sqe.toml"
    file.write_text(sqe_config(lake.servers) + more)
    with connect(config=load(file, {}), spark=spark) as connection:
        yield Engine(connection.coordinator, lake)
