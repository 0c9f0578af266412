"""Geometries on a sphere, GeoJSON and encoded polylines."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Callable
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

import shapely

from sqe.functions.bodies.arrow import BodyError
from sqe.functions.bodies.well_known_text import polygon, read, wound, written

EARTH_RADIUS_KM = 6371.01
_EARTH_RADIUS_M = EARTH_RADIUS_KM * 1000
_NAMES = {
    "Point": "POINT",
    "LineString": "LINE_STRING",
    "Polygon": "POLYGON",
    "MultiPoint": "MULTI_POINT",
    "MultiLineString": "MULTI_LINE_STRING",
    "MultiPolygon": "MULTI_POLYGON",
    "GeometryCollection": "GEOMETRY_COLLECTION",
}
_EPSG = {"type": "name", "properties": {"name": "EPSG:0"}}


def _invalid(message: str) -> BodyError:
    return BodyError("INVALID_FUNCTION_ARGUMENT", message)


def _of(function: str, text: str, *kinds: str) -> Any:
    geometry = read(text)
    if geometry.geom_type not in kinds:
        wanted = " or ".join(_NAMES[kind] for kind in kinds)
        raise _invalid(
            f"When applied to SphericalGeography inputs, {function} only supports {wanted}. "
            f"Input type is: {_NAMES[geometry.geom_type]}"
        )
    return geometry


def to_spherical(text: str) -> str:
    for longitude, latitude in shapely.get_coordinates(read(text)).tolist():
        _check(longitude, latitude)
    return text


def _check(longitude: float, latitude: float) -> None:
    if not -90 <= latitude <= 90:
        raise _invalid("Latitude must be between -90 and 90")
    if not -180 <= longitude <= 180:
        raise _invalid("Longitude must be between -180 and 180")


def to_geometry(text: str) -> str:
    return text


def distance(a: str, b: str) -> float | None:
    left, right = _of("ST_Distance", a, "Point"), _of("ST_Distance", b, "Point")
    if left.is_empty or right.is_empty:
        return None
    _check(left.x, left.y)
    _check(right.x, right.y)
    return great_circle(left.y, left.x, right.y, right.x) * 1000


def great_circle(latitude1: float, longitude1: float, latitude2: float, longitude2: float) -> float:
    """In kilometres."""
    phi1, phi2 = math.radians(latitude1), math.radians(latitude2)
    sin1, cos1, sin2, cos2 = math.sin(phi1), math.cos(phi1), math.sin(phi2), math.cos(phi2)
    delta = math.radians(longitude1) - math.radians(longitude2)
    across = cos2 * math.sin(delta)
    along = cos1 * sin2 - sin1 * cos2 * math.cos(delta)
    towards = sin1 * sin2 + cos1 * cos2 * math.cos(delta)
    return math.atan2(math.sqrt(across * across + along * along), towards) * EARTH_RADIUS_KM


def length(text: str) -> float | None:
    lines = _of("ST_Length", text, "LineString", "MultiLineString")
    if lines.is_empty:
        return None
    total = 0.0
    for line in lines.geoms if lines.geom_type == "MultiLineString" else [lines]:
        points = list(line.coords)
        for (x0, y0), (x1, y1) in itertools.pairwise(points):
            total += great_circle(y0, x0, y1, x1) * 1000
    return total


def area(text: str) -> float | None:
    polygons = _of("ST_Area", text, "Polygon", "MultiPolygon")
    if polygons.is_empty:
        return None
    excess = 0.0
    for each in polygons.geoms if polygons.geom_type == "MultiPolygon" else [polygons]:
        shell, *holes = wound(each)
        excess += abs(_excess(shell)) - sum(abs(_excess(hole)) for hole in holes)
    return abs(excess * _EARTH_RADIUS_M * _EARTH_RADIUS_M)


def _excess(ring: Any) -> float:
    """The spherical excess of a ring; bearings tell whether it goes around a pole."""
    # In the order in which Trino keeps them, for the same sums.
    corners = shapely.get_coordinates(shapely.reverse(ring)).tolist()[:-1]
    turn = 2 * math.pi
    excess = course = 0.0
    first: float | None = None
    arrival = 0.0
    x0, y0 = corners[-1]
    longitude0, phi0 = math.radians(x0), math.radians(y0)
    for x, y in corners:
        longitude, phi = math.radians(x), math.radians(y)
        if (longitude, phi) == (longitude0, phi0):
            raise _invalid("Polygon is not valid: it has two identical consecutive vertices")
        delta = longitude - longitude0
        tan0, tan = math.tan(phi0 / 2), math.tan(phi / 2)
        excess += 2 * math.atan2(math.tan(delta / 2) * (tan0 + tan), 1 + tan0 * tan)
        sin0, cos0, sin, cos = math.sin(phi0), math.cos(phi0), math.sin(phi), math.cos(phi)
        departure = _bearing(math.sin(delta) * cos, cos0 * sin - sin0 * cos * math.cos(delta), turn)
        if first is None:
            first = departure
        else:
            course += math.fmod(departure - arrival + 3 * math.pi, turn) - math.pi
        arrival = _bearing(-math.sin(delta) * cos0, sin0 * cos - cos0 * sin * math.cos(delta), math.pi)
        course += math.fmod(arrival - departure + 3 * math.pi, turn) - math.pi
        longitude0, phi0 = longitude, phi
    course += math.fmod((first or 0.0) - arrival + 3 * math.pi, turn) - math.pi
    return abs(excess) - turn if abs(course) < math.pi / 4 else excess


def _bearing(y: float, x: float, added: float) -> float:
    return math.fmod(math.atan2(y, x) + added, 2 * math.pi)


def to_geojson(text: str) -> str:
    return _object(read(text), f',"crs":{json.dumps(_EPSG, separators=(",", ":"))}')


def _object(geometry: Any, rest: str = "") -> str:
    kind = geometry.geom_type
    if kind == "GeometryCollection":
        parts = ",".join(_object(part) for part in geometry.geoms)
        return f'{{"type":"{kind}","geometries":[{parts}]{rest}}}'
    return f'{{"type":"{kind}","coordinates":{_coordinates(geometry)}{rest}}}'


def _coordinates(geometry: Any) -> str:
    if geometry.is_empty:
        return "[]"
    match geometry.geom_type:
        case "Point":
            return _position(geometry.coords[0])
        case "LineString" | "LinearRing":
            return _listed(_position, geometry.coords)
        case "Polygon":
            return _listed(_coordinates, map(shapely.reverse, wound(geometry)))
    return _listed(_coordinates, geometry.geoms)


def _listed(form: Callable[[Any], str], members: Any) -> str:
    return f"[{','.join(map(form, members))}]"


def _position(pair: tuple[float, float]) -> str:
    return f"[{','.join(map(_ordinate, pair))}]"


def _ordinate(value: float) -> str:
    """Eight decimal places, and Java's own form of what is small or large."""
    if abs(value) >= 1e-3 and value < 1e7:
        rounded = Decimal(value).quantize(Decimal("1e-8"), rounding=ROUND_HALF_EVEN)
        return format(rounded, "f").rstrip("0").rstrip(".")
    if value == 0:
        return str(value)
    mantissa, _, exponent = repr(value).partition("e")
    if exponent:
        return f"{mantissa if '.' in mantissa else mantissa + '.0'}E{int(exponent)}"
    digits = repr(abs(value)).replace("0.", "", 1).lstrip("0")
    power = len(repr(abs(value)).split(".")[1]) - len(digits) + 1
    sign = "-" if value < 0 else ""
    return f"{sign}{digits[0]}.{digits[1:] or '0'}E-{power}"


