"""Statements and the answers that Trino gives: how they are asked, and compared."""

from __future__ import annotations

from collections.abc import Sequence
from math import isnan
from typing import Any

import pytest
from tests.bisecting import BATCH, bisected, expression_of

from sqe.api.connection import Connection
from sqe.errors import SqeError

# A statement and its answer: the rows, or the value where it is a single one; and its type where that is
# not plain.
Answers = list[tuple[str, Any, str | None]]


class Asked:
    """Statements on one lane. On Spark, expressions without a table are asked forty to a statement: each
    takes its time. A lane that is chosen by the statement gets each by itself."""

    def __init__(self, connection: Connection, *, together: bool) -> None:
        self._connection = connection
        self._together = together
        self._answers: dict[str, tuple[Any, str] | SqeError] = {}

    def answer(self, sql: str, among: Sequence[str]) -> tuple[Any, str]:
        """The rows, or the value where it is a single one; and the type of the first column. `among` are the
        statements of the file."""
        expression = expression_of(sql)
        if expression is None or not self._together:
            return _answer(self._connection, sql)
        if expression not in self._answers:
            others = [other for other in map(expression_of, among) if other is not None]
            start = others.index(expression) // BATCH * BATCH
            batch = others[start : start + BATCH]
            self._answers |= zip(batch, bisected(batch, self._run), strict=True)
        answer = self._answers[expression]
        if isinstance(answer, SqeError):
            raise answer
        return answer

    def _run(self, expressions: Sequence[str]) -> list[tuple[Any, str]]:
        cursor = self._connection.execute(f"SELECT {', '.join(expressions)}")
        (row,) = cursor.fetchall()
        assert cursor.columns is not None
        return [(value, str(kind)) for value, (_, kind) in zip(row, cursor.columns, strict=True)]


def _answer(connection: Connection, sql: str) -> tuple[Any, str]:
    cursor = connection.execute(sql)
    rows = [list(row) for row in cursor.fetchall()]
    assert cursor.columns is not None
    value = rows[0][0] if len(rows) == 1 and len(rows[0]) == 1 else rows
    return value, str(cursor.columns[0][1])


def check_answer(connection: Connection, sql: str, wanted: Any, kind: str | None) -> None:
    got, announced = _answer(connection, sql)
    assert same(got, wanted), got
    assert kind in (None, announced)


def check_failure(connection: Connection, sql: str, code: str) -> None:
    with pytest.raises(SqeError) as raised:
        connection.execute(sql).fetchall()
    assert raised.value.code == code


def same(got: Any, wanted: Any) -> bool:
    if isinstance(wanted, float) and isinstance(got, float) and isnan(wanted):
        return isnan(got)
    if isinstance(wanted, (list, tuple)) and isinstance(got, (list, tuple)):
        return len(got) == len(wanted) and all(map(same, got, wanted))
    return type(got) is type(wanted) and bool(got == wanted)
