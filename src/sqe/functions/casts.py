"""Which casts there are."""

from __future__ import annotations

from sqe.functions.json_shapes import castable_from_json, castable_to_json
from sqe.types.sql_types import (
    BOOLEAN,
    DATE,
    DAY_SECOND,
    HYPER_LOG_LOG,
    JSON,
    SET_DIGEST,
    T_DIGEST,
    UNKNOWN,
    UUID,
    VARBINARY,
    YEAR_MONTH,
    Array,
    Char,
    Fixed,
    FunctionType,
    Map,
    Opaque,
    Row,
    Time,
    Timestamp,
    TimestampTz,
    Type,
    is_numeric,
    is_text,
)


def castable(source: Type, target: Type) -> bool:
    """Whether Trino has such a cast and we can render it."""
    if source in (target, UNKNOWN):
        return not isinstance(target, FunctionType)
    if isinstance(source, Char) or isinstance(target, Char):
        return is_text(source) and is_text(target)
    if JSON in (source, target):
        return castable_to_json(source) if target == JSON else castable_from_json(target)
    match source, target:
        case Array(), Array():
            return castable(source.element, target.element)
        case Map(), Map():
            return castable(source.key, target.key) and castable(source.value, target.value)
        case Row(), Row():
            return len(source.fields) == len(target.fields) and all(
                castable(a.type, b.type) for a, b in zip(source.fields, target.fields, strict=True)
            )
    if isinstance(source, Opaque) or isinstance(target, Opaque):
        return (source == VARBINARY and target in SKETCHES) or (source in SKETCHES and target == VARBINARY)
    if is_text(source):
        return is_text(target) or _from_text(target)
    if is_text(target):
        return _to_text(source)
    if source == BOOLEAN or target == BOOLEAN:
        return is_numeric(source) or is_numeric(target)
    if is_numeric(source):
        return is_numeric(target)
    if is_binary(source):
        return is_binary(target)
    if isinstance(source, Time):
        return isinstance(target, Time)
    moments = (Timestamp, TimestampTz)
    if source == DATE:
        return isinstance(target, moments)
    if isinstance(source, moments):
        return target == DATE or isinstance(target, (*moments, Time))
    return False


def _from_text(target: Type) -> bool:
    plain = target in (BOOLEAN, DATE, UUID, VARBINARY) or is_numeric(target)
    return plain or isinstance(target, (Timestamp, TimestampTz, Time))


def _to_text(source: Type) -> bool:
    plain = source in (BOOLEAN, DATE, UUID, DAY_SECOND, YEAR_MONTH) or is_numeric(source)
    return plain or isinstance(source, (Timestamp, TimestampTz, Time))


def is_binary(t: Type) -> bool:
    return t == VARBINARY or isinstance(t, Fixed)


SKETCHES: dict[Type, str] = {HYPER_LOG_LOG: "hyperloglogs", SET_DIGEST: "set_digests", T_DIGEST: "tdigests"}
"""Opaque types that are cast to and from their bytes, and the module of their bodies."""
