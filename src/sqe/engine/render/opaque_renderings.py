"""Functions of opaque types, as both engines say them: calls of Python bodies, chosen by the arguments."""

from __future__ import annotations

from collections.abc import Sequence

from sqe.engine.render.renderings import Renderer, Rendering
from sqe.engine.render.templates import fill
from sqe.tree.expressions import Call
from sqe.types.sql_types import SPHERICAL_GEOGRAPHY


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
