"""Arrays in DuckDB's SQL, and functions that take a lambda over them. Positions count from 1 there too."""

from __future__ import annotations

import datetime
from collections.abc import Sequence

from sqe.engine.duckdb.functions.casts import duck_cast
from sqe.engine.duckdb.functions.text import applied, refuse, share, shared, struct
from sqe.engine.duckdb.types import duck_type
from sqe.engine.render.opaque_renderings import cardinality as of_sketch
from sqe.engine.render.renderings import Renderer, Rendering
from sqe.engine.render.templates import fill
from sqe.errors import NotSupported
from sqe.functions.constants import MISSING, constant, constant_integer, invalid
from sqe.tree.expressions import Call
from sqe.types.sql_types import APPROXIMATE, BIGINT, DATE, VARCHAR, Array, Char, Map, Row, Type, is_text

Texts = Sequence[str]
_MAX_SEQUENCE = 10_000
_MAX_REPEAT = 10_000
_MAX_COMBINATION = 5


def _element(call: Call) -> Type:
    container = call.arguments[0].type
    assert isinstance(container, Array)
    return container.element


def _needs_plain(call: Call, t: Type) -> None:
    if isinstance(t, (Array, Map, Row, Char)):
        raise NotSupported(f"the fast lane has no {call.function} of {t}", position=call.position)


def identical(template: str) -> Renderer:
    """Functions that find NaN and NULL equal to themselves, as DuckDB does."""

    def render(call: Call, texts: Texts) -> str:
        _needs_plain(call, _element(call))
        return share(template, texts)

    return render


def _set(template: str) -> Renderer:
    """Spark has no -0.0 in sets."""

    def render(call: Call, texts: Texts) -> str:
        if _element(call) in APPROXIMATE:
            raise NotSupported(f"the fast lane has no {call.function} of {_element(call)}")
        return identical(template)(call, texts)

    return render


def cardinality(call: Call, texts: Texts) -> str:
    if (body := of_sketch(call.arguments[0].type)) is not None:
        return f"{body}({texts[0]})"
    if isinstance(call.arguments[0].type, Map):
        return f"CAST(cardinality({texts[0]}) AS BIGINT)"
    return f"len({texts[0]})"


def element_at(call: Call, texts: Texts) -> str:
    container = call.arguments[0].type
    if isinstance(container, Map):
        _needs_plain(call, container.key)
        return f"{texts[0]}[{texts[1]}]"
    index = constant(call.arguments[1])
    if isinstance(index, int) and index:
        return f"{texts[0]}[{texts[1]}]"
    from_one = refuse("SQL array indices start at 1")
    return share(f"(CASE WHEN {{1}} = 0 AND {{0}} IS NOT NULL THEN {from_one} ELSE {{0}}[{{1}}] END)", texts)


def equality(template: str) -> Renderer:
    """Functions that compare elements as `=` does: NaN is equal to nothing. `{odd}` is whether {1} is NaN."""

    def render(call: Call, texts: Texts) -> str:
        element = _element(call)
        _needs_plain(call, element)
        odd = "isnan({1})" if element in APPROXIMATE else "false"
        return share(template.replace("{odd}", odd), texts)

    return render


contains = equality(
    "(CASE WHEN {0} IS NULL OR {1} IS NULL THEN NULL WHEN list_contains({0}, {1}) AND NOT {odd} THEN true"
    " WHEN list_count({0}) = len({0}) THEN false END)"
)
remove = equality(
    "(CASE WHEN {1} IS NOT NULL THEN list_filter({0}, lambda e_: e_ IS NULL OR {odd} OR e_ <> {1}) END)"
)
position = equality(
    "(CASE WHEN {0} IS NULL OR {1} IS NULL THEN NULL WHEN {odd} THEN CAST(0 AS BIGINT)"
    " ELSE CAST(coalesce(list_position({0}, {1}), 0) AS BIGINT) END)"
)
_FIRST = "list_filter({0}, lambda e_, i_: i_ = list_position({0}, e_))"
distinct = _set(_FIRST)


