"""Aggregates in Spark SQL. `{distinct}` and `{over}` are places that the writer of expressions fills."""

from __future__ import annotations

from collections.abc import Sequence

from sqe.engine.render.renderings import AggregateOrWindow, AggregateRenderer, Order, Rendering
from sqe.engine.render.shared_renderings import count
from sqe.engine.render.templates import fill
from sqe.engine.spark.functions.decimals import divide
from sqe.engine.spark.functions.operators import has_null
from sqe.engine.spark.functions.order import extreme_of
from sqe.engine.spark.functions.text import refuse
from sqe.engine.spark.types import spark_type
from sqe.errors import NotSupported, UserError
from sqe.functions.constants import constant, constant_integer, invalid
from sqe.tree.expressions import Call, Cast, Expression
from sqe.types.sql_types import (
    APPROXIMATE,
    BIGINT,
    DAY_SECOND,
    DOUBLE,
    MAX_PRECISION,
    REAL,
    UUID,
    YEAR_MONTH,
    Array,
    Char,
    Decimal,
    Map,
    Row,
    Type,
    has,
)

Texts = Sequence[str]


def _sum(call: AggregateOrWindow, texts: Texts) -> str:
    plain = f"sum({{distinct}}{texts[0]}){{over}}"
    if call.type == BIGINT and not _is_widened(call.arguments[0]):
        # Trino fails when its running total overflows, in whatever order rows come. Positive and negative
        # rows apart, that is so whenever some order overflows, and never by luck.
        return fill(
            "coalesce(sum({distinct}CASE WHEN {0} > 0 THEN {0} END){over}"
            " + coalesce(sum({distinct}CASE WHEN {0} < 0 THEN {0} END){over}, 0),"
            " sum({distinct}CASE WHEN {0} <= 0 THEN {0} END){over})",
            texts,
        )
    if call.type in (DOUBLE, BIGINT):
        return plain
    return f"CAST({plain} AS {spark_type(call.type)})"


def _is_widened(argument: Expression) -> bool:
    """A narrower integer: its sum would need billions of rows to overflow a bigint."""
    return isinstance(argument, Cast) and argument.implicit and argument.operand.type != BIGINT


def _average(call: AggregateOrWindow, texts: Texts) -> str:
    if call.type == DAY_SECOND:
        mean = f"avg({{distinct}}unix_millis(timestamp_millis(0) + {texts[0]})){{over}}"
        return f"(timestamp_millis(CAST(floor({mean} + 0.5D) AS BIGINT)) - timestamp_millis(0))"
    if call.type == YEAR_MONTH:
        months = fill("(12 * extract(YEAR FROM {0}) + extract(MONTH FROM {0}))", texts)
        return f"make_ym_interval(0, CAST(floor(avg({{distinct}}{months}){{over}} + 0.5D) AS INT))"
    if call.type == DOUBLE:
        return f"avg({{distinct}}{texts[0]}){{over}}"
    if not isinstance(call.type, Decimal):
        return f"CAST(avg({{distinct}}{texts[0]}){{over}} AS {spark_type(call.type)})"
    precision, scale = call.type.precision, call.type.scale
    if precision <= 18:
        # Spark rounds to four digits more before our cast rounds again: ten more before both are enough.
        wide = f"CAST({texts[0]} AS DECIMAL({precision + 10},{scale + 10}))"
        return f"CAST(avg({{distinct}}{wide}){{over}} AS {spark_type(call.type)})"
    total = f"CAST(sum({{distinct}}{texts[0]}){{over}} AS DECIMAL(38,{scale}))"
    count = f"CAST(nullif(count({{distinct}}{texts[0]}){{over}}, 0) AS DECIMAL(19,0))"
    return divide(total, count, (Decimal(MAX_PRECISION, scale), Decimal(19, 0)), call.type)


def _extreme(name: str) -> AggregateRenderer:
    def render(call: AggregateOrWindow, texts: Texts) -> str:
        if len(texts) == 2:
            return _first_of(call, texts, descending=name == "max")
        if call.type in APPROXIMATE and name == "max":
            # NaN is the largest to Spark, and counts only where there is nothing else to Trino.
            return fill("coalesce(max(CASE WHEN NOT isnan({0}) THEN {0} END){over}, max({0}){over})", texts)
        if call.type == UUID:
            # Iceberg would answer from its statistics, and fails on those of a uuid.
            return f"{name}(lower({texts[0]})){{over}}"
        if isinstance(call.type, (Array, Row)) and _is_ordered_otherwise(call.type):
            best = extreme_of(call.type, "collect_list({0}){over}", largest=name == "max")
            return fill(f"CASE WHEN count({{0}}){{over}} > 0 THEN {best} END", texts)
        if isinstance(call.type, (Array, Row)):
            return fill(f"CASE {_guard(call, call.type, '{0}')} ELSE {name}({{0}}){{over}} END", texts)
        return f"{name}({texts[0]}){{over}}"

    return render


