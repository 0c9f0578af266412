"""Every type there and back, with ADBC's driver for Python."""

from __future__ import annotations

import math
from typing import Any

import pyarrow as pa
import pytest
from tests.clients.sql_values import STORED, VALUES, ZONE, Value

EVERY = pytest.mark.parametrize("value", VALUES, ids=lambda value: value.name)


@EVERY
def test_a_value_and_null(cursor: Any, value: Value) -> None:
    cursor.execute(f'SELECT {value.typed} AS "Value", IF(1 = 0, {value.typed}) AS none')
    table = cursor.fetch_arrow_table()
    assert table.schema == pa.schema([("Value", value.arrow), ("none", value.arrow)])
    assert table.to_pylist() == [{"Value": value.python, "none": None}]


@EVERY
def test_no_rows(cursor: Any, value: Value) -> None:
    cursor.execute(f"SELECT {value.typed} AS v WHERE 1 = 0")
    table = cursor.fetch_arrow_table()
    assert table.schema == pa.schema([("v", value.arrow)]) and table.num_rows == 0


@pytest.mark.parametrize("lane", ["fast", "spark"])
def test_all_types_that_a_table_keeps(connection: Any, cursor: Any, lane: str) -> None:
    columns = ", ".join(f'"{value.name}" {value.type}' for value in STORED)
    values = ", ".join(value.typed for value in STORED)
    nulls = ", ".join("NULL" for _ in STORED)
    cursor.execute(f"CREATE TABLE every_{lane} ({columns})")
    cursor.execute(f"INSERT INTO every_{lane} VALUES ({values}), ({nulls})")
    assert cursor.rowcount == 2
    cursor.execute(f"SET SESSION lane = '{lane}'")
    try:
        cursor.execute(f"SELECT * FROM every_{lane} ORDER BY big NULLS LAST")
        table = cursor.fetch_arrow_table()
    finally:
        cursor.execute("RESET SESSION lane")
    assert table.schema == pa.schema([(value.name, value.arrow) for value in STORED])
    full, empty = table.to_pylist()
    assert full == {value.name: value.python for value in STORED}
    assert set(empty.values()) == {None}
    kept = connection.adbc_get_table_schema(f"every_{lane}")
    assert kept == table.schema
    cursor.execute(f"DROP TABLE every_{lane}")


@pytest.mark.parametrize("kind", ["real", "double"])
def test_not_a_number(cursor: Any, kind: str) -> None:
    cursor.execute(f"SELECT CAST(nan() AS {kind}), CAST(-0e0 AS {kind}), CAST(infinity() AS {kind})")
    nan, zero, infinite = cursor.fetchone()
    assert math.isnan(nan) and math.copysign(1, zero) == -1 and infinite == math.inf


def test_the_type_of_nothing(cursor: Any) -> None:
    cursor.execute("SELECT NULL AS a, ARRAY[] AS b, MAP() AS c, ARRAY[NULL] AS d")
    table = cursor.fetch_arrow_table()
    assert table.schema.field("a").type == pa.null()
    assert table.to_pylist() == [{"a": None, "b": [], "c": [], "d": [None]}]


def test_zones_are_those_of_the_values(cursor: Any) -> None:
    cursor.execute(f"SELECT TIMESTAMP '2024-07-01 12:00:00.123456 {ZONE}' AS a")
    table = cursor.fetch_arrow_table()
    assert table.schema.field("a").type == pa.timestamp("us", ZONE)
    assert table.column("a")[0].as_py().isoformat() == "2024-07-01T12:00:00.123456+02:00"


def test_many_rows_with_nulls_in_every_column(cursor: Any) -> None:
    cursor.execute(
        "SELECT n, CASE WHEN n % 3 = 0 THEN NULL ELSE CAST(n AS varchar) END AS s,"
        " CASE WHEN n % 5 = 0 THEN NULL ELSE ARRAY[n, NULL] END AS a,"
        " CASE WHEN n % 7 = 0 THEN NULL ELSE CAST(n AS decimal(38, 3)) / 8 END AS d"
        " FROM UNNEST(sequence(1, 5000)) AS t(n) CROSS JOIN UNNEST(sequence(1, 40)) AS u(m)"
    )
    table = cursor.fetch_arrow_table()
    assert table.num_rows == 200_000
    assert [column.null_count for column in table.columns] == [0, 1666 * 40, 1000 * 40, 714 * 40]


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE TABLE nothing (a bigint)",
        "INSERT INTO nothing VALUES (1)",
        "USE lake.default",
        "SET SESSION lane = 'auto'",
        "DROP TABLE nothing",
    ],
)
def test_statements_without_rows_have_no_columns(cursor: Any, sql: str) -> None:
    cursor.execute(sql)
    assert cursor.fetch_arrow_table().schema == pa.schema([])
    assert not cursor.description
