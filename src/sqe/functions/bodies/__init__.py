"""Functions that no engine has: one body in Python for both lanes, over Arrow arrays.

An engine's worker runs them without the rest of SQE: a module here imports the standard library and
pyarrow alone, and those of geometries shapely. A body gets one value a parameter and never NULL; it returns
a value, or None for NULL, or raises `BodyError` with the name of Trino's error, and never with a value of the
row in its text.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Any

from sqe.foundation.record import record
from sqe.types.sql_types import BIGINT, BOOLEAN, DOUBLE, VARBINARY, VARCHAR, Array, Type

TRIED = "_try"


@record
class Body:
    """`name` is module.function in this room. `safe` is the one that TRY calls: NULL for an error."""

    name: str
    parameters: tuple[Type, ...]
    result: Type
    safe: bool = False

    @property
    def engine_name(self) -> str:
        """What it is called in an engine's SQL."""
        return "sqe_" + self.name.replace(".", "_") + (TRIED if self.safe else "")

    def function(self) -> Callable[..., Any]:
        """Of Arrow arrays to an Arrow array."""
        from importlib import import_module

        from sqe.functions.bodies.arrow import over_arrays

        module, name = self.name.split(".")
        scalar = getattr(import_module(f"{__name__}.{module}"), name)
        if self.result in _NUMBERS:
            from sqe.functions.bodies.lists import over_lists

            return over_lists(scalar, _NUMBERS[self.result], safe=self.safe)
        return over_arrays(scalar, _ARROW[self.result], safe=self.safe)


_TEXTS = Array(VARCHAR)
_ARROW: dict[Type, str] = {
    VARCHAR: "string",
    BIGINT: "int64",
    BOOLEAN: "bool",
    DOUBLE: "double",
    VARBINARY: "binary",
    _TEXTS: "list<string>",
}
# What is in a list.
_NUMBERS: dict[Type, str] = {Array(BIGINT): "int64", Array(DOUBLE): "double"}


@cache
def bodies() -> dict[str, Body]:
    """All of them, by their names in an engine."""
    both = (*_BODIES, *(replace(body, safe=True) for body in _BODIES))
    return {body.engine_name: body for body in both}


def called(sql: str) -> tuple[str, ...]:
    """Those that a text calls. One more that only a constant names does no harm."""
    if "sqe_" not in sql:
        return ()
    return tuple(name for name in bodies() if f"{name}(" in sql)


def _text(name: str, *parameters: Type, result: Type = VARCHAR) -> Body:
    return Body(name, parameters, result)