def from_geojson(text: str) -> str:
    try:
        return written(_geometry(json.loads(text)))
    except (ValueError, TypeError, KeyError, IndexError, AttributeError, RecursionError) as error:
        if isinstance(error, BodyError):
            raise
        raise _invalid("Invalid GeoJSON") from None


def _geometry(tree: Any, *, inside: bool = False) -> Any:
    kind = tree["type"]
    if kind == "Feature":
        return _geometry(tree["geometry"])
    if kind == "GeometryCollection":
        if inside:
            raise BodyError("NOT_SUPPORTED", "a collection inside a collection is not supported")
        return shapely.GeometryCollection([_geometry(part, inside=True) for part in tree["geometries"]])
    coordinates = tree.get("coordinates") or []
    match kind:
        case "Point":
            return shapely.Point(_pair(coordinates)) if coordinates else shapely.Point()
        case "LineString":
            return shapely.LineString(_pairs(coordinates))
        case "Polygon":
            return _polygon(coordinates)
        case "MultiPoint":
            return shapely.MultiPoint(_pairs(coordinates))
        case "MultiLineString":
            return shapely.MultiLineString([_pairs(line) for line in coordinates])
        case "MultiPolygon":
            return shapely.MultiPolygon([_polygon(rings) for rings in coordinates])
    raise _invalid("Invalid GeoJSON: unknown type")


def _pair(position: list[Any]) -> tuple[float, float]:
    x, y = position[0], position[1]
    if isinstance(x, bool) or isinstance(y, bool):
        raise ValueError
    return float(x), float(y)


def _pairs(positions: list[Any]) -> list[tuple[float, float]]:
    return [_pair(position) for position in positions]


def _polygon(rings: list[Any]) -> Any:
    pairs = [_pairs(ring) for ring in rings]
    if any(len(ring) < 4 or ring[0] != ring[-1] for ring in pairs):
        raise _invalid("Invalid GeoJSON: a ring is not closed")
    return polygon(pairs) if pairs else shapely.Polygon()


def to_polyline(text: str) -> str:
    geometry = read(text)
    if geometry.geom_type not in ("LineString", "MultiPoint"):
        raise _invalid(
            "encode_polyline only applies to MULTI_POINT or LINE_STRING. "
            f"Input type is: {_NAMES[geometry.geom_type]}"
        )
    encoded = ""
    latitude = longitude = 0
    for x, y in shapely.get_coordinates(geometry).tolist():
        # As Java rounds: a half upwards.
        here = math.floor(y * 1e5 + 0.5), math.floor(x * 1e5 + 0.5)
        encoded += _encoded(here[0] - latitude) + _encoded(here[1] - longitude)
        latitude, longitude = here
    return encoded


def _encoded(value: int) -> str:
    value = ~(value << 1) if value < 0 else value << 1
    text = ""
    while value >= 0x20:
        text += chr((0x20 | (value & 0x1F)) + 63)
        value >>= 5
    return text + chr(value + 63)


def from_polyline(text: str) -> str:
    numbers: list[int] = []
    value = shift = 0
    for character in text:
        bits = ord(character) - 63
        if not 0 <= bits < 64:
            raise _invalid("the text is no encoded polyline")
        value |= (bits & 0x1F) << shift
        shift += 5
        if bits < 0x20:
            numbers.append(~(value >> 1) if value & 1 else value >> 1)
            value = shift = 0
    if shift or len(numbers) % 2:
        raise _invalid("the text is no encoded polyline")
    points: list[tuple[float, float]] = []
    latitude = longitude = 0
    for dy, dx in zip(numbers[::2], numbers[1::2], strict=True):
        latitude, longitude = latitude + dy, longitude + dx
        points.append((longitude * 1e-5, latitude * 1e-5))
    return written(shapely.LineString(points if len(points) > 1 else []))
