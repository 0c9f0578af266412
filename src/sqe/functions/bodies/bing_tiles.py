"""Bing tiles: squares of a map of the world, halved in both directions with each level of zoom.

A tile is its text, `{"x":1,"y":2,"zoom":3}`: what Trino's clients are shown."""

from __future__ import annotations

import math
import re

from sqe.functions.bodies.arrow import BodyError
from sqe.functions.bodies.geography import EARTH_RADIUS_KM, great_circle
from sqe.functions.bodies.well_known_text import number

_LATITUDE = 85.05112878
_PIXELS = 256
_MOST_ZOOM = 23
_MOST_TILES = 1_000_000
_NUMBERS = re.compile(r"\d+")


def _invalid(message: str) -> BodyError:
    return BodyError("INVALID_FUNCTION_ARGUMENT", message)


def _read(tile: str) -> tuple[int, int, int]:
    x, y, zoom = map(int, _NUMBERS.findall(tile))
    return x, y, zoom


def _written(x: int, y: int, zoom: int) -> str:
    return f'{{"x":{x},"y":{y},"zoom":{zoom}}}'


def _check_zoom(zoom: int) -> None:
    if zoom <= 0:
        raise _invalid("Zoom level must be > 0")
    if zoom > _MOST_ZOOM:
        raise _invalid(f"Zoom level must be <= {_MOST_ZOOM}")


def _check_place(latitude: float, longitude: float) -> None:
    if not -_LATITUDE <= latitude <= _LATITUDE:
        raise _invalid(f"Latitude must be between -{_LATITUDE} and {_LATITUDE}")
    if not -180 <= longitude <= 180:
        raise _invalid("Longitude must be between -180.0 and 180.0")


def of_numbers(x: int, y: int, zoom: int) -> str:
    _check_zoom(zoom)
    most = 1 << zoom
    if not (0 <= x < most and 0 <= y < most):
        raise _invalid(
            f"XY coordinates for a Bing tile at zoom level {zoom} must be within [0, {most}) range"
        )
    return _written(x, y, zoom)


def of_quadkey(key: str) -> str:
    if not key:
        raise _invalid("QuadKey must not be empty string")
    if len(key) > _MOST_ZOOM:
        raise _invalid(f"QuadKey must be {_MOST_ZOOM} characters or less")
    x = y = 0
    for digit in key:
        if digit not in "0123":
            raise _invalid("Invalid QuadKey digit sequence")
        x, y = x << 1 | (digit in "13"), y << 1 | (digit in "23")
    return _written(x, y, len(key))


def quadkey(tile: str) -> str:
    x, y, zoom = _read(tile)
    return "".join(str((x >> bit & 1) + 2 * (y >> bit & 1)) for bit in range(zoom - 1, -1, -1))


def zoom_level(tile: str) -> int:
    return _read(tile)[2]


def at(latitude: float, longitude: float, zoom: int) -> str:
    _check_place(latitude, longitude)
    _check_zoom(zoom)
    return _written(*_at(latitude, longitude, zoom), zoom)


def _at(latitude: float, longitude: float, zoom: int) -> tuple[int, int]:
    sine = math.sin(latitude * math.pi / 180)
    down = 0.5 - math.log((1 + sine) / (1 - sine)) / (4 * math.pi)
    return _along((longitude + 180) / 360, zoom), _along(down, zoom)


def _along(share: float, zoom: int) -> int:
    size = _PIXELS << zoom
    return int(min(max(share * size, 0), size - 1)) // _PIXELS


def _longitude(x: int, zoom: int) -> float:
    size = _PIXELS << zoom
    return 360 * (min(max(x * _PIXELS, 0), size) / size - 0.5)


def _latitude(y: int, zoom: int) -> float:
    size = _PIXELS << zoom
    up = 0.5 - min(max(y * _PIXELS, 0), size) / size
    return 90 - 360 * math.atan(math.exp(-up * 2 * math.pi)) / math.pi


