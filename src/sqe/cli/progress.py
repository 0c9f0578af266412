"""How far the running statement is: one line on a terminal's standard error, after a moment of waiting."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

from sqe.cli.terminal import terminal_of

if TYPE_CHECKING:
    from sqe.api.cursor import Cursor

QUIET_SECONDS = 0.5
BAR = 24


class Progress:
    def __init__(self, cursor: Cursor) -> None:
        self._cursor = cursor
        self._began = time.monotonic()
        self._shown: tuple[str, int] | None = None

    def show(self) -> None:
        seconds = time.monotonic() - self._began
        if seconds < QUIET_SECONDS:
            return
        terminal = terminal_of(sys.stderr)
        if terminal is None or not terminal.escapes:
            return
        # With room for the ^C that a terminal writes itself.
        statement = self._cursor.statement
        percent = statement is not None and statement.lane == "fast"
        text = progress_line(
            self._cursor.stage, self._cursor.progress(), seconds, terminal.width - 3, percent=percent
        )
        if self._shown != (text, terminal.width):
            print(f"\r\x1b[K{text}", end="", file=sys.stderr, flush=True)
            self._shown = text, terminal.width

    def clear(self) -> None:
        if self._shown is not None:
            print("\r\x1b[K", end="", file=sys.stderr, flush=True)
            self._shown = None


def progress_line(
    stage: str, tasks: tuple[int, int, int] | None, seconds: float, width: int, *, percent: bool = False
) -> str:
    """`[#####....] 12/40 tasks, 1.2M rows, 3 s`, with a bar that gives way first; or `30 %`."""
    if tasks is None or not tasks[1]:
        return f"{stage}, {seconds:.0f} s"[:width]
    done, total, rows = tasks
    share = f"{100 * done // total} %" if percent else f"{done}/{total} tasks"
    text = share + (f", {short_number(rows)} rows" if rows else "") + f", {seconds:.0f} s"
    size = min(BAR, width - len(text) - len("[] "))
    if size < 4:
        return text[:width]
    full = min(size, size * done // total)
    return f"[{'#' * full}{'.' * (size - full)}] {text}"


def short_number(number: int) -> str:
    for least, unit, letter in ((10**9, 10**9, "G"), (10**6, 10**6, "M"), (10**4, 10**3, "k")):
        if number >= least:
            return f"{number / unit:.1f}{letter}"
    return str(number)
