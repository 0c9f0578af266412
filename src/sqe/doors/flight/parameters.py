"""Values for the `?` of a statement, as clients send them: a row of an Arrow batch each."""

from __future__ import annotations

import decimal
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.types as pt

from sqe.bind.parameters import bind_values
from sqe.errors import UserError
from sqe.results import arrow_type
from sqe.tree import types as t
from sqe.tree.expressions import Cast, Expression, Literal

_INTEGERS: dict[pa.DataType, t.Type] = {
    pa.int8(): t.TINYINT,
    pa.int16(): t.SMALLINT,
    pa.int32(): t.INTEGER,
    pa.int64(): t.BIGINT,
    pa.uint8(): t.SMALLINT,
    pa.uint16(): t.INTEGER,
    pa.uint32(): t.BIGINT,
    pa.uint64(): t.Decimal(20, 0),
}


def schema_of(parameters: Sequence[t.Type]) -> pa.Schema:
    """What is best sent; text where anything would do."""
    kinds = [t.VARCHAR if kind == t.UNKNOWN else kind for kind in parameters]
    return pa.schema([pa.field(f"parameter_{i}", _asked(kind)) for i, kind in enumerate(kinds, start=1)])


def _asked(kind: t.Type) -> pa.DataType:
    """JDBC's driver sends milliseconds whatever unit it is told, so that it must be told milliseconds."""
    match kind:
        case t.Time():
            return pa.time32("ms")
        case t.Timestamp():
            return pa.timestamp("ms")
        case t.TimestampTz(_, zone):
            return pa.timestamp("ms", zone)
    return arrow_type(kind)


def rows_of(batches: Sequence[pa.RecordBatch], parameters: Sequence[t.Type]) -> list[tuple[Expression, ...]]:
    """`parameters` are the types that clients were told."""
    found: list[tuple[Expression, ...]] = []
    for batch in batches:
        columns = [
            [_meant(value, kind) for value in _column(column, number)]
            for number, (column, kind) in enumerate(zip(batch.columns, parameters, strict=True), start=1)
        ]
        # A statement may have no parameters, and be run for each of the rows nevertheless.
        found += zip(*columns, strict=True) if columns else [()] * batch.num_rows
    return found


def _meant(value: Expression, told: t.Type) -> Expression:
    """Where Arrow has one type for several of SQL's, the value is of the one that was asked for."""
    if not isinstance(value, Literal) or value.value is None:
        return value
    if told == t.UUID and isinstance(value.type, t.Varchar):
        return Cast(t.UUID, value)
    if told == t.YEAR_MONTH and value.type == t.INTEGER:
        return Literal(t.YEAR_MONTH, value.value)
    return value


def _column(column: pa.Array, number: int) -> list[Expression]:
    try:
        return _values(column, number)
    except (pa.ArrowException, ArithmeticError, LookupError, TypeError, ValueError):
        # Days that no calendar has, zones that are none, and the like.
        raise _unusable(number, column.type) from None


def _values(column: pa.Array, number: int) -> list[Expression]:
    kind = column.type
    if pt.is_dictionary(kind):
        column, kind = column.dictionary_decode(), kind.value_type
    if pt.is_union(kind):
        values = _members(column)
    elif pt.is_timestamp(kind) and kind.unit == "ns":
        column = _microseconds(column, pa.timestamp("us", kind.tz), number)
        values = column.to_pylist()
    elif (pt.is_time64(kind) and kind.unit == "ns") or (pt.is_duration(kind) and kind.unit == "ns"):
        column = _microseconds(column, pa.time64("us") if pt.is_time(kind) else pa.duration("us"), number)
        values = column.to_pylist()
    else:
        values = _plain(column)
    return [_typed(value, kind, number) for value in values]


def _plain(column: pa.Array) -> list[object]:
    return [_python(value, column.type) for value in column.to_pylist()]


def _python(value: Any, kind: pa.DataType) -> Any:
    """Maps are dicts and rows are tuples, however deep."""
    if value is None:
        return None
    if pt.is_list(kind) or pt.is_large_list(kind):
        return [_python(item, kind.value_type) for item in value]
    if pt.is_map(kind):
        return {_python(key, kind.key_type): _python(item, kind.item_type) for key, item in value}
    if pt.is_struct(kind):
        return tuple(_python(item, kind.field(i).type) for i, item in enumerate(value.values()))
    return value


def _members(column: pa.Array) -> list[object]:
    """Of a union, each value by the type that it is of."""
    kind = column.type
    children = {code: _plain(column.field(i)) for i, code in enumerate(kind.type_codes)}
    places = column.offsets.to_pylist() if kind.mode == "dense" else range(len(column))
    return [children[code][at] for code, at in zip(column.type_codes.to_pylist(), places, strict=True)]


def _microseconds(column: pa.Array, kind: pa.DataType, number: int) -> pa.Array:
    try:
        return column.cast(kind)
    except pa.ArrowException:
        raise UserError(
            f"parameter {number}: there are microseconds here, and the value is finer",
            code="NUMERIC_VALUE_OUT_OF_RANGE",
            hint="round it first",
        ) from None


def _typed(value: object, kind: pa.DataType, number: int) -> Expression:
    """A constant of the type that was sent, and not only of the smallest that has the value."""
    if value is None:
        return Literal(t.UNKNOWN, None)
    of = _INTEGERS.get(kind)
    if isinstance(of, t.Decimal):
        return Literal(of, decimal.Decimal(str(value)))
    if of is not None:
        return Literal(of, value)
    if pt.is_float32(kind):
        return Literal(t.REAL, value)
    if pt.is_decimal(kind) and kind.precision <= t.MAX_PRECISION and 0 <= kind.scale <= kind.precision:
        return Literal(t.Decimal(kind.precision, kind.scale), value)
    try:
        [expression] = bind_values([value])
    except UserError as error:
        text = error.message.removeprefix("parameter 1: ")
        raise type(error)(f"parameter {number}: {text}", code=error.code, hint=error.hint) from None
    return expression


def _unusable(number: int, kind: pa.DataType) -> UserError:
    return UserError(
        f"parameter {number}: a value of Arrow's type {kind} cannot be a value of SQL",
        code="INVALID_PARAMETER_USAGE",
    )
