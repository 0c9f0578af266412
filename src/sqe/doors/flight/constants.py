"""A Python value as a constant of a given SQL type, if it is exactly one of that type's values."""

from __future__ import annotations

import datetime as dt
import decimal
import struct
import uuid
from collections.abc import Sequence
from typing import Any

from sqe.bind.binder import coerce
from sqe.bind.parameters import expression_of
from sqe.bind.query.special_forms import row
from sqe.errors import InvalidValue, UserError
from sqe.tree.expressions import Call, Cast, Expression, Literal
from sqe.types import sql_types as t

_BITS: dict[t.Type, int] = {t.TINYINT: 7, t.SMALLINT: 15, t.INTEGER: 31, t.BIGINT: 63}
# Wider than any decimal of Arrow's, so that nothing is rounded on the way.
_EXACT = decimal.Context(prec=200)


class UnrepresentableValue(InvalidValue):
    """The type does not have the value."""


def text_constant(text: str) -> Expression:
    return Literal(t.Varchar(len(text)), text)


def constant(value: Any, kind: t.Type) -> Expression:
    """Arrays are lists, maps lists of pairs, and rows tuples. UnrepresentableValue where the value is no
    `kind`; only what is to be real loses digits, since most languages have nothing but doubles."""
    if value is None:
        return Literal(kind, None)
    match kind:
        case t.UNKNOWN:
            raise _unrepresentable(value, kind)
        case t.TINYINT | t.SMALLINT | t.INTEGER | t.BIGINT:
            return Literal(kind, _integer(value, kind))
        case t.Decimal():
            return Literal(kind, _decimal(value, kind))
        case t.REAL:
            return Literal(kind, _real(float(value)))
        case t.DOUBLE:
            return Literal(kind, float(value))
        case t.YEAR_MONTH:
            return Literal(kind, int(value))
        case t.UUID:
            return (
                Literal(kind, str(value))
                if isinstance(value, uuid.UUID)
                else Cast(kind, text_constant(value))
            )
        case t.DAY_SECOND if isinstance(value, tuple):
            days, microseconds = value
            return expression_of(dt.timedelta(days, microseconds=microseconds))
        case t.Time(precision) | t.Timestamp(precision) | t.TimestampTz(precision):
            return Literal(kind, _moment(value, precision))
        case t.Array(element):
            return _array(value, element)
        case t.Map():
            return _map(value, kind)
        case t.Row(fields):
            items = [constant(item, field.type) for item, field in zip(value, fields, strict=True)]
            return coerce(row(items), kind)
        case t.Varchar(length):
            if length is not None and len(value) > length:
                raise _unrepresentable(value, kind)
            return Literal(kind, value)
    return expression_of(value)


def _integer(value: int | decimal.Decimal, kind: t.Type) -> int:
    number = int(value)
    if number != value or not -(1 << _BITS[kind]) <= number < 1 << _BITS[kind]:
        raise _unrepresentable(value, kind)
    return number


def _decimal(value: int | float | decimal.Decimal, kind: t.Decimal) -> decimal.Decimal:
    # A double is meant as it is written: 0.1 and not the sum of powers of two that is nearest to it.
    number = decimal.Decimal(repr(value)) if isinstance(value, float) else decimal.Decimal(value)
    if not number.is_finite():
        raise _unrepresentable(value, kind)
    scaled = number.scaleb(kind.scale, _EXACT)
    if scaled.copy_abs() >= 10**kind.precision or scaled != scaled.to_integral_value(context=_EXACT):
        raise _unrepresentable(value, kind)
    return number.quantize(decimal.Decimal(1).scaleb(-kind.scale), context=_EXACT)


def _real(value: float) -> float:
    try:
        return float(struct.unpack("<f", struct.pack("<f", value))[0])
    except OverflowError:
        raise _unrepresentable(value, t.REAL) from None


def _moment(value: dt.time | dt.datetime, precision: int) -> object:
    literal = expression_of(value)
    assert isinstance(literal, Literal)
    if value.microsecond % 10 ** max(6 - precision, 0):
        raise UnrepresentableValue("the value is finer", code="NUMERIC_VALUE_OUT_OF_RANGE")
    return literal.value


def _array(items: Sequence[Any], element: t.Type) -> Expression:
    if not items:
        return coerce(Call(t.Array(t.UNKNOWN), "$array", ()), t.Array(element))
    return Call(t.Array(element), "$array", tuple(_as(constant(item, element), element) for item in items))


def _map(pairs: Sequence[tuple[Any, Any]], kind: t.Map) -> Expression:
    if not pairs:
        return coerce(Call(t.Map(t.UNKNOWN, t.UNKNOWN), "map", ()), kind)
    keys = [key for key, _ in pairs]
    if None in keys:
        raise UserError("a key of a map is not NULL", code="INVALID_FUNCTION_ARGUMENT")
    if len({repr(key) for key in keys}) < len(keys):
        raise UserError("a map has each key once", code="INVALID_FUNCTION_ARGUMENT")
    return Call(kind, "map", (_array(keys, kind.key), _array([value for _, value in pairs], kind.value)))


def _as(item: Expression, kind: t.Type) -> Expression:
    return item if item.type == kind else coerce(item, kind)


def _unrepresentable(value: object, kind: t.Type) -> UnrepresentableValue:
    return UnrepresentableValue(f"{value} is no {kind}", code="NUMERIC_VALUE_OUT_OF_RANGE")
