"""Bing tiles in DuckDB's SQL."""

from __future__ import annotations

from sqe.engine.duckdb.functions.text import shared
from sqe.engine.render.opaque_renderings import bing_tiles
from sqe.engine.render.renderings import Rendering

RENDERINGS: dict[str, Rendering] = {
    **bing_tiles(tinyint="TINYINT"),
    "bing_tile_coordinates": shared(
        "CASE WHEN {0} IS NOT NULL THEN struct_pack("
        "x := CAST(regexp_extract({0}, '\"x\":(\\d+)', 1) AS INTEGER), "
        "y := CAST(regexp_extract({0}, '\"y\":(\\d+)', 1) AS INTEGER)) END"
    ),
}
