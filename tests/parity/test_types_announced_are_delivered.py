"""The type announced before a statement runs is the type that the engine delivers."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from tests.parity.answers import Deliveries, Outcome

from sqe.types import sql_types as t
from sqe.types.arrow import arrow_type

pytestmark = pytest.mark.spark


def test_the_engine_delivers_what_was_announced(outcomes: list[Outcome], deliveries: Deliveries) -> None:
    assert len(deliveries) > len(outcomes) / 2
    different = [
        f"{sql}: {announced} announced, {delivered} delivered"
        for sql, columns in deliveries.items()
        for announced, delivered, _ in columns
        if not is_delivered(delivered, arrow_type(announced))
    ]
    assert not different, "\n".join(different)


def test_every_value_fits_its_type(outcomes: list[Outcome], deliveries: Deliveries) -> None:
    misfits = [
        f"{sql}: {value!r} is no {announced}"
        for sql, columns in deliveries.items()
        for announced, _, values in columns
        for value in _plain(values, announced)
        if not _fits(value, announced)
    ]
    assert not misfits, "\n".join(misfits)


def _plain(values: pa.ChunkedArray, type_: t.Type) -> list[Any]:
    if isinstance(type_, (t.Timestamp, t.TimestampTz)):
        values = values.cast(pa.int64())
    return values.to_pylist() if type_ != t.DATE else []


def _fits(value: Any, type_: t.Type) -> bool:
    """What Arrow does not check: the length of a text, the digits of a second."""
    match type_:
        case t.Varchar(length) | t.Char(length):
            return value is None or length is None or len(value) <= length
        case t.Timestamp(precision) | t.TimestampTz(precision):
            return value is None or value % 10 ** (6 - min(precision, 6)) == 0
        case t.Array(t.Varchar() as element):
            return value is None or all(_fits(item, element) for item in value)
    return True


def is_delivered(delivered: pa.DataType, announced: pa.DataType) -> bool:
    """Spark has no function that takes a value of no type: what is only NULL travels as text, and is a null
    of Arrow's again in the result."""
    return _only_nulls(shape(announced), shape(delivered))


def _only_nulls(announced: object, delivered: object) -> bool:
    if isinstance(announced, tuple) and isinstance(delivered, tuple):
        return len(announced) == len(delivered) and all(map(_only_nulls, announced, delivered))
    return announced == delivered or (announced == "null" and delivered == "string")


def shape(of: pa.DataType) -> object:
    """A type without what Spark cannot say: the names of nested fields, the zone, nullability."""
    if pa.types.is_list(of):
        return ("list", shape(of.value_type))
    if pa.types.is_map(of):
        return ("map", shape(of.key_type), shape(of.item_type))
    if pa.types.is_struct(of):
        return ("struct", *(shape(of.field(i).type) for i in range(of.num_fields)))
    if pa.types.is_timestamp(of):
        return ("timestamp", of.unit)
    return str(of)
