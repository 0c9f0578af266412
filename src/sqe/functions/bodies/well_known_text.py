"""Geometries as well-known text: any that Trino reads, and the one form in which it writes them."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable
from typing import Any

import shapely

from sqe.functions.bodies.arrow import BodyError

_TOKEN = re.compile(r"\s*([A-Za-z]+|[(),]|[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)")


def read(text: str) -> Any:
    """The geometry of a text that `written` wrote."""
    return shapely.from_wkt(text)


def parsed(text: str) -> Any:
    """The geometry of a text of anyone's; what follows it is not read, as in Trino."""
    return _Parser(text).geometry()


def written(geometry: Any) -> str:
    """Shells run against the clock and holes with it; numbers are as Esri's library writes them."""
    kind = geometry.geom_type
    if geometry.is_empty and not (kind == "GeometryCollection" and geometry.geoms):
        return f"{kind.upper()} EMPTY"
    if kind == "GeometryCollection":
        return f"GEOMETRYCOLLECTION ({', '.join(written(part) for part in geometry.geoms)})"
    return f"{kind.upper()} {_WRITERS[kind](geometry)}"


def number(value: float) -> str:
    """The fewest digits that tell it from other doubles; an exponent has sixteen after the point."""
    if not math.isfinite(value):
        raise BodyError("NOT_SUPPORTED", "a coordinate that is infinite is not supported")
    text = repr(value) if abs(value) != 5e-324 else repr(value).replace("5e", "4.9e")
    mantissa, _, power = text.partition("e")
    whole, _, fraction = mantissa.lstrip("-").partition(".")
    fraction = "" if fraction == "0" else fraction
    digits = (whole + fraction).lstrip("0")
    if not digits:
        return "-0" if text.startswith("-") else "0"
    # Of the first digit that is not zero.
    exponent = int(power or 0) + (len(whole) - 1 if whole != "0" else len(digits) - len(fraction) - 1)
    digits = digits.rstrip("0")
    sign = "-" if value < 0 else ""
    if not -4 <= exponent <= 16:
        return (
            f"{sign}{digits[0]}.{digits[1:].ljust(16, '0')}e{'-' if exponent < 0 else '+'}{abs(exponent):02}"
        )
    if exponent < 0:
        return f"{sign}0.{'0' * (-exponent - 1)}{digits}"
    whole, fraction = digits[: exponent + 1].ljust(exponent + 1, "0"), digits[exponent + 1 :]
    return f"{sign}{whole}{'.' if fraction else ''}{fraction}"


def _pair(x: float, y: float) -> str:
    return f"{number(x)} {number(y)}"


def _path(line: Any) -> str:
    return f"({', '.join(_pair(x, y) for x, y in shapely.get_coordinates(line).tolist())})"


def _polygon(polygon: Any) -> str:
    return f"({', '.join(map(_path, wound(polygon)))})"


def wound(polygon: Any) -> list[Any]:
    """The rings of a polygon, each in the direction that is its own."""
    rings = [(polygon.exterior, True), *((hole, False) for hole in polygon.interiors)]
    return [_turned(ring, left) for ring, left in rings]


def _turned(ring: Any, left: bool) -> Any:
    area = _twice_the_area(shapely.get_coordinates(ring).tolist())
    return ring if area == 0 or (area > 0) == left else shapely.reverse(ring)


def _twice_the_area(points: list[list[float]]) -> float:
    (x0, y0), *rest = points
    pairs = itertools.pairwise(rest)
    return sum((a[0] - x0) * (b[1] - y0) - (b[0] - x0) * (a[1] - y0) for a, b in pairs)


def _parts(writer: Callable[[Any], str]) -> Callable[[Any], str]:
    return lambda geometry: f"({', '.join(map(writer, geometry.geoms))})"


_WRITERS: dict[str, Callable[[Any], str]] = {
    "Point": _path,
    "LineString": _path,
    "LinearRing": _path,
    "Polygon": _polygon,
    "MultiPoint": _parts(_path),
    "MultiLineString": _parts(_path),
    "MultiPolygon": _parts(_polygon),
}


