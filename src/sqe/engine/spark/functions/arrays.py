"""Arrays in Spark SQL."""

from __future__ import annotations

import datetime
from collections.abc import Sequence

from sqe.engine.render.opaque_renderings import cardinality as of_sketch
from sqe.engine.render.renderings import Renderer, Rendering
from sqe.engine.spark.functions.casts import printed_text, spark_cast
from sqe.engine.spark.functions.operators import equal
from sqe.engine.spark.functions.order import extreme_of, sorted_array
from sqe.engine.spark.functions.text import refuse, share, shared
from sqe.engine.spark.types import spark_type
from sqe.errors import NotSupported, TypeMismatch
from sqe.functions.casts import castable
from sqe.functions.constants import MISSING, constant, constant_integer, invalid
from sqe.tree.expressions import Call
from sqe.types.sql_types import (
    APPROXIMATE,
    DATE,
    DAY_SECOND,
    JSON,
    VARCHAR,
    Array,
    Char,
    Map,
    Row,
    Type,
    has,
    is_text,
)

Texts = Sequence[str]
_MAX_SEQUENCE = 10_000
_MAX_REPEAT = 10_000
_MAX_COMBINATION = 5


def _element(call: Call) -> Type:
    container = call.arguments[0].type
    assert isinstance(container, Array)
    return container.element


def _identical(template: str) -> Renderer:
    """Functions that find NaN and NULL equal to themselves, as Spark does. It cannot compare maps, and
    blanks at the end of a char count to it."""

    def render(call: Call, texts: Texts) -> str:
        element = _element(call)
        if has(element, Map) or has(element, Char):
            raise NotSupported(f"{call.function} of {call.arguments[0].type}", position=call.position)
        return share(template, texts)

    return render


def _equality(plain: str, floats: str, nested: str) -> Renderer:
    """Functions that compare elements as `=` does: NaN is equal to nothing, and a NULL inside a nested
    element leaves it open, which Trino refuses. `{equal}` is that comparison of e_ with the value."""

    def render(call: Call, texts: Texts) -> str:
        element = _element(call)
        if element in APPROXIMATE:
            return share(floats, texts)
        if not isinstance(element, (Array, Map, Row, Char)):
            return share(plain, texts)
        compared = equal(element, "e_", "{1}")
        open_ = refuse(f"{call.function} cannot compare a value with a NULL inside", code="NOT_SUPPORTED")
        test = f"(CASE WHEN e_ IS NOT NULL AND {{1}} IS NOT NULL THEN coalesce({compared}, {open_}) END)"
        return share(nested.replace("{equal}", test), texts)

    return render


_SIZE = shared("CAST(CASE WHEN {0} IS NOT NULL THEN size({0}) END AS BIGINT)")


def _cardinality(call: Call, texts: Texts) -> str:
    body = of_sketch(call.arguments[0].type)
    return _SIZE(call, texts) if body is None else f"{body}({texts[0]})"


def _element_at(call: Call, texts: Texts) -> str:
    if isinstance(call.arguments[0].type, Map):
        return f"{texts[0]}[{texts[1]}]"
    # An index that is no INT is beyond the end of every array.
    return f"try_element_at({texts[0]}, try_cast({texts[1]} AS INT))"


def _extreme(name: str) -> Renderer:
    def render(call: Call, texts: Texts) -> str:
        element = call.type
        if isinstance(element, (Array, Row)):
            best = extreme_of(element, "{0}", largest=name == "array_max")
            absent = "size({0}) = 0 OR exists({0}, e_ -> e_ IS NULL)"
            return share(f"(CASE WHEN {{0}} IS NULL OR {absent} THEN NULL ELSE {best} END)", texts)
        best = f"{name}({{0}})"
        if element in APPROXIMATE and name == "array_max":
            # NaN is the largest to Spark, and counts only where there is nothing else to Trino.
            best = "coalesce(array_max(filter({0}, e_ -> NOT isnan(e_))), array_max({0}))"
        return share(f"(CASE WHEN NOT exists({{0}}, e_ -> e_ IS NULL) THEN {best} END)", texts)

    return render


def _sort(call: Call, texts: Texts) -> str:
    element = _element(call)
    if len(texts) == 2:
        return f"array_sort({texts[0]}, {texts[1]})"
    if isinstance(element, (Array, Row, Char)):
        return sorted_array(element, texts[0])
    return f"array_sort({texts[0]})"


_TOO_MANY = refuse(f"result of sequence function must not have more than {_MAX_SEQUENCE} entries")
_WRONG_WAY = refuse("sequence stop value must be reached from the start value by the step")
_NO_STEP = refuse("step must not be zero")


