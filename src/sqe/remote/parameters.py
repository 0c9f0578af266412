"""Python's values for the `?` of a statement, as the Arrow batch that Flight SQL sends them in."""

from __future__ import annotations

import decimal
import uuid
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from sqe.errors import InvalidArgument
from sqe.results import arrow_type
from sqe.tree import types as t


def batch_of(rows: Sequence[Sequence[object]], types: Sequence[Sequence[t.Type]]) -> pa.RecordBatch:
    """A row of values for each run of the statement, and the SQL type of each value."""
    width = len(rows[0]) if rows else 0
    columns = [_column([row[at] for row in rows], [row[at] for row in types]) for at in range(width)]
    return pa.RecordBatch.from_arrays(columns, names=[f"parameter_{at + 1}" for at in range(len(columns))])


def _column(values: list[object], types: list[t.Type]) -> pa.Array:
    kinds = list(dict.fromkeys(_sent_as(kind) for kind in types if kind != t.UNKNOWN))
    if not kinds:
        return pa.nulls(len(values))
    if len(kinds) == 1:
        return _array(values, kinds[0])
    # Each value stays what it is; the server sees which type they have in common.
    members: list[list[Any]] = [[] for _ in kinds]
    which, offsets = [], []
    for value, kind in zip(values, types, strict=True):
        number = 0 if kind == t.UNKNOWN else kinds.index(_sent_as(kind))
        which.append(number)
        offsets.append(len(members[number]))
        members[number].append(value)
    return pa.UnionArray.from_dense(
        pa.array(which, pa.int8()),
        pa.array(offsets, pa.int32()),
        [_array(member, kind) for member, kind in zip(members, kinds, strict=True)],
    )


def _array(values: Sequence[object], kind: pa.DataType) -> pa.Array:
    stored = _stored(kind)
    try:
        return pa.array([_plain(value, stored) for value in values], stored).cast(kind)
    except UnicodeEncodeError:
        raise InvalidArgument("a text contains half of a surrogate pair") from None


def _stored(kind: pa.DataType) -> pa.DataType:
    """Arrow makes no extension types of Python's values, but of what they are stored as."""
    if isinstance(kind, pa.UuidType):
        return kind.storage_type
    if pa.types.is_map(kind):
        return pa.map_(_stored(kind.key_type), _stored(kind.item_type))
    if pa.types.is_list(kind):
        return pa.list_(_stored(kind.value_type))
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(_stored(field.type)) for field in kind])
    return kind


def _sent_as(kind: t.Type) -> pa.DataType:
    """As results travel, but for what the server would take for text."""
    match kind:
        case t.UUID:
            return pa.uuid()
        case t.Array(element):
            return pa.list_(_sent_as(element))
        case t.Map(key, value):
            return pa.map_(_sent_as(t.VARCHAR if key == t.UNKNOWN else key), _sent_as(value))
        case t.Row(fields):
            return pa.struct([pa.field(f"field{i}", _sent_as(field.type)) for i, field in enumerate(fields)])
    return arrow_type(kind)


def _plain(value: Any, kind: pa.DataType) -> Any:
    """What Arrow takes for a value."""
    if value is None:
        return None
    if isinstance(value, uuid.UUID):
        return value.bytes
    if pa.types.is_list(kind):
        return [_plain(item, kind.value_type) for item in value]
    if pa.types.is_map(kind):
        return [(_plain(k, kind.key_type), _plain(v, kind.item_type)) for k, v in value.items()]
    if pa.types.is_struct(kind):
        return {f"field{i}": _plain(item, kind.field(i).type) for i, item in enumerate(value)}
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, (bytearray, memoryview)):
        return bytes(value)
    if pa.types.is_decimal(kind):
        return decimal.Decimal(value)
    return value
