"""Values of results as text: as Trino prints them, and as JSON."""

from __future__ import annotations

import datetime as dt
import json
import struct
from collections.abc import Callable, Mapping
from decimal import Decimal as Number
from typing import Any

from sqe.types import sql_types as t

Format = Callable[[Any], str]
"""Makes the text of a value that is not NULL."""


def plain(type_: t.Type) -> Format:
    """How a value is printed for people: nested ones as `[1, 2]` and `{a=1}`."""
    if isinstance(type_, t.Array):
        element = _or_null(plain(type_.element))
        return lambda items: "[" + ", ".join(map(element, items)) + "]"
    if isinstance(type_, t.Map):
        key, value = plain(type_.key), _or_null(plain(type_.value))
        return lambda items: "{" + ", ".join(f"{key(k)}={value(v)}" for k, v in _pairs(items)) + "}"
    if isinstance(type_, t.Row):
        names = _field_names(type_)
        fields = [_or_null(plain(field.type)) for field in type_.fields]
        return lambda row: (
            "{" + ", ".join(f"{n}={f(v)}" for n, f, v in zip(names, fields, _members(row), strict=True)) + "}"
        )
    return _scalar(type_)


def as_json(type_: t.Type) -> Format:
    """The value as JSON. Exact numbers keep every digit; what JSON has no form for becomes text."""
    if isinstance(type_, t.Array):
        element = _or_null(as_json(type_.element))
        return lambda items: "[" + ", ".join(map(element, items)) + "]"
    if isinstance(type_, t.Map):
        key, value = plain(type_.key), _or_null(as_json(type_.value))
        return lambda items: "{" + ", ".join(f"{quote(key(k))}: {value(v)}" for k, v in _pairs(items)) + "}"
    if isinstance(type_, t.Row):
        names = [quote(name) for name in _field_names(type_)]
        fields = [_or_null(as_json(field.type)) for field in type_.fields]
        return lambda row: (
            "{"
            + ", ".join(f"{n}: {f(v)}" for n, f, v in zip(names, fields, _members(row), strict=True))
            + "}"
        )
    scalar = _scalar(type_)
    if type_ == t.BOOLEAN or t.is_exact(type_):
        return scalar
    if type_ == t.DOUBLE:
        return lambda value: repr(value) if _is_finite(value) else quote(scalar(value))
    if type_ == t.REAL:
        return lambda value: repr(_shortest_real(value)) if _is_finite(value) else quote(scalar(value))
    return lambda value: quote(scalar(value))


def quote(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)


def is_right_aligned(type_: t.Type) -> bool:
    return t.is_numeric(type_)


def _or_null(form: Format) -> Format:
    return lambda value: "null" if value is None else form(value)


def _field_names(row: t.Row) -> list[str]:
    return [field.name or f"field{index}" for index, field in enumerate(row.fields)]


def _members(row: Any) -> list[Any]:
    return list(row.values()) if isinstance(row, Mapping) else list(row)


def _pairs(items: Any) -> list[tuple[Any, Any]]:
    return list(items.items()) if isinstance(items, Mapping) else list(items)


def _scalar(type_: t.Type) -> Format:
    if isinstance(type_, t.Decimal):
        return lambda value: format(value, "f") if isinstance(value, Number) else str(value)
    if isinstance(type_, t.Timestamp):
        precision = type_.precision
        return lambda value: _timestamp(value, precision)
    if isinstance(type_, t.TimestampTz):
        precision = type_.precision
        return lambda value: f"{_timestamp(value, precision)} {_zone(value)}"
    if isinstance(type_, t.Time):
        precision = type_.precision
        return lambda value: _time(value, precision)
    if isinstance(type_, t.Opaque):
        return _scalar(type_.carrier)
    if isinstance(type_, t.Fixed):
        return _hex
    return _SIMPLE.get(type_, str)


def _boolean(value: Any) -> str:
    return "true" if value else "false"


def _hex(value: Any) -> str:
    return value.hex() if isinstance(value, (bytes, memoryview)) else str(value)


def _uuid(value: Any) -> str:
    if isinstance(value, bytes) and len(value) == 16:
        text = value.hex()
        return "-".join((text[:8], text[8:12], text[12:16], text[16:20], text[20:]))
    return str(value)


