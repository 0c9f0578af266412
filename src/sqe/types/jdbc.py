"""How JDBC describes our types. Numbers are those of java.sql.Types; ODBC and Flight SQL share all but those
that JDBC alone has."""

from __future__ import annotations

from sqe.types import sql_types as t

DECIMAL, CHAR, VARCHAR, VARBINARY = 3, 1, 12, -3
TIME, TIMESTAMP, TIMESTAMP_WITH_TIMEZONE = 92, 93, 2014
ARRAY, OTHER = 2003, 2000

NUMBERS: dict[t.Type, int] = {
    t.BOOLEAN: 16,
    t.TINYINT: -6,
    t.SMALLINT: 5,
    t.INTEGER: 4,
    t.BIGINT: -5,
    t.REAL: 7,
    t.DOUBLE: 8,
    t.VARBINARY: VARBINARY,
    t.DATE: 91,
}
"""The numbers of the types without parameters that JDBC knows."""
_UNBOUNDED = 2147483647
_SIZES: dict[t.Type, int] = {
    t.TINYINT: 3,
    t.SMALLINT: 5,
    t.INTEGER: 10,
    t.BIGINT: 19,
    t.REAL: 24,
    t.DOUBLE: 53,
    t.DATE: 14,
    t.VARBINARY: _UNBOUNDED,
}


def jdbc_type(type_: t.Type) -> int:
    match type_:
        case t.Decimal():
            return DECIMAL
        case t.Varchar():
            return VARCHAR
        case t.Char():
            return CHAR
        case t.Time():
            return TIME
        case t.Timestamp():
            return TIMESTAMP
        case t.TimestampTz():
            return TIMESTAMP_WITH_TIMEZONE
        case t.Array():
            return ARRAY
        case t.Fixed():
            return VARBINARY
    return NUMBERS.get(type_, OTHER)


def column_size(type_: t.Type) -> int | None:
    """Digits, or characters; None where there is no such number."""
    match type_:
        case t.Decimal(precision, _):
            return precision
        case t.Varchar(length):
            return _UNBOUNDED if length is None else length
        case t.Char(length):
            return length
        case t.Time(precision):
            return 8 + (precision + 1 if precision else 0)
        case t.Timestamp(precision):
            return 19 + (precision + 1 if precision else 0)
        case t.TimestampTz(precision):
            return 19 + (precision + 1 if precision else 0) + 6
    return _SIZES.get(type_)


def decimal_digits(type_: t.Type) -> int | None:
    match type_:
        case t.Decimal(_, scale):
            return scale
        case t.Time(precision) | t.Timestamp(precision) | t.TimestampTz(precision):
            return precision
    return None


def radix(type_: t.Type) -> int | None:
    """Whether `column_size` counts digits of ten or of two."""
    if t.is_integer(type_) or isinstance(type_, t.Decimal):
        return 10
    return 2 if type_ in (t.REAL, t.DOUBLE) else None
