"""Statements and the answers that Trino gives: how they are compared."""

from __future__ import annotations

from math import isnan
from typing import Any

import pytest

from sqe.api.connection import Connection
from sqe.errors import SqeError

# A statement and its answer: the rows, or the value where it is a single one; and its type where that is
# not plain.
Answers = list[tuple[str, Any, str | None]]


def check_answer(connection: Connection, sql: str, wanted: Any, kind: str | None) -> None:
    cursor = connection.execute(sql)
    rows = [list(row) for row in cursor.fetchall()]
    got = rows[0][0] if len(rows) == 1 and len(rows[0]) == 1 else rows
    assert _same(got, wanted), got
    assert kind is None or (cursor.columns is not None and str(cursor.columns[0][1]) == kind)


def check_failure(connection: Connection, sql: str, code: str) -> None:
    with pytest.raises(SqeError) as raised:
        connection.execute(sql).fetchall()
    assert raised.value.code == code


def _same(got: Any, wanted: Any) -> bool:
    if isinstance(wanted, float) and isinstance(got, float) and isnan(wanted):
        return isnan(got)
    if isinstance(wanted, (list, tuple)) and isinstance(got, (list, tuple)):
        return len(got) == len(wanted) and all(map(_same, got, wanted))
    return type(got) is type(wanted) and bool(got == wanted)
