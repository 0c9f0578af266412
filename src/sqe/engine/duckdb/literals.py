"""Constants as DuckDB's SQL, each with its type."""

from __future__ import annotations

import datetime
import decimal
import math
import re

from sqe.engine.duckdb.types import duck_type
from sqe.errors import InvalidArgument, NotSupported
from sqe.types.sql_types import (
    INTEGER,
    INTEGERS,
    REAL,
    UNKNOWN,
    YEAR_MONTH,
    Char,
    Decimal,
    TimestampTz,
    Type,
)

# Written as chr(): rendered SQL has no line break, nor a character that may be mistaken for another thing.
_ESCAPED = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_ENOUGH = decimal.Context(prec=100)


def string(value: str) -> str:
    if _SURROGATE.search(value):
        raise InvalidArgument("a text contains half of a surrogate pair")
    if not _ESCAPED.search(value):
        return _quoted(value)
    plain = _ESCAPED.split(value)
    escapes = [f"chr({ord(c)})" for c in _ESCAPED.findall(value)]
    pieces = [_quoted(plain[0])] if plain[0] else []
    for character, text in zip(escapes, plain[1:], strict=True):
        pieces += [character, _quoted(text)] if text else [character]
    return pieces[0] if len(pieces) == 1 else f"({' || '.join(pieces)})"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def literal(value: object, t: Type) -> str:
    """A primary expression: it may stand before a dot, a bracket or an operator as it is."""
    if value is None:
        return "NULL" if t == UNKNOWN else f"CAST(NULL AS {duck_type(t)})"
    match value:
        case bool():
            return "true" if value else "false"
        case int() if t == YEAR_MONTH:
            return f"INTERVAL ({value}) MONTH"
        # The smallest integer is a bigint to DuckDB: it reads the sign last.
        case int() if t == INTEGER and value > -(1 << 31):
            return str(value) if value >= 0 else f"({value})"
        case int() if t in INTEGERS:
            return f"CAST({value} AS {duck_type(t)})"
        case int() | decimal.Decimal() if isinstance(t, Decimal):
            return _decimal(decimal.Decimal(value), t)
        case float() | int():
            return _float(float(value), t)
        case str():
            return string(value.ljust(t.length) if isinstance(t, Char) else value)
        case bytes():
            return "'" + "".join(f"\\x{byte:02X}" for byte in value) + "'::BLOB"
        case datetime.datetime():
            return _timestamp(value, t)
        case datetime.date():
            return f"DATE '{value.isoformat()}'"
        case datetime.time():
            raise NotSupported(f"the fast lane has no type for {t}")
        case datetime.timedelta():
            micros = (value.days * 86_400 + value.seconds) * 1_000_000 + value.microseconds
            return f"to_microseconds({micros})"
        case _:
            # A uuid, say, whose text is its value.
            return string(str(value))


def _decimal(value: decimal.Decimal, t: Decimal) -> str:
    digits = f"{value.quantize(decimal.Decimal(1).scaleb(-t.scale), context=_ENOUGH):f}"
    return f"CAST('{digits}' AS {duck_type(t)})"


def _float(value: float, t: Type) -> str:
    if not math.isfinite(value):
        word = "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
        return f"CAST('{word}' AS {duck_type(t)})"
    digits = repr(value)
    text = digits if "e" in digits else f"{digits}e0"
    if t == REAL:
        return f"CAST({text} AS FLOAT)"
    return f"({text})" if digits.startswith("-") else text


def _timestamp(value: datetime.datetime, t: Type) -> str:
    if isinstance(t, TimestampTz):
        instant = value.astimezone(datetime.UTC).replace(tzinfo=None)
        return f"TIMESTAMPTZ '{instant.isoformat(sep=' ')}+00'"
    return f"TIMESTAMP '{value.isoformat(sep=' ')}'"
