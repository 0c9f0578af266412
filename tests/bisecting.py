"""Expressions forty to a statement, and apart where one of them fails.

A statement costs Spark a tenth of a second, whatever is in it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TypeVar

from sqe.errors import SqeError

BATCH = 40
Answer = TypeVar("Answer")


def bisected(
    expressions: Sequence[str], run: Callable[[Sequence[str]], Sequence[Answer]], *, batch: int = BATCH
) -> list[Answer | SqeError]:
    """For each expression what `run` answers of it, or the error of that expression alone."""
    return [
        answer
        for start in range(0, len(expressions), batch)
        for answer in _some(expressions[start : start + batch], run)
    ]


def _some(
    expressions: Sequence[str], run: Callable[[Sequence[str]], Sequence[Answer]]
) -> list[Answer | SqeError]:
    try:
        found = run(expressions)
    except SqeError as error:
        if len(expressions) == 1:
            return [error]
        middle = len(expressions) // 2
        return [*_some(expressions[:middle], run), *_some(expressions[middle:], run)]
    assert len(found) == len(expressions)
    return list(found)


def expression_of(sql: str) -> str | None:
    """What a statement computes, if that is one expression of no table and of no group of rows."""
    if not sql.startswith("SELECT ") or re.search(r"\b(FROM|UNION|OVER|\w*agg|WHERE)\b", sql):
        return None
    outer = re.sub(r"'[^']*'", "", sql)
    while (outermost := re.sub(r"\([^()]*\)|\[[^\[\]]*\]", "", outer)) != outer:
        outer = outermost
    return None if "," in outer else sql.removeprefix("SELECT ")
