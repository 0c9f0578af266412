"""Whether an engine delivers the Arrow type that was announced."""

from __future__ import annotations

import pyarrow as pa


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
