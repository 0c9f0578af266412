"""The interactive loop: a line at a time, a statement at each semicolon."""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from sqe.cli.run import run_statement
from sqe.sql.split import is_complete, split

if TYPE_CHECKING:
    from sqe.connection import Connection

PROMPT = "sqe> "
MORE = "...> "
HISTORY = Path("~/.sqe_history")
LEAVE = {".exit", ".quit", ".q", "\\q", "exit", "quit", "exit;", "quit;"}
HELP = "End a statement with ; to run it. Ctrl-C cancels, .quit or Ctrl-D leaves."


def run_shell(connection: Connection, *, form: str) -> None:
    with _history():
        text = ""
        while True:
            try:
                line = input(MORE if text else PROMPT)
            except EOFError:
                print()
                return
            except KeyboardInterrupt:
                print()
                text = ""
                continue
            command = line.strip().lower()
            if not text and command in LEAVE:
                return
            if not text and command.startswith((".", "\\")):
                print(HELP if command == ".help" else f"{line.strip()}: not built yet. {HELP}")
                continue
            text = f"{text}\n{line}" if text else line
            if is_complete(text):
                for statement in split(text):
                    try:
                        run_statement(connection, statement, form=form)
                    except KeyboardInterrupt:
                        break
                text = ""
            elif not text.strip():
                text = ""


@contextlib.contextmanager
def _history() -> Iterator[None]:
    """Line editing and the history file, where Python has readline."""
    try:
        import readline
    except ImportError:
        yield
        return
    file = HISTORY.expanduser()
    # A history that cannot be read or written is not worth an error.
    with contextlib.suppress(OSError):
        readline.read_history_file(file)
    readline.set_history_length(10_000)
    try:
        yield
    finally:
        with contextlib.suppress(OSError):
            # Statements can hold secrets.
            file.touch(mode=0o600)
            readline.write_history_file(file)
        sys.stdout.flush()
