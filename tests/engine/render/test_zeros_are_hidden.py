"""Floats are compared as Trino does, whatever statistics of files say of zeros and NaN."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sqe.api.connection import Connection

pytestmark = pytest.mark.spark
LANES = ("spark", "fast")
ROWS = (
    "(1, -0e0, -REAL '0', UUID '00000000-0000-0000-0000-000000000001')",
    "(2, 0e0, REAL '0', UUID '80000000-0000-0000-0000-000000000000')",
    "(3, nan(), CAST(nan() AS real), NULL)",
    "(4, NULL, NULL, NULL)",
    "(5, 0.1e0, REAL '0.1', UUID '7fffffff-0000-0000-0000-000000000000')",
)
CONDITIONS = {
    "d = 0": [1, 2],
    "0 = d": [1, 2],
    "d IN (0, 5)": [1, 2],
    "d NOT IN (0, 7)": [3, 5],
    "r = 0": [1, 2],
    "d IS NOT DISTINCT FROM 0e0": [1, 2],
    "d >= 0": [1, 2, 5],
    "d BETWEEN 0 AND 1": [1, 2, 5],
    "d < 0": [],
    "NOT (d < 5)": [3],
    "NOT (d > 0 OR id = 4)": [1, 2, 3],
    "(d < 5) = false": [3],
    "CASE WHEN d < 5 THEN false ELSE d IS NOT NULL END": [3],
    "NOT (d IN (5, 7)) AND NOT (d = 5)": [1, 2, 3, 5],
    "u > UUID '7fffffff-0000-0000-0000-000000000000'": [2],
    "u < UUID '80000000-0000-0000-0000-000000000000'": [1, 5],
    "EXISTS (SELECT 1 FROM (VALUES 0e0) AS v (x) WHERE x = d)": [1, 2],
}


@pytest.fixture(scope="module")
def table(connection: Connection) -> Connection:
    """Each row in a file of its own, with its own statistics."""
    connection.execute("CREATE SCHEMA zeros")
    connection.execute("CREATE TABLE zeros.t (id integer, d double, r real, u uuid)")
    for row in ROWS:
        connection.execute(f"INSERT INTO zeros.t VALUES {row}")
    return connection


def answer(connection: Connection, lane: str, sql: str) -> list[tuple[object, ...]]:
    connection.execute(f"SET SESSION lane = '{lane}'")
    try:
        return connection.execute(sql).fetchall()
    finally:
        connection.execute("RESET SESSION lane")


@pytest.mark.parametrize("lane", LANES)
@pytest.mark.parametrize("condition", CONDITIONS)
def test_conditions(table: Connection, condition: str, lane: str) -> None:
    rows = answer(table, lane, f"SELECT id FROM zeros.t WHERE {condition} ORDER BY id")
    assert [number for (number,) in rows] == CONDITIONS[condition]


@pytest.mark.parametrize("lane", LANES)
def test_joins_and_sorts(table: Connection, lane: str) -> None:
    joined = "SELECT t.id FROM zeros.t JOIN (VALUES 0e0) AS v (x) ON t.d = v.x ORDER BY 1"
    assert answer(table, lane, joined) == [(1,), (2,)]
    sorted_ = "SELECT id, 1 / d FROM zeros.t WHERE id < 3 ORDER BY d, id"
    assert answer(table, lane, sorted_) == [(1, float("-inf")), (2, float("inf"))]


@pytest.mark.parametrize("lane", LANES)
def test_files_of_users(table: Connection, tmp_path: Path, lane: str) -> None:
    file = tmp_path / "f.parquet"
    pq.write_table(pa.table({"id": [1, 2, 3], "d": [float("nan"), 1.0, None]}), file)
    assert answer(table, lane, f"SELECT d < 5 FROM '{file}' ORDER BY id") == [(False,), (True,), (None,)]
    assert answer(table, lane, f"SELECT id FROM '{file}' WHERE NOT (d < 5)") == [(1,)]


def test_in_of_several_columns_is_for_spark(table: Connection) -> None:
    sql = "SELECT x FROM (VALUES (1, 1)) AS t (x, y) WHERE (x, y) NOT IN (SELECT 7, CAST(NULL AS integer))"
    assert answer(table, "auto", sql) == [(1,)]
