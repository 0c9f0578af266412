"""The interactive loop: read a statement, run it, show what comes of it."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

from sqe.cli.complain import complain
from sqe.cli.dot_commands import Leave, is_command, run_command
from sqe.cli.line_editor import open_editor
from sqe.cli.run import run_statement
from sqe.cli.shell_state import ShellState
from sqe.cli.terminal import terminal_of
from sqe.cli.warm_up import WarmUp
from sqe.foundation.version import __version__
from sqe.sql.split import split

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


class Shell(ShellState):
    """Runs what is typed: statements, dot-commands, and the bare words that people try."""

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
