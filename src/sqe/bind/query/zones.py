"""Zones of timestamps. The zone that a value is shown in is part of its type, known before it is computed.

In Trino every value has a zone of its own. So that nobody sees the difference, a column whose values would be
in different zones is refused.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from sqe.bind.binder import Binder, coerce
from sqe.bind.query import literals
from sqe.bind.query.constant_times import refuse_constant_times
from sqe.errors import InvalidArgument, NotSupported, Position, SqeError, TypeMismatch
from sqe.tree import statements as s
from sqe.tree.expressions import Call, Cast, Expression, InList, Literal, Node, Quantified, parts
from sqe.tree.relations import Project, Relation, Values
from sqe.types import sql_types as t
from sqe.types import zones

# These look at instants alone, so zones do not matter to them.
_OF_INSTANTS = frozenset(("$eq", "$ne", "$lt", "$le", "$gt", "$ge", "$is_distinct", "$sub", "to_unixtime"))


def check_zones(statement: s.Statement, session_zone: str) -> None:
    """Refuses implicit casts that would change the zone that a value is shown in."""
    for place, cast in _casts(statement):
        if not _keeps_zone(cast.operand.type, cast.type, session_zone) and not _is_of_instants(place):
            raise NotSupported(
                "timestamps with time zones of different zones cannot be mixed",
                position=cast.position,
                hint="bring them to one zone with AT TIME ZONE",
            )


def _casts(statement: s.Statement) -> Iterator[tuple[Any, Cast]]:
    """Implicit casts with the node around each, except those to the type of a stored column, which has no
    zone."""
    stack: list[Any] = [statement]
    while stack:
        node = stack.pop()
        stored = _is_stored(node, statement)
        for part in parts(node):
            if isinstance(part, Cast) and part.implicit and not stored:
                yield node, part
            stack.append(part)


def _is_stored(node: Node, statement: s.Statement) -> bool:
    if isinstance(node, s.Assignment):
        return True
    source: Relation | None = None
    if isinstance(statement, (s.Insert, s.CreateTable)):
        source = statement.source
    if isinstance(statement, s.Insert) and isinstance(source, Project) and isinstance(source.input, Values):
        # The cells of its VALUES go straight into the table.
        return node is source or node is source.input
    return isinstance(node, Project) and node is source


def _is_of_instants(node: Any) -> bool:
    if isinstance(node, Call):
        return node.function in _OF_INSTANTS
    return isinstance(node, (InList, Quantified))


def _keeps_zone(source: t.Type, target: t.Type, session_zone: str) -> bool:
    match source, target:
        case t.TimestampTz(), t.TimestampTz():
            return source.zone == target.zone
        case ((t.Timestamp() | t.Simple()), t.TimestampTz()):
            return target.zone == session_zone or source == t.UNKNOWN
        case t.Array(), t.Array():
            return _keeps_zone(source.element, target.element, session_zone)
        case t.Map(), t.Map():
            return _keeps_zone(source.key, target.key, session_zone) and _keeps_zone(
                source.value, target.value, session_zone
            )
        case t.Row(), t.Row():
            pairs = zip(source.fields, target.fields, strict=True)
            return all(_keeps_zone(a.type, b.type, session_zone) for a, b in pairs)
    return True


def cast_target(b: Binder, operand: Expression, target: t.Type, position: Position | None) -> t.Type:
    """The type of an explicit cast: a zoned timestamp keeps its zone, any other gets the session's."""
    match target:
        case t.TimestampTz(precision):
            zone = operand.type.zone if isinstance(operand.type, t.TimestampTz) else b.session.time_zone
            return t.TimestampTz(precision, zone)
        case t.Array(element) if isinstance(operand.type, t.Array):
            return t.Array(_inside(b, operand.type.element, element, position))
        case t.Map(key, value) if isinstance(operand.type, t.Map):
            return t.Map(
                _inside(b, operand.type.key, key, position), _inside(b, operand.type.value, value, position)
            )
        case t.Row(fields) if isinstance(operand.type, t.Row):
            pairs = zip(operand.type.fields, fields, strict=True)
            return t.Row(tuple(t.RowField(f.name, _inside(b, o.type, f.type, position)) for o, f in pairs))
    return target


def _inside(b: Binder, source: t.Type, target: t.Type, position: Position | None) -> t.Type:
    return cast_target(b, Literal(source, None), target, position)


def constant_cast(b: Binder, operand: Expression, target: t.Type) -> Literal | None:
    """CAST('2020-01-01 00:00 Europe/Berlin' AS timestamp with time zone): the text says the zone."""
    if not (isinstance(target, t.TimestampTz) and isinstance(operand, Literal)):
        return None
    if not isinstance(operand.value, str):
        return None
    try:
        literal = literals.timestamp(operand.value.strip(), None)
    except SqeError:
        # Not a timestamp: the engine raises Trino's error if the cast is evaluated.
        return None
    value: Any = literal.value
    if isinstance(literal.type, t.ConstantTime):
        return None
    if isinstance(literal.type, t.TimestampTz):
        return _exact_literal(value, t.TimestampTz(target.precision, literal.type.zone))
    local = value.replace(tzinfo=zones.zone(b.session.time_zone))
    try:
        local.astimezone(dt.UTC)
    except OverflowError:
        return None
    return _exact_literal(local, t.TimestampTz(target.precision, b.session.time_zone))