def polygon(tile: str) -> str:
    x, y, zoom = _read(tile)
    west, east = number(_longitude(x, zoom)), number(_longitude(x + 1, zoom))
    north, south = number(_latitude(y, zoom)), number(_latitude(y + 1, zoom))
    corners = ((west, south), (east, south), (east, north), (west, north), (west, south))
    return f"POLYGON (({', '.join(' '.join(corner) for corner in corners)}))"


def around(latitude: float, longitude: float, zoom: int) -> list[str]:
    _check_place(latitude, longitude)
    _check_zoom(zoom)
    x, y = _at(latitude, longitude, zoom)
    most = (1 << zoom) - 1
    columns = range(max(0, x - 1), min(most, x + 1) + 1)
    rows = range(max(0, y - 1), min(most, y + 1) + 1)
    return [_written(column, row, zoom) for column in columns for row in rows]


def within(latitude: float, longitude: float, zoom: int, radius: float) -> list[str]:
    """The tiles that a circle of so many kilometres touches: those beside and above the middle first, then
    the corners of the square around it, each from outside."""
    _check_place(latitude, longitude)
    _check_zoom(zoom)
    if not radius >= 0:
        raise _invalid("Radius must be >= 0")
    if radius > 1000:
        raise _invalid("Radius must be <= 1,000 km")
    count = 1 << zoom
    middle_x, middle_y = _at(latitude, longitude, zoom)
    top = _at(_moved_north(latitude, radius, 1), longitude, zoom)[1]
    bottom = _at(_moved_north(latitude, radius, -1), longitude, zoom)[1]
    left = _at(latitude, _moved_east(latitude, longitude, radius, -1), zoom)[0]
    right = _at(latitude, _moved_east(latitude, longitude, radius, 1), zoom)[0]
    width = right - left + 1 if right >= left else right + count - left + 1
    if width * (bottom - top + 1) > _MOST_TILES:
        raise _invalid("The number of tiles covering input rectangle exceeds the limit of 1M")

    def is_near(x: int, y: int) -> bool:
        corner = _latitude(y, zoom), _longitude(x, zoom)
        return great_circle(latitude, longitude, *corner) <= radius

    tiles = [((left + n) % count, middle_y) for n in range(width)]
    tiles += [(middle_x, y) for y in range(top, bottom + 1) if y != middle_y]
    # Of a corner of the square, a tile's own nearest corner decides, and all tiles that follow it belong.
    for x, step, side in ((right, -1, 0), (left, 1, 1)):
        while x != middle_x:
            for rows, below in ((range(top, middle_y), 1), (range(bottom, middle_y, -1), 0)):
                near = False
                for y in rows:
                    near = near or is_near(x + side, y + below)
                    if near:
                        tiles.append((x, y))
            x = (x + step) % count
    return [_written(x, y, zoom) for x, y in tiles]


def _moved_north(latitude: float, radius: float, direction: int) -> float:
    phi, angle = math.radians(latitude), radius / EARTH_RADIUS_KM
    cosine = math.cos(math.radians(0 if direction > 0 else 180))
    moved = math.degrees(
        math.asin(math.sin(phi) * math.cos(angle) + math.cos(phi) * math.sin(angle) * cosine)
    )
    return min(max(moved, -_LATITUDE), _LATITUDE)


def _moved_east(latitude: float, longitude: float, radius: float, direction: int) -> float:
    phi, angle = math.radians(latitude), radius / EARTH_RADIUS_KM
    sine = math.sin(math.radians(90 if direction > 0 else 270))
    turned = math.atan2(
        sine * math.sin(angle) * math.cos(phi), math.cos(angle) - math.sin(phi) * math.sin(phi)
    )
    moved = math.degrees(math.radians(longitude) + turned)
    return moved - 360 if moved > 180 else moved + 360 if moved < -180 else moved