def _is_ordered_otherwise(t: Type) -> bool:
    """Whether Spark's own order is another: to it a char's blanks count, and NaN is the largest."""
    return has(t, Char) or any(has(t, floating) for floating in APPROXIMATE)


def _guard(call: AggregateOrWindow, t: Type, text: str) -> str:
    """WHEN … of a CASE: Trino cannot order arrays and rows with a NULL inside."""
    if _is_ordered_otherwise(t):
        raise NotSupported(f"{call.function} by {t}", position=call.position)
    return (
        f"WHEN count({text}){{over}} > 1 AND bool_or({has_null(t, text)}){{over}}"
        f" THEN {refuse(f'{t} with a NULL inside cannot be ordered', code='NOT_SUPPORTED')}"
    )


def _at_most(call: AggregateOrWindow, index: int) -> int:
    count = constant_integer(call, index, "the number of values")
    if count is None or not 0 < count <= 10000:
        raise invalid(call, f"The number of values of {call.function} must be from 1 to 10000")
    return count


def _first_of(call: AggregateOrWindow, texts: Texts, *, descending: bool) -> str:
    """max(x, n) and min(x, n): the n first of the sorted values."""
    count = _at_most(call, 1)
    element = call.arguments[0].type
    if isinstance(element, (Array, Row, Map, Char)):
        raise NotSupported(f"{call.function} of {element} with a count", position=call.position)
    order = "false" if descending else "true"
    listed = f"sort_array(collect_list({{0}}){{over}}, {order})"
    if descending and element in APPROXIMATE:
        numbers = f"sort_array(collect_list(CASE WHEN NOT isnan({{0}}) THEN {{0}} END){{over}}, {order})"
        listed = f"concat({numbers}, collect_list(CASE WHEN isnan({{0}}) THEN {{0}} END){{over}})"
    return fill(f"CASE WHEN count({{0}}){{over}} > 0 THEN slice({listed}, 1, {count}) END", texts)


def _by(name: str) -> AggregateRenderer:
    """Rows without a key are skipped; NaN is the worst key of all."""

    def render(call: AggregateOrWindow, texts: Texts) -> str:
        key = call.arguments[1].type
        if len(texts) == 3:
            return _first_by(call, texts, descending=name == "max_by")
        if key in APPROXIMATE:
            best = "NOT isnan({1})" if name == "max_by" else "isnan({1})"
            return fill(
                f"{name}({{0}}, CASE WHEN {{1}} IS NOT NULL THEN struct({best}, {{1}}) END){{over}}", texts
            )
        if isinstance(key, (Array, Row)):
            return fill(f"CASE {_guard(call, key, '{1}')} ELSE {name}({{0}}, {{1}}){{over}} END", texts)
        return f"{name}({texts[0]}, {texts[1]}){{over}}"

    return render


def _first_by(call: AggregateOrWindow, texts: Texts, *, descending: bool) -> str:
    count = _at_most(call, 2)
    key = call.arguments[1].type
    if isinstance(key, (Array, Row, Map, Char)):
        raise NotSupported(f"{call.function} by {key} with a count", position=call.position)
    less = 1 if descending else -1
    worst = ""
    if key in APPROXIMATE:
        worst = "WHEN isnan(p_.k) AND NOT isnan(q_.k) THEN 1 WHEN isnan(q_.k) AND NOT isnan(p_.k) THEN -1 "
    comparator = f"CASE {worst}WHEN p_.k < q_.k THEN {less} WHEN p_.k > q_.k THEN {-less} ELSE 0 END"
    pairs = "filter(collect_list(struct({1} AS k, {0} AS v)){over}, e_ -> e_.k IS NOT NULL)"
    ordered = f"array_sort({pairs}, (p_, q_) -> {comparator})"
    return fill(
        f"CASE WHEN count({{1}}){{over}} > 0 THEN slice(transform({ordered}, e_ -> e_.v), 1, {count}) END",
        texts,
    )


