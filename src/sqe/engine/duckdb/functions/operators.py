"""Operators in DuckDB's SQL, with Trino's answers."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence

from sqe.engine.duckdb.functions.decimals import duck_decimal, duck_divide, duck_remainder
from sqe.engine.duckdb.functions.text import refuse, share, string
from sqe.engine.duckdb.types import duck_type, quote_name
from sqe.engine.render.renderings import Renderer, Rendering
from sqe.engine.render.shared_renderings import chained
from sqe.engine.render.templates import fill
from sqe.errors import NotSupported
from sqe.functions.constants import constant, constant_text, invalid, is_number, nonzero
from sqe.functions.decimals import decimals_of
from sqe.functions.operators import COMPARISONS
from sqe.tree.expressions import Call, Expression, LambdaRef, Ref, walk
from sqe.types.sql_types import (
    APPROXIMATE,
    DATE,
    DAY_SECOND,
    YEAR_MONTH,
    Array,
    Char,
    Decimal,
    Map,
    Row,
    Timestamp,
    TimestampTz,
    Type,
    has,
    is_integer,
    is_interval,
    row_field_names,
)

Texts = Sequence[str]
_DAY = 86_400_000_000
DIVISION_BY_ZERO = refuse("Division by zero", code="DIVISION_BY_ZERO")


def add(call: Call, texts: Texts) -> str:
    left, right = (argument.type for argument in call.arguments)
    if is_interval(left) and not is_interval(right):
        return _move(call, 1, 0, texts, sign="+")
    if is_interval(right) and not is_interval(left):
        return _move(call, 0, 1, texts, sign="+")
    return _arithmetic("+", call, texts)


def subtract(call: Call, texts: Texts) -> str:
    left, right = (argument.type for argument in call.arguments)
    if is_interval(right) and not is_interval(left):
        return _move(call, 0, 1, texts, sign="-")
    if call.type == DAY_SECOND and not is_interval(left):
        return _elapsed(left, texts)
    return _arithmetic("-", call, texts)


def multiply(call: Call, texts: Texts) -> str:
    if is_interval(call.type):
        interval, factor = (0, 1) if is_interval(call.arguments[0].type) else (1, 0)
        return _scale(call, texts[interval], call.arguments[factor].type, f"* {texts[factor]}")
    return _arithmetic("*", call, texts)


def _arithmetic(symbol: str, call: Call, texts: Texts) -> str:
    if isinstance(call.type, Decimal):
        left, right = decimals_of([argument.type for argument in call.arguments])
        return duck_decimal(symbol, texts[0], texts[1], left, right, call.type)
    if symbol in _FUNCTIONS and is_integer(call.type) and _has_constants_apart(call):
        # DuckDB puts the constants of k * 2147483647 * 2 together, which overflows where k is 0; it knows
        # them by the operator, not by the function of the same meaning.
        return f"{_FUNCTIONS[symbol]}({texts[0]}, {texts[1]})"
    return f"({texts[0]} {symbol} {texts[1]})"


_FUNCTIONS = {"+": "add", "*": "multiply"}


def _has_constants_apart(call: Call) -> bool:
    """Whether it is a chain of one operator in which two operands are constants."""
    operands: list[Expression] = list(call.arguments)
    constants = 0
    while operands:
        operand = operands.pop()
        if isinstance(operand, Call) and operand.function == call.function:
            operands += operand.arguments
        constants += not any(isinstance(part, (Ref, LambdaRef)) for part in walk(operand))
    return constants > 1


def _move(call: Call, moment: int, interval: int, texts: Texts, *, sign: str) -> str:
    """A date or timestamp plus or minus an interval; DuckDB makes a date a timestamp."""
    if call.arguments[moment].type != DATE:
        return f"({texts[moment]} {sign} {texts[interval]})"
    if call.arguments[interval].type == YEAR_MONTH:
        return f"CAST({texts[moment]} {sign} {texts[interval]} AS DATE)"
    value = constant(call.arguments[interval])
    if isinstance(value, datetime.timedelta):
        if value.seconds or value.microseconds:
            raise invalid(call, "Cannot add hour, minutes or seconds to a date")
        return f"({texts[moment]} {sign} {value.days if value.days >= 0 else f'({value.days})'})"
    days = share(
        f"CASE WHEN epoch_us({{0}}) % {_DAY} <> 0 THEN "
        + refuse("Cannot add hour, minutes or seconds to a date")
        + f" ELSE CAST(epoch_us({{0}}) // {_DAY} AS INTEGER) END",
        (texts[interval],),
    )
    return f"({texts[moment]} {sign} ({days}))"


def _elapsed(kind: Type, texts: Texts) -> str:
    if kind == DATE:
        return f"to_days(CAST({texts[0]} - {texts[1]} AS INTEGER))"
    assert isinstance(kind, (Timestamp, TimestampTz))
    if kind.precision <= 3:
        return f"({texts[0]} - {texts[1]})"
    # Trino's intervals count milliseconds; a half is rounded up.
    micros = f"(epoch_us({texts[0]}) - epoch_us({texts[1]}) + 500)"
    return "to_microseconds(" + share("{0} - ({0} % 1000 + 1000) % 1000", (micros,)) + ")"


def _scale(call: Call, interval: str, factor: Type, operation: str) -> str:
    """An interval times or by a number. Trino does it in months or milliseconds, and cuts what is over."""
    if call.type == YEAR_MONTH:
        count = months(interval)
        return f"to_months({_whole(f'{count} {operation}', factor, 'INTEGER')})"
    count = f"(epoch_us({interval}) // 1000)"
    return f"to_microseconds(1000 * {_whole(f'{count} {operation}', factor, 'BIGINT')})"


def _whole(text: str, factor: Type, target: str) -> str:
    return f"CAST({text if is_integer(factor) else f'trunc({text})'} AS {target})"


def months(interval: str) -> str:
    return share("(12 * extract(year FROM {0}) + extract(month FROM {0}))", (interval,))


def divide(call: Call, texts: Texts) -> str:
    left, right = call.arguments
    if is_interval(call.type):
        return _scale(call, texts[0], right.type, f"/ {texts[1]}")
    if isinstance(call.type, Decimal):
        return duck_divide(texts, decimals_of((left.type, right.type)), call.type, nonzero=nonzero(right))
    if is_integer(call.type):
        return _guarded("//", right, texts)
    return f"({texts[0]} / {texts[1]})"


def modulus(call: Call, texts: Texts) -> str:
    left, right = call.arguments
    if isinstance(call.type, Decimal):
        return duck_remainder(texts, decimals_of((left.type, right.type)), call.type, nonzero=nonzero(right))
    if not is_integer(call.type):
        return f"({texts[0]} % {texts[1]})"
    if nonzero(right) and constant(right) != -1:
        return f"({texts[0]} % {texts[1]})"
    # DuckDB fails for the smallest number by -1, whose remainder is 0.
    return share(
        "(CASE WHEN {1} = 0 AND {0} IS NOT NULL THEN "
        + DIVISION_BY_ZERO
        + " WHEN {1} = -1 THEN {0} * 0 ELSE {0} % {1} END)",
        texts,
    )


def _guarded(symbol: str, divisor: Expression, texts: Texts) -> str:
    """By zero DuckDB gives NULL."""
    if nonzero(divisor):
        return f"({texts[0]} {symbol} {texts[1]})"
    return share(
        f"(CASE WHEN {{1}} = 0 AND {{0}} IS NOT NULL THEN {DIVISION_BY_ZERO} ELSE {{0}} {symbol} {{1}} END)",
        texts,
    )


def comparison(name: str) -> Renderer:
    def render(call: Call, texts: Texts) -> str:
        left, right = call.arguments
        return duck_compare(name, left.type, texts[0], texts[1], is_number(left), is_number(right))

    return render


def duck_compare(
    op: str, t: Type, left: str, right: str, left_is_number: bool = False, right_is_number: bool = False
) -> str:
    """A comparison of two values of one type, as operators.compare is on Spark.

    DuckDB has NaN equal to itself and above all numbers, and nested values equal where their NULLs are.
    `*_is_number`: a constant that is neither NULL nor NaN, which needs no guard.
    """
    symbol = COMPARISONS[op]
    if t in APPROXIMATE:
        return _compare_floats(op, symbol, (left, right), left_is_number, right_is_number)
    if isinstance(t, (Array, Row, Map)):
        if op == "$eq":
            return duck_equal(t, left, right)
        if op == "$ne":
            return f"(NOT {duck_equal(t, left, right)})"
        return _order_nested(t, symbol, left, right)
    return f"({left} {symbol} {right})"


def _compare_floats(op: str, symbol: str, texts: tuple[str, str], known_left: bool, known_right: bool) -> str:
    plain = f"({{0}} {symbol} {{1}})"
    if op in ("$eq", "$ne"):
        if known_left or known_right:
            return fill(plain, texts)
        if op == "$ne":
            return share("({0} <> {1} OR (isnan({0}) AND {1} IS NOT NULL))", texts)
        return share("({0} = {1} AND (NOT isnan({0}) OR {1} IS NULL))", texts)
    # Only the side that claims to be larger can be wrongly so.
    larger, smaller = (1, 0) if op in ("$lt", "$le") else (0, 1)
    known_larger, known_smaller = (known_right, known_left) if larger == 1 else (known_left, known_right)
    if known_larger:
        return fill(plain, texts)
    if known_smaller:
        return share(f"({{0}} {symbol} {{1}} AND NOT isnan({{{larger}}}))", texts)
    return share(f"({{0}} {symbol} {{1}} AND (NOT isnan({{{larger}}}) OR {{{smaller}}} IS NULL))", texts)


def duck_equal(t: Type, left: str, right: str, depth: int = 0) -> str:
    """Three-valued equality: a NULL inside makes it NULL unless something else differs."""
    texts = (left, right)
    if isinstance(t, Array):
        x, i = f"x{depth}_", f"i{depth}_"
        inner = duck_equal(t.element, x, f"{{1}}[{i}]", depth + 1)
        return share(
            "(CASE WHEN {0} IS NULL OR {1} IS NULL THEN NULL WHEN len({0}) <> len({1}) THEN false"
            f" ELSE {all_true(f'list_transform({{0}}, lambda {x}, {i}: {_weight(inner)})')} END)",
            texts,
        )
    if isinstance(t, Row):
        fields = " AND ".join(
            duck_equal(field.type, f"({{0}}).{quote_name(name)}", f"({{1}}).{quote_name(name)}", depth)
            for name, field in zip(row_field_names(t), t.fields, strict=True)
        )
        return share(f"(CASE WHEN {{0}} IS NULL OR {{1}} IS NULL THEN NULL ELSE {fields} END)", texts)
    if isinstance(t, Map):
        if isinstance(t.key, (Array, Row, Map, Char)) or t.key in APPROXIMATE:
            raise NotSupported(f"Comparison of {t}")
        k = f"k{depth}_"
        inner = duck_equal(t.value, f"{{0}}[{k}]", f"{{1}}[{k}]", depth + 1)
        shared_keys = f"len(list_filter(map_keys({{0}}), lambda {k}: map_contains({{1}}, {k})))"
        return share(
            "(CASE WHEN {0} IS NULL OR {1} IS NULL THEN NULL WHEN cardinality({0}) <> cardinality({1})"
            f" OR {shared_keys} <> cardinality({{0}}) THEN false"
            f" ELSE {all_true(f'list_transform(map_keys({{0}}), lambda {k}: {_weight(inner)})')} END)",
            texts,
        )
    return duck_compare("$eq", t, left, right)


def _weight(condition: str) -> str:
    return f"CASE {condition} WHEN true THEN 2 WHEN false THEN 0 ELSE 1 END"


def all_true(weights: str) -> str:
    """AND over a list of weights: 2 is true, 1 unknown, 0 false."""
    return f"CASE coalesce(list_min({weights}), 2) WHEN 2 THEN true WHEN 0 THEN false END"


def duck_has_null(t: Type, text: str, depth: int = 0) -> str | None:
    """Whether there is a NULL inside a nested value; None where there is no inside."""
    if isinstance(t, Array):
        element = f"n{depth}_"
        inside = duck_has_null(t.element, element, depth + 1)
        test = f"{element} IS NULL{'' if inside is None else f' OR {inside}'}"
        return f"(len(list_filter({text}, lambda {element}: {test})) > 0)"
    if isinstance(t, Row):
        tests = []
        for name, field in zip(row_field_names(t), t.fields, strict=True):
            place = f"({text}).{quote_name(name)}"
            inside = duck_has_null(field.type, place, depth)
            tests.append(f"{place} IS NULL" + ("" if inside is None else f" OR {inside}"))
        return f"({text} IS NOT NULL AND ({' OR '.join(tests)}))"
    return None


_UNORDERED = refuse("Values with a NULL inside cannot be ordered", code="NOT_SUPPORTED")


def _order_nested(t: Type, symbol: str, left: str, right: str) -> str:
    """Trino compares element by element and cannot with a NULL; we refuse one anywhere inside."""
    if has(t, Map) or has(t, Char) or any(has(t, floating) for floating in APPROXIMATE):
        raise NotSupported(f"Ordering of {t}")
    tests = [duck_has_null(t, "{0}"), duck_has_null(t, "{1}")]
    return share(
        "(CASE WHEN {0} IS NULL OR {1} IS NULL THEN NULL"
        f" WHEN {tests[0]} OR {tests[1]} THEN {_UNORDERED} ELSE {{0}} {symbol} {{1}} END)",
        (left, right),
    )


def ordered(call: Call, texts: Texts) -> str:
    """A key of a sort."""
    if has(call.type, Map) or has(call.type, Char):
        raise NotSupported(f"ORDER BY of {call.type}", position=call.position)
    test = duck_has_null(call.type, "{0}")
    if test is None:
        return texts[0]
    return share(f"(CASE WHEN {test} THEN {_UNORDERED} ELSE {{0}} END)", texts)


def is_distinct(call: Call, texts: Texts) -> str:
    t = call.arguments[0].type
    if has(t, Map) or (has(t, Char) and not isinstance(t, Char)):
        raise NotSupported(f"IS DISTINCT FROM of {t}", position=call.position)
    return f"({texts[0]} IS DISTINCT FROM {texts[1]})"


def concatenate(call: Call, texts: Texts) -> str:
    """NULL where any part is, also where it is an element beside an array."""
    if isinstance(call.type, Array):
        texts = [
            text
            if argument.type == call.type
            else share("(CASE WHEN {0} IS NOT NULL THEN [{0}] END)", (text,))
            for argument, text in zip(call.arguments, texts, strict=True)
        ]
        # Else DuckDB forgets the type where a part is a constant NULL.
        return f"CAST({' || '.join(texts)} AS {duck_type(call.type)})"
    return f"({' || '.join(texts)})"


def like(call: Call, texts: Texts) -> str:
    return f"({texts[0]} LIKE {texts[1]})"


_ESCAPES_NOTHING = "Escape character must be followed by '%', '_' or the escape character itself"


def like_escape(call: Call, texts: Texts) -> str:
    escape = constant_text(call, 2, "the escape character")
    if escape is None:
        return "CAST(NULL AS BOOLEAN)"
    if len(escape) != 1:
        raise invalid(call, "Escape string must be a single character")
    pattern = constant(call.arguments[1])
    if isinstance(pattern, str):
        return f"({texts[0]} LIKE {_with_own_escape(call, pattern, escape)})"
    if not escape.isascii():
        raise NotSupported("the fast lane has no LIKE with an escape that is not ASCII")
    # DuckDB takes an escape of anything.
    bad = f"{_in_pattern(escape)}($|[^%_])"
    return share(
        f"(CASE WHEN regexp_matches(replace({{1}}, {string(escape * 2)}, ''), {string(bad)}, 's')"
        f" AND {{0}} IS NOT NULL THEN {refuse(_ESCAPES_NOTHING)}"
        f" ELSE {{0}} LIKE {{1}} ESCAPE {string(escape)} END)",
        texts[:2],
    )


def _in_pattern(character: str) -> str:
    return f"\\x{ord(character):02X}"


def _with_own_escape(call: Call, pattern: str, escape: str) -> str:
    """The pattern, and ESCAPE with a character of ASCII where one is needed: DuckDB takes no other."""
    if re.search(f"{re.escape(escape)}($|[^%_{re.escape(escape)}])", pattern.replace(escape * 2, "")):
        raise invalid(call, _ESCAPES_NOTHING)
    if escape not in pattern:
        return string(pattern)
    if escape.isascii():
        return f"{string(pattern)} ESCAPE {string(escape)}"
    own = next(character for character in "!#$&~^|" if character not in pattern)
    doubled = pattern.replace(escape * 2, "\0").replace(escape, own).replace("\0", escape)
    return f"{string(doubled)} ESCAPE {string(own)}"


def subscript(call: Call, texts: Texts) -> str:
    container, key = call.arguments
    if isinstance(container.type, Map):
        return share(
            "(CASE WHEN {0} IS NULL OR {1} IS NULL THEN NULL WHEN map_contains({0}, {1}) THEN {0}[{1}]"
            " ELSE " + refuse("Key not present in map") + " END)",
            texts,
        )
    index = constant(key)
    beyond = refuse("Array subscript must be less than or equal to array length")
    if isinstance(index, int) and index > 0:
        return share(f"(CASE WHEN len({{0}}) < {index} THEN {beyond} ELSE {{0}}[{index}] END)", texts[:1])
    return share(
        "(CASE WHEN {0} IS NULL OR {1} IS NULL THEN NULL WHEN {1} < 0 THEN "
        + refuse("Array subscript is negative")
        + " WHEN {1} = 0 THEN "
        + refuse("SQL array indices start at 1")
        + f" WHEN len({{0}}) < {{1}} THEN {beyond} ELSE {{0}}[{{1}}] END)",
        texts,
    )


def array(call: Call, texts: Texts) -> str:
    return f"[{', '.join(texts)}]" if texts else f"CAST([] AS {duck_type(call.type)})"


def row(call: Call, texts: Texts) -> str:
    assert isinstance(call.type, Row)
    names = row_field_names(call.type)
    pairs = (f"{quote_name(name)} := {text}" for name, text in zip(names, texts, strict=True))
    return f"struct_pack({', '.join(pairs)})"


RENDERINGS: dict[str, Rendering] = {
    "$add": add,
    "$sub": subtract,
    "$mul": multiply,
    "$div": divide,
    "$mod": modulus,
    "$neg": "(- {0})",
    "$and": chained("AND"),
    "$or": chained("OR"),
    "$not": "(NOT {0})",
    "$is_null": "({0} IS NULL)",
    "$ordered": ordered,
    "$is_distinct": is_distinct,
    "$concat": concatenate,
    "$like": like,
    "$like_escape": like_escape,
    "$subscript": subscript,
    "$array": array,
    "$row": row,
    **{name: comparison(name) for name in COMPARISONS},
}