_BODIES = (
    _text("json_text.parse", VARCHAR),
    _text("json_text.extract", VARCHAR, VARCHAR),
    _text("json_text.extract_scalar", VARCHAR, VARCHAR),
    _text("json_text.size", VARCHAR, VARCHAR, result=BIGINT),
    _text("json_text.array_length", VARCHAR, result=BIGINT),
    _text("json_text.array_get", VARCHAR, BIGINT),
    _text("json_text.array_contains_text", VARCHAR, VARCHAR, result=BOOLEAN),
    _text("json_text.array_contains_number", VARCHAR, VARCHAR, result=BOOLEAN),
    _text("json_text.is_scalar", VARCHAR, result=BOOLEAN),
    _text("json_casts.cast", VARCHAR, VARCHAR),
    _text("json_path.exists", VARCHAR, VARCHAR, VARCHAR, result=BOOLEAN),
    _text("json_path.value", VARCHAR, VARCHAR, VARCHAR),
    _text("json_path.query", VARCHAR, VARCHAR, VARCHAR),
    _text("json_path.table", VARCHAR, VARCHAR, VARCHAR, result=_TEXTS),
    *(
        _text(f"hashes.hmac_{digest}", VARBINARY, VARBINARY, result=VARBINARY)
        for digest in ("md5", "sha1", "sha256", "sha512")
    ),
    _text("hashes.sha512", VARBINARY, result=VARBINARY),
    _text("hashes.crc32", VARBINARY, result=BIGINT),
    _text("hashes.xxhash64", VARBINARY, result=VARBINARY),
    _text("hashes.murmur3", VARBINARY, result=VARBINARY),
    _text("spooky_hash.spooky_hash_v2_32", VARBINARY, result=VARBINARY),
    _text("spooky_hash.spooky_hash_v2_64", VARBINARY, result=VARBINARY),
    _text("checksums.part", VARCHAR, VARCHAR, result=BIGINT),
    _text("checksums.total", VARCHAR, result=VARBINARY),
    _text("encodings.to_base32", VARBINARY),
    _text("encodings.from_base32", VARCHAR, result=VARBINARY),
    _text("encodings.to_ieee754_32", DOUBLE, result=VARBINARY),
    _text("encodings.to_ieee754_64", DOUBLE, result=VARBINARY),
    _text("encodings.from_ieee754_32", VARBINARY, result=DOUBLE),
    _text("encodings.from_ieee754_64", VARBINARY, result=DOUBLE),
    _text("encodings.from_utf8", VARBINARY),
    *(_text(f"urls.{part}", VARCHAR) for part in ("protocol", "host", "path", "query", "fragment", "decode")),
    _text("urls.port", VARCHAR, result=BIGINT),
    _text("urls.parameter", VARCHAR, VARCHAR),
    _text("texts.normalize", VARCHAR, VARCHAR),
    _text("texts.soundex", VARCHAR),
    _text("texts.levenshtein_distance", VARCHAR, VARCHAR, result=BIGINT),
    _text("colors.rgb", BIGINT, BIGINT, BIGINT, result=BIGINT),
    _text("colors.named", VARCHAR, result=BIGINT),
    _text("colors.between", DOUBLE, BIGINT, BIGINT, result=BIGINT),
    _text("colors.render", VARCHAR, BIGINT),
    _text("colors.bar", DOUBLE, BIGINT, BIGINT, BIGINT),
    _text("stems.word_stem", VARCHAR, VARCHAR),
    _text("texts.format_number", BIGINT),
    _text("texts.format_fixed", DOUBLE, BIGINT),
    _text("distributions.normal_cdf", DOUBLE, DOUBLE, DOUBLE, result=DOUBLE),
    _text("distributions.inverse_normal_cdf", DOUBLE, DOUBLE, DOUBLE, result=DOUBLE),
    _text("distributions.beta_cdf", DOUBLE, DOUBLE, DOUBLE, result=DOUBLE),
    _text("distributions.t_pdf", DOUBLE, DOUBLE, result=DOUBLE),
    _text("distributions.t_cdf", DOUBLE, DOUBLE, result=DOUBLE),
    *(_text(f"geometry.{name}", VARCHAR) for name in ("from_text", "line_from_text", "polygon_from_text")),
    _text("geometry.point", DOUBLE, DOUBLE),
    _text("geometry.from_binary", VARBINARY),
    _text("geometry.as_binary", VARCHAR, result=VARBINARY),
    _text("geometry.line_string", _TEXTS),
    _text("geometry.multi_point", _TEXTS),
    *(
        _text(f"geometry.{name}", VARCHAR)
        for name in (
            "boundary",
            "centroid",
            "envelope",
            "type_name",
            "start_point",
            "end_point",
            "exterior_ring",
        )
    ),
    *(_text(f"geometry.{name}", VARCHAR, BIGINT) for name in ("point_of_line", "geometry", "interior_ring")),
    *(
        _text(f"geometry.{name}", VARCHAR, result=_TEXTS)
        for name in ("envelope_as_points", "points", "geometries", "interior_rings")
    ),
    *(
        _text(f"geometry.{name}", VARCHAR, result=DOUBLE)
        for name in ("area", "length", "x", "y", "x_min", "x_max", "y_min", "y_max")
    ),
    *(
        _text(f"geometry.{name}", VARCHAR, result=BIGINT)
        for name in (
            "coordinate_dimension",
            "dimension",
            "number_of_points",
            "number_of_geometries",
            "number_of_interior_rings",
        )
    ),
    *(
        _text(f"geometry.{name}", VARCHAR, result=BOOLEAN)
        for name in ("is_closed", "is_empty", "is_ring", "is_valid")
    ),
    *(
        _text(f"geometry.{name}", VARCHAR, VARCHAR, result=BOOLEAN)
        for name in (
            *("contains", "crosses", "disjoint", "equals"),
            *("intersects", "overlaps", "touches", "within"),
        )
    ),
    _text("geometry.relate", VARCHAR, VARCHAR, VARCHAR, result=BOOLEAN),
    _text("geometry.distance", VARCHAR, VARCHAR, result=DOUBLE),
    _text("geometry.located", VARCHAR, VARCHAR, result=DOUBLE),
    _text("geometry.simplified", VARCHAR, DOUBLE),
    _text("geometry.interpolated", VARCHAR, DOUBLE),
    _text("geometry.interpolated_all", VARCHAR, DOUBLE, result=_TEXTS),
    *(
        _text(f"geography.{name}", VARCHAR)
        for name in ("to_spherical", "to_geojson", "from_geojson", "to_polyline", "from_polyline")
    ),
    _text("geography.area", VARCHAR, result=DOUBLE),
    _text("geography.length", VARCHAR, result=DOUBLE),
    _text("geography.distance", VARCHAR, VARCHAR, result=DOUBLE),
    _text("bing_tiles.of_numbers", BIGINT, BIGINT, BIGINT),
    _text("bing_tiles.of_quadkey", VARCHAR),
    _text("bing_tiles.at", DOUBLE, DOUBLE, BIGINT),
    _text("bing_tiles.around", DOUBLE, DOUBLE, BIGINT, result=_TEXTS),
    _text("bing_tiles.within", DOUBLE, DOUBLE, BIGINT, DOUBLE, result=_TEXTS),
    _text("bing_tiles.polygon", VARCHAR),
    _text("bing_tiles.quadkey", VARCHAR),
    _text("bing_tiles.zoom_level", VARCHAR, result=BIGINT),
    *(
        _text(f"{kind}.checked", VARBINARY, result=VARBINARY)
        for kind in ("hyperloglogs", "set_digests", "tdigests")
    ),
    _text("hyperloglogs.entry_of_text", VARCHAR, result=BIGINT),
    _text("hyperloglogs.entry_of_number", BIGINT, result=BIGINT),
    _text("hyperloglogs.entry_of_double", DOUBLE, result=BIGINT),
    _text("hyperloglogs.of_entries", Array(BIGINT), result=VARBINARY),
    _text("hyperloglogs.merged", Array(VARBINARY), result=VARBINARY),
    _text("hyperloglogs.cardinality", VARBINARY, result=BIGINT),
    _text("set_digests.hash_of_long", BIGINT, result=BIGINT),
    _text("set_digests.hash_of_text", VARCHAR, result=BIGINT),
    _text("set_digests.hash_of_binary", VARBINARY, result=BIGINT),
    _text("set_digests.of_hashes", Array(BIGINT), result=VARBINARY),
    _text("set_digests.combined", Array(VARBINARY), result=VARBINARY),
    _text("set_digests.cardinality", VARBINARY, result=BIGINT),
    _text("set_digests.intersection_cardinality", VARBINARY, VARBINARY, result=BIGINT),
    _text("set_digests.jaccard_index", VARBINARY, VARBINARY, result=DOUBLE),
    _text("set_digests.hashes", VARBINARY, result=Array(BIGINT)),
    _text("set_digests.counts", VARBINARY, result=Array(BIGINT)),
    _text("tdigests.of_values", Array(DOUBLE), result=VARBINARY),
    _text("tdigests.of_weighted", Array(Array(DOUBLE)), result=VARBINARY),
    _text("tdigests.merged", Array(VARBINARY), result=VARBINARY),
    _text("tdigests.value", VARBINARY, DOUBLE, result=DOUBLE),
    _text("tdigests.values", VARBINARY, Array(DOUBLE), result=Array(DOUBLE)),
)