class _Parser:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._next = ""
        self._advance()

    def geometry(self, *, inside: bool = False) -> Any:
        kind = self._take().upper()
        if self._next.upper() in ("Z", "M", "ZM"):
            raise BodyError("NOT_SUPPORTED", "coordinates with Z or M are not supported")
        readers: dict[str, Callable[[], Any]] = {
            "POINT": self._point,
            "LINESTRING": lambda: _line(self._path()),
            "POLYGON": self._polygon,
            "MULTIPOINT": lambda: shapely.MultiPoint([p for p in self._points() if p]),
            "MULTILINESTRING": lambda: shapely.MultiLineString(
                [line for line in self._listed(lambda: _line(self._path())) if not line.is_empty]
            ),
            "MULTIPOLYGON": lambda: shapely.MultiPolygon(
                [polygon for polygon in self._listed(self._polygon) if not polygon.is_empty]
            ),
        }
        if kind == "GEOMETRYCOLLECTION":
            if inside:
                raise BodyError("NOT_SUPPORTED", "a collection inside a collection is not supported")
            return shapely.GeometryCollection(self._listed(lambda: self.geometry(inside=True)))
        if kind not in readers:
            self._fail()
        return readers[kind]()

    def _advance(self) -> None:
        match = _TOKEN.match(self._text, self._at)
        if match is None:
            # Only whoever asks for it learns that there is none.
            self._next = ""
            return
        self._next, self._at = match[1], match.end()

    def _take(self, expected: str | None = None) -> str:
        word = self._next
        if not word or (expected is not None and word != expected):
            self._fail()
        self._advance()
        return word

    def _fail(self) -> Any:
        raise BodyError("INVALID_FUNCTION_ARGUMENT", "Invalid WKT")

    def _is_empty(self) -> bool:
        if self._next.upper() != "EMPTY":
            return False
        self._advance()
        return True

    def _number(self) -> float:
        word = self._take()
        if word[0] in "()," or word.isalpha():
            self._fail()
        return float(word)

    def _coordinates(self) -> tuple[float, float]:
        return self._number(), self._number()

    def _listed(self, member: Callable[[], Any]) -> list[Any]:
        if self._is_empty():
            return []
        self._take("(")
        members = [member()]
        while self._next == ",":
            self._advance()
            members.append(member())
        self._close()
        return members

    def _close(self) -> None:
        if self._next != ")":
            self._fail()
        self._advance()

    def _point(self) -> Any:
        points = self._listed(self._coordinates)
        if len(points) > 1:
            self._fail()
        return shapely.Point(points[0]) if points else shapely.Point()

    def _points(self) -> list[tuple[float, float] | None]:
        """Each in parentheses, or none."""
        bare = re.compile(r"\s*[-+.\d]").match(self._text, self._at) is not None
        return self._listed(self._coordinates if bare else self._member)

    def _member(self) -> tuple[float, float] | None:
        if self._is_empty():
            return None
        self._take("(")
        point = self._coordinates()
        self._close()
        return point

    def _path(self) -> list[tuple[float, float]]:
        return self._listed(self._coordinates)

    def _polygon(self) -> Any:
        rings = [ring for ring in self._listed(self._path) if ring]
        return polygon(rings) if rings else shapely.Polygon()


def _line(points: list[tuple[float, float]]) -> Any:
    if not points:
        return shapely.LineString()
    return shapely.LineString(points * 2 if len(points) == 1 else points)


def polygon(rings: list[list[tuple[float, float]]]) -> Any:
    """Of rings that need not be closed."""
    closed = [ring if ring[0] == ring[-1] else [*ring, ring[0]] for ring in rings]
    if any(len(ring) < 4 for ring in closed):
        raise BodyError("INVALID_FUNCTION_ARGUMENT", "a ring of a polygon has no area")
    return shapely.Polygon(closed[0], closed[1:])
