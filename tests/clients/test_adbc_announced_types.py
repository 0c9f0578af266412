"""Drivers send the widest type that their language has, where the server asked for a narrower one."""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import adbc_driver_manager
import pyarrow as pa
import pytest

COLUMNS = "i integer, l bigint, r real, d double, n decimal(10, 2), w decimal(38, 20), m timestamp(6), u uuid"
FITS: list[tuple[str, Any, Any]] = [
    ("i", 3, 3),
    ("i", -(2**31), -(2**31)),
    ("i", Decimal("3.0"), 3),
    ("r", 1.5, 1.5),
    ("r", 1, 1.0),
    ("r", 0.1, pa.scalar(0.1, pa.float32()).as_py()),
    ("r", -math.inf, -math.inf),
    ("d", 1, 1.0),
    ("n", 1, Decimal("1.00")),
    ("n", 99_999_999, Decimal("99999999.00")),
    ("n", 1.5, Decimal("1.50")),
    ("n", -0.01, Decimal("-0.01")),
    ("n", Decimal("1.5000"), Decimal("1.50")),
    ("w", 1e-20, Decimal("1E-20")),
    ("l", Decimal(2**63 - 1), 2**63 - 1),
    ("i", None, None),
    ("n", None, None),
    ("u", None, None),
]
TOO_LARGE: list[tuple[str, Any]] = [("i", 2**31), ("n", 10**8), ("n", math.nan)]
OTHER_KINDS: list[tuple[str, Any]] = [("i", "3"), ("i", True), ("n", "1.5")]


@pytest.fixture
def table(cursor: Any) -> Iterator[Any]:
    cursor.execute(f"CREATE TABLE asked ({COLUMNS})")
    yield cursor
    cursor.execute("DROP TABLE asked")


def _kept(cursor: Any, column: str) -> list[Any]:
    cursor.execute(f"SELECT {column} FROM asked")
    return [row[0] for row in cursor.fetchall()]


@pytest.mark.parametrize(("column", "value", "kept"), FITS, ids=str)
def test_a_value_that_fits_is_of_the_type_that_was_asked_for(
    table: Any, column: str, value: Any, kept: Any
) -> None:
    table.execute(f"INSERT INTO asked ({column}) VALUES (?)", (value,))
    assert (table.rowcount, _kept(table, column)) == (1, [kept])


def test_other_numbers_are_stored_as_constants_of_their_types_are(table: Any) -> None:
    table.execute(
        "INSERT INTO asked (i, l, r, n, w) VALUES (?, ?, ?, ?, ?)",
        (3.5, Decimal("3.5"), 1e300, 1.555, Decimal("0.123456789012345678905")),
    )
    table.execute("SELECT i, l, r, n, w FROM asked")
    assert table.fetchall() == [(4, 4, math.inf, Decimal("1.56"), Decimal("0.12345678901234567891"))]


def test_what_does_not_fit_is_refused(table: Any) -> None:
    for column, value in TOO_LARGE:
        with pytest.raises(adbc_driver_manager.Error, match=r"out of range|Cannot cast"):
            table.execute(f"INSERT INTO asked ({column}) VALUES (?)", (value,))
    for column, value in OTHER_KINDS:
        with pytest.raises(adbc_driver_manager.Error, match=f"column '{column}' is .*, the value is"):
            table.execute(f"INSERT INTO asked ({column}) VALUES (?)", (value,))
    assert _kept(table, "i") == []


def test_in_every_statement_that_writes(table: Any) -> None:
    table.executemany(
        "INSERT INTO asked (i, r, n) VALUES (?, ?, ?)", [(1, 1.5, 2.5), (2, None, 3), (3, 4, None)]
    )
    assert table.rowcount == 3
    table.execute("INSERT INTO asked (i, r, n) SELECT ?, ?, ?", (4, 0.5, 0.25))
    table.execute("UPDATE asked SET i = ?, n = ? WHERE i = ?", (40, 7, 4))
    assert table.rowcount == 1
    table.execute(
        "MERGE INTO asked t USING (VALUES (?, ?)) AS s(i, n) ON t.i = s.i"
        " WHEN MATCHED THEN UPDATE SET n = s.n WHEN NOT MATCHED THEN INSERT (i, n) VALUES (s.i, s.n)",
        (5, 1.25),
    )
    table.execute("SELECT i, r, n FROM asked ORDER BY i")
    assert table.fetchall() == [
        (1, 1.5, Decimal("2.50")),
        (2, None, Decimal("3.00")),
        (3, 4.0, None),
        (5, None, Decimal("1.25")),
        (40, 0.5, Decimal("7.00")),
    ]


