"""Our types as Arrow has them, and Arrow's as ours."""

from __future__ import annotations

import pyarrow as pa

from sqe.errors import InternalError
from sqe.types import sql_types as t

_SIMPLE: dict[t.Type, pa.DataType] = {
    t.BOOLEAN: pa.bool_(),
    t.TINYINT: pa.int8(),
    t.SMALLINT: pa.int16(),
    t.INTEGER: pa.int32(),
    t.BIGINT: pa.int64(),
    t.REAL: pa.float32(),
    t.DOUBLE: pa.float64(),
    t.VARBINARY: pa.binary(),
    t.DATE: pa.date32(),
    t.UUID: pa.string(),
    t.JSON: pa.string(),
    t.UNKNOWN: pa.null(),
    # pyarrow has no interval of months alone; its number is unambiguous.
    t.YEAR_MONTH: pa.int32(),
    t.DAY_SECOND: pa.duration("us"),
}

SQL_TYPES: dict[pa.DataType, t.Type] = {
    pa.bool_(): t.BOOLEAN,
    pa.int8(): t.TINYINT,
    pa.int16(): t.SMALLINT,
    pa.int32(): t.INTEGER,
    pa.int64(): t.BIGINT,
    pa.uint8(): t.SMALLINT,
    pa.uint16(): t.INTEGER,
    pa.uint32(): t.BIGINT,
    pa.float32(): t.REAL,
    pa.float64(): t.DOUBLE,
    pa.string(): t.VARCHAR,
    pa.large_string(): t.VARCHAR,
    pa.binary(): t.VARBINARY,
    pa.large_binary(): t.VARBINARY,
    pa.date32(): t.DATE,
}
"""Arrow's types without parameters whose values are those of a type of ours, wherever they come from."""


def arrow_type(type_: t.Type) -> pa.DataType:
    """How values of a type travel in Arrow."""
    match type_:
        case t.Simple():
            return _SIMPLE[type_]
        case t.Decimal(precision, scale):
            return pa.decimal128(precision, scale)
        case t.Varchar() | t.Char():
            return pa.string()
        case t.Fixed():
            return pa.binary()
        case t.Opaque(_, carrier):
            return arrow_type(carrier)
        case t.Time():
            return pa.time64("us")
        case t.Timestamp(precision):
            return pa.timestamp("us" if precision <= 6 else "ns")
        case t.TimestampTz(precision, zone):
            return pa.timestamp("us" if precision <= 6 else "ns", zone)
        case t.Array(element):
            return pa.list_(pa.field("element", arrow_type(element)))
        case t.Map(key, value):
            # Arrow has no keys of no type; MAP() is the only map that has.
            return pa.map_(arrow_type(t.VARCHAR if key == t.UNKNOWN else key), arrow_type(value))
        case t.Row(fields):
            return pa.struct(
                [
                    pa.field(f"field{i}" if f.name is None else f.name, arrow_type(f.type))
                    for i, f in enumerate(fields)
                ]
            )
    raise InternalError(f"a value of type {type_} cannot be returned")