def union(call: Call, texts: Texts) -> str:
    both = "(CASE WHEN {0} IS NOT NULL AND {1} IS NOT NULL THEN list_concat({0}, {1}) END)"
    return _set(_FIRST)(call, (fill(both, texts),))


def _common(longer: str, shorter: str) -> str:
    return (
        f"list_filter({{{longer}}}, lambda e_, i_: i_ = list_position({{{longer}}}, e_)"
        f" AND list_position({{{shorter}}}, e_) IS NOT NULL)"
    )


# In the order of the longer one.
intersect = _set(
    "(CASE WHEN {0} IS NULL OR {1} IS NULL THEN NULL"
    f" WHEN len({{0}}) < len({{1}}) THEN {_common('1', '0')} ELSE {_common('0', '1')} END)"
)
# Without nothing, it keeps elements that are there twice.
except_ = _set(
    "(CASE WHEN len({1}) = 0 THEN {0} WHEN {0} IS NOT NULL AND {1} IS NOT NULL"
    " THEN list_filter({0}, lambda e_, i_: i_ = list_position({0}, e_)"
    " AND list_position({1}, e_) IS NULL) END)"
)
overlap = identical(
    "(CASE WHEN {0} IS NULL OR {1} IS NULL THEN NULL WHEN list_has_any({0}, {1}) THEN true"
    " WHEN len({0}) > 0 AND len({1}) > 0"
    " AND (list_count({0}) < len({0}) OR list_count({1}) < len({1})) THEN NULL ELSE false END)"
)
contains_sequence = identical(
    "(CASE WHEN {0} IS NULL OR {1} IS NULL THEN NULL WHEN len({1}) > len({0}) THEN false"
    " WHEN len({1}) = 0 THEN true ELSE list_contains(list_transform("
    "generate_series(1, len({0}) - len({1}) + 1),"
    " lambda i_: list_slice({0}, i_, i_ + len({1}) - 1) IS NOT DISTINCT FROM {1}), true) END)"
)


def histogram(call: Call, texts: Texts) -> str:
    entry = struct(k="w_", v="CAST(len(list_filter({0}, lambda e_: e_ = w_)) AS BIGINT)")
    counted = f"map_from_entries(list_transform({_FIRST}, lambda w_: {entry}))"
    return _set(counted)(call, (f"list_filter({texts[0]}, lambda e_: e_ IS NOT NULL)",))


def extreme(name: str) -> Renderer:
    def render(call: Call, texts: Texts) -> str:
        _needs_plain(call, call.type)
        best = f"{name}({{0}})"
        if call.type in APPROXIMATE and name == "list_max":
            # NaN counts only where there is nothing else.
            best = "coalesce(list_max(list_filter({0}, lambda e_: NOT isnan(e_))), list_max({0}))"
        return share(f"(CASE WHEN list_count({{0}}) = len({{0}}) THEN {best} END)", texts)

    return render


def sort(call: Call, texts: Texts) -> str:
    if len(texts) == 2:
        raise NotSupported("the fast lane has no array_sort with a function", position=call.position)
    _needs_plain(call, _element(call))
    return f"list_sort({texts[0]}, 'ASC', 'NULLS LAST')"


SLICE = (
    "(CASE WHEN {0} IS NULL OR {1} IS NULL OR {2} IS NULL THEN NULL WHEN {1} = 0 THEN "
    + refuse("SQL array indices start at 1")
    + " WHEN {2} < 0 THEN "
    + refuse("length must be greater than or equal to 0")
    + " WHEN abs(CAST({1} AS HUGEINT)) > len({0}) THEN list_slice({0}, 1, 0)"
    " WHEN {1} > 0 THEN list_slice({0}, {1}, {1} + least({2}, len({0})) - 1)"
    " ELSE list_slice({0}, len({0}) + {1} + 1, len({0}) + {1} + least({2}, - {1})) END)"
)
TRIM = (
    "(CASE WHEN {0} IS NULL THEN NULL WHEN {1} < 0 THEN "
    + refuse("size must not be negative")
    + " WHEN {1} > len({0}) THEN "
    + refuse("size must not exceed array cardinality")
    + " WHEN {1} IS NOT NULL THEN list_slice({0}, 1, len({0}) - {1}) END)"
)