def _date(value: Any) -> str:
    return value.isoformat() if isinstance(value, dt.date) else str(value)


def _fraction(value: Any, precision: int) -> str:
    """The digits after the second's point, none for precision 0."""
    digits = f"{value.microsecond:06d}{getattr(value, 'nanosecond', 0):03d}000"[:precision]
    return f".{digits}" if digits else ""


def _timestamp(value: Any, precision: int) -> str:
    if not isinstance(value, dt.datetime):
        return str(value)
    day = f"{value.year:04d}-{value.month:02d}-{value.day:02d}"
    clock = f"{value.hour:02d}:{value.minute:02d}:{value.second:02d}"
    return f"{day} {clock}{_fraction(value, precision)}"


def _zone(value: Any) -> str:
    zone = getattr(value, "tzinfo", None)
    if zone is None:
        return "UTC"
    name = str(getattr(zone, "key", None) or getattr(zone, "zone", None) or zone)
    # A fixed offset is called `UTC+01:00` by Python and `+01:00` by Trino.
    return name[len("UTC") :] if name.startswith(("UTC+", "UTC-")) else name


def _time(value: Any, precision: int) -> str:
    if not isinstance(value, dt.time):
        return str(value)
    return f"{value.hour:02d}:{value.minute:02d}:{value.second:02d}{_fraction(value, precision)}"


def _is_finite(value: float) -> bool:
    return value - value == 0


def _java(text: str) -> str:
    """Python's shortest digits in Java's form: plain from 1e-3 to 1e7, else `1.5E10`."""
    sign, text = ("-", text[1:]) if text.startswith("-") else ("", text)
    mantissa, _, exponent = text.partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    # Where the point stands after the first of `digits`, as a power of ten.
    leading = len(whole + fraction) - len(digits)
    power = len(whole) - leading - 1 + int(exponent or 0)
    digits = digits.rstrip("0")
    if not digits:
        return f"{sign}0.0"
    if -3 <= power < 7:
        if power < 0:
            return f"{sign}0.{'0' * (-power - 1)}{digits}"
        return f"{sign}{digits[: power + 1].ljust(power + 1, '0')}.{digits[power + 1 :] or '0'}"
    return f"{sign}{digits[0]}.{digits[1:] or '0'}E{power}"


def _special(value: float) -> str:
    return "NaN" if value != value else ("Infinity" if value > 0 else "-Infinity")


def _double(value: Any) -> str:
    return _java(repr(float(value))) if _is_finite(value) else _special(value)


def _shortest_real(value: float) -> float:
    """The double with the fewest digits that is still this 32-bit number."""
    for digits in range(1, 9):
        candidate = float(f"{value:.{digits}g}")
        if struct.unpack("f", struct.pack("f", candidate))[0] == value:
            return candidate
    return float(f"{value:.9g}")


def _real(value: Any) -> str:
    return _java(repr(_shortest_real(float(value)))) if _is_finite(value) else _special(value)


def _year_month(value: Any) -> str:
    months = int(getattr(value, "months", value))
    sign, months = ("-", -months) if months < 0 else ("", months)
    return f"{sign}{months // 12}-{months % 12}"


def _day_second(value: Any) -> str:
    if isinstance(value, dt.timedelta):
        millis = round(value / dt.timedelta(milliseconds=1))
    elif hasattr(value, "nanoseconds"):
        millis = value.days * 86_400_000 + value.nanoseconds // 1_000_000
    else:
        return str(value)
    sign, millis = ("-", -millis) if millis < 0 else ("", millis)
    seconds, millis = divmod(millis, 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    return f"{sign}{days} {hours:02d}:{minutes:02d}:{seconds:02d}.{millis:03d}"


_SIMPLE: dict[t.Type, Format] = {
    t.BOOLEAN: _boolean,
    t.REAL: _real,
    t.DOUBLE: _double,
    t.VARBINARY: _hex,
    t.DATE: _date,
    t.UUID: _uuid,
    t.YEAR_MONTH: _year_month,
    t.DAY_SECOND: _day_second,
}
