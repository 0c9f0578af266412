"""Operators in Spark SQL."""

from __future__ import annotations

import datetime
from collections.abc import Sequence

from sqe.engine.render.renderings import Renderer, Rendering
from sqe.engine.render.shared_renderings import chained
from sqe.engine.render.templates import fill
from sqe.engine.spark.functions.decimals import divide, negated
from sqe.engine.spark.functions.order import order
from sqe.engine.spark.functions.text import refuse, share, string
from sqe.engine.spark.functions.times import of_times_too
from sqe.engine.spark.types import quote_name, spark_type
from sqe.errors import NotSupported
from sqe.functions.constants import constant, constant_text, invalid, is_number, nonzero
from sqe.functions.operators import COMPARISONS
from sqe.tree.expressions import Call
from sqe.types.sql_types import (
    APPROXIMATE,
    DATE,
    DAY_SECOND,
    REAL,
    UUID,
    YEAR_MONTH,
    Array,
    Char,
    Decimal,
    Map,
    Row,
    Timestamp,
    TimestampTz,
    Type,
    is_integer,
    is_interval,
    row_field_names,
)
from sqe.types.sql_types import has as has

Texts = Sequence[str]


def _arithmetic(symbol: str, call: Call, texts: Texts) -> str:
    text = f"({texts[0]} {symbol} {texts[1]})"
    return f"CAST({text} AS {spark_type(call.type)})" if isinstance(call.type, Decimal) else text


def _add(call: Call, texts: Texts) -> str:
    if is_interval(call.arguments[0].type) and not is_interval(call.arguments[1].type):
        return _move(call, 1, 0, texts, sign=1)
    if is_interval(call.arguments[1].type) and not is_interval(call.arguments[0].type):
        return _move(call, 0, 1, texts, sign=1)
    return _arithmetic("+", call, texts)


def _subtract(call: Call, texts: Texts) -> str:
    left, right = (argument.type for argument in call.arguments)
    if is_interval(right) and not is_interval(left):
        return _move(call, 0, 1, texts, sign=-1)
    if call.type == DAY_SECOND and not is_interval(left):
        return _elapsed(left, texts)
    return _arithmetic("-", call, texts)


def _move(call: Call, moment: int, interval: int, texts: Texts, *, sign: int) -> str:
    """A date or timestamp plus or minus an interval."""
    kind = call.arguments[interval].type
    if call.arguments[moment].type != DATE:
        return f"({texts[moment]} {'+' if sign > 0 else '-'} {texts[interval]})"
    value = constant(call.arguments[interval])
    if kind == YEAR_MONTH:
        months = (
            f"{sign * value}"
            if isinstance(value, int)
            else share(
                "CAST({0} * (12 * extract(YEAR FROM {1}) + extract(MONTH FROM {1})) AS INT)",
                (str(sign), texts[interval]),
            )
        )
        return f"add_months({texts[moment]}, {months})"
    if isinstance(value, datetime.timedelta):
        if value.seconds or value.microseconds:
            raise invalid(call, "Cannot add hour, minutes or seconds to a date")
        return f"date_add({texts[moment]}, {sign * value.days})"
    days = share(
        "CASE WHEN extract(HOUR FROM {1}) <> 0 OR extract(MINUTE FROM {1}) <> 0"
        " OR extract(SECOND FROM {1}) <> 0"
        " THEN "
        + refuse("Cannot add hour, minutes or seconds to a date")
        + " ELSE CAST({0} * extract(DAY FROM {1}) AS INT) END",
        (str(sign), texts[interval]),
    )
    return f"date_add({texts[moment]}, {days})"


def _elapsed(kind: Type, texts: Texts) -> str:
    if kind == DATE:
        return f"CAST({texts[0]} - {texts[1]} AS INTERVAL DAY TO SECOND)"
    assert isinstance(kind, (Timestamp, TimestampTz))
    if kind.precision <= 3:
        return f"({texts[0]} - {texts[1]})"
    # Trino's intervals count milliseconds; a half is rounded up.
    micros = f"(unix_micros(CAST({texts[0]} AS TIMESTAMP)) - unix_micros(CAST({texts[1]} AS TIMESTAMP)))"
    millis = f"CAST(floor(({micros} + 500) / CAST(1000 AS DECIMAL(4,0))) AS BIGINT)"
    return f"(timestamp_millis({millis}) - timestamp_millis(0))"