def _array_agg(call: AggregateOrWindow, texts: Texts, order: Order) -> str:
    """NULLs are kept, and no rows at all give NULL; Spark's lists are the other way in both."""
    if not order:
        collected = "collect_list({distinct}struct({0} AS v)){over}"
        return fill(f"CASE WHEN count(*){{over}} > 0 THEN transform({collected}, e_ -> e_.v) END", texts)
    if call.distinct:
        keys = [text for text, _ in order]
        if keys != [texts[0]]:
            raise _not_in_distinct(call)
    fields = ", ".join(f"{text} AS k{index}" for index, (text, _) in enumerate(order))
    collected = f"collect_list({{distinct}}struct({{0}} AS v, {fields})){{over}}"
    ordered = f"array_sort({collected}, (p_, q_) -> {_comparator(order)})"
    return fill(f"CASE WHEN count(*){{over}} > 0 THEN transform({ordered}, e_ -> e_.v) END", texts)


def _not_in_distinct(call: AggregateOrWindow) -> UserError:
    return UserError(
        f"{call.function}(DISTINCT …): expressions of ORDER BY must appear in the arguments",
        code="EXPRESSION_NOT_IN_DISTINCT",
        position=call.position,
    )


def _comparator(order: Order, *, single: bool = False) -> str:
    """`single`: what is compared is the key itself, not a struct of keys."""
    branches = []
    for index, (_, key) in enumerate(order):
        p, q = ("p_", "q_") if single else (f"p_.k{index}", f"q_.k{index}")
        null_first = -1 if key.nulls_first else 1
        less = 1 if key.descending else -1
        branches.append(
            f"WHEN {p} IS NULL AND {q} IS NOT NULL THEN {null_first}"
            f" WHEN {p} IS NOT NULL AND {q} IS NULL THEN {-null_first}"
            f" WHEN {p} < {q} THEN {less} WHEN {p} > {q} THEN {-less}"
        )
    return f"CASE {' '.join(branches)} ELSE 0 END"


def _listagg(call: AggregateOrWindow, texts: Texts, order: Order) -> str:
    separator = texts[1] if len(texts) == 2 else "''"
    if call.distinct:
        # Spark's own fails beside another DISTINCT.
        if any(text != texts[0] for text, _ in order):
            raise _not_in_distinct(call)
        listed = f"collect_list(DISTINCT {texts[0]}){{over}}"
        if order:
            comparator = _comparator(order[:1], single=True)
            listed = f"array_sort({listed}, (p_, q_) -> {comparator})"
        return f"CASE WHEN count({texts[0]}){{over}} > 0 THEN array_join({listed}, {separator}) END"
    keys = ", ".join(
        f"{text} {'DESC' if key.descending else 'ASC'} NULLS {'FIRST' if key.nulls_first else 'LAST'}"
        for text, key in order
    )
    within = f" WITHIN GROUP (ORDER BY {keys})" if keys else ""
    return f"listagg({{distinct}}{texts[0]}, {separator}){within}{{over}}"


def _approx_distinct(call: AggregateOrWindow, texts: Texts) -> str:
    error: object = 0.023 if len(texts) == 1 else constant(call.arguments[1])
    if not isinstance(error, (int, float)) and not hasattr(error, "as_tuple"):
        raise NotSupported("approx_distinct: the error must be a constant", position=call.position)
    number = float(str(error))
    if not 0.0040625 <= number <= 0.26:
        raise invalid(call, "Standard error must be between 0.0040625 and 0.26")
    return f"approx_count_distinct({texts[0]}, {number}D){{over}}"


_RANK_SHIFT = 1e-9


def _approx_percentile(call: AggregateOrWindow, texts: Texts) -> str:
    """Trino answers the value at place floor(p * n), counted from 0; Spark the one before where p * n is
    whole, unless p is a little more."""
    if len(texts) > 2:
        raise NotSupported("approx_percentile with a weight", position=call.position)
    share = call.arguments[1]
    while isinstance(share, Cast) and share.implicit:
        share = share.operand
    shares = share.arguments if isinstance(share, Call) and share.function == "$array" else (share,)
    shifted = []
    for value in map(_number, shares):
        if value is None:
            raise NotSupported("approx_percentile: the percentages must be constants", position=call.position)
        if not 0 <= value <= 1:
            raise invalid(call, "Percentile must be between 0 and 1")
        shifted.append(f"{min(value + _RANK_SHIFT, 1.0)!r}D")
    place = f"array({', '.join(shifted)})" if isinstance(share.type, Array) else shifted[0]
    return f"percentile_approx({{distinct}}{texts[0]}, {place}, 10000){{over}}"


def _number(expression: Expression) -> float | None:
    value = constant(expression)
    if isinstance(value, (int, float)) or hasattr(value, "as_tuple"):
        return float(str(value))
    return None