def _sequence(call: Call, texts: Texts) -> str:
    start = call.arguments[0].type
    if _is_number(start):
        step = "1L" if len(texts) == 2 else "{2}"
        long = f"abs((CAST({{1}} AS DOUBLE) - {{0}}) / {step}) >= {_MAX_SEQUENCE}"
        checks = f"WHEN {long} THEN {_TOO_MANY}"
        # Spark folds constants in branches that are not taken, too.
        stop = f"if({long}, {{0}}, {{1}})"
        if len(texts) == 2:
            values = f"sequence({{0}}, {stop})"
        else:
            values = f"sequence({{0}}, {stop}, {{2}})"
            checks = (
                "WHEN {0} IS NULL OR {1} IS NULL OR {2} IS NULL THEN NULL"
                f" WHEN {{2}} = 0 THEN {_NO_STEP}"
                f" WHEN ({{2}} > 0 AND {{1}} < {{0}}) OR ({{2}} < 0 AND {{1}} > {{0}}) THEN {_WRONG_WAY} "
                + checks
            )
        return share(f"(CASE {checks} ELSE {values} END)", texts)
    if len(texts) == 2:
        values = share("sequence({0}, {1}, if({0} <= {1}, INTERVAL 1 DAY, INTERVAL -1 DAY))", texts)
    else:
        if start == DATE and call.arguments[2].type == DAY_SECOND:
            _needs_whole_days(call)
        values = share(
            f"(CASE WHEN {{0}} + {{2}} = {{0}} THEN {_NO_STEP}"
            " WHEN ({0} + {2} > {0} AND {1} < {0}) OR ({0} + {2} < {0} AND {1} > {0})"
            f" THEN {_WRONG_WAY} ELSE sequence({{0}}, {{1}}, {{2}}) END)",
            texts,
        )
    return share(f"(CASE WHEN size({{0}}) > {_MAX_SEQUENCE} THEN {_TOO_MANY} ELSE {{0}} END)", (values,))


def _needs_whole_days(call: Call) -> None:
    step = constant(call.arguments[2])
    if step is MISSING:
        raise NotSupported("sequence of dates: the step must be a constant", position=call.position)
    if isinstance(step, datetime.timedelta) and (step.seconds or step.microseconds):
        raise invalid(call, "sequence step must be a day interval if start and end values are dates")


def _is_number(t: Type) -> bool:
    return str(t) == "bigint"


def _combinations(call: Call, texts: Texts) -> str:
    """Trino steps the first place first: [1, 2], [1, 3], [2, 3], [1, 4] …"""
    size = constant_integer(call, 1, "the size of a combination")
    result = spark_type(call.type)
    if size is None:
        return f"CAST(NULL AS {result})"
    if not 0 <= size <= _MAX_COMBINATION:
        raise invalid(call, f"combination size must be from 0 to {_MAX_COMBINATION}")
    if size == 0:
        return share("(CASE WHEN {0} IS NOT NULL THEN array(slice({0}, 1, 0)) END)", texts)
    places = [f"i{place}_" for place in range(size)]
    rows = f"array({', '.join(f'{{0}}[{place}]' for place in places)})"
    for place in range(size):
        last = "size({0}) - 1" if place == size - 1 else f"{places[place + 1]} - 1"
        rows = f"transform(sequence({place}, {last}), {places[place]} -> {rows})"
        if place:
            rows = f"flatten({rows})"
    count = " * ".join(f"(size({{0}}) - {n}D) / {size - n}" for n in range(size))
    return share(
        f"(CASE WHEN {{0}} IS NULL THEN NULL WHEN size({{0}}) < {size} THEN CAST(array() AS {result})"
        f" WHEN {count} * {size} > 100000.5D THEN {refuse('combinations exceed max size')} ELSE {rows} END)",
        texts,
    )


def _ngrams(call: Call, texts: Texts) -> str:
    return share(
        f"(CASE WHEN {{1}} <= 0 THEN {refuse('N must be positive')} WHEN {{0}} IS NULL OR {{1}} IS NULL"
        " THEN NULL ELSE transform(sequence(1, greatest(size({0}) - {1} + 1, 1)),"
        " i_ -> slice({0}, i_, {1})) END)",
        texts,
    )


def _zip(call: Call, texts: Texts) -> str:
    return f"CAST(arrays_zip({', '.join(texts)}) AS {spark_type(call.type)})"


def _join(call: Call, texts: Texts) -> str:
    element = _element(call)
    array = texts[0]
    if isinstance(element, (Array, Map, Row)):
        raise NotSupported(f"array_join of {call.arguments[0].type}", position=call.position)
    if not castable(element, VARCHAR):
        raise TypeMismatch(f"Cannot cast {element} to varchar", position=call.position)
    if element == JSON:
        # No body can stand in a lambda: the array as one JSON, and that as texts.
        whole = spark_cast(array, Array(JSON), JSON, safe=False)
        array = spark_cast(whole, JSON, Array(VARCHAR), safe=False)
    elif not is_text(element):
        array = f"transform({array}, e_ -> {printed_text('e_', element)})"
    return f"array_join({', '.join([array, *texts[1:]])})"


