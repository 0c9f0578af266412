"""What dot-commands can change, and ask."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqe.cli.names import Names
from sqe.cli.run import Display, run_statement
from sqe.sql.split import StatementText

if TYPE_CHECKING:
    from sqe.api.base_connection import BaseConnection


class ShellState:
    """A connection, how its answers are shown, and the names that Tab completes."""

    def __init__(self, connection: BaseConnection[Any], *, form: str) -> None:
        self.connection = connection
        self.display = Display(form, paging=True)
        self.names = Names(connection)

    def run_sql(self, sql: str) -> None:
        run_statement(self.connection, StatementText(sql, 1, 1), display=self.display)
