"""Functions of opaque types, as both engines say them: calls of Python bodies, chosen by the arguments."""

from __future__ import annotations

from collections.abc import Sequence

from sqe.engine.render.renderings import AggregateOrWindow, AggregateRenderer, Renderer, Rendering
from sqe.engine.render.templates import fill
from sqe.functions.casts import SKETCHES
from sqe.tree.expressions import Call
from sqe.types.sql_types import (
    BIGINT,
    DATE,
    DOUBLE,
    SPHERICAL_GEOGRAPHY,
    T_DIGEST,
    VARBINARY,
    Type,
    Varchar,
)


def _by_surface(name: str) -> Renderer:
    """In the plane or on a sphere."""

    def render(call: Call, texts: Sequence[str]) -> str:
        module = "geography" if call.arguments[0].type == SPHERICAL_GEOGRAPHY else "geometry"
        return fill(f"sqe_{module}_{name}({{args}})", texts)

    return render


def by_count(bodies: dict[int, str]) -> Renderer:
    """By how many arguments there are."""

    def render(call: Call, texts: Sequence[str]) -> str:
        return fill(f"{bodies[len(texts)]}({{args}})", texts)

    return render


def geometry(*, tinyint: str, integer: str) -> dict[str, Rendering]:
    """Bodies give a bigint for any integer."""
    return {
        "st_astext": "{0}",
        "to_geometry": "{0}",
        "st_area": _by_surface("area"),
        "st_length": _by_surface("length"),
        "st_distance": _by_surface("distance"),
        "st_coorddim": f"CAST(sqe_geometry_coordinate_dimension({{0}}) AS {tinyint})",
        "st_dimension": f"CAST(sqe_geometry_dimension({{0}}) AS {tinyint})",
        "st_numgeometries": f"CAST(sqe_geometry_number_of_geometries({{0}}) AS {integer})",
    }


def bing_tiles(*, tinyint: str) -> dict[str, Rendering]:
    return {
        "bing_tile": by_count({1: "sqe_bing_tiles_of_quadkey", 3: "sqe_bing_tiles_of_numbers"}),
        "bing_tiles_around": by_count({3: "sqe_bing_tiles_around", 4: "sqe_bing_tiles_within"}),
        "bing_tile_zoom_level": f"CAST(sqe_bing_tiles_zoom_level({{0}}) AS {tinyint})",
    }


def sketches(
    *, collected: str, collected_set: str, pair: str, day_number: str
) -> dict[str, AggregateRenderer]:
    """Aggregates: a body makes a sketch of what the engine collects of a group, as these templates say."""

    def approx_set(call: AggregateOrWindow, texts: Sequence[str]) -> str:
        kind = call.arguments[0].type
        word = "number" if kind == BIGINT else "double" if kind == DOUBLE else "text"
        entry = f"sqe_hyperloglogs_entry_of_{word}({texts[0]})"
        return f"sqe_hyperloglogs_of_entries({fill(collected_set, [entry])})"

    def merge(call: AggregateOrWindow, texts: Sequence[str]) -> str:
        module = "tdigests" if call.type == T_DIGEST else "hyperloglogs"
        return f"sqe_{module}_merged({fill(collected, texts)})"

    def set_digest(call: AggregateOrWindow, texts: Sequence[str]) -> str:
        kind, text = call.arguments[0].type, texts[0]
        if kind == DATE:
            text = fill(day_number, [text])
        word = "binary" if kind == VARBINARY else "text" if isinstance(kind, Varchar) else "long"
        hashed = f"sqe_set_digests_hash_of_{word}({text})"
        return f"sqe_set_digests_of_hashes({fill(collected, [hashed])})"

    def t_digest(call: AggregateOrWindow, texts: Sequence[str]) -> str:
        if len(texts) == 1:
            return f"sqe_tdigests_of_values({fill(collected, texts)})"
        both = fill(f"CASE WHEN {{0}} IS NOT NULL AND {{1}} IS NOT NULL THEN {pair} END", texts)
        return f"sqe_tdigests_of_weighted({fill(collected, [both])})"

    return {
        "approx_set": approx_set,
        "merge": merge,
        "make_set_digest": set_digest,
        "merge_set_digest": lambda call, texts: f"sqe_set_digests_combined({fill(collected, texts)})",
        "tdigest_agg": t_digest,
    }


def cardinality(kind: Type) -> str | None:
    """The body that counts a sketch; None of what is an array or a map."""
    return f"sqe_{SKETCHES[kind]}_cardinality" if kind in SKETCHES else None
