"""A connection whose statements run on a server."""

from __future__ import annotations

import weakref
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from sqe.api.base_connection import BaseConnection
from sqe.api.remote.client import Address, Client
from sqe.api.remote.statement import RemoteStatement, parameters_of
from sqe.errors import SessionExpired

if TYPE_CHECKING:
    from sqe.tree.expressions import Expression


class RemoteConnection(BaseConnection[RemoteStatement]):
    """One session of a server. Closing it ends what it still runs there."""

    def __init__(self, address: Address) -> None:
        self.address = address
        self._client = Client(address)
        self._running: weakref.WeakSet[RemoteStatement] = weakref.WeakSet()
        super().__init__(partial(_end, self._running, self._client))

    def statement(
        self, sql: str, parameters: tuple[Expression, ...], values: Sequence[object], *, rows: int = 1
    ) -> RemoteStatement:
        _check(sql)
        batch = parameters_of(values, [parameter.type for parameter in parameters], rows=rows)
        return RemoteStatement(sql, batch)

    def run(self, statement: RemoteStatement) -> None:
        self._running.add(statement)
        try:
            statement.run(self._client)
        except SessionExpired as error:
            self._client.begin_again()
            raise SessionExpired(
                "the session has ended, and what USE and SET SESSION said is forgotten",
                hint="say it again, and run the statement again",
            ) from error
        self._client.mark_used()

    def cancel(self, statement: RemoteStatement) -> None:
        statement.cancel()

    def stage(self, statement: RemoteStatement) -> str:
        return statement.stage

    def __repr__(self) -> str:
        return f"<sqe.Connection to {self.address}{', closed' if self.closed else ''}>"


def _check(sql: str) -> None:
    """The driver would send what is before the first NUL. An empty text it does not send at all."""
    if sql and "\0" not in sql and _is_text(sql):
        return
    from sqe.sql.parse import parse

    parse(sql)


def _is_text(sql: str) -> bool:
    try:
        sql.encode()
    except UnicodeEncodeError:
        return False
    return True


def _end(running: weakref.WeakSet[RemoteStatement], client: Client) -> None:
    for statement in list(running):
        statement.cancel()
        if statement.result is not None:
            statement.result.close()
    client.close()
