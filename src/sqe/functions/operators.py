"""Operators: arithmetic, comparison, logic, concatenation, LIKE, subscripts and constructors."""

from __future__ import annotations

from sqe.functions.decimals import product_type, quotient_type, remainder_type, sum_type
from sqe.functions.function import Function, Resolution, ResultRule, scalar
from sqe.types.sql_types import (
    APPROXIMATE,
    BOOLEAN,
    UNKNOWN,
    VARCHAR,
    Array,
    Char,
    Decimal,
    Row,
    RowField,
    Time,
    Timestamp,
    TimestampTz,
    Type,
    Varchar,
    common_type,
    is_comparable,
    is_integer,
    is_interval,
    is_orderable,
    is_text,
)

_INTEGERS = (
    "(tinyint, tinyint) -> tinyint",
    "(smallint, smallint) -> smallint",
    "(integer, integer) -> integer",
    "(bigint, bigint) -> bigint",
)
_FLOATS = ("(real, real) -> real", "(double, double) -> double")
_DECIMALS = "(decimal(p,s), decimal(q,t)) -> ?"


def _at_least_millis(index: int) -> ResultRule:
    """An interval counts milliseconds, so that adding one makes a coarser timestamp as fine as that."""

    def rule(parameters: tuple[Type, ...]) -> Type:
        moment = parameters[index]
        assert isinstance(moment, (Timestamp, TimestampTz, Time))
        return type(moment)(max(3, moment.precision))

    return rule


_MOMENT_AND_INTERVAL = (
    "(date, interval day to second) -> date",
    "(date, interval year to month) -> date",
    ("(timestamp(p), interval day to second) -> ?", _at_least_millis(0)),
    "(timestamp(p), interval year to month) -> timestamp(p)",
    ("(timestamp(p) with time zone, interval day to second) -> ?", _at_least_millis(0)),
    ("(time(p), interval day to second) -> ?", _at_least_millis(0)),
    "(timestamp(p) with time zone, interval year to month) -> timestamp(p) with time zone",
)
_INTERVALS = (
    "(interval day to second, interval day to second) -> interval day to second",
    "(interval year to month, interval year to month) -> interval year to month",
)
_INTERVAL_AND_MOMENT = (
    "(interval day to second, date) -> date",
    "(interval year to month, date) -> date",
    ("(interval day to second, timestamp(p)) -> ?", _at_least_millis(1)),
    "(interval year to month, timestamp(p)) -> timestamp(p)",
    ("(interval day to second, timestamp(p) with time zone) -> ?", _at_least_millis(1)),
    ("(interval day to second, time(p)) -> ?", _at_least_millis(1)),
    "(interval year to month, timestamp(p) with time zone) -> timestamp(p) with time zone",
)


def _negation(types: tuple[Type, ...]) -> Resolution | None:
    (t,) = types if len(types) == 1 else (None,)
    number = t is not None and (is_integer(t) or isinstance(t, Decimal) or t in APPROXIMATE or is_interval(t))
    return Resolution(types, types[0]) if number else None


COMPARISONS = {"$eq": "=", "$ne": "<>", "$lt": "<", "$le": "<=", "$gt": ">", "$ge": ">="}


def _comparison(name: str, symbol: str) -> Function:
    ordering = name not in ("$eq", "$ne")

    def rule(types: tuple[Type, ...]) -> Resolution | None:
        if len(types) != 2:
            return None
        common = _comparable_as(*types)
        if common is None or not (is_orderable(common) if ordering else is_comparable(common)):
            return None
        return Resolution((common, common), BOOLEAN)

    nested = "a NULL inside a value that is ordered" if ordering else ""
    return scalar(name, rule, help=symbol, nested_raises=nested)


def _comparable_as(left: Type, right: Type) -> Type | None:
    """Where text meets a char, trailing blanks do not count."""
    pair = (left, right)
    if any(isinstance(t, Char) for t in pair) and any(isinstance(t, Varchar) for t in pair):
        lengths = [t.length for t in pair if isinstance(t, (Char, Varchar))]
        return Char(max(65536 if n is None else n for n in lengths))
    return common_type(left, right)


def _distinct_rule(types: tuple[Type, ...]) -> Resolution | None:
    common = _comparable_as(*types) if len(types) == 2 else None
    return None if common is None or not is_comparable(common) else Resolution((common, common), BOOLEAN)


def _chars(types: tuple[Type, ...]) -> Resolution | None:
    """A char and a text of known length make a longer char, blanks and all."""
    lengths = [t.length for t in types if isinstance(t, (Char, Varchar)) and t.length]
    if len(types) != 2 or len(lengths) != 2 or not any(isinstance(t, Char) for t in types):
        return None
    return Resolution(tuple(Char(length) for length in lengths), Char(sum(lengths)))