def test_one_row_that_does_not_fit_refuses_all(table: Any) -> None:
    with pytest.raises(adbc_driver_manager.Error, match="Cannot cast"):
        table.executemany("INSERT INTO asked (n) VALUES (?)", [(1.5,), (1e9,)])
    assert _kept(table, "n") == []


def test_null_into_a_column_that_has_none(cursor: Any) -> None:
    cursor.execute("CREATE TABLE never_null (i integer NOT NULL)")
    for null in (None, pa.record_batch({"p": pa.nulls(1, pa.int64())})):
        with pytest.raises(adbc_driver_manager.Error, match="NOT NULL"):
            cursor.execute("INSERT INTO never_null VALUES (?)", (null,) if null is None else null)
    cursor.execute("DROP TABLE never_null")


def test_inside_arrays_maps_and_rows(cursor: Any) -> None:
    cursor.execute(
        "CREATE TABLE inside (a array(integer), k map(varchar, decimal(5, 2)), r row(x real, y integer))"
    )
    rows = pa.table(
        {
            "a": pa.array([[1, None], []], pa.list_(pa.int64())),
            "k": pa.array([[("a", 1.5)], []], pa.map_(pa.string(), pa.float64())),
            "r": pa.array([{"p": 1.5, "q": 2}, None], pa.struct([("p", pa.float64()), ("q", pa.int64())])),
        }
    )
    cursor.executemany("INSERT INTO inside VALUES (?, ?, ?)", rows)
    cursor.execute("SELECT * FROM inside ORDER BY cardinality(a) DESC")
    assert cursor.fetch_arrow_table().to_pylist() == [
        {"a": [1, None], "k": [("a", Decimal("1.50"))], "r": {"x": 1.5, "y": 2}},
        {"a": [], "k": [], "r": None},
    ]
    with pytest.raises(adbc_driver_manager.Error, match="out of range"):
        cursor.execute(
            "INSERT INTO inside (a) VALUES (?)", parameters=pa.table({"a": pa.array([[1, 2**40]])})
        )
    cursor.execute("DROP TABLE inside")


@pytest.mark.parametrize(
    ("sql", "given", "answer"),
    [
        ("SELECT typeof(? * 2)", 3, "integer"),
        ("SELECT typeof(? * 2)", 2**40, "bigint"),
        ("SELECT typeof(? + DECIMAL '1.5')", 1.5, "double"),
        ("SELECT round(DECIMAL '1.567', ?)", 1, Decimal("1.600")),
        ("SELECT REAL '0.1' = ?", 0.1, False),
        ("SELECT count(*) FROM (VALUES 1, 2) AS v(x) WHERE x = ?", 2**40, 0),
        ("SELECT typeof(? + 1)", None, "integer"),
    ],
)
def test_in_queries(cursor: Any, sql: str, given: Any, answer: Any) -> None:
    cursor.execute(sql, (given,))
    assert cursor.fetchall() == [(answer,)]


def test_no_rows_of_values_change_nothing(table: Any) -> None:
    none = pa.table({"p": pa.array([], pa.int64())})
    for sql in (
        "INSERT INTO asked (i) VALUES (?)",
        "UPDATE asked SET i = ?",
        "DELETE FROM asked WHERE i = ?",
    ):
        # Without a batch, and with one that is empty.
        for rows in (
            none,
            pa.RecordBatchReader.from_batches(none.schema, [pa.record_batch({"p": none["p"].chunk(0)})]),
        ):
            table.executemany(sql, rows)
            assert table.rowcount == 0, sql
    table.execute('SELECT count(*) FROM "asked$snapshots"')
    assert table.fetchall() == [(0,)]
    with pytest.raises(adbc_driver_manager.Error, match=r"1 parameters.*2 were given"):
        table.executemany("INSERT INTO asked (i) VALUES (?)", none.append_column("q", none["p"]))


def test_values_that_were_never_bound_are_missed(table: Any) -> None:
    with pytest.raises(adbc_driver_manager.Error, match="0 were given"):
        table.execute("INSERT INTO asked (i) VALUES (?)")
    table.execute("INSERT INTO asked (i) VALUES (1)")
    assert table.rowcount == 1


def test_finer_moments(table: Any) -> None:
    moment = dt.datetime(2024, 2, 29, 12, 34, 56, 789012)
    for kind in (pa.timestamp("ns"), pa.timestamp("us")):
        table.execute(
            "INSERT INTO asked (m) VALUES (?)", parameters=pa.table({"p": pa.array([moment], kind)})
        )
    assert _kept(table, "m") == [moment, moment]
