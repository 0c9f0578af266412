"""Values for the `?` of a statement, as clients send them: a row of an Arrow batch each."""

from __future__ import annotations

import decimal
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.types as pt

from sqe.bind.parameters import bind_values
from sqe.errors import UserError
from sqe.results import arrow_type
from sqe.tree import types as t
from sqe.tree.expressions import Expression, Literal

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
    return pa.schema([pa.field(f"parameter_{i}", arrow_type(kind)) for i, kind in enumerate(kinds, start=1)])


def rows_of(batches: Sequence[pa.RecordBatch]) -> list[tuple[Expression, ...]]:
    found: list[tuple[Expression, ...]] = []
    for batch in batches:
        columns = [_column(column, number) for number, column in enumerate(batch.columns, start=1)]
        # A statement may have no parameters, and be run for each of the rows nevertheless.
        found += zip(*columns, strict=True) if columns else [()] * batch.num_rows
    return found


def _column(column: pa.Array, number: int) -> list[Expression]:
    kind = column.type
    if pt.is_dictionary(kind):
        column, kind = column.dictionary_decode(), kind.value_type
    if pt.is_union(kind):
        values = column.to_pylist()
    elif pt.is_timestamp(kind) and kind.unit == "ns":
        column = _microseconds(column, pa.timestamp("us", kind.tz), number)
        values = column.to_pylist()
    elif (pt.is_time64(kind) and kind.unit == "ns") or (pt.is_duration(kind) and kind.unit == "ns"):
        column = _microseconds(column, pa.time64("us") if pt.is_time(kind) else pa.duration("us"), number)
        values = column.to_pylist()
    else:
        values = _plain(column, number)
    return [_typed(value, kind, number) for value in values]


def _plain(column: pa.Array, number: int) -> list[object]:
    try:
        if pt.is_map(column.type):
            return [None if pairs is None else dict(pairs) for pairs in column.to_pylist()]
        if pt.is_struct(column.type):
            return [None if row is None else tuple(row.values()) for row in column.to_pylist()]
        return list(column.to_pylist())
    except (pa.ArrowException, ValueError, OverflowError, TypeError):
        raise _unusable(number, column.type) from None


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
