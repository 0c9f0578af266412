"""Aggregates in DuckDB's SQL, with the markers that Spark's have."""

from __future__ import annotations

from collections.abc import Sequence

from sqe.engine.duckdb.functions.text import give_up, refuse, string, struct
from sqe.engine.duckdb.types import duck_type
from sqe.engine.render.renderings import AggregateOrWindow, AggregateRenderer, Order, Rendering
from sqe.engine.render.shared_renderings import count
from sqe.engine.render.templates import fill
from sqe.errors import NotSupported
from sqe.functions.constants import constant_integer, constant_text, invalid
from sqe.tree.expressions import Cast, Expression, WindowCall
from sqe.types.sql_types import (
    APPROXIMATE,
    BIGINT,
    DATE,
    DAY_SECOND,
    DOUBLE,
    INTEGER,
    MAX_PRECISION,
    REAL,
    VARBINARY,
    YEAR_MONTH,
    Array,
    Char,
    Decimal,
    Map,
    Row,
    Timestamp,
    TimestampTz,
    Type,
    Varchar,
)

Texts = Sequence[str]
_MAX_BIGINT = 2**63 - 1
# No statement of this lane reads a trillion rows.
_MAX_ROWS_DIGITS = 12
_BIGINT_OVERFLOW = refuse("bigint addition overflow", code="NUMERIC_VALUE_OUT_OF_RANGE")
_DECIMAL_OVERFLOW = refuse("Decimal overflow", code="NUMERIC_VALUE_OUT_OF_RANGE")
_MICROS = "sum({distinct}epoch_us({0})){over}"
_MONTHS = "(12 * datepart('year', {0}) + datepart('month', {0}))"


def _once(call: AggregateOrWindow, template: str, parts: Sequence[str]) -> str:
    """A template of aggregates. Two that are equal are one to DuckDB, but not over a window."""
    if not isinstance(call, WindowCall):
        return fill(template, parts)
    fields = struct(**{f"a{index}": part for index, part in enumerate(parts)})
    names = [f"aggregated_.a{index}" for index in range(len(parts))]
    return f"list_transform([{fields}], lambda aggregated_: {fill(template, names)})[1]"


def total(call: AggregateOrWindow, texts: Texts) -> str:
    plain = f"sum({{distinct}}{texts[0]}){{over}}"
    match call.type:
        case Decimal():
            return _decimal_total(call, plain)
        case _ if call.type == REAL:
            return narrowed(plain)
        case _ if call.type == DAY_SECOND:
            return f"to_microseconds(CAST({fill(_MICROS, texts)} AS BIGINT))"
        case _ if call.type == YEAR_MONTH:
            return f"to_months(CAST(sum({{distinct}}{fill(_MONTHS, texts)}){{over}} AS INTEGER))"
        case _ if call.type == DOUBLE:
            return plain
    # DuckDB's is a HUGEINT.
    if _is_widened(call.arguments[0]):
        return f"CAST({plain} AS BIGINT)"
    # As on Spark: an error where the running total overflows in some order of the rows.
    gains = fill("sum({distinct}CASE WHEN {0} > 0 THEN {0} END){over}", texts)
    return _once(
        call,
        f"(CASE WHEN {{1}} > {_MAX_BIGINT} OR {{0}} - coalesce({{1}}, 0) < {-_MAX_BIGINT - 1}"
        f" THEN {_BIGINT_OVERFLOW} ELSE CAST({{0}} AS BIGINT) END)",
        (plain, gains),
    )


def _is_widened(argument: Expression) -> bool:
    return isinstance(argument, Cast) and argument.implicit and argument.operand.type != BIGINT


def _decimal_total(call: AggregateOrWindow, plain: str) -> str:
    argument = call.arguments[0].type
    assert isinstance(argument, Decimal)
    if argument.precision + _MAX_ROWS_DIGITS <= MAX_PRECISION:
        return plain
    # It goes on beyond 38 digits, up to what 128 bits hold.
    scale = argument.scale
    largest = f"CAST('{'9' * (MAX_PRECISION - scale)}.{'9' * scale}' AS DECIMAL(38,{scale}))"
    return _once(
        call, f"(CASE WHEN abs({{0}}) > {largest} THEN {_DECIMAL_OVERFLOW} ELSE {{0}} END)", (plain,)
    )


