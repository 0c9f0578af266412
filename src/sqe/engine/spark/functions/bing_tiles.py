"""Bing tiles in Spark SQL."""

from __future__ import annotations

from sqe.engine.render.opaque_renderings import bing_tiles
from sqe.engine.render.renderings import Rendering
from sqe.engine.spark.functions.text import shared

RENDERINGS: dict[str, Rendering] = {
    **bing_tiles(tinyint="TINYINT"),
    # `shared` may make a lambda, in which no Python runs.
    "bing_tile_coordinates": shared(
        "CASE WHEN {0} IS NOT NULL THEN named_struct('x', CAST(get_json_object({0}, '$.x') AS INT), "
        "'y', CAST(get_json_object({0}, '$.y') AS INT)) END"
    ),
}
