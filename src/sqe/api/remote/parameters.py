"""Python's values for the `?` of a statement, as the Arrow batch that Flight SQL sends them in."""

from __future__ import annotations

import decimal
import uuid
from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from sqe.api.remote.type_names import TYPE_NAME
from sqe.errors import InvalidArgument
from sqe.types import sql_types as t
from sqe.types.arrow import arrow_type


def batch_of(rows: Sequence[Sequence[object]], types: Sequence[Sequence[t.Type]]) -> pa.RecordBatch:
    """A row of values for each run of the statement, and the SQL type of each value."""
    width = len(rows[0]) if rows else 0
    columns = [_column([row[at] for row in rows], [row[at] for row in types]) for at in range(width)]
    names = [f"parameter_{at + 1}" for at in range(width)]
    return pa.RecordBatch.from_arrays(
        [column for column, _ in columns],
        schema=pa.schema([field.with_name(name) for (_, field), name in zip(columns, names, strict=True)]),
    )


def _column(values: list[object], types: list[t.Type]) -> tuple[pa.Array, pa.Field]:
    sent: dict[pa.DataType, t.Type] = {}
    for kind in types:
        if kind != t.UNKNOWN:
            # Texts of several lengths are one type of Arrow's.
            wider = t.common_type(sent.get(_sent_as(kind), kind), kind)
            sent[_sent_as(kind)] = kind if wider is None else wider
    kinds = [_sent_as(kind) for kind in sent.values()]
    if not kinds:
        return pa.nulls(len(values)), pa.field("", pa.null())
    if len(kinds) == 1:
        return _array(values, kinds[0]), _inside("", *sent.values())
    # Each value stays what it is; the server sees which type they have in common.
    members: list[list[Any]] = [[] for _ in kinds]
    which, offsets = [], []
    for value, kind in zip(values, types, strict=True):
        number = 0 if kind == t.UNKNOWN else kinds.index(_sent_as(kind))
        which.append(number)
        offsets.append(len(members[number]))
        members[number].append(value)
    union = pa.UnionArray.from_dense(
        pa.array(which, pa.int8()),
        pa.array(offsets, pa.int32()),
        [_array(member, kind) for member, kind in zip(members, kinds, strict=True)],
    )
    return union, pa.field("", union.type)


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
        key, item = kind.key_field, kind.item_field
        return pa.map_(key.with_type(_stored(key.type)), item.with_type(_stored(item.type)))
    if pa.types.is_list(kind):
        return pa.list_(kind.value_field.with_type(_stored(kind.value_type)))
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(_stored(field.type)) for field in kind])
    return kind


def _sent_as(kind: t.Type) -> pa.DataType:
    """As results travel, but for what the server would take for text."""
    match kind:
        case t.UUID:
            return pa.uuid()
        case t.Array(element):
            return pa.list_(_inside("element", element))
        case t.Map(key, value):
            return pa.map_(_sent_as(t.VARCHAR if key == t.UNKNOWN else key), _inside("value", value))
        case t.Row(fields):
            return pa.struct([_inside(f"field{i}", field.type) for i, field in enumerate(fields)])
    return arrow_type(kind)


def _inside(name: str, kind: t.Type) -> pa.Field:
    """The lengths of texts, and that a map's keys have no type, the server cannot see otherwise."""
    metadata = {TYPE_NAME: str(kind)} if isinstance(kind, (t.Varchar, t.Map)) else None
    return pa.field(name, _sent_as(kind), metadata=metadata)


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
