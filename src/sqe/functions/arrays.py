"""Arrays, and functions that take a lambda over them. Positions count from 1."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqe.errors import NotSupported
from sqe.functions.casts import printed_text
from sqe.functions.function import Renderer, scalar
from sqe.functions.spark_text import share, shared
from sqe.tree.types import APPROXIMATE, Array, Char, Map, Row, Type, is_text

Texts = Sequence[str]


def _needs_simple(call: Any, *, floats: bool = False) -> Type:
    """Spark has NULLs inside nested values equal, and NaN equal to itself: refused rather than wrong."""
    container = call.arguments[0].type
    assert isinstance(container, Array)
    element = container.element
    if isinstance(element, (Array, Map, Row, Char)) or (element in APPROXIMATE and not floats):
        raise NotSupported(f"{call.function} of {container}", position=call.position)
    return element


def _simple(template: str) -> Renderer:
    def render(call: Any, texts: Texts) -> str:
        _needs_simple(call)
        return share(template, texts)

    return render


def _contains(call: Any, texts: Texts) -> str:
    if _needs_simple(call, floats=True) in APPROXIMATE:
        return share("(array_contains({0}, {1}) AND NOT isnan({1}))", texts)
    return f"array_contains({texts[0]}, {texts[1]})"


def _element_at(call: Any, texts: Texts) -> str:
    if isinstance(call.arguments[0].type, Map):
        return f"{texts[0]}[{texts[1]}]"
    return f"try_element_at({texts[0]}, CAST({texts[1]} AS INT))"


def _join(call: Any, texts: Texts) -> str:
    container = call.arguments[0].type
    assert isinstance(container, Array)
    array = texts[0]
    if isinstance(container.element, (Array, Map, Row)):
        raise NotSupported(f"array_join of {container}", position=call.position)
    if not is_text(container.element):
        array = f"transform({array}, e_ -> {printed_text('e_', container.element)})"
    return f"array_join({', '.join([array, *texts[1:]])})"


def _extreme(name: str) -> Renderer:
    def render(call: Any, texts: Texts) -> str:
        element = call.type
        if isinstance(element, (Array, Map, Row)) or element in APPROXIMATE:
            raise NotSupported(f"{name} of {call.arguments[0].type}", position=call.position)
        return share(f"(CASE WHEN NOT exists({{0}}, e_ -> e_ IS NULL) THEN {name}({{0}}) END)", texts)

    return render


def _sequence(call: Any, texts: Texts) -> str:
    start = call.arguments[0].type
    if len(texts) == 2 and not _is_number(start):
        texts = (*texts, "if({0} <= {1}, INTERVAL 1 DAY, INTERVAL -1 DAY)")
        return share(f"sequence({{0}}, {{1}}, {texts[2]})", texts[:2])
    return f"sequence({', '.join(texts)})"


def _is_number(t: Type) -> bool:
    return str(t) == "bigint"


_INTERSECT = (
    "(CASE WHEN size({0}) < size({1}) THEN array_intersect({1}, {0}) ELSE array_intersect({0}, {1}) END)"
)
_PREDICATE = "(array(T), function(T, boolean)) -> boolean"
_PAIR = "(array(E:comparable), array(E)) -> array(E)"

FUNCTIONS = (
    scalar(
        "cardinality",
        "(array(E)) -> bigint",
        "(map(K, V)) -> bigint",
        spark=shared("CAST(CASE WHEN {0} IS NOT NULL THEN size({0}) END AS BIGINT)"),
        help="How many elements or entries there are",
    ),
    scalar(
        "element_at",
        "(array(E), bigint) -> E",
        "(map(K, V), K) -> V",
        spark=_element_at,
        help="The element at a position (from the end if negative) or of a key; NULL where there is none",
        raises=True,
    ),
    scalar(
        "contains", "(array(T:comparable), T) -> boolean", spark=_contains, help="Whether an element is there"
    ),
    scalar(
        "array_distinct",
        "(array(E:comparable)) -> array(E)",
        spark="array_distinct({0})",
        help="Each element once, at its first place",
    ),
    scalar(
        "array_sort",
        "(array(E:orderable)) -> array(E)",
        "(array(T), function(T, T, integer)) -> array(T)",
        spark="array_sort({args})",
        help="Sorted, NULLs last, or by a function that compares two elements",
        raises=True,
    ),
    scalar("array_union", _PAIR, spark="array_union({0}, {1})", help="The elements of either, each once"),
    scalar("array_intersect", _PAIR, spark=shared(_INTERSECT), help="The elements of both, each once"),
    scalar(
        "array_except",
        _PAIR,
        spark="array_except({0}, {1})",
        help="The elements of the first only, each once",
    ),
    scalar(
        "array_remove",
        "(array(E:comparable), E) -> array(E)",
        spark=_simple("array_remove({0}, {1})"),
        help="Without the elements that are equal to a value",
    ),
    scalar(
        "array_position",
        "(array(T:comparable), T) -> bigint",
        spark=_simple("CAST(array_position({0}, {1}) AS BIGINT)"),
        help="Where an element is first, from 1; 0 where it is not",
    ),
    scalar(
        "arrays_overlap",
        "(array(E:comparable), array(E)) -> boolean",
        spark=_simple("arrays_overlap({0}, {1})"),
        help="Whether two arrays have an element in common",
    ),
    scalar(
        "array_join",
        "(array(E), varchar) -> varchar",
        "(array(E), varchar, varchar) -> varchar",
        spark=_join,
        help="The elements as one text with a separator; NULLs left out, or replaced",
    ),
    scalar(
        "array_max",
        "(array(T:orderable)) -> T",
        spark=_extreme("array_max"),
        help="The largest; NULL if any is",
    ),
    scalar(
        "array_min",
        "(array(T:orderable)) -> T",
        spark=_extreme("array_min"),
        help="The smallest; NULL if any is",
    ),
    scalar(
        "slice",
        "(array(E), bigint, bigint) -> array(E)",
        spark="slice({0}, CAST({1} AS INT), CAST({2} AS INT))",
        help="So many elements from a position (from the end if negative)",
        raises=True,
    ),
    scalar(
        "sequence",
        "(bigint, bigint) -> array(bigint)",
        "(bigint, bigint, bigint) -> array(bigint)",
        "(date, date) -> array(date)",
        "(date, date, interval day to second) -> array(date)",
        "(date, date, interval year to month) -> array(date)",
        "(timestamp(p), timestamp(p), interval day to second) -> array(timestamp(p))",
        "(timestamp(p), timestamp(p), interval year to month) -> array(timestamp(p))",
        spark=_sequence,
        help="The values from one to another, by a step",
        raises=True,
    ),
    scalar(
        "repeat",
        "(T, bigint) -> array(T)",
        spark="array_repeat({0}, CAST({1} AS INT))",
        help="An array of a value so many times",
        raises=True,
    ),
    scalar(
        "flatten",
        "(array(array(E))) -> array(E)",
        spark="flatten(filter({0}, e_ -> e_ IS NOT NULL))",
        help="The elements of an array's arrays",
    ),
    scalar(
        "transform",
        "(array(T), function(T, U)) -> array(U)",
        spark="transform({0}, {1})",
        help="f of each element",
    ),
    scalar(
        "filter",
        "(array(T), function(T, boolean)) -> array(T)",
        spark="filter({0}, {1})",
        help="The elements for which f is true",
    ),
    scalar(
        "reduce",
        "(array(T), S, function(S, T, S), function(S, R)) -> R",
        spark="aggregate({0}, {1}, {2}, {3})",
        help="A state that f makes of each element in turn, and g of it at the end",
    ),
    scalar("any_match", _PREDICATE, spark="exists({0}, {1})", help="Whether f is true of any element"),
    scalar("all_match", _PREDICATE, spark="forall({0}, {1})", help="Whether f is true of all elements"),
    scalar("none_match", _PREDICATE, spark="(NOT exists({0}, {1}))", help="Whether f is true of no element"),
    scalar(
        "zip_with",
        "(array(T), array(U), function(T, U, R)) -> array(R)",
        spark="zip_with({0}, {1}, {2})",
        help="f of the elements of two arrays, side by side; the shorter one filled with NULL",
    ),
)
