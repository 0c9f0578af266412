"""Run statements and show what comes of them."""

from __future__ import annotations

import os
import queue
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqe.cli.complain import complain
from sqe.cli.output import write_result
from sqe.errors import Cancelled, SqeError, SyntaxFault
from sqe.sql.split import StatementText, split

if TYPE_CHECKING:
    from sqe.connection import Connection, Cursor

# How often the wait for a result looks at the progress.
TICK_SECONDS = 0.1
QUIET_SECONDS = 0.5
_END = object()


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


def run_script(connection: Connection, script: str, *, form: str, stop_on_error: bool) -> bool:
    """Whether every statement succeeded."""
    good = True
    for statement in split(script):
        if not run_statement(connection, statement, form=form):
            good = False
            if stop_on_error:
                break
    return good


def run_statement(connection: Connection, statement: StatementText, *, form: str) -> bool:
    """Show the result or the error. An interrupt cancels the statement and is raised again."""
    cursor = connection.cursor()
    running = _Running(cursor, statement.text)
    try:
        batches = running.batches()
        first = next(batches, None)  # until then, not even the columns are known
        if cursor.columns is None:
            _report_update(cursor, form)
        else:
            rest = batches if first is None else _prepend(first, batches)
            write_result(form, cursor.columns, rest, sys.stdout.write)
        sys.stdout.flush()
        return True
    except KeyboardInterrupt:
        running.cancel()
        sys.stdout.flush()
        complain(Cancelled("the statement was cancelled"))
        raise
    except BrokenPipeError:
        running.cancel()
        raise
    except SqeError as error:
        sys.stdout.flush()
        complain(error, statement)
    except Exception as error:
        sys.stdout.flush()
        complain(error)
    return False


def _prepend(first: Any, rest: Iterator[Any]) -> Iterator[Any]:
    yield first
    yield from rest


def _report_update(cursor: Cursor, form: str) -> None:
    """`INSERT: 3 rows`, `CREATE TABLE`. Beside the output where a program reads that."""
    text = cursor.update_type or "OK"
    if cursor.rowcount >= 0:
        text += f": {cursor.rowcount} row{'' if cursor.rowcount == 1 else 's'}"
    print(text, file=sys.stdout if form == "table" else sys.stderr)


class _Running:
    """A statement that runs in a thread of its own, so that Ctrl-C and the progress are not held up."""

    def __init__(self, cursor: Cursor, sql: str) -> None:
        self._cursor = cursor
        self._sql = sql
        self._ready: queue.Queue[Any] = queue.Queue(maxsize=4)
        self._stopped = threading.Event()
        self._progress = _Progress(cursor)
        self._thread = threading.Thread(target=self._work, name="sqe-statement", daemon=True)
        self._thread.start()

    def _work(self) -> None:
        try:
            self._cursor.execute(self._sql)
            if self._cursor.columns is not None:
                for batch in self._cursor.fetch_record_batches():
                    self._put(batch)
            self._put(_END)
        except BaseException as error:
            # Raised again in the thread that waits.
            self._put(error)

    def _put(self, item: Any) -> None:
        while not self._stopped.is_set():
            try:
                self._ready.put(item, timeout=TICK_SECONDS)
                return
            except queue.Full:
                continue

    def batches(self) -> Iterator[Any]:
        while True:
            try:
                item = self._ready.get(timeout=TICK_SECONDS)
            except queue.Empty:
                self._progress.show()
                continue
            self._progress.clear()
            if item is _END:
                return
            if isinstance(item, BaseException):
                raise item
            yield item

    def cancel(self) -> None:
        self._progress.clear()
        self._stopped.set()
        self._cursor.cancel()
        self._thread.join(timeout=10)


class _Progress:
    """One line on a terminal's standard error, after a moment of waiting."""

    def __init__(self, cursor: Cursor) -> None:
        self._cursor = cursor
        self._began = time.monotonic()
        self._live = sys.stderr.isatty()
        self._shown = False

    def show(self) -> None:
        seconds = time.monotonic() - self._began
        if not self._live or seconds < QUIET_SECONDS:
            return
        text = f"running {seconds:.0f} s"
        progress = self._cursor.progress()
        if progress is not None:
            done, total, rows = progress
            text += f", {done} of {total} tasks" + (f", {rows} rows" if rows else "")
        print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
        self._shown = True

    def clear(self) -> None:
        if self._shown:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
            self._shown = False


def silence_output() -> None:
    """After the reader of our output has gone: nothing more to say, also not at exit."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
