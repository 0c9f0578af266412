"""Rows of results as Python values, each by its SQL type."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from sqe.errors import UserError
from sqe.tree.expressions import Field
from sqe.types import sql_types as t
from sqe.types.zones import zone

if TYPE_CHECKING:
    import pyarrow as pa

# Arrow's own values of these are ours.
_PLAIN = {
    t.BOOLEAN,
    *t.INTEGERS,
    *t.APPROXIMATE,
    t.VARBINARY,
    t.DATE,
    t.JSON,
    t.UNKNOWN,
    t.DAY_SECOND,
}


def rows(batch: pa.RecordBatch, fields: Sequence[Field]) -> list[tuple[Any, ...]]:
    columns = [_column(column, field) for column, field in zip(batch.columns, fields, strict=True)]
    return list(zip(*columns, strict=True))


def _column(column: pa.Array, field: Field) -> list[Any]:
    try:
        return _values(column, field.type)
    except OverflowError:
        raise UserError(
            f"column '{field.name}' has a {_word(field.type)} outside Python's years, 1 to 9999",
            code="NUMERIC_VALUE_OUT_OF_RANGE",
            hint="CAST it AS varchar, or fetch it as Arrow",
        ) from None
    except _TooFine:
        raise UserError(
            f"column '{field.name}' has nanoseconds, which Python's datetime does not",
            code="NUMERIC_VALUE_OUT_OF_RANGE",
            hint="CAST it AS timestamp(6), or fetch it as Arrow",
        ) from None


def _word(type_: t.Type) -> str:
    return "date" if type_ == t.DATE or not t.is_datetime(type_) else "timestamp"


class _TooFine(Exception):
    """A timestamp that a datetime cannot hold."""


def _values(column: pa.Array, type_: t.Type) -> list[Any]:
    if _is_plain(type_):
        return column.to_pylist()  # type: ignore[no-any-return]
    match type_:
        case t.Char(length):
            import pyarrow.compute as pc

            return pc.utf8_rpad(column, width=length).to_pylist()  # type: ignore[no-any-return]
        case t.Timestamp():
            return _microseconds(column).to_pylist()  # type: ignore[no-any-return]
        case t.TimestampTz():
            return _zoned(column)
        case t.UUID:
            return [None if v is None else uuid.UUID(v) for v in column.to_pylist()]
        case t.YEAR_MONTH:
            return [None if v is None else year_month(v) for v in column.to_pylist()]
        case t.Array(element):
            return _lists(column, element)
        case t.Map(key, value):
            return _maps(column, key, value)
        case t.Row(fields):
            return _tuples(column, [f.type for f in fields])
    raise AssertionError(type_)


def _is_plain(type_: t.Type) -> bool:
    match type_:
        case t.Decimal() | t.Varchar() | t.Fixed() | t.Time() | t.Opaque():
            return True
        case t.Timestamp(precision):
            return precision <= 6
        case t.Array(element):
            return _is_plain(element)
    return type_ in _PLAIN


def year_month(months: int) -> str:
    """An interval year to month: 14 is `1-2`."""
    sign, months = ("-", -months) if months < 0 else ("", months)
    return f"{sign}{months // 12}-{months % 12}"


def _microseconds(column: pa.Array) -> pa.Array:
    """Without a zone, as UTC's wall clock shows it."""
    import pyarrow as pa

    try:
        return column.cast(pa.timestamp("us", column.type.tz)).cast(pa.timestamp("us"))
    except pa.ArrowInvalid:
        raise _TooFine from None


def _zoned(column: pa.Array) -> list[Any]:
    utc, here = zone("UTC"), zone(column.type.tz)
    moments = _microseconds(column).to_pylist()
    if here is utc:
        return [None if m is None else m.replace(tzinfo=utc) for m in moments]
    return [None if m is None else m.replace(tzinfo=utc).astimezone(here) for m in moments]


def _lists(column: pa.Array, element: t.Type) -> list[Any]:
    # What flatten() leaves out are the elements of lists that are NULL.
    items = _values(column.flatten(), element)
    result: list[Any] = []
    start = 0
    for length in column.value_lengths().to_pylist():
        if length is None:
            result.append(None)
        else:
            result.append(items[start : start + length])
            start += length
    return result


def _maps(column: pa.Array, key: t.Type, value: t.Type) -> list[Any]:
    # keys and items are those of the whole array, of which this may be a slice; its offsets tell.
    offsets = column.offsets.to_pylist()
    first, size = offsets[0], offsets[-1] - offsets[0]
    keys = [_hashable(k) for k in _values(column.keys.slice(first, size), key)]
    items = _values(column.items.slice(first, size), value)
    return [
        dict(zip(keys[a - first : b - first], items[a - first : b - first], strict=True)) if valid else None
        for a, b, valid in zip(offsets, offsets[1:], column.is_valid().to_pylist(), strict=False)
    ]


def _hashable(key: Any) -> Any:
    if isinstance(key, list):
        return tuple(_hashable(item) for item in key)
    if isinstance(key, tuple):
        return tuple(_hashable(item) for item in key)
    if isinstance(key, dict):
        return tuple((k, _hashable(v)) for k, v in key.items())
    return key


def _tuples(column: pa.Array, types: Sequence[t.Type]) -> list[Any]:
    columns = [_values(member, type_) for member, type_ in zip(column.flatten(), types, strict=True)]
    values = zip(*columns, strict=True)
    if not column.null_count:
        return list(values)
    return [
        value if valid else None for value, valid in zip(values, column.is_valid().to_pylist(), strict=True)
    ]
