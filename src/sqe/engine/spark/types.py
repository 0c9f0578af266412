"""Our types as Spark SQL spells them."""

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
    RowField,
    Time,
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
    INTEGER: "INT",
    BIGINT: "BIGINT",
    REAL: "FLOAT",
    DOUBLE: "DOUBLE",
    VARBINARY: "BINARY",
    DATE: "DATE",
    # Spark has neither type; the text is what Trino prints.
    UUID: "STRING",
    JSON: "STRING",
    # As a type of elements, keys and arguments VOID is refused by most of Spark's functions.
    UNKNOWN: "STRING",
    YEAR_MONTH: "INTERVAL YEAR TO MONTH",
    DAY_SECOND: "INTERVAL DAY TO SECOND",
}

MAX_FRACTION = 6
QUOTE = "`"


def spark_type(t: Type) -> str:
    """The Spark type that holds a value of ours. Lengths of text live in our casts: in an expression
    Spark's own VARCHAR(n) and CHAR(n) neither cut nor pad."""
    simple = _SIMPLE.get(t)
    if simple is not None:
        return simple
    match t:
        case Decimal():
            return f"DECIMAL({t.precision},{t.scale})"
        case Varchar() | Char():
            return "STRING"
        case Opaque():
            return spark_type(t.carrier)
        case Fixed():
            return "BINARY"
        case Timestamp():
            _check_fraction(t, t.precision)
            return "TIMESTAMP_NTZ"
        case TimestampTz():
            _check_fraction(t, t.precision)
            return "TIMESTAMP"
        case Time():
            _check_fraction(t, t.precision)
            # One type for all, as of timestamps: Spark compares none of different precisions.
            return f"TIME({MAX_FRACTION})"
        case Array():
            return f"ARRAY<{spark_type(t.element)}>"
        case Map():
            return f"MAP<{spark_type(t.key)}, {spark_type(t.value)}>"
        case Row():
            fields = (
                f"{quote_name(name)}: {spark_type(field.type)}"
                for name, field in zip(row_field_names(t), t.fields, strict=True)
            )
            return f"STRUCT<{', '.join(fields)}>"
    raise NotSupported(f"Spark has no type for {t}")


def delivered(t: Type) -> Type:
    """The type that a value has on its way to us. pyarrow reads no interval of months: they travel as
    their number, with the rows and arrays around them."""
    match t:
        case Array():
            return Array(delivered(t.element))
        case Map():
            return Map(delivered(t.key), delivered(t.value))
        case Row():
            return Row(tuple(RowField(field.name, delivered(field.type)) for field in t.fields))
    return INTEGER if t == YEAR_MONTH else t


def has_map_as_key(t: Type, *, within_key: bool = False) -> bool:
    match t:
        case Map():
            key = has_map_as_key(t.key, within_key=True)
            return within_key or key or has_map_as_key(t.value)
        case Array():
            return has_map_as_key(t.element, within_key=within_key)
        case Row():
            return any(has_map_as_key(f.type, within_key=within_key) for f in t.fields)
    return False


def quote_name(name: str) -> str:
    return quoted(name, QUOTE)


def _check_fraction(t: Type, precision: int) -> None:
    if precision > MAX_FRACTION:
        raise NotSupported(f"{t} is finer than the microseconds that Spark keeps")