def _multiply(call: Call, texts: Texts) -> str:
    if is_interval(call.type):
        interval, factor = (0, 1) if is_interval(call.arguments[0].type) else (1, 0)
        return _scale(call, texts[interval], call.arguments[factor].type, f"{{0}} * {texts[factor]}")
    return _arithmetic("*", call, texts)


def _scale(call: Call, interval: str, factor: Type, amount: str) -> str:
    """An interval times or by a number. Trino does it in months or milliseconds, and cuts what is over."""
    if call.type == YEAR_MONTH:
        count = share("(12 * extract(YEAR FROM {0}) + extract(MONTH FROM {0}))", (interval,))
        return f"make_ym_interval(0, CAST({fill(amount, (count,))} AS INT))"
    count = _millis(interval)
    product = f"CAST({fill(amount, (count,))} AS BIGINT)"
    return f"(timestamp_millis({product}) - timestamp_millis(0))"


def _millis(interval: str) -> str:
    return f"unix_millis(timestamp_millis(0) + {interval})"


def _divide(call: Call, texts: Texts) -> str:
    left, right = call.arguments
    if is_interval(call.type):
        return _scale(call, texts[0], right.type, "{0} / " + texts[1])
    if is_integer(call.type):
        # Spark's div is a bigint whatever it divides.
        return f"CAST(({texts[0]} div {texts[1]}) AS {spark_type(call.type)})"
    if isinstance(call.type, Decimal):
        assert isinstance(left.type, Decimal) and isinstance(right.type, Decimal)
        return divide(texts[0], texts[1], (left.type, right.type), call.type)
    if nonzero(right):
        quotient = "({0} / {1})"
    else:
        # In ANSI mode Spark raises on a zero divisor of any type; doubles have an infinity to give.
        quotient = "(CASE WHEN {1} = 0 THEN {0} * power({1}, -1D) ELSE {0} / {1} END)"
    return f"CAST({share(quotient, texts)} AS FLOAT)" if call.type == REAL else share(quotient, texts)


def modulus(call: Call, texts: Texts) -> str:
    if call.type in APPROXIMATE and not nonzero(call.arguments[1]):
        template = "(CASE WHEN {1} = 0 THEN double('NaN') + {0} ELSE {0} % {1} END)"
        return f"CAST({share(template, texts)} AS {spark_type(call.type)})"
    return _arithmetic("%", call, texts)


def negate(call: Call, texts: Texts) -> str:
    return negated(texts[0], call.type) if isinstance(call.type, Decimal) else f"(- {texts[0]})"


def _compared(name: str) -> Renderer:
    def render(call: Call, texts: Texts) -> str:
        left, right = call.arguments
        return compare(name, left.type, texts[0], texts[1], is_number(left), is_number(right))

    return render


def compare(
    op: str, t: Type, left: str, right: str, left_is_number: bool = False, right_is_number: bool = False
) -> str:
    """Spark's text of a comparison of two values of one type, with Trino's answer.

    Spark has NaN equal to itself and above all numbers, arrays and rows equal where their NULLs are, and
    no equality of maps. `*_is_number`: a constant that is neither NULL nor NaN, which needs no guard.
    """
    symbol = COMPARISONS[op]
    if t in APPROXIMATE:
        return _compare_floats(op, symbol, (left, right), left_is_number, right_is_number)
    if isinstance(t, (Array, Row, Map)):
        if op == "$eq":
            return _equal(t, left, right, 0)
        if op == "$ne":
            return f"(NOT {_equal(t, left, right, 0)})"
        return _order_nested(t, symbol, left, right)
    if t == UUID and op not in ("$eq", "$ne"):
        # Iceberg compares the halves of a uuid as signed numbers when it leaves files out.
        return f"(lower({left}) {symbol} lower({right}))"
    return f"({left} {symbol} {right})"


