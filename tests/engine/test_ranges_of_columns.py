"""A range beside a condition drops nothing that the condition keeps, and keeps little else."""

from __future__ import annotations

import datetime as dt
import itertools
import operator
from collections.abc import Callable
from typing import Any

import pytest

from sqe.engine.ranges import narrowed
from sqe.tree.expressions import Call, Cast, Expression, Field, InList, Literal, Ref
from sqe.types.sql_types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    INTEGER,
    REAL,
    TINYINT,
    VARCHAR,
    Decimal,
    Timestamp,
    TimestampTz,
    Type,
)

OPS: dict[str, Callable[[Any, Any], bool]] = {
    "$eq": operator.eq,
    "$lt": operator.lt,
    "$le": operator.le,
    "$gt": operator.gt,
    "$ge": operator.ge,
}
STAMP = Timestamp(6)
MOMENTS = [
    dt.datetime(2023, 12, 31, 23, 59, 59, 999999),
    dt.datetime(2024, 1, 1),
    dt.datetime(2024, 1, 1, 0, 0, 0, 1),
    dt.datetime(2024, 2, 29, 12, 30, 15, 500),
    dt.datetime(2024, 4, 1),
    dt.datetime(2024, 12, 30),
    dt.datetime(2025, 1, 1),
    dt.datetime(1, 1, 1),
    dt.datetime(9998, 12, 31),
]


def column(type_: Type) -> Ref:
    return Ref(type_, Field(1, "x", type_))


def holds(condition: Expression, value: Any) -> bool:
    """Of ranges: AND, OR and comparisons of the column with a constant."""
    assert isinstance(condition, Call)
    if condition.function in ("$and", "$or"):
        several = all if condition.function == "$and" else any
        return several(holds(term, value) for term in condition.arguments)
    left, right = condition.arguments
    assert isinstance(left, Ref) and isinstance(right, Literal) and right.type == left.type
    return OPS[condition.function](value, right.value)


def added(condition: Expression) -> tuple[Expression, ...]:
    """What is new in the narrowed condition."""
    made = narrowed(condition)
    if made == condition:
        return ()
    assert isinstance(made, Call) and made.function == "$and" and made.arguments[0] == condition
    return made.arguments[1:]


