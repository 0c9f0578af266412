"""An error as people read it: one line, the hint, and the place in the text."""

from __future__ import annotations

import os
import sys
import traceback

from sqe.cli.output import printable, width_of
from sqe.errors import InternalError, Position, SqeError
from sqe.sql.split import StatementText

# How much of a long line is shown around the place.
WINDOW = 76
BUG = "this is a fault of SQE; SQE_DEBUG=1 shows where"


def complain(error: BaseException, statement: StatementText | None = None) -> None:
    print(describe(error, statement), file=sys.stderr, flush=True)


def describe(error: BaseException, statement: StatementText | None = None) -> str:
    """Positions count from where the statement's script begins."""
    if os.environ.get("SQE_DEBUG"):
        traceback.print_exception(error)
    if isinstance(error, SqeError):
        position = error.position
        where = f"line {_in_script(position, statement)}: " if position else ""
        lines = [f"error: [{error.code}] {where}{_one_line(error.message)}"]
        hint = error.hint or (BUG if isinstance(error, InternalError) else None)
        if hint:
            lines.append(f"hint: {_one_line(hint)}")
        if position and statement:
            lines += _excerpt(statement.text, position)
        return "\n".join(lines)
    text = _one_line(f"{type(error).__name__}: {error}")
    return f"error: [GENERIC_INTERNAL_ERROR] {text}\nhint: {BUG}"


def _one_line(text: str) -> str:
    return printable(" ".join(text.split()))


def _in_script(position: Position, statement: StatementText | None) -> Position:
    if statement is None:
        return position
    # Only the statement's first line shares its line with what stands before it.
    column = position.column + (statement.column - 1 if position.line == 1 else 0)
    return Position(position.line + statement.line - 1, column)


def _excerpt(text: str, position: Position) -> list[str]:
    lines = text.split("\n")
    if not 1 <= position.line <= len(lines):
        return []
    line = lines[position.line - 1]
    at = min(position.column - 1, len(line))
    start = max(0, min(at - WINDOW // 2, len(line) - WINDOW))
    # One for one, so that the caret stands under its character.
    shown = "".join(c if c.isprintable() else " " for c in line[start : start + WINDOW])
    return [f"  {shown}".rstrip(), "  " + " " * width_of(shown[: at - start]) + "^"]