def _texts_and_null(types: tuple[Type, ...]) -> Resolution | None:
    """A NULL without a type beside texts is a text; beside one of a known length it is an array of such
    texts, which is what Trino takes it for."""
    typed = [t for t in types if t != UNKNOWN]
    if not typed or len(typed) == len(types) or not all(map(is_text, typed)):
        return None
    if len(types) == 2 and isinstance(typed[0], Varchar) and typed[0].length is not None:
        array = Array(typed[0])
        return Resolution(tuple(array if t == UNKNOWN else t for t in types), array)
    return Resolution((VARCHAR,) * len(types), VARCHAR)


CONCATENATIONS = (
    _texts_and_null,
    "(varchar, varchar, ...) -> varchar",
    _chars,
    "(varbinary, varbinary, ...) -> varbinary",
    "(array(E), array(E), ...) -> array(E)",
    "(array(E), E) -> array(E)",
    "(E, array(E)) -> array(E)",
)


def _row_rule(types: tuple[Type, ...]) -> Resolution | None:
    return Resolution(types, Row(tuple(RowField(None, t) for t in types))) if types else None


_TIMES = (
    "(interval day to second, bigint) -> interval day to second",
    "(interval day to second, double) -> interval day to second",
    "(bigint, interval day to second) -> interval day to second",
    "(double, interval day to second) -> interval day to second",
    "(interval year to month, bigint) -> interval year to month",
    "(interval year to month, double) -> interval year to month",
    "(bigint, interval year to month) -> interval year to month",
    "(double, interval year to month) -> interval year to month",
)
_BY = (
    "(interval day to second, double) -> interval day to second",
    "(interval year to month, double) -> interval year to month",
)
MODULUS = (*_INTEGERS, (_DECIMALS, remainder_type), *_FLOATS)


FUNCTIONS = (
    scalar(
        "$add",
        *_INTEGERS,
        (_DECIMALS, sum_type),
        *_FLOATS,
        *_MOMENT_AND_INTERVAL,
        *_INTERVAL_AND_MOMENT,
        *_INTERVALS,
        help="x + y",
        raises="overflow",
    ),
    scalar(
        "$sub",
        *_INTEGERS,
        (_DECIMALS, sum_type),
        *_FLOATS,
        *_MOMENT_AND_INTERVAL,
        *_INTERVALS,
        "(date, date) -> interval day to second",
        "(timestamp(p), timestamp(p)) -> interval day to second",
        "(timestamp(p) with time zone, timestamp(p) with time zone) -> interval day to second",
        "(time(p), time(p)) -> interval day to second",
        help="x - y",
        raises="overflow",
    ),
    scalar("$mul", *_INTEGERS, (_DECIMALS, product_type), *_FLOATS, *_TIMES, help="x * y", raises="overflow"),
    scalar(
        "$div",
        *_INTEGERS,
        (_DECIMALS, quotient_type),
        *_FLOATS,
        *_BY,
        help="x / y",
        raises="division by zero, overflow",
    ),
    scalar("$mod", *MODULUS, help="x % y", raises="division by zero"),
    scalar("$neg", _negation, help="- x", raises="overflow of the smallest number"),
    *(_comparison(name, symbol) for name, symbol in COMPARISONS.items()),
    scalar("$and", "(boolean, ...) -> boolean", help="x AND y"),
    scalar("$or", "(boolean, ...) -> boolean", help="x OR y"),
    scalar("$not", "(boolean) -> boolean", help="NOT x"),
    scalar("$is_null", "(T) -> boolean", help="x IS NULL"),
    scalar(
        "$ordered", "(T:orderable) -> T", help="ORDER BY x", raises="a NULL inside a value that is ordered"
    ),
    scalar("$is_distinct", _distinct_rule, help="x IS DISTINCT FROM y"),
    scalar("$concat", *CONCATENATIONS, help="x || y"),
    scalar(
        "$like",
        "(varchar(x), varchar(y)) -> boolean",
        "(char(x), varchar(y)) -> boolean",
        help="x LIKE pattern",
    ),
    scalar(
        "$like_escape",
        "(varchar(x), varchar(y), varchar(z)) -> boolean",
        "(char(x), varchar(y), varchar(z)) -> boolean",
        help="x LIKE pattern ESCAPE c",
        raises="an escape that escapes nothing",
    ),
    scalar(
        "$subscript",
        "(array(E), bigint) -> E",
        "(map(K, V), K) -> V",
        help="x[i]",
        raises="a position or key that is not there",
    ),
    scalar("$array", "() -> array(unknown)", "(E, ...) -> array(E)", help="ARRAY[x, …]"),
    scalar("$apart", "(T) -> T", help="x, computed before what uses it"),
    scalar("$row", _row_rule, help="ROW(x, …)"),
)
