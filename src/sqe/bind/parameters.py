"""Values for the `?` of a statement: Python values to typed constants."""

from __future__ import annotations

import datetime as dt
import decimal
import uuid
from collections.abc import Callable, Iterable, Sequence

from sqe.bind.binder import unify
from sqe.bind.query.literals import BIGINT_MAX, INT_MAX
from sqe.bind.query.special_forms import row
from sqe.errors import SqeError, TypeMismatch, UserError
from sqe.tree.expressions import Call, Expression, Literal
from sqe.types import sql_types as t
from sqe.types import zones

_MILLISECOND = dt.timedelta(milliseconds=1)
# Spark counts an interval's microseconds in 64 bits.
_LONGEST = dt.timedelta(microseconds=2**63 - 1)
_ACCEPTED = (
    "bool, int, float, Decimal, str, bytes, date, time, datetime, timedelta, UUID, list, dict or tuple"
)


def bind_values(values: Sequence[object]) -> tuple[Expression, ...]:
    """One expression per value. An error says which value it was."""
    return tuple(_bind_value(number, value) for number, value in enumerate(values, start=1))


def _bind_value(number: int, value: object) -> Expression:
    try:
        return expression_of(value)
    except RecursionError:
        raise UserError(
            f"parameter {number}: the value is nested too deeply", code="INVALID_PARAMETER_USAGE"
        ) from None
    except SqeError as error:
        raise type(error)(f"parameter {number}: {error.message}", code=error.code, hint=error.hint) from None


def expression_of(value: object) -> Expression:
    """The constant of a Python value, by its class; an instance of a subclass counts as its base class."""
    if value is None:
        return Literal(t.UNKNOWN, None)
    for kind, convert in _KINDS:
        if isinstance(value, kind):
            return convert(value)
    raise TypeMismatch(
        f"a {_name(value)} cannot be a value of SQL",
        code="INVALID_PARAMETER_USAGE",
        hint=_ACCEPTED,
    )


def _name(value: object) -> str:
    kind = type(value)
    return kind.__qualname__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"


def _integer(value: int) -> Expression:
    number = int(value)
    if -INT_MAX - 1 <= number <= INT_MAX:
        return Literal(t.INTEGER, number)
    if -BIGINT_MAX - 1 <= number <= BIGINT_MAX:
        return Literal(t.BIGINT, number)
    if abs(number) < 10**t.MAX_PRECISION:
        return Literal(t.Decimal(t.MAX_PRECISION, 0), decimal.Decimal(number))
    raise _too_many_digits()


def _decimal(value: decimal.Decimal) -> Expression:
    _, digits, exponent = value.as_tuple()
    if not isinstance(exponent, int):
        raise UserError(f"{value} is no decimal", code="NUMERIC_VALUE_OUT_OF_RANGE", hint="pass a float")
    scale = max(-exponent, 0)
    significant = "".join(map(str, digits)).lstrip("0")
    whole = len(significant) + max(exponent, 0) if significant else 0
    precision = max(whole, scale, 1)
    if precision > t.MAX_PRECISION:
        raise _too_many_digits()
    return Literal(t.Decimal(precision, scale), decimal.Decimal(value))


def _too_many_digits() -> UserError:
    return UserError("the number has more than 38 digits", code="NUMERIC_VALUE_OUT_OF_RANGE")


def _text(value: str) -> Expression:
    # An Enum of strings is one, but str() of it is not its value.
    text = str.__str__(value)
    return Literal(t.Varchar(len(text)), text)


def _moment(value: dt.datetime) -> Expression:
    if value != value:
        raise TypeMismatch("NaT is no timestamp", code="INVALID_PARAMETER_USAGE", hint="pass None")
    if getattr(value, "nanosecond", 0):
        raise _too_fine("a timestamp has microseconds here", "round it first")
    plain = dt.datetime.combine(value.date(), value.time(), value.tzinfo).replace(fold=value.fold)
    if plain.utcoffset() is None:
        return Literal(t.Timestamp(6), plain.replace(tzinfo=None))
    try:
        plain.astimezone(dt.UTC)
    except OverflowError:
        raise UserError(
            "the timestamp is outside the years 1 to 9999 in UTC", code="NUMERIC_VALUE_OUT_OF_RANGE"
        ) from None
    return Literal(t.TimestampTz(6, _zone(plain)), plain)