def narrowed(double: str) -> str:
    """A double as a real: DuckDB's cast fails beyond the range, where the answer is infinite."""
    infinite = "CAST(CASE WHEN {0} > 0 THEN 'inf' ELSE '-inf' END AS FLOAT)"
    return fill(
        "(CASE WHEN isfinite({0}) AND abs({0}) >= 3.4028235677973366e38"
        f" THEN {infinite} ELSE CAST({{0}} AS FLOAT) END)",
        (double,),
    )


def average(call: AggregateOrWindow, texts: Texts) -> str:
    if call.type == DOUBLE:
        # Trino adds up bigints as doubles too.
        text = f"CAST({texts[0]} AS DOUBLE)" if call.arguments[0].type == BIGINT else texts[0]
        return f"avg({{distinct}}{text}){{over}}"
    if call.type == REAL:
        return f"CAST(avg({{distinct}}{texts[0]}){{over}} AS FLOAT)"
    if call.type == DAY_SECOND:
        mean = f"avg({{distinct}}epoch_ms({texts[0]})){{over}}"
        return f"to_milliseconds(CAST(floor({mean} + 0.5e0) AS BIGINT))"
    if call.type == YEAR_MONTH:
        mean = f"avg({{distinct}}{fill(_MONTHS, texts)}){{over}}"
        return f"to_months(CAST(floor({mean} + 0.5e0) AS INTEGER))"
    return _decimal_average(call, texts[0])


# Below this, a double of a decimal's digits is as good as the digits.
_SAFE_DIGITS = 14
_LONG_MEAN = give_up("mean of so many digits")


def _decimal_average(call: AggregateOrWindow, text: str) -> str:
    """The exact quotient, rounded once: half away from zero. DuckDB's own is a double."""
    t = call.type
    assert isinstance(t, Decimal)
    # A whole quotient is cut toward zero; of no rows, it is NULL.
    half = "CASE WHEN 2 * abs([d] % {1}) < {1} THEN 0 WHEN [d] < 0 THEN -1 ELSE 1 END"
    rounded = f"[d] // {{1}} + {half}"
    few, many = f"CAST(CAST({{0}} AS DOUBLE) * 1e{t.scale} AS BIGINT)", "CAST({0} AS HUGEINT)"
    unit = ""
    if t.scale:
        many = "CAST(replace(CAST({0} AS VARCHAR), '.', '') AS HUGEINT)"
        unit = f" * CAST('0.{'0' * (t.scale - 1)}1' AS DECIMAL({t.scale},{t.scale}))"
    limit = f" WHEN abs(CAST({{0}} AS DOUBLE)) >= 9e18 * {{1}} THEN {_LONG_MEAN}" if t.precision > 18 else ""
    wide = f"CAST(CAST({rounded.replace('[d]', many)} AS DECIMAL(38,0)){unit} AS {duck_type(t)})"
    narrow = f"CAST(({rounded.replace('[d]', few)}) / 1e{t.scale} AS {duck_type(t)})"
    return _once(
        call,
        f"(CASE WHEN abs(CAST({{0}} AS DOUBLE)) < 1e{_SAFE_DIGITS - t.scale} THEN {narrow}{limit}"
        f" ELSE {wide} END)",
        (_decimal_total(call, f"sum({{distinct}}{text}){{over}}"), f"count({{distinct}}{text}){{over}}"),
    )


def extreme(name: str) -> AggregateRenderer:
    def render(call: AggregateOrWindow, texts: Texts) -> str:
        if len(texts) == 2:
            return _first_of(call, texts, descending=name == "max")
        _needs_plain(call, call.type)
        if call.type in APPROXIMATE and name == "max":
            # NaN counts only where there is nothing else.
            return fill("coalesce(max(CASE WHEN NOT isnan({0}) THEN {0} END){over}, max({0}){over})", texts)
        return f"{name}({texts[0]}){{over}}"

    return render


def _needs_plain(call: AggregateOrWindow, t: Type) -> None:
    if isinstance(t, (Array, Row, Map, Char)):
        raise NotSupported(f"the fast lane has no {call.function} by {t}", position=call.position)


