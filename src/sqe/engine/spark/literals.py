"""Constants as Spark SQL, each with its type."""

from __future__ import annotations

import datetime
import decimal
import math
import re

from sqe.engine.spark.types import spark_type
from sqe.errors import InvalidArgument
from sqe.types.sql_types import (
    BIGINT,
    INTEGERS,
    REAL,
    SMALLINT,
    TINYINT,
    YEAR_MONTH,
    Char,
    Decimal,
    TimestampTz,
    Type,
)

_SUFFIX = {TINYINT: "Y", SMALLINT: "S", BIGINT: "L"}
# Braces mark places in the templates of functions, and `${` a variable in Spark.
_ESCAPED = re.compile(r"[\\'{}\x00-\x1f\x7f-\x9f\u2028\u2029\ufeff]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_ENOUGH = decimal.Context(prec=100)


def string(value: str) -> str:
    if _SURROGATE.search(value):
        raise InvalidArgument("a text contains half of a surrogate pair")
    return "'" + _ESCAPED.sub(_escape, value) + "'"


def _escape(match: re.Match[str]) -> str:
    character = match[0]
    return "\\" + character if character in "\\'" else f"\\u{ord(character):04x}"


def literal(value: object, t: Type) -> str:
    """A primary expression: it may stand before a dot, a bracket or an operator as it is."""
    if value is None:
        return f"CAST(NULL AS {spark_type(t)})"
    match value:
        case bool():
            return "true" if value else "false"
        case int() if t == YEAR_MONTH:
            return _months(value)
        case int() if t in INTEGERS:
            return _signed(str(value), _SUFFIX.get(t, ""))
        case int() | decimal.Decimal() if isinstance(t, Decimal):
            return _decimal(decimal.Decimal(value), t)
        case float() | int():
            return _float(float(value), t)
        case str():
            return string(value.ljust(t.length) if isinstance(t, Char) else value)
        case bytes():
            return f"X'{value.hex().upper()}'"
        case datetime.datetime():
            return _timestamp(value, t)
        case datetime.date():
            return f"DATE '{value.isoformat()}'"
        case datetime.time():
            return f"TIME '{value.isoformat()}'"
        case datetime.timedelta():
            return _duration(value)
        case _:
            # A uuid, say, whose text is its value.
            return string(str(value))


def _signed(digits: str, suffix: str) -> str:
    text = digits + suffix
    return f"({text})" if digits.startswith("-") else text


def _decimal(value: decimal.Decimal, t: Decimal) -> str:
    digits = f"{value.quantize(decimal.Decimal(1).scaleb(-t.scale), context=_ENOUGH):f}"
    text = _signed(digits, "BD")
    # Spark counts the digits that it sees: 0.05BD is a DECIMAL(2,2).
    digit_count = len(digits.lstrip("-").replace(".", "").lstrip("0")) or 1
    return text if max(digit_count, t.scale) == t.precision else f"CAST({text} AS {spark_type(t)})"


def _float(value: float, t: Type) -> str:
    if not math.isfinite(value):
        word = "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
        return f"{'float' if t == REAL else 'double'}('{word}')"
    if t == REAL:
        return f"CAST({_signed(repr(value), 'D')} AS FLOAT)"
    return _signed(repr(value), "D")


def _timestamp(value: datetime.datetime, t: Type) -> str:
    if isinstance(t, TimestampTz):
        instant = value.astimezone(datetime.UTC).replace(tzinfo=None)
        return f"TIMESTAMP_LTZ '{instant.isoformat(sep=' ')}+00:00'"
    return f"TIMESTAMP_NTZ '{value.isoformat(sep=' ')}'"


def _months(months: int) -> str:
    sign = "-" if months < 0 else ""
    return f"INTERVAL '{sign}{abs(months) // 12}-{abs(months) % 12}' YEAR TO MONTH"


def _duration(value: datetime.timedelta) -> str:
    sign = "-" if value < datetime.timedelta(0) else ""
    size = abs(value)
    minutes, seconds = divmod(size.seconds, 60)
    hours, minutes = divmod(minutes, 60)
    time = f"{hours:02}:{minutes:02}:{seconds:02}.{size.microseconds:06}"
    return f"INTERVAL '{sign}{size.days} {time}' DAY TO SECOND"