def _zone(value: dt.datetime) -> str:
    try:
        return zones.name_of(value.tzinfo)
    except ValueError:
        # A zone without a name: its offset at that moment.
        offset = value.utcoffset()
        assert offset is not None
        return zones.of_offset(offset - offset % dt.timedelta(minutes=1))


def _date(value: dt.date) -> Expression:
    return Literal(t.DATE, value)


def _time(value: dt.time) -> Expression:
    if value.tzinfo is not None:
        from sqe.bind.query.folded_times import literal
        from sqe.types.exact_times import of_python, offset_text

        try:
            offset = offset_text(value.utcoffset())
        except ValueError as error:
            raise TypeMismatch(str(error), code="INVALID_PARAMETER_USAGE", hint="pass a datetime") from None
        kind = t.constant_time("time", 6, zoned=True)
        return literal(of_python(value, kind, offset))
    return Literal(t.Time(6), value)


def _interval(value: dt.timedelta) -> Expression:
    if value != value:
        raise TypeMismatch("NaT is no interval", code="INVALID_PARAMETER_USAGE", hint="pass None")
    nanoseconds: object = getattr(value, "nanoseconds", None)
    if value % _MILLISECOND or nanoseconds:
        raise _too_fine("an interval day to second has milliseconds", "round it first")
    if abs(value) > _LONGEST:
        raise UserError("the interval is too long", code="NUMERIC_VALUE_OUT_OF_RANGE")
    return Literal(t.DAY_SECOND, dt.timedelta(value.days, value.seconds, value.microseconds))


def _too_fine(message: str, hint: str) -> UserError:
    return UserError(message, code="NUMERIC_VALUE_OUT_OF_RANGE", hint=hint)


def _array(items: Iterable[object]) -> Expression:
    unified, common = unify([expression_of(item) for item in items], "the elements of a list", None)
    return Call(t.Array(common), "$array", tuple(unified))


def _map(items: dict[object, object]) -> Expression:
    if not items:
        return Call(t.Map(t.UNKNOWN, t.UNKNOWN), "map", ())
    if None in items:
        raise UserError("a key of a map is not NULL", code="INVALID_FUNCTION_ARGUMENT")
    keys, key = unify([expression_of(k) for k in items], "the keys of a dict", None)
    values, value = unify([expression_of(v) for v in items.values()], "the values of a dict", None)
    return Call(
        t.Map(key, value),
        "map",
        (
            Call(t.Array(key), "$array", tuple(keys)),
            Call(t.Array(value), "$array", tuple(values)),
        ),
    )


def _row(items: tuple[object, ...]) -> Expression:
    if not items:
        raise TypeMismatch("a row has at least one field", code="INVALID_PARAMETER_USAGE")
    return row([expression_of(item) for item in items])


# The first match counts: a bool is an int, and a datetime is a date.
_KINDS: tuple[tuple[type | tuple[type, ...], Callable[..., Expression]], ...] = (
    (bool, lambda value: Literal(t.BOOLEAN, value)),
    (int, _integer),
    (float, lambda value: Literal(t.DOUBLE, float(value))),
    (decimal.Decimal, _decimal),
    (str, _text),
    ((bytes, bytearray, memoryview), lambda value: Literal(t.VARBINARY, bytes(value))),
    (dt.datetime, _moment),
    (dt.date, _date),
    (dt.time, _time),
    (dt.timedelta, _interval),
    (uuid.UUID, lambda value: Literal(t.UUID, str(value))),
    (list, _array),
    (dict, _map),
    (tuple, _row),
)
