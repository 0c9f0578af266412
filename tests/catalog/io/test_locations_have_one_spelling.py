from __future__ import annotations

from pathlib import Path

import pytest

from sqe.catalog.io import engine_path, spell
from sqe.catalog.io.location import schema_directory, table_directory
from sqe.errors import InvalidArgument, NotSupported


@pytest.mark.parametrize(
    "place", ["/a b/ü", "file:/a b/ü", "file:///a b/ü", "file:////a b/ü/", "/a b/x/../ü", Path("/a b/ü")]
)
def test_one_place_has_one_location(place: str | Path) -> None:
    assert spell(place) == "file:///a b/ü"


def test_a_location_is_the_path_as_it_is() -> None:
    assert engine_path("file:///a%20b/c;d") == "/a%20b/c;d"
    assert spell("/a%20b") == "file:///a%20b"


@pytest.mark.parametrize("place", ["s3://bucket/x", "hdfs://host/x"])
def test_other_stores_are_refused(place: str) -> None:
    with pytest.raises(NotSupported, match="not a local path"):
        spell(place)


@pytest.mark.parametrize("place", ["relative/x", "file://host/x", "/a?b", "/a#b", "/a\nb"])
def test_what_an_engine_would_misread_is_refused(place: str) -> None:
    with pytest.raises(InvalidArgument):
        spell(place)


@pytest.mark.parametrize("name", ["..", ".", "../../etc", "a/b", "a?b#c", "x" * 500, " ", "tab\tle", "'\"`"])
def test_no_name_leaves_its_directory(name: str) -> None:
    for directory in (schema_directory(name), table_directory(name)):
        assert "/" not in directory and directory not in (".", "..") and len(directory) < 120
        assert spell(f"/data/{directory}") == f"file:///data/{directory}"
    assert schema_directory(name) != name


def test_plain_names_stay_readable() -> None:
    assert schema_directory("sales_2024") == "sales_2024"
    assert schema_directory("größe") == "größe"
    assert table_directory("orders").startswith("orders-")
    assert table_directory("orders") != table_directory("orders")
