"""Where constants may stand that are finer than engines keep, or times with zones.

Nothing but a constant has such a type. Casts and comparisons of constants are folded (by folded_times, which
few statements need); whatever would need an engine to look into a value is refused.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence

from sqe.errors import NotSupported, Position
from sqe.functions.function import Resolution
from sqe.tree.expressions import AggregateCall, Call, Cast, Expression, Field, Literal, WindowCall, walk
from sqe.tree.relations import Aggregate, SetOperation
from sqe.tree.statements import Statement
from sqe.types import sql_types as t

ENGINES_KEEP = 6
"""Digits of a second."""
# These hand values on without a look at them.
_HAND_ON = frozenset(("$array", "$row", "$is_null", "coalesce", "typeof"))


def with_zones(items: Sequence[Expression]) -> Sequence[Expression]:
    """Timestamps of different zones, which no column of an engine can hold, as constants with their zones."""
    of_zones = {item.type.zone for item in items if isinstance(item.type, t.TimestampTz)}
    if len(of_zones) < 2 or not all(isinstance(item, Literal) for item in items):
        return items
    from sqe.bind.query.folded_times import with_zone

    return [with_zone(item) for item in items if isinstance(item, Literal)]


def constant_type(target: t.Type) -> t.Type:
    """The type of constants that are cast to a type, of a NULL for one."""
    match target:
        case t.Time(precision) | t.Timestamp(precision) | t.TimestampTz(precision):
            return t.as_constant_time(target) or target if precision > ENGINES_KEEP else target
        case t.Array(element):
            return t.Array(constant_type(element))
        case t.Map(key, value):
            return t.Map(constant_type(key), constant_type(value))
        case t.Row(fields):
            return t.Row(tuple(t.RowField(f.name, constant_type(f.type)) for f in fields))
    return target


def folded_cast(
    operand: Expression,
    target: t.Type,
    *,
    safe: bool,
    session_zone: str,
    now: dt.datetime,
    position: Position | None,
) -> Literal | None:
    """None for a cast that engines can do."""
    if not isinstance(operand, Literal):
        if keeps_constants(operand.type, target):
            return None
        raise refused(f"CAST({operand.type} AS {target})", position)
    target = constant_type(target)
    if not (isinstance(operand.type, t.ConstantTime) or isinstance(target, t.ConstantTime)):
        return None
    from sqe.bind.query.folded_times import cast

    return cast(operand, target, safe=safe, session_zone=session_zone, now=now, position=position)


def keeps_constants(source: t.Type, target: t.Type) -> bool:
    """Whether a cast leaves every value of these types as it is: one that names the fields of a row may."""
    match source, target:
        case t.Array(), t.Array():
            return keeps_constants(source.element, target.element)
        case t.Map(), t.Map():
            return keeps_constants(source.key, target.key) and keeps_constants(source.value, target.value)
        case t.Row(), t.Row() if len(source.fields) == len(target.fields):
            pairs = zip(source.fields, target.fields, strict=True)
            return all(keeps_constants(a.type, b.type) for a, b in pairs)
    return source == target or not (t.has(source, t.ConstantTime) or t.has(target, t.ConstantTime))


def folded_comparison(name: str, arguments: Sequence[Expression]) -> Literal | None:
    """Two constants of which one is a ConstantTime, compared; None for all else."""
    if not any(isinstance(argument.type, t.ConstantTime) for argument in arguments):
        return None
    from sqe.bind.query.folded_times import comparison

    return comparison(name, arguments)


def folded_typeof(name: str, arguments: Sequence[Expression]) -> Literal | None:
    if name != "typeof" or not (isinstance(arguments[0], Literal) and _any_constant(arguments)):
        return None
    return Literal(t.VARCHAR, str(arguments[0].type))


def resolved(name: str, bound: Sequence[object], position: Position | None) -> Resolution | None:
    """How a function takes such constants; None where there are none, or it never looks at them."""
    types = [a.type for a in bound if isinstance(a, Expression)]
    if name in _HAND_ON or not any(t.has(kind, t.ConstantTime) for kind in types):
        return None
    if name != "map":
        raise refused(name.removeprefix("$"), position)
    keys, values = types if len(types) == 2 else (t.UNKNOWN, t.UNKNOWN)
    if not (isinstance(keys, t.Array) and isinstance(values, t.Array)):
        return None
    if not t.has(keys, t.ConstantTime):
        return None
    from sqe.bind.query.folded_times import check_keys

    check_keys(bound[0], position)
    return Resolution((keys, values), t.Map(keys.element, values.element))


def check_constant_times(statement: Statement) -> None:
    """Refuses what looks into such a constant and was not refused before: implicit casts, above all."""
    for node in walk(statement):
        match node:
            case Cast() if not keeps_constants(node.operand.type, node.type):
                raise refused(f"{node.operand.type} as {node.type}", node.position)
            case AggregateCall() | WindowCall() if _any_constant(node.arguments):
                raise refused(node.function, node.position)
            case WindowCall() if _any_constant(node.partition_by):
                raise refused("PARTITION BY", node.position)
            case SetOperation() if node.distinct or node.op != "union":
                if _any_constant(node.fields):
                    raise refused(node.op.upper(), None)
            case Aggregate() if _any_constant(node.keys):
                raise refused("GROUP BY", None)
            case Call() if node.function not in (*_HAND_ON, "map") and _any_constant(node.arguments):
                raise refused(node.function.removeprefix("$"), node.position)


def _any_constant(arguments: Sequence[Expression | Field]) -> bool:
    return any(t.has(argument.type, t.ConstantTime) for argument in arguments)


def refuse_constant_times(type_: t.Type, what: str, position: Position | None) -> None:
    """Before it is said that a type cannot be compared: these can, and not by an engine."""
    if t.has(type_, t.ConstantTime):
        raise refused(what, position)


def refused(what: str, position: Position | None) -> NotSupported:
    return NotSupported(
        f"{what}: times with a time zone, with more than six digits of a second or of years before 1 or"
        " after 9999 exist as constants that are shown, and nothing is computed with them",
        position=position,
        hint="CAST the constant to a time or timestamp of six digits",
    )