def repeat(call: Call, texts: Texts) -> str:
    return share(
        "(CASE WHEN {1} < 0 THEN "
        + refuse("count argument of repeat function must be greater than or equal to 0")
        + f" WHEN {{1}} > {_MAX_REPEAT} THEN "
        + refuse(f"count argument of repeat function must be less than or equal to {_MAX_REPEAT}")
        + f" WHEN {{1}} IS NOT NULL THEN CAST(list_transform(range({{1}}), lambda i_: {{0}})"
        f" AS {duck_type(call.type)}) END)",
        texts,
    )


_TOO_MANY = refuse(f"result of sequence function must not have more than {_MAX_SEQUENCE} entries")
_WRONG_WAY = refuse("sequence stop value must be reached from the start value by the step")
_NO_STEP = refuse("step must not be zero")


def sequence(call: Call, texts: Texts) -> str:
    start = call.arguments[0].type
    if start == BIGINT:
        return _numbers(texts)
    if len(texts) == 2:
        # Days, forward or back.
        days = share("(CASE WHEN {0} IS NOT NULL THEN {1} - {0} END)", texts)
        places = share(
            f"(CASE WHEN abs({{0}}) >= {_MAX_SEQUENCE} THEN {_TOO_MANY}"
            " ELSE generate_series(0, {0}, CASE WHEN {0} < 0 THEN -1 ELSE 1 END) END)",
            (days,),
        )
        return f"list_transform({places}, lambda i_: {texts[0]} + CAST(i_ AS INTEGER))"
    step = constant(call.arguments[2])
    if step is MISSING or step is None:
        raise NotSupported(
            "the fast lane has no sequence by a step that is no constant", position=call.position
        )
    if isinstance(step, datetime.timedelta):
        return _moments(call, texts, step)
    assert isinstance(step, int)
    return _months(call, texts, step)


def _numbers(texts: Texts) -> str:
    step = "{2}" if len(texts) == 3 else "(CASE WHEN {1} < {0} THEN -1 ELSE 1 END)"
    checks = ""
    if len(texts) == 3:
        checks = (
            f"WHEN {{2}} = 0 THEN {_NO_STEP}"
            f" WHEN ({{2}} > 0 AND {{1}} < {{0}}) OR ({{2}} < 0 AND {{1}} > {{0}}) THEN {_WRONG_WAY} "
        )
    many = f"abs((CAST({{1}} AS DOUBLE) - {{0}}) / {step}) >= {_MAX_SEQUENCE}"
    nulls = " OR ".join(f"{{{index}}} IS NULL" for index in range(len(texts)))
    return share(
        f"(CASE WHEN {nulls} THEN NULL {checks}WHEN {many} THEN {_TOO_MANY}"
        f" ELSE generate_series({{0}}, {{1}}, {step}) END)",
        texts,
    )


def _moments(call: Call, texts: Texts, step: datetime.timedelta) -> str:
    """By days or parts of them: counted in microseconds, or in days."""
    dates = call.arguments[0].type == DATE
    if dates and (step.seconds or step.microseconds):
        raise invalid(call, "sequence step must be a day interval if start and end values are dates")
    size = step.days if dates else step // datetime.timedelta(microseconds=1)
    between = "({1} - {0})" if dates else "(epoch_us({1}) - epoch_us({0}))"
    moment = "{0} + CAST(i_ AS INTEGER)" if dates else "make_timestamp(epoch_us({0}) + i_)"
    return share(
        f"(CASE WHEN {{0}} IS NULL OR {{1}} IS NULL THEN NULL WHEN {size} = 0 THEN {_NO_STEP}"
        f" WHEN ({size} > 0 AND {{1}} < {{0}}) OR ({size} < 0 AND {{1}} > {{0}}) THEN {_WRONG_WAY}"
        f" WHEN {between} // nullif({size}, 0) >= {_MAX_SEQUENCE} THEN {_TOO_MANY}"
        f" ELSE list_transform(generate_series(0, {between}, {size or 1}), lambda i_: {moment}) END)",
        texts[:2],
    )


