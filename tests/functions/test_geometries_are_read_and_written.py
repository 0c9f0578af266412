"""Well-known text: any that Trino reads, one form in which it is written, and what is refused."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sqe.functions.bodies import bing_tiles, geography, geometry
from sqe.functions.bodies.arrow import BodyError
from sqe.functions.bodies.well_known_text import number

NUMBERS = st.floats(allow_nan=False, allow_infinity=False)


@given(NUMBERS)
@settings(max_examples=300, deadline=None)
def test_a_number_is_written_so_that_it_is_read_again(value: float) -> None:
    assert float(number(value)) == value


@given(st.lists(st.tuples(NUMBERS, NUMBERS), min_size=2, max_size=6))
@settings(max_examples=100, deadline=None)
def test_what_is_written_is_read_again(points: list[tuple[float, float]]) -> None:
    text = f"LINESTRING ({', '.join(f'{number(x)} {number(y)}' for x, y in points)})"
    assert geometry.from_text(text) == text


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("", "INVALID_FUNCTION_ARGUMENT"),
        ("POINT (1 2", "INVALID_FUNCTION_ARGUMENT"),
        ("POINT (1 NaN)", "INVALID_FUNCTION_ARGUMENT"),
        ("POLYGON ((0 0, 1 1))", "INVALID_FUNCTION_ARGUMENT"),
        ("MULTIPOINT (1 2, (3 4))", "INVALID_FUNCTION_ARGUMENT"),
        ("POINT Z (1 2 3)", "NOT_SUPPORTED"),
        ("POINT (1e400 1)", "NOT_SUPPORTED"),
        ("GEOMETRYCOLLECTION (GEOMETRYCOLLECTION (POINT (1 2)))", "NOT_SUPPORTED"),
    ],
)
def test_what_is_not_read(text: str, code: str) -> None:
    with pytest.raises(BodyError, match=code):
        geometry.from_text(text)


def test_what_two_libraries_would_answer_differently_is_refused() -> None:
    crossing = geometry.from_text("POLYGON ((0 0, 3 3, 0 3, 2 0, 0 0))")
    collection = "GEOMETRYCOLLECTION (POINT (1 2))"
    for other in (crossing, collection):
        for predicate in (geometry.contains, geometry.equals, geometry.touches):
            with pytest.raises(BodyError, match="NOT_SUPPORTED"):
                predicate("POINT (1 2)", other)
    with pytest.raises(BodyError, match="NOT_SUPPORTED"):
        geometry.envelope("POINT (1 2)")
    with pytest.raises(BodyError, match="NOT_SUPPORTED"):
        geometry.boundary(collection)


@given(st.integers(1, 23), st.floats(0, 1, exclude_max=True), st.floats(0, 1, exclude_max=True))
@settings(max_examples=100, deadline=None)
def test_a_tile_is_found_by_its_quadkey_and_by_its_middle(zoom: int, across: float, down: float) -> None:
    tile = bing_tiles.of_numbers(int(across * 2**zoom), int(down * 2**zoom), zoom)
    assert bing_tiles.of_quadkey(bing_tiles.quadkey(tile)) == tile
    west, south, east, north = (
        bound(bing_tiles.polygon(tile))
        for bound in (geometry.x_min, geometry.y_min, geometry.x_max, geometry.y_max)
    )
    assert west is not None and south is not None and east is not None and north is not None
    assert bing_tiles.at((south + north) / 2, (west + east) / 2, zoom) == tile


@given(st.lists(st.tuples(st.integers(-180, 180), st.integers(-90, 90)), min_size=2, max_size=5))
@settings(max_examples=100, deadline=None)
def test_a_line_survives_geojson_and_polylines(points: list[tuple[int, int]]) -> None:
    text = geometry.from_text(f"LINESTRING ({', '.join(f'{x} {y}' for x, y in points)})")
    assert geography.from_geojson(geography.to_geojson(text)) == text
    encoded = geography.to_polyline(text)
    assert geography.to_polyline(geography.from_polyline(encoded)) == encoded
