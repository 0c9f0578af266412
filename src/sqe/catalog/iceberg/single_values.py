"""Iceberg's bounds and partition values: as bytes in manifests, as ordinals, and as Python has them.

An ordinal sorts as its value does: a number (days, microseconds, an unscaled decimal, a truth value), or
the bytes of a text. Statistics are compared as ordinals, so that no file costs an object of its own.
"""

from __future__ import annotations

import datetime as dt
import decimal
import math
import struct
import uuid

from sqe.types import sql_types as t

Ordinal = int | float | bytes

_EPOCH = dt.datetime(1970, 1, 1)
_MICROSECOND = dt.timedelta(microseconds=1)
_DAY = 86_400_000_000
_MICROSECONDS = 6


def is_binary(kind: t.Type) -> bool:
    """Whether the ordinals of a type are bytes."""
    return kind in (t.VARBINARY, t.UUID) or isinstance(kind, (t.Varchar, t.Char, t.Fixed))


def ordinal(stored: bytes, kind: t.Type) -> Ordinal:
    """Of a bound, which may have been written when its column had a narrower type. ValueError where it is
    no value of that type."""
    if is_binary(kind):
        return stored
    if not stored or (kind != t.BOOLEAN and not isinstance(kind, t.Decimal) and len(stored) not in (4, 8)):
        raise ValueError(f"{len(stored)} bytes are no {kind}")
    if kind in t.APPROXIMATE:
        return float(struct.unpack("<f" if len(stored) == 4 else "<d", stored)[0])
    if isinstance(kind, t.Decimal):
        return int.from_bytes(stored, "big", signed=True)
    number = int.from_bytes(stored, "little", signed=True)
    if kind == t.BOOLEAN:
        return int(number != 0)
    if len(stored) == 4 and isinstance(kind, (t.Timestamp, t.TimestampTz)):
        return number * (_DAY if kind.precision <= _MICROSECONDS else _DAY * 1000)
    return number


def value(stored: Ordinal, kind: t.Type) -> object:
    """OverflowError for a moment outside Python's years."""
    match stored:
        case float():
            # One object, so that it is one key of a partition.
            return math.nan if stored != stored else stored
        case bytes() if kind == t.UUID:
            return str(uuid.UUID(bytes=stored))
        case bytes():
            return stored.decode(errors="replace") if t.is_text(kind) else stored
    match kind:
        case t.BOOLEAN:
            return bool(stored)
        case t.DATE:
            return (_EPOCH + dt.timedelta(days=stored)).date()
        case t.Decimal(precision, scale):
            return decimal.Decimal(stored).scaleb(-scale, decimal.Context(prec=max(precision, 1)))
        case t.Time(precision) if precision <= _MICROSECONDS:
            return (_EPOCH + stored * _MICROSECOND).time()
        case t.Timestamp(precision) if precision <= _MICROSECONDS:
            return _EPOCH + stored * _MICROSECOND
        case t.TimestampTz(precision) if precision <= _MICROSECONDS:
            return (_EPOCH + stored * _MICROSECOND).replace(tzinfo=dt.UTC)
    return stored