def _at_most(call: AggregateOrWindow, index: int) -> int:
    count = constant_integer(call, index, "the number of values")
    if count is None or not 0 < count <= 10000:
        raise invalid(call, f"The number of values of {call.function} must be from 1 to 10000")
    return count


def _not_distinct(call: AggregateOrWindow) -> None:
    if call.distinct:
        raise NotSupported(f"the fast lane has no {call.function}(DISTINCT …)", position=call.position)


def _first_of(call: AggregateOrWindow, texts: Texts, *, descending: bool) -> str:
    _not_distinct(call)
    element = call.arguments[0].type
    _needs_plain(call, element)
    return _sorted(call, texts[0], texts[0], element, _at_most(call, 1), descending=descending)


def _sorted(call: AggregateOrWindow, value: str, key: str, t: Type, count: int, *, descending: bool) -> str:
    """The first values in the order of a key; those without one are last, and cut off."""
    keys = f"{key} {'DESC' if descending else 'ASC'} NULLS LAST"
    if t in APPROXIMATE:
        # A column that is sorted by loses the sign of -0.0.
        keys = ("isnan({0}), ({0} + 0) DESC" if descending else "({0} + 0) ASC") + " NULLS LAST"
        keys = fill(keys, (key,))
    return (
        f"CASE WHEN count({key}){{over}} > 0 THEN"
        f" list_slice(list({value} ORDER BY {keys}){{over}}, 1, least({count}, count({key}){{over}})) END"
    )


def _has_zeros(t: Type) -> bool:
    """Whether -0.0 may be in it."""
    match t:
        case Array(element):
            return _has_zeros(element)
        case Map(key, value):
            return _has_zeros(key) or _has_zeros(value)
        case Row(fields):
            return any(_has_zeros(field.type) for field in fields)
    return t in APPROXIMATE


def _keeps_zeros(key: Type) -> bool:
    """By other keys, DuckDB keeps values in a form that has one zero alone."""
    plain = (INTEGER, BIGINT, DATE, VARBINARY)
    return key in plain or isinstance(key, (Timestamp, TimestampTz, Varchar))


def by(name: str) -> AggregateRenderer:
    """Rows without a key are skipped, those without a value are not; NaN is the worst key of all."""
    duck = "arg_max_null" if name == "max_by" else "arg_min_null"

    def render(call: AggregateOrWindow, texts: Texts) -> str:
        value, key = (argument.type for argument in call.arguments[:2])
        _needs_plain(call, key)
        if len(texts) == 3:
            _not_distinct(call)
            descending = name == "max_by"
            return _sorted(call, texts[0], texts[1], key, _at_most(call, 2), descending=descending)
        if _has_zeros(value) and not (value == DOUBLE and _keeps_zeros(key)):
            raise NotSupported(f"the fast lane has no {name} of {value} by {key}", position=call.position)
        if key in APPROXIMATE:
            best = "NOT isnan({1})" if name == "max_by" else "isnan({1})"
            pair = f"CASE WHEN {{1}} IS NOT NULL THEN {struct(a=best, b='{1}')} END"
            return fill(f"{duck}({{0}}, {pair}){{over}}", texts)
        return f"{duck}({texts[0]}, {texts[1]}){{over}}"

    return render


def any_value(call: AggregateOrWindow, texts: Texts) -> str:
    if call.type not in APPROXIMATE and _has_zeros(call.type):
        raise NotSupported(f"the fast lane has no {call.function} of {call.type}", position=call.position)
    return f"any_value({texts[0]}){{over}}"


def array_agg(call: AggregateOrWindow, texts: Texts, order: Order) -> str:
    distinct = _distinct(call, texts, order)
    if distinct and call.arguments[0].type in APPROXIMATE:
        raise NotSupported("which of 0.0 and -0.0 is kept", position=call.position)
    keys = _order_by(order, distinct)
    return f"list({{distinct}}{texts[0]}{keys}){{over}}"


def _distinct(call: AggregateOrWindow, texts: Texts, order: Order) -> bool:
    distinct = call.distinct
    if distinct and any(text != texts[0] for text, _ in order):
        raise NotSupported("an order by what is not in DISTINCT", position=call.position)
    return distinct


