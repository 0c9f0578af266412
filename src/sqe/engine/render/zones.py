"""Lowers time zones, which no type of Spark's keeps, to the wall clock of the zone.

A zoned timestamp is an instant in Spark, and the session's zone there is UTC. Before rendering, parts,
formats, casts and calendar arithmetic of a timestamp in another zone become those of the timestamp that
clocks in that zone show, and back.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sqe.errors import NotSupported
from sqe.tree.expressions import Call, Cast, Expression, Literal, transform, walk
from sqe.tree.statements import Statement
from sqe.types.sql_types import (
    DATE,
    JSON,
    VARCHAR,
    YEAR_MONTH,
    Array,
    Map,
    Row,
    Timestamp,
    TimestampTz,
    Type,
    is_text,
)

UTC = "UTC"
# Functions that read a clock and return no zoned timestamp.
_CLOCK_READERS = frozenset(
    (
        *("year", "quarter", "month", "week", "week_of_year", "year_of_week", "yow"),
        *("day", "day_of_month", "day_of_week", "dow", "day_of_year", "doy"),
        *("hour", "minute", "second", "millisecond", "date", "last_day_of_month"),
        *("date_format", "format_datetime"),
    )
)
# Functions that print what is inside their arguments.
_PRINTING = frozenset(("array_join", "format", "checksum"))
_CALENDAR_UNITS = ("day", "week", "month", "quarter", "year")


def lower_zones(statement: Statement, session_zone: str) -> Statement:
    if session_zone == UTC and not any(_zone(n.type) for n in walk(statement) if isinstance(n, Expression)):
        return statement

    def change(node: Any) -> Any:
        if isinstance(node, Cast):
            return _cast(node, session_zone)
        if isinstance(node, Call):
            return _call(node)
        return node

    changed = transform(statement, change)
    assert isinstance(changed, Statement)
    return changed


def _zone(t: Type) -> str | None:
    """The zone of a timestamp that is not in UTC."""
    return t.zone if isinstance(t, TimestampTz) and t.zone != UTC else None


def _holds_zone(t: Type) -> bool:
    """Whether a timestamp that is not in UTC is inside."""
    match t:
        case Array(element):
            return _holds_zone(element)
        case Map(key, value):
            return _holds_zone(key) or _holds_zone(value)
        case Row(fields):
            return any(_holds_zone(f.type) for f in fields)
    return _zone(t) is not None


def _call(call: Call) -> Expression:
    if call.function in _PRINTING and any(_holds_zone(a.type) for a in call.arguments):
        raise NotSupported(
            f"{call.function} of timestamps in a zone other than UTC is not supported",
            position=call.position,
            hint="cast them to varchar",
        )
    # Where two zones meet, the first counts.
    zoned = next((a.type for a in call.arguments if isinstance(a.type, TimestampTz)), None)
    zone = None if zoned is None else _zone(zoned)
    if zone is None:
        return call
    match call.function:
        case name if name in _CLOCK_READERS:
            return replace(call, arguments=tuple(_on_wall(a, zone) for a in call.arguments))
        case "to_iso8601":
            text = replace(call, type=VARCHAR, arguments=(_on_wall(call.arguments[0], zone),))
            offset = Call(VARCHAR, "$offset_text", (call.arguments[0], _text(zone)))
            return Call(call.type, "concat", (text, offset))
        case "date_trunc":
            if _unit(call) in _CALENDAR_UNITS:
                return _calendar(call, zone)
            return replace(call, function="$trunc_in_zone", arguments=(*call.arguments, _text(zone)))
        case "date_add":
            return _calendar(call, zone) if _unit(call) in _CALENDAR_UNITS else call
        case "date_diff":
            if _unit(call) in _CALENDAR_UNITS:
                return replace(call, arguments=tuple(_on_wall(a, zone) for a in call.arguments))
        case "$add" | "$sub":
            if any(a.type == YEAR_MONTH for a in call.arguments):
                return _calendar(call, zone)
    return call


def _unit(call: Call) -> str:
    unit = call.arguments[0]
    return unit.value.lower() if isinstance(unit, Literal) and isinstance(unit.value, str) else ""


def _calendar(call: Call, zone: str) -> Expression:
    """Computed on the wall clock, and turned back into the instant at which it shows that."""
    assert isinstance(call.type, TimestampTz)
    arguments = tuple(_on_wall(a, zone) for a in call.arguments)
    local = replace(call, type=Timestamp(call.type.precision), arguments=arguments)
    return Call(call.type, "$from_wall_clock", (local, _text(zone)))


def _on_wall(expression: Expression, zone: str) -> Expression:
    if not isinstance(expression.type, TimestampTz):
        return expression
    return Call(Timestamp(expression.type.precision), "$wall_clock", (expression, _text(zone)))


def _cast(cast: Cast, session_zone: str) -> Expression:
    source, target = cast.operand.type, cast.type
    if isinstance(target, TimestampTz) and (isinstance(source, Timestamp) or source == DATE):
        if session_zone == UTC:
            return cast
        local = replace(cast, type=Timestamp(target.precision))
        return Call(target, "$from_wall_clock", (local, _text(session_zone)))
    if isinstance(target, TimestampTz) and is_text(source) and session_zone != UTC:
        # The text is wall-clock time in the session's zone; one with its own zone is refused at run time.
        text = Call(VARCHAR, "$without_zone", (Cast(VARCHAR, cast.operand, implicit=True),), cast.position)
        local = replace(cast, operand=text, type=Timestamp(target.precision))
        return Call(target, "$from_wall_clock", (local, _text(session_zone)))
    zone = _zone(source)
    if zone is not None and not isinstance(target, TimestampTz):
        wall = _on_wall(cast.operand, zone)
        if not is_text(target) and target != JSON:
            return replace(cast, operand=wall)
        printed = Call(VARCHAR, "concat", (Cast(VARCHAR, wall), _text(f" {zone}")))
        return printed if target == VARCHAR else replace(cast, operand=printed)
    if (target == JSON and _holds_zone(source)) or _nested(source, target, session_zone):
        raise NotSupported(
            f"a cast from {source} to {target} with a zone other than UTC is not supported",
            position=cast.position,
        )
    return cast


def _nested(source: Type, target: Type, session_zone: str) -> bool:
    """Whether a cast inside a row, array or map depends on a zone."""
    pairs: list[tuple[Type, Type]] = []
    match source, target:
        case Array(), Array():
            pairs = [(source.element, target.element)]
        case Map(), Map():
            pairs = [(source.key, target.key), (source.value, target.value)]
        case Row(), Row():
            pairs = [(a.type, b.type) for a, b in zip(source.fields, target.fields, strict=True)]
    return any(_depends(a, b, session_zone) or _nested(a, b, session_zone) for a, b in pairs)


def _depends(source: Type, target: Type, session_zone: str) -> bool:
    if isinstance(target, TimestampTz):
        return session_zone != UTC and not isinstance(source, TimestampTz)
    return _zone(source) is not None


def _text(value: str) -> Literal:
    return Literal(VARCHAR, value)