def _months(call: Call, texts: Texts, step: int) -> str:
    """Each so many months after the first: the 31st comes back after a shorter month."""
    moved = f"{{0}} + to_months(CAST(i_ * {step} AS INTEGER))"
    if call.arguments[0].type == DATE:
        moved = f"CAST({moved} AS DATE)"
    within = "m_ <= {1}" if step > 0 else "m_ >= {1}"
    count = f"date_diff('month', {{0}}, {{1}}) // {step or 1}"
    return share(
        f"(CASE WHEN {{0}} IS NULL OR {{1}} IS NULL THEN NULL WHEN {step} = 0 THEN {_NO_STEP}"
        f" WHEN ({step} > 0 AND {{1}} < {{0}}) OR ({step} < 0 AND {{1}} > {{0}}) THEN {_WRONG_WAY}"
        f" WHEN {count} >= {_MAX_SEQUENCE} THEN {_TOO_MANY}"
        f" ELSE list_filter(list_transform(generate_series(0, {count}), lambda i_: {moved}),"
        f" lambda m_: {within}) END)",
        texts[:2],
    )


def combinations(call: Call, texts: Texts) -> str:
    """Trino steps the first place first: [1, 2], [1, 3], [2, 3], [1, 4] …"""
    size = constant_integer(call, 1, "the size of a combination")
    result = duck_type(call.type)
    if size is None:
        return f"CAST(NULL AS {result})"
    if not 0 <= size <= _MAX_COMBINATION:
        raise invalid(call, f"combination size must be from 0 to {_MAX_COMBINATION}")
    if size == 0:
        return share("(CASE WHEN {0} IS NOT NULL THEN [list_slice({0}, 1, 0)] END)", texts)
    places = [f"i{place}_" for place in range(size)]
    rows = f"[{', '.join(f'{{0}}[{place}]' for place in places)}]"
    for place in range(size):
        last = "len({0})" if place == size - 1 else f"{places[place + 1]} - 1"
        rows = f"list_transform(generate_series({place + 1}, {last}), lambda {places[place]}: {rows})"
        if place:
            rows = f"flatten({rows})"
    count = " * ".join(f"(len({{0}}) - {n}e0) / {size - n}" for n in range(size))
    return share(
        f"(CASE WHEN {{0}} IS NULL THEN NULL WHEN len({{0}}) < {size} THEN CAST([] AS {result})"
        f" WHEN {count} * {size} > 100000.5e0 THEN {refuse('combinations exceed max size')} ELSE {rows} END)",
        texts,
    )


NGRAMS = (
    "(CASE WHEN {1} <= 0 THEN "
    + refuse("N must be positive")
    + " WHEN {0} IS NOT NULL AND {1} IS NOT NULL THEN list_transform("
    "generate_series(1, greatest(len({0}) - {1} + 1, 1)), lambda i_: list_slice({0}, i_, i_ + {1} - 1)) END)"
)