def _order_by(order: Order, distinct: bool) -> str:
    if not order:
        return ""
    keys = []
    for text, key in order:
        _needs_sortable(key.expression.type)
        # A column that is sorted by loses the sign of -0.0; what is distinct has to be the column itself.
        shown = f"({text} + 0)" if key.expression.type in APPROXIMATE and not distinct else text
        nulls = "FIRST" if key.nulls_first else "LAST"
        keys.append(f"{shown} {'DESC' if key.descending else 'ASC'} NULLS {nulls}")
    return " ORDER BY " + ", ".join(keys)


def _needs_sortable(t: Type) -> None:
    if isinstance(t, (Array, Row, Map, Char)):
        raise NotSupported(f"the fast lane has no order of {t} inside an aggregate")


def listagg(call: AggregateOrWindow, texts: Texts, order: Order) -> str:
    separator = constant_text(call, 1, "the separator") if len(texts) == 2 else ""
    if separator is None:
        raise NotSupported("listagg: the separator is NULL", position=call.position)
    keys = _order_by(order, _distinct(call, texts, order))
    return f"string_agg({{distinct}}{texts[0]}, {string(separator)}{keys}){{over}}"


# Beyond this, squares may overflow: DuckDB fails on that, on NaN and on infinities.
_TAME = "abs({0}) < 1e150"
_WILD = give_up("variance of such values")


def moment(name: str, *, sample: bool) -> AggregateRenderer:
    def render(call: AggregateOrWindow, texts: Texts) -> str:
        if call.arguments[0].type != DOUBLE:
            return f"{name}({{distinct}}{texts[0]}){{over}}"
        undefined = "'nan'::DOUBLE"
        if sample:
            undefined = f"CASE WHEN count({{distinct}}{{0}}){{over}} > 1 THEN {undefined} END"
        return fill(
            f"(CASE WHEN bool_or(NOT isfinite({{0}})){{over}} THEN {undefined}"
            f" WHEN bool_or(NOT {_TAME}){{over}} THEN {_WILD}"
            f" ELSE {name}({{distinct}}CASE WHEN {_TAME} THEN {{0}} END){{over}} END)",
            texts,
        )

    return render


_BOTH = "({0} IS NOT NULL AND {1} IS NOT NULL)"
_BOTH_TAME = "(abs({0}) < 1e150 AND abs({1}) < 1e150)"
_BOTH_FINITE = "(isfinite({0}) AND isfinite({1}))"


def pair(name: str) -> AggregateRenderer:
    """NULL unless the answer is finite, but for a covariance: NaN of what is not finite."""

    def render(call: AggregateOrWindow, texts: Texts) -> str:
        _not_distinct(call)
        y, x = (f"CASE WHEN {_BOTH_TAME} THEN {{{index}}} END" for index in (0, 1))
        answer = f"{name}({y}, {x}){{over}}"
        undefined = "NULL"
        if name.startswith("covar"):
            few = 1 if name.endswith("_samp") else 0
            counted = f"count(CASE WHEN {_BOTH} THEN 1 END){{over}}"
            undefined = f"CASE WHEN {counted} > {few} THEN 'nan'::DOUBLE END"
        else:
            answer = f"CASE WHEN isfinite({answer}) THEN {answer} END"
        value = fill(
            f"(CASE WHEN bool_or(NOT {_BOTH_FINITE}){{over}} THEN {undefined}"
            f" WHEN bool_or(NOT {_BOTH_TAME}){{over}} THEN {_WILD} ELSE {answer} END)",
            texts,
        )
        return narrowed(value) if call.type == REAL else value

    return render


# Lists of one aggregate in different places are one list to DuckDB.
_PAIRS = "list_filter(list(" + struct(k="{0}", v="{1}") + "){over}, lambda e_: e_.k IS NOT NULL)"
_KEYS = "list_filter(list({0}){over}, lambda e_: e_ IS NOT NULL)"


