"""Geometries, by GEOS: the bodies of Trino's functions. A geometry is its text (well_known_text.py)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from typing import Any

import shapely

from sqe.functions.bodies.arrow import BodyError
from sqe.functions.bodies.well_known_text import parsed, read, wound, written

_NAMES = {
    "Point": "POINT",
    "LineString": "LINE_STRING",
    "Polygon": "POLYGON",
    "MultiPoint": "MULTI_POINT",
    "MultiLineString": "MULTI_LINE_STRING",
    "MultiPolygon": "MULTI_POLYGON",
    "GeometryCollection": "GEOMETRY_COLLECTION",
}
_LINES = ("LineString", "MultiLineString")
_COLLECTIONS = ("MultiPoint", "MultiLineString", "MultiPolygon", "GeometryCollection")


def _invalid(message: str) -> BodyError:
    return BodyError("INVALID_FUNCTION_ARGUMENT", message)


def _of(function: str, text: str, *kinds: str) -> Any:
    """The geometry, which has to be of such a kind."""
    geometry = read(text)
    kind = geometry.geom_type
    if kind not in kinds:
        wanted = " or ".join(_NAMES[k] for k in kinds)
        raise _invalid(f"{function} only applies to {wanted}. Input type is: {_NAMES[kind]}")
    return geometry


def from_text(text: str) -> str:
    return written(parsed(text))


def line_from_text(text: str) -> str:
    return _kept("ST_LineFromText", written(parsed(text)), "LineString")


def polygon_from_text(text: str) -> str:
    return _kept("ST_Polygon", written(parsed(text)), "Polygon")


def _kept(function: str, text: str, kind: str) -> str:
    _of(function, text, kind)
    return text


def point(x: float, y: float) -> str:
    return "POINT EMPTY" if math.isnan(x) or math.isnan(y) else written(shapely.Point(x, y))


def line_string(points: list[str | None]) -> str:
    coordinates: list[tuple[float, float]] = []
    for index, text in enumerate(points):
        pair = _coordinates("ST_LineString", text, index)
        if coordinates and coordinates[-1] == pair:
            raise _invalid(
                f"Invalid input to ST_LineString: consecutive duplicate points at index {index + 1}"
            )
        coordinates.append(pair)
    return written(shapely.LineString(coordinates if len(coordinates) > 1 else []))


def multi_point(points: list[str | None]) -> str | None:
    if not points:
        return None
    return written(shapely.MultiPoint([_coordinates("ST_MultiPoint", p, i) for i, p in enumerate(points)]))


def _coordinates(function: str, text: str | None, index: int) -> tuple[float, float]:
    if text is None:
        raise _invalid(f"Invalid input to {function}: null at index {index + 1}")
    geometry = read(text)
    if geometry.geom_type != "Point":
        raise _invalid(f"{function} takes only an array of valid points: a geometry is no point")
    if geometry.is_empty:
        raise _invalid(f"Invalid input to {function}: empty point at index {index + 1}")
    return geometry.x, geometry.y


def area(text: str) -> float:
    return float(read(text).area)


def boundary(text: str) -> str:
    """Of a polygon the rings, of a line the points where it ends: always several, though it be of one."""
    geometry = read(text)
    kind = geometry.geom_type
    if kind in ("Point", "MultiPoint"):
        return "MULTIPOINT EMPTY"
    if kind in ("Polygon", "MultiPolygon"):
        polygons = list(geometry.geoms) if kind in _COLLECTIONS else [geometry]
        rings = [ring for polygon in polygons if not polygon.is_empty for ring in wound(polygon)]
        return written(shapely.MultiLineString([shapely.get_coordinates(ring) for ring in rings]))
    if kind == "GeometryCollection":
        raise BodyError("NOT_SUPPORTED", "the boundary of a collection is not supported")
    lines = list(geometry.geoms) if kind in _COLLECTIONS else [geometry]
    ends = [line.coords[end] for line in lines if not line.is_empty for end in (0, -1)]
    odd = {pair for pair in ends if ends.count(pair) % 2}
    return written(shapely.MultiPoint([pair for pair in dict.fromkeys(ends) if pair in odd]))


def centroid(text: str) -> str:
    return written(_of("ST_Centroid", text, *(k for k in _NAMES if k != "GeometryCollection")).centroid)


def coordinate_dimension(text: str) -> int:
    return 2


def dimension(text: str) -> int:
    return max(0, int(shapely.get_dimensions(read(text))))


def distance(a: str, b: str) -> float | None:
    left, right = read(a), read(b)
    if _has_nothing(left) or _has_nothing(right):
        return None
    if left.is_empty or right.is_empty:
        raise BodyError("NOT_SUPPORTED", "the distance of a collection of nothing is not supported")
    return float(left.distance(right))


def envelope(text: str) -> str:
    geometry = read(text)
    if geometry.is_empty:
        return "POLYGON EMPTY"
    if geometry.envelope.geom_type != "Polygon":
        raise BodyError("NOT_SUPPORTED", "the envelope of a point or of a line along an axis has no area")
    return written(geometry.envelope)


def envelope_as_points(text: str) -> list[str] | None:
    geometry = read(text)
    if geometry.is_empty:
        return None
    low_x, low_y, high_x, high_y = geometry.bounds
    return [point(low_x, low_y), point(high_x, high_y)]


def exterior_ring(text: str) -> str | None:
    polygon = _of("ST_ExteriorRing", text, "Polygon")
    return None if polygon.is_empty else _line(wound(polygon)[0])


def interior_rings(text: str) -> list[str] | None:
    polygon = _of("ST_InteriorRings", text, "Polygon")
    return None if polygon.is_empty else [_line(ring) for ring in wound(polygon)[1:]]


def interior_ring(text: str, index: int) -> str | None:
    polygon = _of("ST_InteriorRingN", text, "Polygon")
    rings = [] if polygon.is_empty else [_line(ring) for ring in wound(polygon)[1:]]
    return rings[index - 1] if 1 <= index <= len(rings) else None


def number_of_interior_rings(text: str) -> int | None:
    polygon = _of("ST_NumInteriorRing", text, "Polygon")
    return None if polygon.is_empty else len(polygon.interiors)


def _line(ring: Any) -> str:
    return written(shapely.LineString(shapely.get_coordinates(ring)))


def geometries(text: str) -> list[str] | None:
    geometry = read(text)
    if _has_nothing(geometry):
        return None
    return [written(part) for part in geometry.geoms] if geometry.geom_type in _COLLECTIONS else [text]


def geometry(text: str, index: int) -> str | None:
    whole = read(text)
    if _has_nothing(whole):
        return None
    parts = list(whole.geoms) if whole.geom_type in _COLLECTIONS else [whole]
    return written(parts[index - 1]) if 1 <= index <= len(parts) else None


def number_of_geometries(text: str) -> int:
    whole = read(text)
    if _has_nothing(whole):
        return 0
    return len(whole.geoms) if whole.geom_type in _COLLECTIONS else 1


def _has_nothing(geometry: Any) -> bool:
    """Whether there is no part, not even an empty one."""
    return not geometry.geoms if geometry.geom_type in _COLLECTIONS else bool(geometry.is_empty)


def type_name(text: str) -> str:
    kind = str(read(text).geom_type)
    return "ST_GeomCollection" if kind == "GeometryCollection" else f"ST_{kind}"


def is_closed(text: str) -> bool:
    lines = _of("ST_IsClosed", text, *_LINES)
    parts = lines.geoms if lines.geom_type in _COLLECTIONS else [lines]
    return all(line.is_empty or line.is_closed for line in parts)


def is_empty(text: str) -> bool:
    return bool(read(text).is_empty)


def is_ring(text: str) -> bool:
    line = _of("ST_IsRing", text, "LineString")
    return bool(line.is_ring) and _is_valid(line)


def is_valid(text: str) -> bool:
    return _is_valid(read(text))


def _is_valid(geometry: Any) -> bool:
    """A line is valid to Esri's library where it is simple; of a collection, each part by itself."""
    if geometry.geom_type == "GeometryCollection":
        return all(map(_is_valid, geometry.geoms))
    return bool(geometry.is_valid and geometry.is_simple)