def _exact_literal(value: Any, target: t.TimestampTz) -> Literal | None:
    """None where the value would have to be rounded."""
    unit = 10 ** max(0, 6 - target.precision)
    return Literal(target, value) if value.microsecond % unit == 0 else None


def at_timezone(b: Binder, arguments: Sequence[Expression], position: Position | None) -> Expression:
    """x AT TIME ZONE z: the same instant, shown in another zone."""
    moment, zone = _moment_and_zone(b, "at_timezone", arguments, position)
    if isinstance(moment.type, t.Timestamp):
        moment = Cast(t.TimestampTz(moment.type.precision, b.session.time_zone), moment, position=position)
    if not isinstance(moment.type, t.TimestampTz):
        raise TypeMismatch(f"at_timezone takes a timestamp, not {moment.type}", position=position)
    return in_zone(moment, zone)


def with_timezone(b: Binder, arguments: Sequence[Expression], position: Position | None) -> Expression:
    """The instant at which clocks in a zone show a timestamp."""
    moment, zone = _moment_and_zone(b, "with_timezone", arguments, position)
    if not isinstance(moment.type, t.Timestamp):
        raise TypeMismatch(f"with_timezone takes a timestamp, not {moment.type}", position=position)
    precision = moment.type.precision
    return Call(t.TimestampTz(precision, zone), "$from_wall_clock", (moment, _text(zone)), position)


def from_unixtime(b: Binder, arguments: Sequence[Expression], position: Position | None) -> Expression:
    from sqe.bind.query.expressions import call

    if len(arguments) == 3:
        hours, minutes = (_constant(a, int, "the offset", position) for a in arguments[1:])
        zone = _zone(dt.timedelta(hours=hours, minutes=minutes), position)
    elif len(arguments) == 2:
        zone = _zone(_constant(arguments[1], str, "the zone", position), position)
    else:
        zone = b.session.time_zone
    return in_zone(call("from_unixtime", arguments[:1], position), zone)


def from_iso8601_timestamp(
    b: Binder, arguments: Sequence[Expression], position: Position | None
) -> Expression:
    """The zone is in the text; a text that is no constant may only be in UTC."""
    from sqe.bind.query.expressions import call

    moment = call("from_iso8601_timestamp", arguments, position)
    text = arguments[0] if arguments else None
    if isinstance(text, Literal) and isinstance(text.value, str):
        offset = text.value[10:].partition("T")[2][5:]
        sign = max(offset.rfind("+"), offset.rfind("-"))
        if sign >= 0:
            return in_zone(moment, _zone(offset[sign:], position))
        if text.value.endswith("Z"):
            return moment
    if b.session.time_zone != "UTC":
        raise NotSupported(
            "a text without a zone can be read only in a session whose zone is UTC", position=position
        )
    return moment


def parse_datetime(b: Binder, arguments: Sequence[Expression], position: Position | None) -> Expression:
    """A text without a zone is read as a clock in the session's zone."""
    from sqe.bind.query.expressions import call

    moment = call("parse_datetime", arguments, position)
    zone = b.session.time_zone
    if zone == "UTC":
        return moment
    local = Cast(t.Timestamp(3), moment)
    return Call(t.TimestampTz(3, zone), "$from_wall_clock", (local, _text(zone)), position)


# Functions whose result is in a zone that an argument or the session names.
SPECIAL: dict[str, Callable[[Binder, Sequence[Expression], Position | None], Expression]] = {
    "at_timezone": at_timezone,
    "with_timezone": with_timezone,
    "from_unixtime": from_unixtime,
    "from_iso8601_timestamp": from_iso8601_timestamp,
    "parse_datetime": parse_datetime,
}


def in_zone(moment: Expression, zone: str) -> Expression:
    assert isinstance(moment.type, t.TimestampTz)
    if moment.type.zone == zone:
        return moment
    if isinstance(moment, Literal):
        return Literal(t.TimestampTz(moment.type.precision, zone), moment.value)
    return Cast(t.TimestampTz(moment.type.precision, zone), moment)


def _moment_and_zone(
    b: Binder, name: str, arguments: Sequence[Expression], position: Position | None
) -> tuple[Expression, str]:
    if len(arguments) != 2:
        raise TypeMismatch(f"{name} takes a timestamp and a zone", position=position)
    moment, zone = arguments
    refuse_constant_times(moment.type, name, position)
    if moment.type == t.DATE:
        moment = coerce(moment, t.Timestamp(0))
    if isinstance(zone, Literal) and isinstance(zone.value, dt.timedelta):
        return moment, _zone(zone.value, position)
    return moment, _zone(_constant(zone, str, "the zone", position), position)


def _constant(expression: Expression, kind: type, what: str, position: Position | None) -> Any:
    value = expression.value if isinstance(expression, Literal) else None
    if not isinstance(value, kind):
        raise NotSupported(f"{what} must be a constant", position=position)
    return value


def _zone(value: str | dt.timedelta, position: Position | None) -> str:
    try:
        return zones.of_offset(value) if isinstance(value, dt.timedelta) else zones.canonical(value)
    except ValueError as error:
        raise InvalidArgument(str(error), code="INVALID_FUNCTION_ARGUMENT", position=position) from None


def _text(value: str) -> Literal:
    return Literal(t.VARCHAR, value)
