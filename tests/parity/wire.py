"""Values as Trino's JSON protocol writes them, which is how its answers were recorded.

They are made from Arrow and not from the cursor's Python values, which end at the year 9999.
"""

from __future__ import annotations

import base64
import datetime as dt
import json
import math
import struct
from typing import Any

import pyarrow as pa

from sqe.types import sql_types as t
from sqe.types.zones import zone

DAY = 86_400 * 10**6


def column(values: pa.ChunkedArray, type_: t.Type) -> list[Any]:
    """The values of a column in the protocol's form."""
    numbers = [chunk.view(_stored(chunk.type)) for chunk in values.chunks]
    return [encode(value, type_) for chunk in numbers for value in chunk.to_pylist()]


def _stored(of: pa.DataType) -> pa.DataType:
    """The type with plain numbers instead of dates, times and intervals."""
    if pa.types.is_list(of):
        return pa.list_(of.value_field.with_type(_stored(of.value_type)))
    if pa.types.is_map(of):
        return pa.map_(
            of.key_field.with_type(_stored(of.key_type)), of.item_field.with_type(_stored(of.item_type))
        )
    if pa.types.is_struct(of):
        return pa.struct([of.field(i).with_type(_stored(of.field(i).type)) for i in range(of.num_fields)])
    if pa.types.is_date32(of):
        return pa.int32()
    if pa.types.is_timestamp(of) or pa.types.is_time64(of) or pa.types.is_duration(of):
        return pa.int64()
    return of


def encode(value: Any, type_: t.Type) -> Any:
    """A stored value: days since 1970 for a date, micro- or nanoseconds for the others."""
    if value is None:
        return None
    match type_:
        case t.Decimal(_, scale):
            return format(value, f".{scale}f")
        case t.Char(length):
            return value.ljust(length)
        case t.Timestamp(precision):
            return _timestamp(value, precision)
        case t.TimestampTz(precision, name):
            return f"{_timestamp(_in_zone(value, name), precision)} {name}"
        case t.Time(precision):
            return _clock(value, precision)
        case t.Array(element):
            return [encode(item, element) for item in value]
        case t.Map(key, item):
            return {_key(encode(k, key)): encode(v, item) for k, v in value}
        case t.Row(fields):
            return [encode(v, f.type) for v, f in zip(value.values(), fields, strict=True)]
        case t.REAL | t.DOUBLE:
            return _number(value if type_ == t.DOUBLE else _shortest(value))
        case t.VARBINARY | t.Fixed():
            return base64.b64encode(value).decode()
        case t.BING_TILE:
            return json.loads(value)
        case t.Opaque(_, carrier):
            return encode(value, carrier)
        case t.DATE:
            return _date(value)
        case t.DAY_SECOND:
            return _day_second(value // 1000)
        case t.YEAR_MONTH:
            return f"{'-' if value < 0 else ''}{abs(value) // 12}-{abs(value) % 12}"
    return value


def type_name(name: str) -> str:
    """A type's name, so that `decimal(3, 1)` and `INTERVAL DAY TO SECOND` meet ours."""
    return name.replace(", ", ",").lower()


def _number(value: float) -> float | str:
    if math.isnan(value):
        return "NaN"
    return value if math.isfinite(value) else ("Infinity" if value > 0 else "-Infinity")


def _shortest(value: float) -> float:
    """The double of the fewest digits that is this 32-bit number: what Java writes."""
    if not math.isfinite(value):
        return value
    for digits in range(1, 10):
        near = float(f"{value:.{digits}g}")
        if abs(near) < 3.4028236e38 and struct.unpack("f", struct.pack("f", near))[0] == value:
            return near
    return value


def _key(value: Any) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    return value if isinstance(value, str) else str(value)


def _date(days: int) -> str:
    """Of any year: a cycle of 400 years has 146097 days."""
    cycles, rest = divmod(days - dt.date(2000, 1, 1).toordinal() + dt.date(1970, 1, 1).toordinal(), 146_097)
    day = dt.date(2000, 1, 1) + dt.timedelta(days=rest)
    year = day.year + 400 * cycles
    sign = "-" if year < 0 else "+" if year > 9999 else ""
    return f"{sign}{abs(year):04d}-{day.month:02d}-{day.day:02d}"


def _timestamp(value: int, precision: int) -> str:
    units = DAY if precision <= 6 else DAY * 1000
    days, rest = divmod(value, units)
    return f"{_date(days)} {_clock(rest, precision)}"


def _clock(value: int, precision: int) -> str:
    seconds, fraction = divmod(value, 10**6 if precision <= 6 else 10**9)
    digits = f"{fraction:0{6 if precision <= 6 else 9}d}"[:precision]
    clock = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}:{seconds % 60:02d}"
    return f"{clock}.{digits}" if precision else clock


def _in_zone(value: int, name: str) -> int:
    """Microseconds of the zone's wall clock."""
    if name == "UTC":
        return value
    moment = dt.datetime(1970, 1, 1, tzinfo=dt.UTC) + dt.timedelta(microseconds=value)
    offset = moment.astimezone(zone(name)).utcoffset()
    assert offset is not None
    return value + offset // dt.timedelta(microseconds=1)


def _day_second(millis: int) -> str:
    sign, millis = ("-", -millis) if millis < 0 else ("", millis)
    seconds, millis = divmod(millis, 1000)
    minutes, seconds = divmod(seconds, 60)
    hours, minutes = divmod(minutes, 60)
    days, hours = divmod(hours, 24)
    return f"{sign}{days} {hours:02d}:{minutes:02d}:{seconds:02d}.{millis:03d}"
