"""checksum(x) is a sum of what each value adds: Python computes that, and makes bytes of the sum."""

from __future__ import annotations

from collections.abc import Callable

from sqe.bind.binder import coerce
from sqe.bind.query.expressions import call
from sqe.bind.query.zones import in_zone
from sqe.errors import NotSupported, Position
from sqe.tree.expressions import Call, Cast, Expression, Literal
from sqe.types import sql_types as t

SUM = t.Decimal(38, 0)
_NUMBER = t.Decimal(20, 0)
# What NULL adds, as a signed number.
_NULL = Literal(t.BIGINT, 0x9E3779B185EBCA87 - (1 << 64))


def checksum(
    value: Expression, summed: Callable[[Expression], Expression], position: Position | None
) -> Expression:
    """`summed` makes the aggregate, or the window, of a decimal."""
    if value.type == t.UNKNOWN:
        added: Expression = _NULL
    else:
        text, kind = _text(value, position)
        arguments = (text, Literal(t.VARCHAR, kind))
        added = call("coalesce", (Call(t.BIGINT, "$checksum_part", arguments), _NULL))
    total = Cast(t.VARCHAR, summed(coerce(added, _NUMBER)))
    return Call(t.VARBINARY, "$checksum_total", (total,), position)


def _text(value: Expression, position: Position | None) -> tuple[Expression, str]:
    match value.type:
        case t.Varchar():
            return coerce(value, t.VARCHAR), "varchar"
        case t.Char():
            return Cast(t.VARCHAR, value), "char"
        case t.Decimal(precision):
            return Cast(t.VARCHAR, value), "short decimal" if precision <= 18 else "long decimal"
        case t.Timestamp():
            return Cast(t.VARCHAR, value), "timestamp"
        case t.TimestampTz(precision):
            kind = "short instant" if precision <= 3 else "long instant"
            return Cast(t.VARCHAR, in_zone(value, "UTC")), kind
    if value.type == t.VARBINARY:
        return call("to_hex", (value,)), "varbinary"
    if value.type == t.JSON:
        return call("json_format", (value,)), "varchar"
    if t.is_integer(value.type):
        return Cast(t.VARCHAR, value), "integer"
    if value.type in (t.BOOLEAN, t.DATE, t.UUID, *t.APPROXIMATE):
        return Cast(t.VARCHAR, value), str(value.type)
    raise NotSupported(
        f"checksum of {value.type} is not supported",
        position=position,
        hint="take the checksums of its parts, or of its text",
    )