def _compare_floats(op: str, symbol: str, texts: tuple[str, str], known_left: bool, known_right: bool) -> str:
    plain = f"({{0}} {symbol} {{1}})"
    if op in ("$eq", "$ne"):
        if known_left or known_right:
            return fill(plain, texts)
        if op == "$ne":
            return share("({0} <> {1} OR (isnan({0}) AND {1} IS NOT NULL))", texts)
        return share("({0} = {1} AND (NOT isnan({0}) OR {1} IS NULL))", texts)
    # NaN is the largest to Spark: only the side that claims to be larger can be wrongly so.
    larger, smaller = (1, 0) if op in ("$lt", "$le") else (0, 1)
    known_larger, known_smaller = (known_right, known_left) if larger == 1 else (known_left, known_right)
    if known_larger and known_smaller:
        return fill(plain, texts)
    if known_larger:
        # Not for this, but for what NOT makes of it: Iceberg passes over files of NaN alone then.
        return share(f"({{0}} {symbol} {{1}} AND NOT isnan({{{smaller}}}))", texts)
    if known_smaller:
        return share(f"({{0}} {symbol} {{1}} AND NOT isnan({{{larger}}}))", texts)
    return share(f"({{0}} {symbol} {{1}} AND (NOT isnan({{{larger}}}) OR {{{smaller}}} IS NULL))", texts)


def _equal(t: Type, left: str, right: str, depth: int) -> str:
    """Three-valued equality: a NULL inside makes it NULL unless something else differs."""
    texts = (left, right)
    if isinstance(t, Array):
        x, y, z = (f"{name}{depth}_" for name in "xyz")
        inner = _equal(t.element, x, y, depth + 1)
        return share(
            "(CASE WHEN {0} IS NULL OR {1} IS NULL THEN NULL WHEN size({0}) <> size({1}) THEN false"
            f" ELSE forall(zip_with({{0}}, {{1}}, ({x}, {y}) -> {inner}), {z} -> {z}) END)",
            texts,
        )
    if isinstance(t, Row):
        fields = " AND ".join(
            _equal(field.type, f"({{0}}).{quote_name(name)}", f"({{1}}).{quote_name(name)}", depth)
            for name, field in zip(row_field_names(t), t.fields, strict=True)
        )
        return share(f"(CASE WHEN {{0}} IS NULL OR {{1}} IS NULL THEN NULL ELSE {fields} END)", texts)
    if isinstance(t, Map):
        if isinstance(t.key, (Array, Row, Map)) or t.key in APPROXIMATE:
            raise NotSupported(f"Comparison of {t}")
        k = f"k{depth}_"
        inner = _equal(t.value, f"{{0}}[{k}]", f"{{1}}[{k}]", depth + 1)
        return share(
            "(CASE WHEN {0} IS NULL OR {1} IS NULL THEN NULL WHEN size({0}) <> size({1}) THEN false"
            f" WHEN NOT forall(map_keys({{0}}), {k} -> map_contains_key({{1}}, {k})) THEN false"
            f" ELSE forall(map_keys({{0}}), {k} -> {inner}) END)",
            texts,
        )
    return compare("$eq", t, left, right)


def equal(t: Type, left: str, right: str) -> str:
    """`=` of two values of one type, of whatever nesting."""
    return _equal(t, left, right, 0)


def has_null(t: Type, text: str, depth: int = 0) -> str | None:
    """Whether there is a NULL inside a nested value; None where there is no inside."""
    if isinstance(t, Array):
        element = f"n{depth}_"
        inside = has_null(t.element, element, depth + 1)
        return f"exists({text}, {element} -> {element} IS NULL{'' if inside is None else f' OR {inside}'})"
    if isinstance(t, Row):
        tests = []
        for name, field in zip(row_field_names(t), t.fields, strict=True):
            place = f"({text}).{quote_name(name)}"
            inside = has_null(field.type, place, depth)
            tests.append(f"{place} IS NULL" + ("" if inside is None else f" OR {inside}"))
        return f"({text} IS NOT NULL AND ({' OR '.join(tests)}))"
    return None


def _order_nested(t: Type, symbol: str, left: str, right: str) -> str:
    test = f"{order(t, '{0}', '{1}')} {symbol} 0"
    return share(f"(CASE WHEN {{0}} IS NULL OR {{1}} IS NULL THEN NULL ELSE {test} END)", (left, right))