_CONTAINS_SEQUENCE = (
    "(CASE WHEN {0} IS NULL OR {1} IS NULL THEN NULL WHEN size({1}) > size({0}) THEN false"
    " WHEN size({1}) = 0 THEN true"
    " ELSE exists(sequence(1, size({0}) - size({1}) + 1), i_ -> slice({0}, i_, size({1})) <=> {1}) END)"
)
_HISTOGRAM = (
    "map_from_entries(transform(array_distinct(filter({0}, e_ -> e_ IS NOT NULL)),"
    " w_ -> struct(w_, CAST(size(filter({0}, e_ -> e_ <=> w_)) AS BIGINT))))"
)
_TRIM = (
    "(CASE WHEN {0} IS NULL THEN NULL WHEN {1} < 0 THEN "
    + refuse("size must not be negative")
    + " WHEN {1} > size({0}) THEN "
    + refuse("size must not exceed array cardinality")
    + " ELSE slice({0}, 1, CAST(size({0}) - {1} AS INT)) END)"
)
# A start or a length that is no INT is beyond the end of every array.
_SLICE = (
    "slice({0}, CAST(if({1} NOT BETWEEN -1000000000 AND 1000000000, 1000000000, {1}) AS INT),"
    " CAST(if({2} > 1000000000, 1000000000, {2}) AS INT))"
)


def _slice(call: Call, texts: Texts) -> str:
    return share(_SLICE, texts)


# Spark's least passes NULL over.
_REPEAT = (
    "(CASE WHEN {1} IS NULL THEN NULL WHEN {1} < 0 THEN "
    + refuse("count argument of repeat function must be greater than or equal to 0")
    + f" WHEN {{1}} > {_MAX_REPEAT} THEN "
    + refuse(f"count argument of repeat function must be less than or equal to {_MAX_REPEAT}")
    # Spark folds constants in branches that are not taken, too.
    + f" ELSE array_repeat({{0}}, CAST(least({{1}}, {_MAX_REPEAT}) AS INT)) END)"
)
_INTERSECT = (
    "(CASE WHEN size({0}) < size({1}) THEN array_intersect({1}, {0}) ELSE array_intersect({0}, {1}) END)"
)


RENDERINGS: dict[str, Rendering] = {
    "cardinality": _cardinality,
    "element_at": _element_at,
    "contains": _equality(
        "array_contains({0}, {1})",
        "(CASE WHEN isnan({1}) THEN exists({0}, e_ -> if(e_ IS NULL, NULL, false))"
        " ELSE array_contains({0}, {1}) END)",
        "(CASE WHEN {1} IS NOT NULL THEN exists({0}, e_ -> {equal}) END)",
    ),
    "array_distinct": _identical("array_distinct({0})"),
    "array_sort": _sort,
    "array_union": _identical("array_union({0}, {1})"),
    "array_intersect": _identical(_INTERSECT),
    # Without nothing, it keeps elements that are there twice.
    "array_except": _identical("if(size({1}) = 0, {0}, array_except({0}, {1}))"),
    "array_remove": _equality(
        "array_remove({0}, {1})",
        "(CASE WHEN isnan({1}) THEN {0} ELSE array_remove({0}, {1}) END)",
        "(CASE WHEN {1} IS NOT NULL THEN filter({0}, e_ -> e_ IS NULL OR NOT {equal}) END)",
    ),
    "array_position": _equality(
        "CAST(array_position({0}, {1}) AS BIGINT)",
        "CAST(CASE WHEN isnan({1}) AND {0} IS NOT NULL THEN 0 ELSE array_position({0}, {1}) END AS BIGINT)",
        "CAST(CASE WHEN {1} IS NOT NULL THEN"
        " array_position(transform({0}, e_ -> coalesce({equal}, false)), true) END AS BIGINT)",
    ),
    "arrays_overlap": _identical("arrays_overlap({0}, {1})"),
    "array_join": _join,
    "array_max": _extreme("array_max"),
    "array_min": _extreme("array_min"),
    "slice": _slice,
    "sequence": _sequence,
    "repeat": shared(_REPEAT),
    "flatten": "flatten(filter({0}, e_ -> e_ IS NOT NULL))",
    "transform": "transform({0}, {1})",
    "filter": "filter({0}, {1})",
    "reduce": "aggregate({0}, {1}, {2}, {3})",
    "any_match": "exists({0}, {1})",
    "all_match": "forall({0}, {1})",
    "none_match": "(NOT exists({0}, {1}))",
    "zip_with": "zip_with({0}, {1}, {2})",
    "combinations": _combinations,
    "contains_sequence": _identical(_CONTAINS_SEQUENCE),
    "ngrams": _ngrams,
    "zip": _zip,
    "shuffle": "shuffle({0})",
    "trim_array": shared(_TRIM),
    "array_histogram": _identical(_HISTOGRAM),
}
