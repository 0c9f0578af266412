"""Positions of the user's statement inside rendered SQL, to tell where in it an error of Spark's arose.

A comment `/*line:column*/` stands directly before each expression that may fail when it runs; what it
marks is either in parentheses or one call, so that its end can be found without a parser. An error that
a rendering raises by itself has no place in Spark's eyes, and carries it in its text (failures.py).
"""

from __future__ import annotations

import re

from sqe.engine.render.failures import located
from sqe.engine.render.lexing import SPARK, is_one_call
from sqe.errors import Position

_TOKENS = re.compile(rf"{SPARK.pattern}|/\*(\d+):(\d+)\*/", re.DOTALL)
_PLACED = re.compile(r"^'SQE@\d+:\d+:")


def marked(position: Position | None, text: str) -> str:
    if position is None:
        return text
    text = located(text, position)
    return f"/*{position}*/{text if is_one_call(text, SPARK) else f'({text})'}"


def strip_positions(sql: str) -> str:
    """Rendered SQL as people like to read it."""
    return _TOKENS.sub(lambda token: "" if token[1] else _PLACED.sub("'SQE:", token[0]), sql)


def position_of(sql: str, start: int, stop: int | None = None) -> Position | None:
    """The place of the smallest marked expression around sql[start..stop], as Spark's errors count it."""
    end = start if stop is None else stop
    innermost: Position | None = None
    smallest = len(sql) + 1
    pending: list[tuple[Position, int]] = []
    open_marks: list[list[tuple[Position, int]]] = []
    for token in _TOKENS.finditer(sql):
        if token[1] is not None:
            pending.append((Position(int(token[1]), int(token[2])), token.end()))
        elif token[0] == "(":
            open_marks.append(pending)
            pending = []
        elif token[0] == ")" and open_marks:
            for position, begin in open_marks.pop():
                if begin <= start and end < token.end() and token.end() - begin < smallest:
                    innermost, smallest = position, token.end() - begin
    if innermost is None and stop is not None:
        # Spark removed a cast of ours and blames its text for what stood in it.
        inside = _TOKENS.finditer(sql, start, stop + 1)
        return next((Position(int(m[1]), int(m[2])) for m in inside if m[1] is not None), None)
    return innermost
