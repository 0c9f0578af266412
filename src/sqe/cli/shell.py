"""The interactive loop: read a statement, run it, show what comes of it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from sqe.cli.complain import complain
from sqe.cli.dot_commands import Leave, is_command, run_command
from sqe.cli.line_editor import open_editor
from sqe.cli.names import Names
from sqe.cli.run import Display, run_statement
from sqe.cli.terminal import terminal_of
from sqe.cli.warm_up import WarmUp
from sqe.foundation.version import __version__
from sqe.sql.split import StatementText, split

if TYPE_CHECKING:
    from sqe.api.base_connection import BaseConnection


def run_shell(connection: BaseConnection[Any], *, form: str, where: str) -> None:
    """`where` says where the tables are."""
    shell = Shell(connection, form=form)
    terminal = terminal_of(sys.stdout)
    editor = open_editor(shell.names, WarmUp(connection).typed, terminal)
    banner = f"SQE {__version__}, {where}. .help lists the commands."
    print(banner, file=sys.stderr if terminal is None else sys.stdout, flush=True)
    while True:
        try:
            shell.run(editor.read())
        except KeyboardInterrupt:
            continue
        except (EOFError, Leave):
            return


class Shell:
    """What dot-commands can change, and ask."""

    def __init__(self, connection: BaseConnection[Any], *, form: str) -> None:
        self.connection = connection
        self.display = Display(form, paging=True)
        self.names = Names(connection)

    def run(self, text: str) -> None:
        bare = text.strip().rstrip(";").lower()
        if bare in ("exit", "quit", "help"):
            text = f".{bare}"
        if is_command(text):
            try:
                run_command(self, text)
            except Leave:
                raise
            except Exception as error:
                complain(error)
            return
        try:
            for statement in split(text):
                run_statement(self.connection, statement, display=self.display)
        finally:
            self.names.forget()

    def run_sql(self, sql: str) -> None:
        run_statement(self.connection, StatementText(sql, 1, 1), display=self.display)