def map_agg(call: AggregateOrWindow, texts: Texts) -> str:
    """The first of a key's values stays."""
    _needs_plain_key(call, call.arguments[0].type)
    return fill(
        f"CASE WHEN count({{0}}){{over}} > 0 THEN map_from_entries(list_filter({_PAIRS},"
        f" lambda e_, i_: list_position({_KEYS}, e_.k) = i_)) END",
        texts,
    )


def multimap_agg(call: AggregateOrWindow, texts: Texts) -> str:
    _not_distinct(call)
    _needs_plain_key(call, call.arguments[0].type)
    keys = f"list_filter({_KEYS}, lambda w_, i_: list_position({_KEYS}, w_) = i_)"
    values = f"list_transform(list_filter({_PAIRS}, lambda e_: e_.k = w_), lambda e_: e_.v)"
    return fill(
        f"CASE WHEN count({{0}}){{over}} > 0 THEN map_from_entries(list_transform({keys},"
        f" lambda w_: {struct(k='w_', v=values)})) END",
        texts,
    )


def histogram(call: AggregateOrWindow, texts: Texts) -> str:
    _not_distinct(call)
    # Of doubles, DuckDB's would count NaN wrongly.
    _needs_plain_key(call, call.arguments[0].type)
    return f"CAST(histogram({texts[0]}){{over}} AS {duck_type(call.type)})"


def _needs_plain_key(call: AggregateOrWindow, t: Type) -> None:
    """Spark has no -0.0 among keys."""
    if isinstance(t, (Array, Row, Map, Char)) or t in APPROXIMATE:
        raise NotSupported(f"the fast lane has no {call.function} with keys of {t}", position=call.position)


def map_union(call: AggregateOrWindow, texts: Texts) -> str:
    assert isinstance(call.type, Map)
    _needs_plain_key(call, call.type.key)
    entries = f"flatten(list_transform({_KEYS}, lambda m_: map_entries(m_)))"
    keys = f"list_transform({entries}, lambda z_: z_.key)"
    return fill(
        f"CASE WHEN max(cardinality({{0}})){{over}} > 0 THEN map_from_entries(list_filter({entries},"
        f" lambda e_, i_: list_position({keys}, e_.key) = i_)) END",
        texts,
    )


def reduce_agg(call: AggregateOrWindow, texts: Texts) -> str:
    _not_distinct(call)
    values = fill(_KEYS, texts)
    element, state = (argument.type for argument in call.arguments[:2])
    from sqe.engine.duckdb.functions.arrays import reduced  # not for every sum

    state_at_end = reduced(state, element, values, texts[1], texts[2])
    return fill(f"CASE WHEN count({{0}}){{over}} > 0 THEN {state_at_end} END", texts[:1])


RENDERINGS: dict[str, Rendering] = {
    "count": count,
    "count_if": "count({distinct}CASE WHEN {0} THEN true END){over}",
    "sum": total,
    "avg": average,
    "min": extreme("min"),
    "max": extreme("max"),
    "min_by": by("min_by"),
    "max_by": by("max_by"),
    "array_agg": array_agg,
    "listagg": listagg,
    "bool_and": "bool_and({0}){over}",
    "every": "bool_and({0}){over}",
    "bool_or": "bool_or({0}){over}",
    "any_value": any_value,
    "arbitrary": any_value,
    "map_agg": map_agg,
    "multimap_agg": multimap_agg,
    "histogram": histogram,
    "map_union": map_union,
    "reduce_agg": reduce_agg,
    "stddev": moment("stddev_samp", sample=True),
    "stddev_samp": moment("stddev_samp", sample=True),
    "stddev_pop": moment("stddev_pop", sample=False),
    "variance": moment("var_samp", sample=True),
    "var_samp": moment("var_samp", sample=True),
    "var_pop": moment("var_pop", sample=False),
    "corr": pair("corr"),
    "covar_pop": pair("covar_pop"),
    "covar_samp": pair("covar_samp"),
    "regr_slope": pair("regr_slope"),
    "regr_intercept": pair("regr_intercept"),
    "bitwise_and_agg": "bit_and({distinct}{0}){over}",
    "bitwise_or_agg": "bit_or({distinct}{0}){over}",
    "bitwise_xor_agg": "bit_xor({distinct}{0}){over}",
}
