"""Rows that are appended to a table are coerced to the types of its columns, where that loses nothing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.types as pt

from sqe.bind.dml.assignment import is_coercion
from sqe.doors.flight.parameters import sql_type
from sqe.errors import InvalidArgument, TypeMismatch
from sqe.types import sql_types as t
from sqe.types.arrow import arrow_type

# What stands in for a column of NULLs alone, whose type Parquet has not.
NOTHING = pa.int8()


def coerce_batches(
    schema: pa.Schema, batches: Iterator[pa.RecordBatch], columns: Mapping[str, t.Type]
) -> tuple[pa.Schema, Iterator[pa.RecordBatch]]:
    """Clients send the widest type that they have, such as pandas its 64 bits. `columns` are the table's by
    their names in lower case; what SQL coerces to their types stays as it is."""
    target = pa.schema([_field(field, columns.get(field.name.lower())) for field in schema])
    return target, (_batch(batch, target, columns) for batch in batches)


def _field(field: pa.Field, target: t.Type | None) -> pa.Field:
    if target is None:
        return field
    if pt.is_null(field.type):
        return field.with_type(NOTHING)
    kind = _type(field.type, target, nested=False)
    # INSERT would round it, or cut it off.
    if not is_coercion(_sql_type(kind), target):
        raise TypeMismatch(f"column '{field.name}' is {target}, the value is {_sql_type(kind)}")
    return field.with_type(kind)


def _sql_type(kind: pa.DataType) -> t.Type:
    return t.REAL if pt.is_float16(kind) else sql_type(kind)


def _type(kind: pa.DataType, target: t.Type, *, nested: bool) -> pa.DataType:
    if pt.is_dictionary(kind):
        inner = _type(kind.value_type, target, nested=nested)
        return kind if inner == kind.value_type else inner
    if pt.is_null(kind):
        return arrow_type(target)
    if isinstance(target, t.Array) and (pt.is_list(kind) or pt.is_large_list(kind)):
        element = _type(kind.value_type, target.element, nested=True)
        return kind if element == kind.value_type else pa.list_(element)
    if isinstance(target, t.Map) and pt.is_map(kind):
        return pa.map_(
            _type(kind.key_type, target.key, nested=True), _type(kind.item_type, target.value, nested=True)
        )
    if isinstance(target, t.Row) and pt.is_struct(kind) and kind.num_fields == len(target.fields):
        pairs = zip(kind, target.fields, strict=True)
        return pa.struct([f.with_type(_type(f.type, w.type, nested=True)) for f, w in pairs])
    if not t.is_numeric(target) or not (pt.is_integer(kind) or pt.is_floating(kind) or pt.is_decimal(kind)):
        return kind
    if is_coercion(_sql_type(kind), target):
        return kind
    # Arrow rounds here, or refuses what would fit, unless it is done as in `_cast`.
    if nested and (target == t.REAL or (isinstance(target, t.Decimal) and not pt.is_decimal(kind))):
        return kind
    return arrow_type(target)


def _batch(batch: pa.RecordBatch, target: pa.Schema, columns: Mapping[str, t.Type]) -> pa.RecordBatch:
    cast_columns = []
    for column, field in zip(batch.columns, target, strict=True):
        try:
            cast_columns.append(_cast(column, field.type))
        except pa.ArrowException:
            raise InvalidArgument(
                f"column '{field.name}' is {columns[field.name.lower()]}, and some value of Arrow's type"
                f" {column.type} does not fit into it",
                code="NUMERIC_VALUE_OUT_OF_RANGE",
            ) from None
    return pa.RecordBatch.from_arrays(cast_columns, schema=target)


def _cast(column: pa.Array, kind: pa.DataType) -> pa.Array:
    if column.type == kind:
        return column
    if pt.is_dictionary(column.type):
        column = column.dictionary_decode()
    if pt.is_float16(column.type):
        column = column.cast(pa.float32())
    if pt.is_decimal(kind) and not pt.is_decimal(column.type):
        # As the number is written: Arrow itself cuts a double's digits off, and asks for room for every
        # integer of a type.
        return column.cast(pa.string()).cast(kind)
    cast = column.cast(kind)
    if pt.is_float32(kind) and not pc.equal(_infinite(cast), _infinite(column)).as_py():
        raise pa.ArrowInvalid("too large")
    return cast


def _infinite(column: pa.Array) -> pa.Scalar:
    return pc.sum(pc.is_inf(column), min_count=0)
