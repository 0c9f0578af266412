"""Store assignment: converts a value to the type of the column that it is written to, by Trino's rules.

A value is cast to its column's type where the two are of one kind, such as two numbers or a timestamp and
a date: it is rounded where the column has fewer digits, and one that is too large is an error. Text is never
cast to a number.
"""

from __future__ import annotations

import decimal
import struct
from typing import TYPE_CHECKING

from sqlglot import exp

from sqe.bind.binder import Binder, coerce
from sqe.errors import TypeMismatch, UserError
from sqe.tree.expressions import Cast, Expression, Literal
from sqe.types import sql_types as t

if TYPE_CHECKING:
    from sqe.catalog.iceberg.table import Column

_BITS: dict[t.Type, int] = {t.TINYINT: 7, t.SMALLINT: 15, t.INTEGER: 31, t.BIGINT: 63}
# Enough digits for every double and every decimal.
_EXACT = decimal.Context(prec=700, rounding=decimal.ROUND_HALF_UP)


def assign(b: Binder, value: Expression, column: Column, node: exp.Expr) -> Expression:
    """The value as its column stores it."""
    if value.type == t.UNKNOWN and b.describes:
        # The cast tells the type of a `?`.
        return Cast(column.type, value, implicit=True)
    if value.type == t.UNKNOWN:
        if not column.nullable:
            raise UserError(
                f"column '{column.name}' is NOT NULL", code="CONSTRAINT_VIOLATION", position=b.position(node)
            )
        return Literal(column.type, None)
    if not assignable(value.type, column.type):
        raise TypeMismatch(
            f"column '{column.name}' is {column.type}, the value is {value.type}",
            position=b.position(node),
            hint="add a CAST",
        )
    if is_coercion(value.type, column.type):
        return coerce(value, column.type)
    constant = _constant(value, column.type)
    return Cast(column.type, value, position=b.position(node)) if constant is None else constant


def assignable(source: t.Type, target: t.Type) -> bool:
    """Whether a value of one type may be written to a column of another: they have a type in common."""
    match source, target:
        case t.Array(), t.Array():
            return assignable(source.element, target.element)
        case t.Map(), t.Map():
            return assignable(source.key, target.key) and assignable(source.value, target.value)
        case t.Row(), t.Row() if len(source.fields) == len(target.fields):
            pairs = zip(source.fields, target.fields, strict=True)
            return all(assignable(x.type, y.type) for x, y in pairs)
        case _, t.Varchar() if t.is_text(source):
            return True
        case _, t.Fixed():
            return t.coerces(source, target)
    return t.common_type(source, target) is not None


def is_coercion(source: t.Type, target: t.Type) -> bool:
    """Whether a value needs no other cast than the implicit one of any expression. In a column, text has no
    length and an instant no zone."""
    match source, target:
        case t.Array(), t.Array():
            return is_coercion(source.element, target.element)
        case t.Map(), t.Map():
            return is_coercion(source.key, target.key) and is_coercion(source.value, target.value)
        case t.Row(), t.Row() if len(source.fields) == len(target.fields):
            pairs = zip(source.fields, target.fields, strict=True)
            return all(is_coercion(x.type, y.type) for x, y in pairs)
        case _, t.Varchar(length=None) if t.is_text(source):
            return True
    if isinstance(source, (t.Timestamp, t.TimestampTz, t.Time)) and type(source) is type(target):
        return True
    return t.coerces(source, target)


def _constant(value: Expression, target: t.Type) -> Literal | None:
    """A constant number as another type; None where a cast has to convert it, or to fail."""
    # The double that holds a real here has more digits than the real.
    number = value.value if isinstance(value, Literal) and value.type != t.REAL else None
    if isinstance(number, bool) or not isinstance(number, (int, float, decimal.Decimal)):
        return None
    if target == t.REAL:
        return _real(float(number))
    # A double is meant as it is written: 0.1 and not the sum of powers of two that is nearest to it.
    exact = decimal.Decimal(repr(number)) if isinstance(number, float) else decimal.Decimal(number)
    if not exact.is_finite():
        return None
    if isinstance(target, t.Decimal):
        rounded = exact.quantize(decimal.Decimal(1).scaleb(-target.scale), context=_EXACT)
        fits = rounded.copy_abs() < 10 ** (target.precision - target.scale)
        return Literal(target, rounded) if fits else None
    if target in _BITS:
        whole = int(exact.to_integral_value(context=_EXACT))
        return Literal(target, whole) if -(1 << _BITS[target]) <= whole < 1 << _BITS[target] else None
    return None


def _real(number: float) -> Literal | None:
    try:
        return Literal(t.REAL, float(struct.unpack("<f", struct.pack("<f", number))[0]))
    except OverflowError:
        return None
