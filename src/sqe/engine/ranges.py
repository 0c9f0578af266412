"""What a condition on a function of a column says of the column itself: year(ts) = 2024 is a range of ts.

Engines skip files by the bounds of columns, and look into no function. So a filter gets the range beside
the condition, which stays: the range may be wider, never narrower, and drops only what the condition drops.
"""

from __future__ import annotations

import datetime as dt
import decimal
import math
from collections.abc import Callable

from sqe.functions.constants import constant
from sqe.tree.expressions import (
    Call,
    Cast,
    Dereference,
    Expression,
    InList,
    Literal,
    Ref,
    conjunction,
    conjuncts,
)
from sqe.types.sql_types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    INTEGER,
    REAL,
    SMALLINT,
    TINYINT,
    Decimal,
    Timestamp,
    TimestampTz,
    Type,
    is_integer,
)

_MIRRORED = {"$eq": "$eq", "$lt": "$gt", "$le": "$ge", "$gt": "$lt", "$ge": "$le"}
# An IN list of more values than this implies no ranges.
_MOST_RANGES = 20
_BITS: dict[Type, int] = {TINYINT: 7, SMALLINT: 15, INTEGER: 31, BIGINT: 63}
# Below these, every whole number is one of the type's values.
_EXACT: dict[Type, int] = {REAL: 2**24, DOUBLE: 2**53}

Moment = dt.datetime
_Bounds = tuple[Callable[[Moment], Moment], Callable[[Moment], Moment]]


def narrowed(condition: Expression) -> Expression:
    """The condition of a filter, with the ranges that it implies."""
    ranges = _implied(condition)
    if not ranges:
        return condition
    return conjunction(*conjuncts(condition), *ranges)


def _implied(condition: Expression) -> list[Expression]:
    """Conditions on columns that hold wherever this one does."""
    match condition:
        case Call(function="$and", arguments=arguments):
            return [implied for term in arguments for implied in _implied(term)]
        case Call(function="$or", arguments=arguments):
            return _any_of([_implied(term) for term in arguments])
        case Call(function="$eq" | "$lt" | "$le" | "$gt" | "$ge" as op, arguments=(left, right)):
            return _compared(op, left, right) or _compared(_MIRRORED[op], right, left)
        case InList(operand=operand, items=items) if len(items) <= _MOST_RANGES:
            return _any_of([_compared("$eq", operand, item) for item in items])
    return []


def _any_of(choices: list[list[Expression]]) -> list[Expression]:
    if not choices or not all(choices):
        return []
    return [Call(BOOLEAN, "$or", tuple(conjunction(*choice) for choice in choices))]


def _compared(op: str, side: Expression, other: Expression) -> list[Expression]:
    value = constant(other)
    match _uncoerced(side):
        case Call(function="year", arguments=(column,)) if _is_moment(column) and type(value) is int:
            if 1 <= value <= 9998:
                return _within(op, column, Moment(value, 1, 1), "year")
        case Call(function="date_trunc", arguments=(unit, column)) if _is_moment(column):
            name = constant(unit)
            start = _moment(value)
            if isinstance(name, str) and name.lower() in _UNITS and start is not None:
                return _within(op, column, start, name.lower())
        case Cast(type=kind, operand=column) if kind == DATE and _is_moment(column):
            start = _moment(value)
            if start is not None:
                return _within(op, column, start, "day")
        case Cast(type=kind, operand=column, implicit=True) if is_integer(column.type) and _is_column(column):
            return _whole(op, column, kind, value)
    return []


def _uncoerced(side: Expression) -> Expression:
    """What is compared, without our own widening of it to the other side's type."""
    while isinstance(side, Cast) and side.implicit and isinstance(side.operand, (Call, Cast)):
        side = side.operand
    return side


def _is_column(expression: Expression) -> bool:
    while isinstance(expression, Dereference):
        expression = expression.operand
    return isinstance(expression, Ref)


def _is_moment(column: Expression) -> bool:
    """Whether it is a column of dates or times, in no zone but UTC: in others a day may not have 24 hours,
    and its bounds are not those in files."""
    kind = column.type
    is_time = (
        kind == DATE or isinstance(kind, Timestamp) or (isinstance(kind, TimestampTz) and kind.zone == "UTC")
    )
    return is_time and _is_column(column)


def _moment(value: object) -> Moment | None:
    if isinstance(value, Moment):
        return value.astimezone(dt.UTC).replace(tzinfo=None) if value.tzinfo is not None else value
    return Moment(value.year, value.month, value.day) if isinstance(value, dt.date) else None


def _within(op: str, column: Expression, value: Moment, unit: str) -> list[Expression]:
    """`op` compares the column, cut down to the unit, with the value."""
    floor, after = _UNITS[unit]
    try:
        start = floor(value)
        end = after(start)
    except (OverflowError, ValueError):
        return []
    first = start if start == value else end
    match op:
        case "$eq":
            return [_test("$ge", column, start), _test("$lt", column, end)]
        case "$lt":
            return [_test("$lt", column, first)]
        case "$le":
            return [_test("$lt", column, end)]
        case "$gt":
            return [_test("$ge", column, end)]
    return [_test("$ge", column, first)]


def _test(op: str, column: Expression, value: Moment) -> Expression:
    kind = column.type
    bound: object = value
    if kind == DATE:
        # Units of a date are whole days; a value with a time of day lies between two of them.
        bound = value.date()
        if value.time() != dt.time() and op == "$lt":
            bound = value.date() + dt.timedelta(days=1)
    elif isinstance(kind, TimestampTz):
        bound = value.replace(tzinfo=dt.UTC)
    return Call(BOOLEAN, op, (column, Literal(kind, bound)))


def _whole(op: str, column: Expression, kind: Type, value: object) -> list[Expression]:
    """A column of whole numbers that is compared as a decimal, real or double."""
    if isinstance(value, float) and kind in _EXACT:
        if not math.isfinite(value) or abs(value) >= _EXACT[kind]:
            return []
    elif not (isinstance(value, (decimal.Decimal, int)) and isinstance(kind, Decimal)):
        return []
    low, high = math.floor(value), math.ceil(value)
    if op == "$eq" and low != high:
        return []
    op, bound = {
        "$eq": ("$eq", low),
        "$lt": ("$le", high - 1),
        "$le": ("$le", low),
        "$gt": ("$ge", low + 1),
        "$ge": ("$ge", high),
    }[op]
    largest = 2 ** _BITS[column.type]
    if not -largest <= bound < largest:
        return []
    return [Call(BOOLEAN, op, (column, Literal(column.type, bound)))]


def _months(count: int) -> _Bounds:
    def floor(value: Moment) -> Moment:
        return Moment(value.year, (value.month - 1) // count * count + 1, 1)

    def after(start: Moment) -> Moment:
        month = start.month - 1 + count
        return Moment(start.year + month // 12, month % 12 + 1, 1)

    return floor, after


def _fixed(size: dt.timedelta) -> _Bounds:
    def floor(value: Moment) -> Moment:
        return value - (value - Moment.min) % size

    return floor, lambda start: start + size


# Moment.min, 0001-01-01, is a Monday.
_UNITS: dict[str, _Bounds] = {
    "millisecond": _fixed(dt.timedelta(milliseconds=1)),
    "second": _fixed(dt.timedelta(seconds=1)),
    "minute": _fixed(dt.timedelta(minutes=1)),
    "hour": _fixed(dt.timedelta(hours=1)),
    "day": _fixed(dt.timedelta(days=1)),
    "week": _fixed(dt.timedelta(weeks=1)),
    "month": _months(1),
    "quarter": _months(3),
    "year": _months(12),
}