def length(text: str) -> float:
    return float(_of("ST_Length", text, *_LINES).length)


def number_of_points(text: str) -> int:
    """Where a ring begins and ends is one point."""
    geometry = read(text)
    parts = list(geometry.geoms) if geometry.geom_type == "GeometryCollection" else [geometry]
    polygons = [part for part in parts if part.geom_type in ("Polygon", "MultiPolygon")]
    rings = sum(
        int(shapely.get_num_interior_rings(p)) + 1 for p in shapely.get_parts(polygons) if not p.is_empty
    )
    return int(shapely.get_num_coordinates(geometry)) - rings


def point_of_line(text: str, index: int) -> str | None:
    line = _of("ST_PointN", text, "LineString")
    points = shapely.get_coordinates(line).tolist()
    return point(*points[index - 1]) if 1 <= index <= len(points) else None


def points(text: str) -> list[str] | None:
    whole = read(text)
    return None if whole.is_empty else [point(*pair) for pair in _walked(whole)]


def _walked(whole: Any) -> list[list[float]]:
    """All coordinates; rings run the other way than they are written."""
    if whole.geom_type in _COLLECTIONS:
        return [pair for part in whole.geoms for pair in _walked(part)]
    parts = wound(whole) if whole.geom_type == "Polygon" and not whole.is_empty else [whole]
    if whole.geom_type == "Polygon":
        parts = [shapely.reverse(ring) for ring in parts]
    return [pair for part in parts for pair in shapely.get_coordinates(part).tolist()]


def start_point(text: str) -> str | None:
    line = _of("ST_StartPoint", text, "LineString")
    return None if line.is_empty else point(*line.coords[0])