def _ordered(call: Call, texts: Texts) -> str:
    """A key of a sort."""
    if has(call.type, Map) or has(call.type, Char):
        raise NotSupported(f"ORDER BY of {call.type}", position=call.position)
    return share(
        f"(CASE WHEN {has_null(call.type, '{0}')} THEN "
        + refuse("Values with a NULL inside cannot be ordered", code="NOT_SUPPORTED")
        + " ELSE {0} END)",
        texts,
    )


def _is_distinct(call: Call, texts: Texts) -> str:
    t = call.arguments[0].type
    if has(t, Map):
        raise NotSupported(f"IS DISTINCT FROM of {t}", position=call.position)
    return f"(NOT ({texts[0]} <=> {texts[1]}))"


def concatenate(call: Call, texts: Texts) -> str:
    """NULL where any part is, also where it is an element beside an array."""
    if not isinstance(call.type, Array):
        return f"concat({', '.join(texts)})"
    parts = [
        text if argument.type == call.type else share("if({0} IS NULL, NULL, array({0}))", (text,))
        for argument, text in zip(call.arguments, texts, strict=True)
    ]
    return f"concat({', '.join(parts)})"


def _like(call: Call, texts: Texts) -> str:
    pattern = constant(call.arguments[1])
    if isinstance(pattern, str):
        return f"({texts[0]} LIKE {string(pattern.replace(chr(92), chr(92) * 2))})"
    # Backslash escapes in Spark's patterns, and nothing does in ours.
    return f"({texts[0]} LIKE replace({texts[1]}, '\\\\', '\\\\\\\\'))"


def _like_escape(call: Call, texts: Texts) -> str:
    escape = constant_text(call, 2, "the escape character")
    if escape is None:
        return "CAST(NULL AS BOOLEAN)"
    if len(escape) != 1:
        raise invalid(call, "Escape string must be a single character")
    pattern = constant(call.arguments[1])
    if not isinstance(pattern, str):
        return f"({texts[0]} LIKE {texts[1]} ESCAPE {string(escape)})"
    return f"({texts[0]} LIKE {string(_with_backslashes(call, pattern, escape))})"


def _with_backslashes(call: Call, pattern: str, escape: str) -> str:
    parts: list[str] = []
    characters = iter(pattern)
    for character in characters:
        if character == escape:
            character = next(characters, "")
            if character not in ("%", "_", escape) or not character:
                raise invalid(
                    call, "Escape character must be followed by '%', '_' or the escape character itself"
                )
            parts.append("\\" + character if character in "%_\\" else character)
        else:
            parts.append("\\\\" if character == "\\" else character)
    return "".join(parts)


def _subscript(call: Call, texts: Texts) -> str:
    container = call.arguments[0].type
    if isinstance(container, Array):
        index = constant(call.arguments[1])
        return f"{texts[0]}[{index - 1 if isinstance(index, int) else f'{texts[1]} - 1'}]"
    return share(
        "(CASE WHEN {0} IS NULL OR {1} IS NULL THEN NULL WHEN map_contains_key({0}, {1}) THEN {0}[{1}]"
        " ELSE " + refuse("Key not present in map") + " END)",
        texts,
    )


def _row(call: Call, texts: Texts) -> str:
    assert isinstance(call.type, Row)
    names = row_field_names(call.type)
    pairs = (f"{string(name)}, {text}" for name, text in zip(names, texts, strict=True))
    return f"named_struct({', '.join(pairs)})"


def _array(call: Call, texts: Texts) -> str:
    return f"array({', '.join(texts)})" if texts else f"CAST(array() AS {spark_type(call.type)})"


RENDERINGS: dict[str, Rendering] = {
    "$add": of_times_too(_add),
    "$sub": of_times_too(_subtract),
    "$mul": _multiply,
    "$div": _divide,
    "$mod": modulus,
    "$neg": negate,
    "$and": chained("AND"),
    "$or": chained("OR"),
    "$not": "(NOT {0})",
    "$is_null": "({0} IS NULL)",
    "$ordered": _ordered,
    "$is_distinct": _is_distinct,
    "$concat": concatenate,
    "$like": _like,
    "$like_escape": _like_escape,
    "$subscript": _subscript,
    "$array": _array,
    # Not deterministic to Spark, which keeps the projection that computes it apart from the one above.
    "$apart": "if(monotonically_increasing_id() >= 0, {0}, NULL)",
    "$row": _row,
    **{name: _compared(name) for name in COMPARISONS},
}
