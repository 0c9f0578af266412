"""Too many grouping sets are refused before any is made."""

from __future__ import annotations

import pytest

import sqe
from sqe.errors import SqeError

COLUMNS = [f"a{i}" for i in range(31)]
SOURCE = f"(SELECT {', '.join(f'{i} AS {c}' for i, c in enumerate(COLUMNS))})"


def _cube(start: int, stop: int) -> str:
    return f"CUBE ({', '.join(COLUMNS[start:stop])})"


@pytest.mark.parametrize(
    ("grouping", "count"),
    [
        (_cube(0, 12), "4096"),
        (f"{_cube(0, 6)}, {_cube(6, 12)}", "4096"),
        (f"GROUPING SETS ({_cube(0, 10)}, {_cube(10, 20)}, {_cube(20, 21)})", "2050"),
        (f"ROLLUP ({', '.join(COLUMNS)}), ROLLUP ({', '.join(COLUMNS)}), {_cube(0, 2)}", "4096"),
        (_cube(0, 31), "more than 2147483647"),
    ],
)
def test_more_than_trino_takes(grouping: str, count: str) -> None:
    with sqe.connect(memory=True) as connection, pytest.raises(SqeError) as error:
        connection.execute(f"EXPLAIN SELECT count(*) FROM {SOURCE} GROUP BY {grouping}")
    assert error.value.code == "TOO_MANY_GROUPING_SETS"
    assert f"GROUP BY has {count} grouping sets but can contain at most 2048" in str(error.value)


def test_as_many_as_trino_takes() -> None:
    with sqe.connect(memory=True) as connection:
        connection.execute(f"EXPLAIN SELECT count(*) FROM {SOURCE} GROUP BY {_cube(0, 11)}")
