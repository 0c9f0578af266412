"""Our types as DuckDB spells them."""

from __future__ import annotations

from sqe.engine.render.quoting import quoted
from sqe.errors import NotSupported
from sqe.types.sql_types import (
    BIGINT,
    BOOLEAN,
    DATE,
    DAY_SECOND,
    DOUBLE,
    INTEGER,
    JSON,
    REAL,
    SMALLINT,
    TINYINT,
    UNKNOWN,
    UUID,
    VARBINARY,
    YEAR_MONTH,
    Array,
    Char,
    Decimal,
    Fixed,
    Map,
    Opaque,
    Row,
    Timestamp,
    TimestampTz,
    Type,
    Varchar,
    row_field_names,
)

_SIMPLE: dict[Type, str] = {
    BOOLEAN: "BOOLEAN",
    TINYINT: "TINYINT",
    SMALLINT: "SMALLINT",
    INTEGER: "INTEGER",
    BIGINT: "BIGINT",
    REAL: "FLOAT",
    DOUBLE: "DOUBLE",
    VARBINARY: "BLOB",
    DATE: "DATE",
    # As on Spark: the text is what Trino prints.
    UUID: "VARCHAR",
    JSON: "VARCHAR",
    UNKNOWN: "INTEGER",
    YEAR_MONTH: "INTERVAL",
    DAY_SECOND: "INTERVAL",
}
_MAX_FRACTION = 6


def duck_type(t: Type) -> str:
    """The DuckDB type that holds a value of ours. Lengths of text live in our casts."""
    simple = _SIMPLE.get(t)
    if simple is not None:
        return simple
    match t:
        case Decimal():
            return f"DECIMAL({t.precision},{t.scale})"
        case Varchar() | Char():
            return "VARCHAR"
        case Opaque():
            return duck_type(t.carrier)
        case Fixed():
            return "BLOB"
        case Timestamp() if t.precision <= _MAX_FRACTION:
            return "TIMESTAMP"
        case TimestampTz() if t.precision <= _MAX_FRACTION:
            return "TIMESTAMPTZ"
        case Array():
            return f"{duck_type(t.element)}[]"
        case Map():
            return f"MAP({duck_type(t.key)}, {duck_type(t.value)})"
        case Row():
            pairs = zip(row_field_names(t), t.fields, strict=True)
            return f"STRUCT({', '.join(f'{quote_name(n)} {duck_type(f.type)}' for n, f in pairs)})"
    raise NotSupported(f"the fast lane has no type for {t}")


QUOTE = '"'


def quote_name(name: str) -> str:
    return quoted(name, QUOTE)
