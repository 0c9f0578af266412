"""Arrays of doubles, and maps of names to doubles, as vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sqe.functions import duck_text
from sqe.functions.function import Renderer, scalar
from sqe.functions.spark_text import refuse, share, shared
from sqe.types.sql_types import Map

_PAIR = "(array(double), array(double)) -> double"
_MAPS = "(map(varchar, double), map(varchar, double)) -> double"


def _sum(of: str) -> str:
    return f"aggregate({of}, 0D, (s_, v_) -> s_ + v_)"


_DOT = _sum("zip_with({0}, {1}, (x_, y_) -> x_ * y_)")
_SQUARED_DISTANCE = _sum("zip_with({0}, {1}, (x_, y_) -> (x_ - y_) * (x_ - y_))")
_SQUARES = [_sum(f"transform({{{side}}}, x_ -> x_ * x_)") for side in (0, 1)]


def _checked(template: str) -> str:
    return (
        "(CASE WHEN {0} IS NULL OR {1} IS NULL THEN NULL WHEN size({0}) <> size({1}) THEN "
        + refuse("The arguments must have the same length")
        + " WHEN exists({0}, x_ -> x_ IS NULL) OR exists({1}, x_ -> x_ IS NULL) THEN "
        + refuse("a vector with NULL elements is not supported", code="NOT_SUPPORTED")
        + f" ELSE {template} END)"
    )


def _vectors(template: str) -> Renderer:
    return shared(_checked(template))


_COSINE = (
    f"CASE WHEN {_SQUARES[0]} = 0D OR {_SQUARES[1]} = 0D THEN "
    + refuse("Vector magnitude cannot be zero")
    + f" ELSE {_DOT} / sqrt({_SQUARES[0]} * {_SQUARES[1]}) END"
)
_SHARED = _sum("transform(filter(map_keys({0}), k_ -> map_contains_key({1}, k_)), k_ -> {0}[k_] * {1}[k_])")
_NORMS = [f"sqrt({_sum(f'transform(map_values({{{side}}}), x_ -> x_ * x_)')})" for side in (0, 1)]
# No NULL is a length, and a length of 0 makes NaN.
_COSINE_OF_MAPS = (
    f"(CASE WHEN {_NORMS[0]} * {_NORMS[1]} = 0D THEN double('NaN')"
    f" ELSE {_SHARED} / ({_NORMS[0]} * {_NORMS[1]}) END)"
)


def _similarity(call: Any, texts: Sequence[str]) -> str:
    of_maps = isinstance(call.arguments[0].type, Map)
    return share(_COSINE_OF_MAPS if of_maps else _checked(_COSINE), texts)


def _duck_sum(of: str) -> str:
    return f"list_reduce({of}, lambda s_, v_: s_ + v_, 0e0)"


_DUCK_DOT = _duck_sum("list_transform({0}, lambda x_, i_: x_ * {1}[i_])")
_DUCK_SQUARED_DISTANCE = _duck_sum("list_transform({0}, lambda x_, i_: (x_ - {1}[i_]) * (x_ - {1}[i_]))")
_DUCK_SQUARES = [_duck_sum(f"list_transform({{{side}}}, lambda x_: x_ * x_)") for side in (0, 1)]


def _duck_checked(template: str) -> str:
    null = "len(list_filter({%d}, lambda x_: x_ IS NULL)) > 0"
    return (
        "(CASE WHEN {0} IS NULL OR {1} IS NULL THEN NULL WHEN len({0}) <> len({1}) THEN "
        + duck_text.refuse("The arguments must have the same length")
        + f" WHEN {null % 0} OR {null % 1} THEN "
        + duck_text.refuse("a vector with NULL elements is not supported", code="NOT_SUPPORTED")
        + f" ELSE {template} END)"
    )


_DUCK_COSINE = (
    f"CASE WHEN {_DUCK_SQUARES[0]} = 0 OR {_DUCK_SQUARES[1]} = 0 THEN "
    + duck_text.refuse("Vector magnitude cannot be zero")
    + f" ELSE {_DUCK_DOT} / sqrt({_DUCK_SQUARES[0]} * {_DUCK_SQUARES[1]}) END"
)
_DUCK_SHARED = _duck_sum(
    "list_transform(list_filter(map_keys({0}), lambda k_: map_contains({1}, k_)),"
    " lambda k_: {0}[k_] * {1}[k_])"
)
_DUCK_NORMS = [
    f"sqrt({_duck_sum(f'list_transform(map_values({{{side}}}), lambda x_: x_ * x_)')})" for side in (0, 1)
]
_DUCK_COSINE_OF_MAPS = (
    f"(CASE WHEN {_DUCK_NORMS[0]} * {_DUCK_NORMS[1]} = 0 THEN CAST('NaN' AS DOUBLE)"
    f" ELSE {_DUCK_SHARED} / ({_DUCK_NORMS[0]} * {_DUCK_NORMS[1]}) END)"
)


def _duck_similarity(call: Any, texts: Sequence[str]) -> str:
    of_maps = isinstance(call.arguments[0].type, Map)
    return duck_text.share(_DUCK_COSINE_OF_MAPS if of_maps else _duck_checked(_DUCK_COSINE), texts)


FUNCTIONS = (
    scalar(
        "dot_product",
        _PAIR,
        spark=_vectors(_DOT),
        fast=duck_text.shared(_duck_checked(_DUCK_DOT)),
        help="The sum of products",
        raises="vectors of different lengths, NULL in them",
    ),
    scalar(
        "euclidean_distance",
        _PAIR,
        spark=_vectors(f"sqrt({_SQUARED_DISTANCE})"),
        fast=duck_text.shared(_duck_checked(f"sqrt({_DUCK_SQUARED_DISTANCE})")),
        help="The distance between two points",
        raises="vectors of different lengths, NULL in them",
    ),
    scalar(
        "cosine_similarity",
        _PAIR,
        _MAPS,
        spark=_similarity,
        fast=_duck_similarity,
        help="The cosine of the angle between two vectors",
        raises="vectors of different lengths, of zero or NULL",
    ),
    scalar(
        "cosine_distance",
        _PAIR,
        spark=_vectors(f"1D - ({_COSINE})"),
        fast=duck_text.shared(_duck_checked(f"1e0 - ({_DUCK_COSINE})")),
        help="1 less the cosine of the angle between two vectors",
        raises="vectors of different lengths, of zero or NULL",
    ),
)