def truncated(value: dt.datetime, unit: str) -> dt.datetime:
    day = value.replace(hour=0, minute=0, second=0, microsecond=0)
    match unit:
        case "year":
            return day.replace(month=1, day=1)
        case "quarter":
            return day.replace(month=(value.month - 1) // 3 * 3 + 1, day=1)
        case "month":
            return day.replace(day=1)
        case "week":
            return day - dt.timedelta(days=value.weekday())
        case "day":
            return day
        case "hour":
            return value.replace(minute=0, second=0, microsecond=0)
        case "minute":
            return value.replace(second=0, microsecond=0)
        case "second":
            return value.replace(microsecond=0)
    return value.replace(microsecond=value.microsecond // 1000 * 1000)


@pytest.mark.parametrize(
    "unit", ["year", "quarter", "month", "week", "day", "hour", "minute", "second", "millisecond"]
)
def test_date_trunc(unit: str) -> None:
    call = Call(STAMP, "date_trunc", (Literal(VARCHAR, unit), column(STAMP)))
    for op, value in itertools.product(OPS, MOMENTS):
        ranges = added(Call(BOOLEAN, op, (call, Literal(STAMP, value))))
        assert ranges
        for moment in MOMENTS:
            kept = all(holds(range_, moment) for range_ in ranges)
            fits = OPS[op](truncated(moment, unit), value)
            assert kept or not fits, (op, value, moment)
            if truncated(value, unit) == value:
                assert kept == fits, (op, value, moment)


@pytest.mark.parametrize("type_", [DATE, STAMP, TimestampTz(6)])
def test_year(type_: Type) -> None:
    call = Call(BIGINT, "year", (column(type_),))
    for op, year in itertools.product(OPS, (2023, 2024, 2025)):
        ranges = added(Call(BOOLEAN, op, (call, Cast(BIGINT, Literal(INTEGER, year), implicit=True))))
        for moment in MOMENTS:
            value: Any = moment
            if type_ == DATE:
                value = moment.date()
            elif type_ != STAMP:
                value = moment.replace(tzinfo=dt.UTC)
            assert all(holds(r, value) for r in ranges) == OPS[op](moment.year, year)


def test_a_date_of_a_timestamp_on_either_side() -> None:
    day = Literal(DATE, dt.date(2024, 1, 1))
    mirrored = Call(BOOLEAN, "$gt", (day, Cast(DATE, column(STAMP))))
    [before] = added(mirrored)
    assert before == Call(BOOLEAN, "$lt", (column(STAMP), Literal(STAMP, dt.datetime(2024, 1, 1))))


def test_in_and_or_are_ranges_of_each() -> None:
    year = Call(BIGINT, "year", (column(DATE),))
    listed = InList(BOOLEAN, year, (Literal(BIGINT, 2023), Literal(BIGINT, 2025)))
    either = Call(
        BOOLEAN, "$or", tuple(Call(BOOLEAN, "$eq", (year, Literal(BIGINT, y))) for y in (2023, 2025))
    )
    for condition in (listed, either):
        [ranges] = added(condition)
        days = [dt.date(2023, 6, 1), dt.date(2024, 6, 1), dt.date(2025, 6, 1)]
        assert [holds(ranges, day) for day in days] == [True, False, True]


@pytest.mark.parametrize("wide", [DOUBLE, REAL, Decimal(22, 3)])
def test_whole_numbers_compared_as_others(wide: Type) -> None:
    import decimal

    side = Cast(wide, column(BIGINT), implicit=True)
    for op, value in itertools.product(OPS, (-1.5, -1, 0, 0.5, 2, 2.999)):
        given: Any = decimal.Decimal(str(value)) if isinstance(wide, Decimal) else float(value)
        ranges = added(Call(BOOLEAN, op, (side, Literal(wide, given))))
        for number in range(-4, 5):
            fits = OPS[op](number, value)
            assert all(holds(r, number) for r in ranges) == fits or not ranges
        assert ranges or (op == "$eq" and value != int(value))


def test_what_says_nothing() -> None:
    stamp, number = column(STAMP), column(BIGINT)
    other = TimestampTz(6, "Europe/Amsterdam")
    year = Call(BIGINT, "year", (stamp,))
    nothing: list[Expression] = [
        Call(BOOLEAN, "$eq", (stamp, Literal(STAMP, MOMENTS[0]))),
        Call(BOOLEAN, "$ne", (year, Literal(BIGINT, 2024))),
        Call(BOOLEAN, "$not", (Call(BOOLEAN, "$eq", (year, Literal(BIGINT, 2024))),)),
        Call(BOOLEAN, "$eq", (year, Literal(BIGINT, 9999))),
        Call(BOOLEAN, "$eq", (year, Literal(BIGINT, None))),
        Call(BOOLEAN, "$eq", (Call(BIGINT, "year", (column(other),)), Literal(BIGINT, 2024))),
        Call(BOOLEAN, "$or", (Call(BOOLEAN, "$eq", (year, Literal(BIGINT, 1))), Literal(BOOLEAN, None))),
        Call(BOOLEAN, "$eq", (Cast(DOUBLE, number, implicit=True), Literal(DOUBLE, 2.0**53))),
        Call(BOOLEAN, "$eq", (Cast(DOUBLE, number, implicit=True), Literal(DOUBLE, float("nan")))),
        Call(BOOLEAN, "$lt", (Cast(DOUBLE, column(TINYINT), implicit=True), Literal(DOUBLE, 1000.0))),
    ]
    for condition in nothing:
        assert added(condition) == ()
