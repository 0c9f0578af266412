"""Arrays and maps as vectors, in Spark SQL."""

from __future__ import annotations

from collections.abc import Sequence

from sqe.engine.render.renderings import Renderer, Rendering
from sqe.engine.spark.functions.text import refuse, share, shared
from sqe.tree.expressions import Call
from sqe.types.sql_types import Map


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


def _similarity(call: Call, texts: Sequence[str]) -> str:
    of_maps = isinstance(call.arguments[0].type, Map)
    return share(_COSINE_OF_MAPS if of_maps else _checked(_COSINE), texts)


RENDERINGS: dict[str, Rendering] = {
    "dot_product": _vectors(_DOT),
    "euclidean_distance": _vectors(f"sqrt({_SQUARED_DISTANCE})"),
    "cosine_similarity": _similarity,
    "cosine_distance": _vectors(f"1D - ({_COSINE})"),
}
