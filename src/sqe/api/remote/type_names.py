"""The SQL type of a column, from the name that the server gives it and from its Arrow type."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqe.errors import InternalError
from sqe.tree.expressions import Field
from sqe.types import sql_types as t
from sqe.types.text import read_type

if TYPE_CHECKING:
    import pyarrow as pa

TYPE_NAME = b"ARROW:FLIGHT:SQL:TYPE_NAME"


def fields_of(schema: pa.Schema) -> tuple[Field, ...]:
    return tuple(
        Field(number, column.name, type_of(_name(column), column.type))
        for number, column in enumerate(schema)
    )


def type_of(name: str, arrow: Any) -> t.Type:
    """`name` is the type's; the zone of a timestamp is known to Arrow alone."""
    try:
        return _zoned(read_type(name), arrow)
    except ValueError:
        raise InternalError(f"the server sent a type that is not known: {name}") from None


def _name(column: Any) -> str:
    name = (column.metadata or {}).get(TYPE_NAME)
    if name is None:
        raise InternalError(f"the server did not say of which type column '{column.name}' is")
    return str(name.decode())


def _zoned(kind: t.Type, arrow: Any) -> t.Type:
    match kind:
        case t.Time() | t.Timestamp() | t.TimestampTz() if str(arrow) == "string":
            # What engines do not keep comes as text.
            return t.as_constant_time(kind) or kind
        case t.TimestampTz(precision):
            return t.TimestampTz(precision, arrow.tz or "UTC")
        case t.Array(element):
            return t.Array(_zoned(element, arrow.value_type))
        case t.Map(key, value):
            return t.Map(_zoned(key, arrow.key_type), _zoned(value, arrow.item_type))
        case t.Row(fields):
            return t.Row(
                tuple(t.RowField(f.name, _zoned(f.type, arrow.field(i).type)) for i, f in enumerate(fields))
            )
    return kind
