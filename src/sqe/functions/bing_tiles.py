"""Bing tiles. Python bodies compute them."""

from __future__ import annotations

from sqe.functions.function import scalar
from sqe.types.sql_types import INTEGER, Row, RowField

_BODY = "sqe_bing_tiles_"
_ZOOM = "a place or a level of zoom that is none"
_COORDINATES = Row((RowField("x", INTEGER), RowField("y", INTEGER)))


FUNCTIONS = (
    scalar(
        "bing_tile",
        "(integer, integer, integer) -> bingtile",
        "(varchar) -> bingtile",
        body=_BODY + "of_numbers",
        help="A tile by X, Y and level of zoom, or by its quadkey",
        raises="numbers or a quadkey that are none",
    ),
    scalar(
        "bing_tile_at",
        "(double, double, integer) -> bingtile",
        body=_BODY + "at",
        help="The tile at a latitude and a longitude",
        raises=_ZOOM,
    ),
    scalar(
        "bing_tiles_around",
        "(double, double, integer) -> array(bingtile)",
        "(double, double, integer, double) -> array(bingtile)",
        body=_BODY + "around",
        help="The tile at a latitude and a longitude and those beside it, or within so many kilometres",
        raises=_ZOOM,
    ),
    scalar(
        "bing_tile_coordinates",
        ("(bingtile) -> ?", lambda _: _COORDINATES),
        help="A tile's X and Y",
    ),
    scalar("bing_tile_polygon", "(bingtile) -> geometry", body=_BODY + "polygon", help="A tile's rectangle"),
    scalar("bing_tile_quadkey", "(bingtile) -> varchar", body=_BODY + "quadkey", help="A tile's quadkey"),
    scalar(
        "bing_tile_zoom_level",
        "(bingtile) -> tinyint",
        body=_BODY + "zoom_level",
        help="A tile's level of zoom",
    ),
)