def join(call: Call, texts: Texts) -> str:
    element = _element(call)
    if isinstance(element, (Array, Map, Row)):
        _needs_plain(call, element)
    shown = "e_" if is_text(element) else duck_cast("e_", element, VARCHAR, safe=False)
    if len(texts) == 3:
        # Without a text in its place a NULL is left out.
        shown = f"coalesce({shown}, {texts[2]})"
    values = f"list_filter(list_transform({texts[0]}, lambda e_: {shown}), lambda e_: e_ IS NOT NULL)"
    nulls = f"{texts[1]} IS NULL" + (f" OR {texts[2]} IS NULL" if len(texts) == 3 else "")
    return share(
        f"(CASE WHEN {nulls} THEN NULL WHEN len({{0}}) = 0 THEN ''"
        " ELSE list_reduce({0}, lambda p_, e_: p_ || {1} || e_) END)",
        (values, texts[1]),
    )


def zip_(call: Call, texts: Texts) -> str:
    nulls = " AND ".join(f"{text} IS NOT NULL" for text in texts)
    return f"(CASE WHEN {nulls} THEN CAST(list_zip({', '.join(texts)}) AS {duck_type(call.type)}) END)"


def reduce(call: Call, texts: Texts) -> str:
    array, start, step, finish = texts
    state = reduced(call.arguments[1].type, _element(call), array, start, step)
    return share(f"(CASE WHEN {{0}} IS NOT NULL THEN {applied(finish, ('{1}',))} END)", (array, state))


def reduced(state: Type, element: Type, array: str, start: str, step: str) -> str:
    """DuckDB's state is of the elements' type: where it is another, each element carries a place for it."""
    own, other = duck_type(state), duck_type(element)
    if own == other:
        return f"list_reduce({array}, {step}, CAST({start} AS {own}))"
    places = f"list_transform({array}, lambda e_: {struct(s=f'CAST(NULL AS {own})', e='e_')})"
    state_after = f"CAST({applied(step, ('p_.s', 'q_.e'))} AS {own})"
    nothing = f"CAST(NULL AS {other})"
    first, next_ = struct(s=f"CAST({start} AS {own})", e=nothing), struct(s=state_after, e=nothing)
    return f"(list_reduce({places}, lambda p_, q_: {next_}, {first})).s"


def match(*, result: bool, when: bool) -> Renderer:
    """`result` where the predicate is `when` for some element; else NULL where it is NULL for some."""

    def render(call: Call, texts: Texts) -> str:
        answers = f"list_transform({texts[0]}, {texts[1]})"
        return share(
            f"(CASE WHEN {{0}} IS NULL THEN NULL WHEN list_contains({{0}}, {_word(when)})"
            f" THEN {_word(result)} WHEN list_count({{0}}) = len({{0}}) THEN {_word(not result)} END)",
            (answers,),
        )

    return render


def _word(value: bool) -> str:
    return "true" if value else "false"


def zip_with(call: Call, texts: Texts) -> str:
    element = applied(texts[2], ("z_[1]", "z_[2]"))
    return share(
        "(CASE WHEN {0} IS NOT NULL AND {1} IS NOT NULL"
        f" THEN list_transform(list_zip({{0}}, {{1}}), lambda z_: {element}) END)",
        texts[:2],
    )


RENDERINGS: dict[str, Rendering] = {
    "cardinality": cardinality,
    "element_at": element_at,
    "contains": contains,
    "array_distinct": distinct,
    "array_sort": sort,
    "array_union": union,
    "array_intersect": intersect,
    "array_except": except_,
    "array_remove": remove,
    "array_position": position,
    "arrays_overlap": overlap,
    "array_join": join,
    "array_max": extreme("list_max"),
    "array_min": extreme("list_min"),
    "slice": shared(SLICE),
    "sequence": sequence,
    "repeat": repeat,
    "flatten": "flatten({0})",
    "transform": "list_transform({0}, {1})",
    "filter": "list_filter({0}, {1})",
    "reduce": reduce,
    "any_match": match(result=True, when=True),
    "all_match": match(result=False, when=False),
    "none_match": match(result=False, when=True),
    "zip_with": zip_with,
    "combinations": combinations,
    "contains_sequence": contains_sequence,
    "ngrams": shared(NGRAMS),
    "zip": zip_,
    "trim_array": shared(TRIM),
    "array_histogram": histogram,
}
