"""What is computed with constants that are finer than engines keep, and with times that have zones."""

from __future__ import annotations

import datetime as dt
import operator
from collections.abc import Callable, Sequence

from sqe.bind.query.constant_times import refused
from sqe.errors import NotSupported, Position, SqeError, UserError
from sqe.tree.expressions import Call, Expression, Literal
from sqe.types import exact_times, zones
from sqe.types import sql_types as t
from sqe.types.exact_times import Moment

_COMPARISONS: dict[str, Callable[[int, int], bool]] = {
    "$eq": operator.eq,
    "$ne": operator.ne,
    "$lt": operator.lt,
    "$le": operator.le,
    "$gt": operator.gt,
    "$ge": operator.ge,
}


def literal(moment: Moment) -> Literal:
    """An ordinary constant where engines have its type."""
    value, kind = exact_times.to_python(moment), moment.type
    if value is None:
        return Literal(kind, exact_times.write(moment))
    if kind.base == "time":
        return Literal(t.Time(kind.precision), value)
    if moment.zone is None:
        return Literal(t.Timestamp(kind.precision), value)
    return Literal(t.TimestampTz(kind.precision, moment.zone), value)


def cast(
    operand: Literal,
    target: t.Type,
    *,
    safe: bool,
    session_zone: str,
    now: dt.datetime,
    position: Position | None,
) -> Literal:
    if operand.value is None:
        return Literal(target, None)
    moment = _moment(operand, target, safe=safe, position=position)
    if moment is None:
        return Literal(target, None)
    if isinstance(target, t.Varchar) and isinstance(operand.value, str):
        return _text(operand.value, target, position)
    try:
        result = _converted(moment, target, session_zone=session_zone, now=now)
    except ValueError:
        raise UserError(
            f"{operand.value} is out of range as {target}",
            code="INVALID_CAST_ARGUMENT",
            position=position,
        ) from None
    if result is None:
        raise refused(f"CAST({operand.type} AS {target})", position)
    return result


def _moment(operand: Literal, target: t.Type, *, safe: bool, position: Position | None) -> Moment | None:
    """The value of a constant; None where TRY_CAST makes a NULL of it."""
    kind, value = operand.type, operand.value
    if isinstance(kind, t.ConstantTime) and isinstance(value, str):
        return exact_times.read(value, kind)
    own = t.as_constant_time(kind)
    if own is not None and isinstance(value, (dt.date, dt.time)):
        return exact_times.of_python(value, own, kind.zone if isinstance(kind, t.TimestampTz) else None)
    if not (isinstance(kind, t.Varchar) and isinstance(value, str) and isinstance(target, t.ConstantTime)):
        raise refused(f"CAST({kind} AS {target})", position)
    try:
        return _read(value, target)
    except (ValueError, NotSupported) as error:
        if safe:
            return None
        if isinstance(error, SqeError):
            error.position = position
            raise
        zoned = " with time zone" if target.base == "time" and target.zoned else ""
        raise UserError(
            f"Value cannot be cast to {target.base}{zoned}: {value}",
            code="INVALID_CAST_ARGUMENT",
            position=position,
        ) from None


def _read(text: str, target: t.ConstantTime) -> Moment:
    if target.base == "timestamp":
        return exact_times.read_timestamp(text.strip(), skipped=True)
    moment = exact_times.read_time(text)
    if moment.type.precision > exact_times.MAX_PRECISION or (moment.zone is not None and not target.zoned):
        raise ValueError(text)
    return moment


