"""Arrays and maps as vectors, in DuckDB's SQL."""

from __future__ import annotations

from collections.abc import Sequence

from sqe.engine.duckdb.functions.text import refuse, share, shared
from sqe.engine.render.renderings import Rendering
from sqe.tree.expressions import Call
from sqe.types.sql_types import Map


def _sum(of: str) -> str:
    return f"list_reduce({of}, lambda s_, v_: s_ + v_, 0e0)"


_DOT = _sum("list_transform({0}, lambda x_, i_: x_ * {1}[i_])")
_SQUARED_DISTANCE = _sum("list_transform({0}, lambda x_, i_: (x_ - {1}[i_]) * (x_ - {1}[i_]))")
_SQUARES = [_sum(f"list_transform({{{side}}}, lambda x_: x_ * x_)") for side in (0, 1)]


def _checked(template: str) -> str:
    null = "len(list_filter({%d}, lambda x_: x_ IS NULL)) > 0"
    return (
        "(CASE WHEN {0} IS NULL OR {1} IS NULL THEN NULL WHEN len({0}) <> len({1}) THEN "
        + refuse("The arguments must have the same length")
        + f" WHEN {null % 0} OR {null % 1} THEN "
        + refuse("a vector with NULL elements is not supported", code="NOT_SUPPORTED")
        + f" ELSE {template} END)"
    )


_COSINE = (
    f"CASE WHEN {_SQUARES[0]} = 0 OR {_SQUARES[1]} = 0 THEN "
    + refuse("Vector magnitude cannot be zero")
    + f" ELSE {_DOT} / sqrt({_SQUARES[0]} * {_SQUARES[1]}) END"
)
_SHARED = _sum(
    "list_transform(list_filter(map_keys({0}), lambda k_: map_contains({1}, k_)),"
    " lambda k_: {0}[k_] * {1}[k_])"
)
_NORMS = [f"sqrt({_sum(f'list_transform(map_values({{{side}}}), lambda x_: x_ * x_)')})" for side in (0, 1)]
_COSINE_OF_MAPS = (
    f"(CASE WHEN {_NORMS[0]} * {_NORMS[1]} = 0 THEN CAST('NaN' AS DOUBLE)"
    f" ELSE {_SHARED} / ({_NORMS[0]} * {_NORMS[1]}) END)"
)


def _similarity(call: Call, texts: Sequence[str]) -> str:
    of_maps = isinstance(call.arguments[0].type, Map)
    return share(_COSINE_OF_MAPS if of_maps else _checked(_COSINE), texts)


RENDERINGS: dict[str, Rendering] = {
    "dot_product": shared(_checked(_DOT)),
    "euclidean_distance": shared(_checked(f"sqrt({_SQUARED_DISTANCE})")),
    "cosine_similarity": _similarity,
    "cosine_distance": shared(_checked(f"1e0 - ({_COSINE})")),
}
