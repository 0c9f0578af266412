"""Run statements and show what comes of them."""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from sqe.cli.complain import complain
from sqe.cli.output import count_of, printable, write_result
from sqe.cli.pager import PagedOutput, PagerLeft
from sqe.cli.progress import Progress
from sqe.cli.running import Running
from sqe.cli.terminal import terminal_of
from sqe.errors import Cancelled, SqeError, SyntaxFault
from sqe.sql.split import StatementText, split

if TYPE_CHECKING:
    from sqe.api.base_connection import BaseConnection
    from sqe.api.cursor import Cursor

    Connection: TypeAlias = BaseConnection[Any]


@dataclass(slots=True)
class Display:
    """How results are shown."""

    form: str = "table"
    timer: bool = False
    paging: bool = False


def read_script(source: Path | None) -> str:
    """A file's text, or that of standard input."""
    name = "standard input" if source is None else str(source)
    try:
        content = sys.stdin.buffer.read() if source is None else source.read_bytes()
    except OSError as error:
        raise SyntaxFault(f"{name} cannot be read: {error.strerror}", code="INVALID_ARGUMENTS") from None
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise SyntaxFault(f"{name} is not UTF-8 text (byte {error.start})") from None


def run_script(connection: Connection, script: str, *, display: Display, stop_on_error: bool = False) -> bool:
    """Whether every statement succeeded."""
    good = True
    for statement in split(script):
        if not run_statement(connection, statement, display=display):
            good = False
            if stop_on_error:
                break
    return good


def run_statement(connection: Connection, statement: StatementText, *, display: Display) -> bool:
    """Show the result or the error. An interrupt cancels the statement and is raised again."""
    began = time.monotonic()
    cursor = connection.cursor()
    progress = Progress(cursor)
    output = PagedOutput() if display.paging else None

    def waiting() -> None:
        if output is not None and output.paging:
            output.check()
        else:
            progress.show()

    running = Running(cursor, statement.text, waiting=waiting, arrived=progress.clear)
    good = False
    try:
        _show(cursor, running.batches(), display, output)
        good = True
    except PagerLeft:
        running.cancel()
        good = True
    except KeyboardInterrupt:
        running.cancel()
        _finish(output)
        complain(Cancelled("the statement was cancelled"))
        raise
    except BrokenPipeError:
        running.cancel()
        raise
    except SqeError as error:
        _finish(output)
        complain(error, statement)
    except Exception as error:
        _finish(output)
        complain(error)
    finally:
        running.close()
    seconds = time.monotonic() - began  # not how long somebody reads in the pager
    _finish(output)
    _warn(cursor)
    if display.timer:
        _report(_timing(cursor, seconds), display.form)
    return good


def _show(cursor: Cursor, batches: Iterator[Any], display: Display, output: PagedOutput | None) -> None:
    first = next(batches, None)  # until then, not even the columns are known
    if cursor.columns is None:
        text = cursor.update_type or "OK"
        if cursor.rowcount >= 0:
            text += f": {count_of(cursor.rowcount)}"
        _report(text, display.form)
        return
    rest = batches if first is None else _prepend(first, batches)
    write = sys.stdout.write if output is None else output.write
    terminal = terminal_of(sys.stdout)
    if display.form == "table" and terminal is not None:
        from sqe.cli.table import write_table

        write_table(cursor.columns, rest, write, terminal)
    else:
        write_result(display.form, cursor.columns, rest, write, to_terminal=terminal is not None)


def _prepend(first: Any, rest: Iterator[Any]) -> Iterator[Any]:
    yield first
    yield from rest


def _finish(output: PagedOutput | None) -> None:
    if output is not None:
        output.close()
    sys.stdout.flush()


def _report(text: str, form: str) -> None:
    """`INSERT: 3 rows`, `CREATE TABLE`. Beside the output where a program reads that."""
    print(text, file=sys.stdout if form == "table" else sys.stderr, flush=True)


def _timing(cursor: Cursor, seconds: float) -> str:
    lane = cursor.statement.lane if cursor.statement is not None else None
    return f"Time: {seconds:.3f} s" + (f" ({lane})" if lane else "")


def _warn(cursor: Cursor) -> None:
    for warning in cursor.warnings:
        print(f"warning: {printable(warning)}", file=sys.stderr, flush=True)


def silence_output() -> None:
    """After the reader of our output has gone: nothing more to say, also not at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
