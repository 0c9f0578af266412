"""Statements over Flight SQL, with ADBC's driver."""

from __future__ import annotations

from typing import Any

import adbc_driver_manager
import pyarrow as pa
import pytest

from sqe.doors.open import OpenServer


@pytest.fixture
def cursor(connect_as: Any) -> Any:
    with connect_as("ann").cursor() as made:
        yield made


def test_rows_and_their_types(cursor: Any) -> None:
    cursor.execute("SELECT 1 AS x, 'a' AS y, CAST(NULL AS decimal(38, 2)) AS z")
    table = cursor.fetch_arrow_table()
    assert table.to_pylist() == [{"x": 1, "y": "a", "z": None}]
    assert [field.type for field in table.schema] == [pa.int32(), pa.string(), pa.decimal128(38, 2)]


def test_nothing_is_kept_of_what_was_read(cursor: Any, server: OpenServer) -> None:
    before = len(server.clients.running)
    for _ in range(3):
        cursor.execute("SELECT 1")
        assert cursor.fetchall() == [(1,)]
    cursor.execute("SELECT 1 WHERE false")
    assert cursor.fetchall() == []
    assert len(server.clients.running) <= before


def test_parameters(cursor: Any) -> None:
    cursor.execute("SELECT ? + 1, upper(?)", (41, "a"))
    assert cursor.fetchall() == [(42, "A")]


@pytest.mark.parametrize(
    ("sql", "error", "text"),
    [
        ("SELECT 1/0", adbc_driver_manager.ProgrammingError, "line 1:8: Division by zero"),
        ("SELECT * FROM nope", adbc_driver_manager.ProgrammingError, "NOT_FOUND.*'lake.default.nope'"),
        ("SELEC 1", adbc_driver_manager.ProgrammingError, "line 1:1"),
        ("SELECT * FROM '/etc/x.parquet'", adbc_driver_manager.ProgrammingError, "not allowed"),
    ],
)
def test_errors(cursor: Any, sql: str, error: type[Exception], text: str) -> None:
    with pytest.raises(error, match=text):
        cursor.execute(sql)
        cursor.fetchall()


def test_writes_run_once_and_say_how_many(cursor: Any) -> None:
    cursor.execute("CREATE TABLE once (a bigint, b varchar)")
    cursor.execute("INSERT INTO once VALUES (1, 'x'), (2, 'y')")
    assert cursor.rowcount == 2
    cursor.executemany("INSERT INTO once VALUES (?, ?)", [(3, "z"), (4, None)])
    assert cursor.rowcount == 2
    cursor.execute('SELECT count(*), (SELECT count(*) FROM "once$snapshots") FROM once')
    assert cursor.fetchall() == [(4, 2)]
    cursor.execute("DELETE FROM once WHERE a > ?", (2,))
    assert cursor.rowcount == 2
    cursor.execute("DROP TABLE once")


def test_ingest_takes_columns_of_any_name(cursor: Any) -> None:
    # A variable to Hadoop, which Spark reads files with.
    inner = [{"${user.name}": 1, "b": [{"c d": 2}]}, {"${user.name}": None, "b": None}]
    columns = {"${user.name}": [1, 2], "c1": ["x", "y"], 'a "b" \\ {0}': [3, None], "r": inner, "c0": [5, 6]}
    rows = pa.table(columns)
    assert cursor.adbc_ingest("sent_names", rows, mode="create") == 2
    assert cursor.adbc_ingest("sent_names", rows.select([4, 3, 2, 1, 0]), mode="append") == 2
    cursor.execute('SELECT * FROM sent_names ORDER BY "${user.name}"')
    assert cursor.fetch_arrow_table().to_pylist() == [row for row in rows.to_pylist() for _ in range(2)]
    cursor.execute('SELECT count(*) FROM sent_names WHERE "${user.name}" = 1 AND r."${user.name}" = 1')
    assert cursor.fetchall() == [(2,)]
    cursor.execute("DROP TABLE sent_names")


def test_ingest_is_one_snapshot(cursor: Any) -> None:
    rows = pa.table({"i": pa.array(range(1000)), "s": pa.array(["a", "b"] * 500).dictionary_encode()})
    assert cursor.adbc_ingest("sent", rows, mode="create") == 1000
    assert cursor.adbc_ingest("sent", rows, mode="append") == 1000
    cursor.execute('SELECT count(*), min(s), (SELECT count(*) FROM "sent$snapshots") FROM sent')
    assert cursor.fetchall() == [(2000, "a", 2)]
    assert cursor.adbc_ingest("sent", rows.slice(0, 10), mode="replace") == 10
    with pytest.raises(adbc_driver_manager.Error, match="already exists"):
        cursor.adbc_ingest("sent", rows, mode="create")
    cursor.execute("SELECT count(*) FROM sent")
    assert cursor.fetchall() == [(10,)]
    cursor.execute("DROP TABLE sent")