def _reduce(call: AggregateOrWindow, texts: Texts) -> str:
    return fill("CASE WHEN count({0}){over} > 0 THEN aggregate(collect_list({0}){over}, {1}, {2}) END", texts)


def _most_frequent(call: AggregateOrWindow, texts: Texts) -> str:
    """Counted exactly: Trino's own count is exact too while no more values than its capacity are seen."""
    count = constant_integer(call, 0, "the number of values")
    if count is None or count < 2:
        raise invalid(call, "approx_most_frequent bucket count must be greater than one")
    return fill(
        "CASE WHEN count({1}){over} > 0 THEN map_from_entries(slice(array_sort(transform("
        "array_distinct(collect_list({1}){over}), w_ -> struct(w_ AS k,"
        " CAST(size(filter(collect_list({1}){over}, e_ -> e_ <=> w_)) AS BIGINT) AS n)),"
        " (p_, q_) -> CASE WHEN p_.n > q_.n THEN -1 WHEN p_.n < q_.n THEN 1 ELSE 0 END),"
        f" 1, {count})) END",
        texts,
    )


# The neighbours whose union moves the values least become one, until there are few enough.
_PENALTIES = (
    "transform(slice(a_, 1, size(a_) - 1), (e_, i_) -> e_.w * a_[i_ + 1].w / (e_.w + a_[i_ + 1].w)"
    " * (e_.v - a_[i_ + 1].v) * (e_.v - a_[i_ + 1].v))"
)
_MERGED = (
    "transform(array(named_struct('a', a_, 'j',"
    f" CAST(array_position({_PENALTIES}, array_min({_PENALTIES})) AS INT))), b_ ->"
    " concat(slice(b_.a, 1, b_.j - 1), array(named_struct("
    "'v', (b_.a[b_.j - 1].v * b_.a[b_.j - 1].w + b_.a[b_.j].v * b_.a[b_.j].w)"
    " / (b_.a[b_.j - 1].w + b_.a[b_.j].w), 'w', b_.a[b_.j - 1].w + b_.a[b_.j].w)),"
    " slice(b_.a, b_.j + 2, size(b_.a))))[0]"
)


def _numeric_histogram(call: AggregateOrWindow, texts: Texts) -> str:
    buckets = constant_integer(call, 0, "the number of buckets")
    if buckets is None or buckets < 2:
        raise invalid(call, "numeric_histogram bucket count must be greater than one")
    weight = f"CAST({texts[2]} AS DOUBLE)" if len(texts) == 3 else "1D"
    rows = (
        f"filter(collect_list(named_struct('v', CAST({texts[1]} AS DOUBLE), 'w', {weight})){{over}},"
        " e_ -> e_.v IS NOT NULL AND e_.w IS NOT NULL)"
    )
    # A lambda over one struct is Spark's nearest to LET.
    entries = (
        f"transform(array({rows}), r_ -> transform(array_sort(array_distinct(transform(r_, e_ -> e_.v))),"
        " u_ -> named_struct('v', u_, 'w', aggregate(filter(r_, e_ -> e_.v = u_), 0D, (t_, e_) -> t_ + e_.w))"
        "))[0]"
    )
    merged = (
        f"transform(array({entries}), g_ -> aggregate(slice(g_, 1, greatest(size(g_) - {buckets}, 0)), g_,"
        f" (a_, x_) -> {_MERGED}))[0]"
    )
    result = f"map_from_entries(transform({merged}, e_ -> struct(e_.v, e_.w)))"
    return f"CASE WHEN count({texts[1]}){{over}} > 0 THEN CAST({result} AS {spark_type(call.type)}) END"