def _converted(moment: Moment, target: t.Type, *, session_zone: str, now: dt.datetime) -> Literal | None:
    clock = exact_times.local(moment)
    if target == t.DATE and moment.type.base == "timestamp":
        try:
            return Literal(
                t.DATE, dt.date.fromordinal(clock // exact_times.DAY + dt.date(1970, 1, 1).toordinal())
            )
        except (ValueError, OverflowError):
            return None
    kind = t.as_constant_time(target)
    if kind is None or target == t.DATE:
        return None
    plain = t.constant_time(kind.base, exact_times.MAX_PRECISION, zoned=kind.zoned)
    match moment.type.base, kind.base, moment.type.zoned, kind.zoned:
        case "timestamp", "time", _, False:
            moment = Moment(plain, clock % exact_times.DAY)
        case "time", "time", False, True:
            moment = Moment(
                plain, clock, exact_times.offset_text(now.astimezone(zones.zone(session_zone)).utcoffset())
            )
        case "timestamp", "timestamp", False, True:
            moment = exact_times.at_clock(plain, clock, session_zone)
        case of, to, _, False if of == to:
            moment = Moment(plain, clock)
        case of, to, True, True if of == to:
            pass
        case _:
            return None
    result = exact_times.rounded(moment, kind.precision)
    folded = literal(result)
    return folded if _is_read_back(folded, result) else None


def _is_read_back(folded: Literal, moment: Moment) -> bool:
    """A text does not tell which of two hours it is that clocks show twice."""
    if not (isinstance(folded.type, t.ConstantTime) and isinstance(folded.value, str)):
        return True
    return exact_times.read(folded.value, folded.type) == moment


def _text(text: str, target: t.Varchar, position: Position | None) -> Literal:
    if target.length is not None and len(text) > target.length:
        raise UserError(
            f"'{text}' has more than {target.length} characters",
            code="INVALID_CAST_ARGUMENT",
            position=position,
        )
    return Literal(target, text)


def coerced(constant: Literal, target: t.ConstantTime) -> str | None:
    """The text of a constant in a wider type; None where that depends on the session or is not possible."""
    kind, value = t.as_constant_time(constant.type), constant.value
    if kind is None or kind.base != target.base or kind.zoned != target.zoned:
        return None
    if isinstance(value, str):
        moment = exact_times.read(value, kind)
    elif isinstance(value, (dt.date, dt.time)):
        zone = constant.type.zone if isinstance(constant.type, t.TimestampTz) else None
        moment = exact_times.of_python(value, kind, zone)
    else:
        return None
    result = exact_times.rounded(moment, target.precision)
    text = exact_times.write(result)
    return text if exact_times.read(text, target) == result else None


def with_zone(item: Literal) -> Literal:
    kind = t.as_constant_time(item.type)
    text = None if kind is None or item.value is None else coerced(item, kind)
    return item if kind is None or text is None else Literal(kind, text)


def comparison(name: str, arguments: Sequence[Expression]) -> Literal | None:
    """None where they cannot be compared here."""
    if name not in _COMPARISONS:
        return None
    ordinals = [_ordinal(a, arguments) for a in arguments]
    if len(ordinals) != 2 or None in ordinals:
        return None
    left, right = (o for o in ordinals if o is not None)
    return Literal(t.BOOLEAN, _COMPARISONS[name](left, right))


def _ordinal(argument: Expression, arguments: Sequence[Expression]) -> int | None:
    kinds = {(k.base, k.zoned) for k in (t.as_constant_time(a.type) for a in arguments) if k is not None}
    if len(kinds) != 1 or not isinstance(argument, Literal) or argument.value is None:
        return None
    kind = t.as_constant_time(argument.type)
    if kind is None:
        return None
    if isinstance(argument.value, str):
        return exact_times.ordinal(exact_times.read(argument.value, kind))
    assert isinstance(argument.value, (dt.date, dt.time))
    zone = argument.type.zone if isinstance(argument.type, t.TimestampTz) else None
    return exact_times.ordinal(exact_times.of_python(argument.value, kind, zone))


def check_keys(keys: object, position: Position | None) -> None:
    if not (isinstance(keys, Call) and keys.function == "$array"):
        raise refused("map", position)
    seen: set[int] = set()
    for key in keys.arguments:
        place = _ordinal(key, [key])
        if place is None:
            raise refused("map", position)
        if place in seen:
            assert isinstance(key, Literal)
            raise UserError(
                f"Duplicate map keys ({key.value}) are not allowed",
                code="INVALID_FUNCTION_ARGUMENT",
                position=position,
            )
        seen.add(place)