def end_point(text: str) -> str | None:
    line = _of("ST_EndPoint", text, "LineString")
    return None if line.is_empty else point(*line.coords[-1])


def x(text: str) -> float | None:
    geometry = _of("ST_X", text, "Point")
    return None if geometry.is_empty else float(geometry.x)


def y(text: str) -> float | None:
    geometry = _of("ST_Y", text, "Point")
    return None if geometry.is_empty else float(geometry.y)


def _bound(index: int) -> Callable[[str], float | None]:
    def bound(text: str) -> float | None:
        geometry = read(text)
        return None if geometry.is_empty else float(geometry.bounds[index])

    return bound


x_min, y_min, x_max, y_max = map(_bound, range(4))


def as_binary(text: str) -> bytes:
    return bytes(shapely.to_wkb(read(text), byte_order=1))


def from_binary(data: bytes) -> str:
    try:
        return written(shapely.from_wkb(data))
    except shapely.errors.GEOSException:
        raise _invalid("Invalid WKB") from None


def _comparable(text: str) -> Any:
    """Of collections, and of what crosses itself, Trino's library and GEOS say different things."""
    geometry = read(text)
    if geometry.geom_type == "GeometryCollection":
        raise BodyError("NOT_SUPPORTED", "comparing a collection of geometries is not supported")
    if not geometry.is_valid:
        raise BodyError("NOT_SUPPORTED", "comparing a geometry that is not valid is not supported")
    return geometry


def _predicate(name: str) -> Callable[[str, str], bool]:
    def holds(a: str, b: str) -> bool:
        return bool(getattr(shapely, name)(_comparable(a), _comparable(b)))

    return holds


contains, crosses, disjoint, intersects, overlaps, touches, within = map(
    _predicate,
    ("contains", "crosses", "disjoint", "intersects", "overlaps", "touches", "within"),
)


def equals(a: str, b: str) -> bool:
    """What is empty equals nothing."""
    left, right = _comparable(a), _comparable(b)
    return not left.is_empty and bool(left.equals(right))


def relate(a: str, b: str, pattern: str) -> bool:
    return bool(shapely.relate_pattern(_comparable(a), _comparable(b), pattern))


def simplified(text: str, tolerance: float) -> str:
    if math.isnan(tolerance):
        raise _invalid("distanceTolerance is NaN")
    if tolerance < 0:
        raise _invalid("distanceTolerance is negative")
    return text if tolerance == 0 else written(_simplified(read(text), tolerance))


def _simplified(geometry: Any, tolerance: float) -> Any:
    if geometry.geom_type == "GeometryCollection":
        return shapely.GeometryCollection([_simplified(part, tolerance) for part in geometry.geoms])
    # Trino keeps rings the other way round than it writes them, and which corners stay depends on that.
    turned = shapely.reverse(geometry) if "Polygon" in geometry.geom_type else geometry
    return shapely.simplify(turned, tolerance)


def located(line: str, point: str) -> float | None:
    if is_empty(line) or is_empty(point):
        return None
    path = _of("line_locate_point", line, *_LINES)
    place = _of("line_locate_point", point, "Point")
    if not path.length:
        raise BodyError("NOT_SUPPORTED", "a line without a length is not supported")
    return float(shapely.line_locate_point(path, place, normalized=True))


def interpolated(line: str, fraction: float) -> str | None:
    points = _interpolated("line_interpolate_point", line, fraction, repeated=False)
    return None if points is None else points[0]


def interpolated_all(line: str, fraction: float) -> list[str] | None:
    return _interpolated("line_interpolate_points", line, fraction, repeated=True)


def _interpolated(function: str, line: str, step: float, *, repeated: bool) -> list[str] | None:
    """Trino adds up shares of the length; another order would round otherwise."""
    _check_fraction(function, step)
    geometry = read(line)
    if _has_nothing(geometry):
        return None
    corners = [(float(a), float(b)) for a, b in _of(function, line, "LineString").coords]
    length = math.fsum(math.dist(a, b) for a, b in itertools.pairwise(corners))
    if step in (0, 1):
        return [point(*corners[0 if step == 0 else -1])]
    count = math.floor(1 / step) if repeated else 1
    found: list[str] = []
    before, fraction = 0.0, step
    for (x0, y0), (x1, y1) in itertools.pairwise(corners):
        dx, dy = x1 - x0, y1 - y0
        share = math.sqrt(dx * dx + dy * dy) / length if length else math.nan
        while fraction < before + share and len(found) < count:
            within = (fraction - before) / share
            found.append(point(x0 + dx * within, y0 + dy * within))
            fraction += step
        before += share
    return found if len(found) == count else [*found, point(*corners[-1])]


def _check_fraction(function: str, fraction: float) -> None:
    if not 0 <= fraction <= 1:
        raise _invalid(f"{function}: fraction must be between 0 and 1")
