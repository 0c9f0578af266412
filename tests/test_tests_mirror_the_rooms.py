"""tests/ has the rooms of src/sqe, and a few of its own for what is tested across them."""

from __future__ import annotations

from pathlib import Path

import pytest

import sqe

TESTS = Path(__file__).parent
ROOMS = Path(sqe.__file__).parent
# Across rooms: clients of other makers, killed processes, both lanes side by side, Trino's recorded answers,
# the documents, standard queries, developers' measurements, servers of others.
ACROSS = {"clients", "faults", "lanes", "parity", "docs", "tpc", "benchmarks", "stack"}
# What tests read and no interpreter does.
_DATA = {"golden", "go", "__pycache__"}


def directories() -> list[str]:
    paths = (p.relative_to(TESTS) for p in TESTS.rglob("*") if p.is_dir())
    return sorted(str(p) for p in paths if not _DATA & set(p.parts) and not p.name.startswith("."))


@pytest.mark.parametrize("directory", directories())
def test_a_directory_of_tests_is_a_room(directory: str) -> None:
    first = directory.split("/")[0]
    room = ROOMS / directory
    assert first in ACROSS or (room.is_dir() and (room / "__init__.py").exists()), (
        f"src/sqe has no {directory}"
    )


@pytest.mark.parametrize("room", sorted(p.parent.name for p in ROOMS.glob("*/__init__.py")))
def test_a_room_has_tests(room: str) -> None:
    assert any((TESTS / room).rglob("test_*.py")), f"tests/{room} has no test"


def test_no_test_stands_outside_of_the_rooms() -> None:
    """But for those of the house itself."""
    assert {p.name for p in TESTS.glob("test_*.py")} == {
        "test_layers.py",
        "test_tests_mirror_the_rooms.py",
    }