_FINITE_CORR = (
    "nullif(try_divide(covar_pop({distinct}{0}, {1}){over},"
    " nullif(stddev_pop(CASE WHEN {1} IS NOT NULL THEN {0} END){over}"
    " * stddev_pop(CASE WHEN {0} IS NOT NULL THEN {1} END){over}, 0)), double('NaN'))"
)
_KURTOSIS = (
    "CASE WHEN count({0}){over} >= 4 THEN"
    " (count({0}){over} - 1D) / ((count({0}){over} - 2D) * (count({0}){over} - 3D))"
    " * ((count({0}){over} + 1D) * (coalesce(kurtosis({0}){over}, double('NaN')) + 3D)"
    " - 3D * (count({0}){over} - 1D)) END"
)
_GEOMETRIC_MEAN = (
    "exp(avg({distinct}CASE WHEN {0} > 0 THEN ln({0}) WHEN {0} = 0 THEN double('-Infinity')"
    " WHEN {0} < 0 THEN double('NaN') END){over})"
)
_PAIRS = "filter(collect_list(struct({0} AS k, {1} AS v)){over}, e_ -> e_.k IS NOT NULL)"
# The first of a key's values stays; Spark's maps fail on a second.
_MAP_AGG = (
    "CASE WHEN count({0}){over} > 0 THEN map_from_entries(filter(" + _PAIRS + ", (e_, i_) ->"
    " array_position(transform(" + _PAIRS + ", z_ -> z_.k), e_.k) = i_ + 1)) END"
)
_MULTIMAP_AGG = (
    "CASE WHEN count({0}){over} > 0 THEN map_from_entries(transform(array_distinct(transform("
    + _PAIRS
    + ", z_ -> z_.k)),"
    " w_ -> struct(w_, transform(filter(" + _PAIRS + ", e_ -> e_.k = w_), e_ -> e_.v)))) END"
)
_HISTOGRAM = (
    "CASE WHEN count({0}){over} > 0 THEN map_from_entries(transform(array_distinct(collect_list({0}){over}),"
    " w_ -> struct(w_, CAST(size(filter(collect_list({0}){over}, e_ -> e_ <=> w_)) AS BIGINT)))) END"
)


def _map_union(call: AggregateOrWindow, texts: Texts) -> str:
    return fill(
        f"CASE WHEN max(size({{0}})){{over}} > 0 THEN aggregate(collect_list({{0}}){{over}},"
        f" CAST(map() AS {spark_type(call.type)}),"
        " (a_, m_) -> map_concat(a_, map_filter(m_, (k_, v_) -> NOT map_contains_key(a_, k_)))) END",
        texts,
    )


def _of_pairs(template: str) -> AggregateRenderer:
    """Those of reals are doubles made narrow."""

    def render(call: AggregateOrWindow, texts: Texts) -> str:
        text = fill(template, texts)
        return f"CAST({text} AS FLOAT)" if call.type == REAL else text

    return render


def _geometric_mean(call: AggregateOrWindow, texts: Texts) -> str:
    text = fill(_GEOMETRIC_MEAN, texts)
    return f"CAST({text} AS FLOAT)" if call.type == REAL else text


RENDERINGS: dict[str, Rendering] = {
    "count": count,
    "count_if": "count_if({distinct}{0}){over}",
    "sum": _sum,
    "avg": _average,
    "min": _extreme("min"),
    "max": _extreme("max"),
    "min_by": _by("min_by"),
    "max_by": _by("max_by"),
    "array_agg": _array_agg,
    "listagg": _listagg,
    "bool_and": "bool_and({0}){over}",
    "every": "bool_and({0}){over}",
    "bool_or": "bool_or({0}){over}",
    "any_value": "any_value({0}) IGNORE NULLS{over}",
    "arbitrary": "any_value({0}) IGNORE NULLS{over}",
    "approx_distinct": _approx_distinct,
    "approx_percentile": _approx_percentile,
    "geometric_mean": _geometric_mean,
    "map_agg": _MAP_AGG,
    "multimap_agg": _MULTIMAP_AGG,
    "histogram": _HISTOGRAM,
    "map_union": _map_union,
    "reduce_agg": _reduce,
    "approx_most_frequent": _most_frequent,
    "numeric_histogram": _numeric_histogram,
    "stddev": "stddev_samp({distinct}{0}){over}",
    "stddev_samp": "stddev_samp({distinct}{0}){over}",
    "stddev_pop": "stddev_pop({distinct}{0}){over}",
    "variance": "var_samp({distinct}{0}){over}",
    "var_samp": "var_samp({distinct}{0}){over}",
    "var_pop": "var_pop({distinct}{0}){over}",
    "skewness": "CASE WHEN count({0}){over} >= 3 THEN coalesce(skewness({0}){over}, double('NaN')) END",
    "kurtosis": _KURTOSIS,
    "corr": _of_pairs(_FINITE_CORR),
    "covar_pop": _of_pairs("covar_pop({distinct}{0}, {1}){over}"),
    "covar_samp": _of_pairs("covar_samp({distinct}{0}, {1}){over}"),
    "regr_slope": _of_pairs("nullif(regr_slope({0}, {1}){over}, double('NaN'))"),
    "regr_intercept": _of_pairs("nullif(regr_intercept({0}, {1}){over}, double('NaN'))"),
    "bitwise_and_agg": "bit_and({distinct}{0}){over}",
    "bitwise_or_agg": "bit_or({distinct}{0}){over}",
    "bitwise_xor_agg": "bit_xor({distinct}{0}){over}",
}
