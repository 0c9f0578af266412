"""PASS, DIFF or VACUOUS: one engine's answer to a query against another's."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from sqe.bench.compare import Row, difference, same_row, without_partner
from sqe.bench.ordering import Shape, shape
from sqe.foundation.record import record

PASS, DIFF, VACUOUS = "PASS", "DIFF", "VACUOUS"

# The rows that a query of the reference engine returns.
Ask = Callable[[str], list[Row]]


@record
class Verdict:
    word: str
    note: str | None = None


def judge(ours: list[Row], theirs: list[Row], names: Sequence[str], sql: str, ask: Ask) -> Verdict:
    """Rows are compared as a bag, and where ORDER BY names columns of theirs, those columns row by row. Rows
    that tie where LIMIT cuts may be others, if the reference engine's whole answer has them."""
    if not ours and not theirs:
        return Verdict(VACUOUS)
    form = shape(sql)
    wrong = difference(ours, theirs)
    if wrong is None or (form.is_cut and len(ours) == len(theirs)):
        wrong_order = _order_differs(ours, theirs, form.keys(names))
        if wrong_order is not None:
            return Verdict(DIFF, wrong_order)
    if wrong is None:
        return Verdict(PASS)
    if not form.is_cut or len(ours) != len(theirs):
        return Verdict(DIFF, wrong)
    others, _ = without_partner(ours, theirs)
    missing = _not_in_whole(others, form, ask)
    if missing:
        return Verdict(DIFF, f"not in the whole answer: {missing[0]}")
    return Verdict(PASS, f"{len(others)} rows that tie at LIMIT are others")


def _order_differs(ours: list[Row], theirs: list[Row], keys: Sequence[int]) -> str | None:
    for number, (a, b) in enumerate(zip(ours, theirs, strict=True), start=1):
        if not same_row(tuple(a[k] for k in keys), tuple(b[k] for k in keys)):
            return f"row {number} is {a} where {b} was expected"
    return None


def _not_in_whole(rows: list[Row], form: Shape, ask: Ask) -> list[Row]:
    names = [f"c{i}" for i in range(len(rows[0]))]
    wanted = " OR ".join(
        "(" + " AND ".join(_equals(n, v) for n, v in zip(names, row, strict=True)) + ")" for row in rows
    )
    rows_there = ask(f"SELECT * FROM ({form.whole}) AS w ({', '.join(names)}) WHERE {wanted}")
    missing, _ = without_partner(rows, rows_there)
    return missing


def _equals(name: str, value: Any) -> str:
    match value:
        case None:
            return f"{name} IS NULL"
        case float() if math.isfinite(value):
            return f"{name} BETWEEN {_near(value, -1)} AND {_near(value, 1)}"
        case bool() | int():
            return f"{name} = {value}"
        case Decimal():
            digits = value.as_tuple()
            scale = max(0, -int(digits.exponent))
            return f"{name} = CAST('{value:f}' AS decimal(38, {scale}))"
        case datetime():
            return f"{name} = TIMESTAMP '{value}'"
        case date():
            return f"{name} = DATE '{value}'"
        case str():
            return f"{name} = '{value.replace(chr(39), chr(39) * 2)}'"
    # Left to the comparison of what is found.
    return "true"


def _near(value: float, direction: int) -> str:
    return f"{value + direction * abs(value) * 1e-9:.17e}"
