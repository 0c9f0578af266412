"""A connection whose statements run on a server."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from sqe.any_connection import AnyConnection
from sqe.remote.client import Address, Client
from sqe.remote.statement import RemoteStatement, parameters_of

if TYPE_CHECKING:
    from sqe.tree.expressions import Expression


class RemoteConnection(AnyConnection[RemoteStatement]):
    """One session of a server. Closing it ends what it still runs there."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self._client = Client(address)
        self._running: weakref.WeakSet[RemoteStatement] = weakref.WeakSet()
        super().__init__(partial(_end, self._running, self._client))

    def statement(
        self, sql: str, parameters: tuple[Expression, ...], values: Sequence[object], *, rows: int = 1
    ) -> RemoteStatement:
        batch = parameters_of(values, [parameter.type for parameter in parameters], rows=rows)
        return RemoteStatement(sql, batch)

    def run(self, statement: RemoteStatement) -> None:
        self._running.add(statement)
        statement.run(self._client)

    def cancel(self, statement: RemoteStatement) -> None:
        statement.cancel()

    def stage(self, statement: RemoteStatement) -> str:
        return statement.stage

    def __repr__(self) -> str:
        return f"<sqe.Connection to {self.address}{', closed' if self.closed else ''}>"


def _end(running: weakref.WeakSet[RemoteStatement], client: Client) -> None:
    for statement in list(running):
        statement.cancel()
        if statement.result is not None:
            statement.result.close()
    client.close()
