"""The types of our SQL as XDBC rows, and as the metadata of results' columns."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest
from tests.doors.flight.metadata_commands import ask, told

from sqe.api.connection import Connection, connect
from sqe.catalog.iceberg.table import Column
from sqe.doors.flight import flight_sql_pb2 as sql
from sqe.doors.flight.column_metadata import result_schema, table_schema
from sqe.results.result import arrow_schema
from sqe.sql.keywords import TYPES
from sqe.tree.expressions import Field
from sqe.tree.relations import TableName
from sqe.types import sql_types as t


@pytest.fixture(scope="module")
def connection() -> Iterator[Connection]:
    with connect(memory=True) as connection:
        yield connection


def types(connection: Connection, **asked: int) -> list[dict[str, Any]]:
    listed: list[dict[str, Any]] = ask(connection, sql.CommandGetXdbcTypeInfo(**asked)).to_pylist()
    return listed


def test_all_types_in_the_order_of_the_protocol(connection: Connection) -> None:
    found = types(connection)
    order = [(row["data_type"], row["type_name"]) for row in found]
    assert order == sorted(order)
    names = {row["type_name"] for row in found}
    assert {word.lower() for word in TYPES} - {"int", "interval"} <= names
    assert {"interval year to month", "interval day to second", "timestamp with time zone"} <= names


def test_one_type_of_a_number(connection: Connection) -> None:
    assert types(connection, data_type=3) == [
        {
            "type_name": "decimal",
            "data_type": 3,
            "column_size": 38,
            "literal_prefix": None,
            "literal_suffix": None,
            "create_params": ["precision", "scale"],
            "nullable": 1,
            "case_sensitive": False,
            "searchable": 2,
            "unsigned_attribute": False,
            "fixed_prec_scale": False,
            "auto_increment": False,
            "local_type_name": None,
            "minimum_scale": 0,
            "maximum_scale": 38,
            "sql_data_type": 3,
            "datetime_subcode": None,
            "num_prec_radix": 10,
            "interval_precision": None,
        }
    ]
    assert [row["type_name"] for row in types(connection, data_type=12)] == ["varchar"]
    assert types(connection, data_type=4711) == []


def test_dates_and_intervals_say_which_they_are(connection: Connection) -> None:
    wanted = ("data_type", "sql_data_type", "datetime_subcode", "column_size")
    found = {row["type_name"]: tuple(row[name] for name in wanted) for row in types(connection)}
    assert found["date"] == (91, 9, 1, 10)
    assert found["time"] == (92, 9, 2, 15)
    assert found["timestamp"] == (93, 9, 3, 26)
    assert found["timestamp with time zone"] == (93, 9, 5, 32)
    assert found["interval year to month"] == (107, 10, 7, None)
    assert found["interval day to second"] == (110, 10, 10, None)


def test_literals_are_written_as_told(connection: Connection) -> None:
    written = {
        "varchar": "it",
        "char": "it",
        "varbinary": "00ff",
        "date": "2020-01-01",
        "time": "01:02:03",
        "timestamp": "2020-01-01 00:00:00",
        "timestamp with time zone": "2020-01-01 00:00:00 UTC",
        "interval year to month": "1-2",
        "interval day to second": "1 02:03:04",
        "uuid": "12151fd2-7586-11e9-8f9e-2a86e4085a59",
        "json": "[1]",
    }
    for row in types(connection):
        if row["literal_prefix"] is None:
            continue
        literal = row["literal_prefix"] + written[row["type_name"]] + row["literal_suffix"]
        connection.execute(f"PREPARE literal FROM SELECT {literal}")
        [column] = connection.execute("DESCRIBE OUTPUT literal").fetchall()
        assert re.sub(r"\(.*?\)", "", column[4]) == row["type_name"], literal


def test_results_are_described() -> None:
    kinds: list[t.Type] = [
        t.BIGINT,
        t.Decimal(38, 5),
        t.Varchar(7),
        t.DATE,
        t.Timestamp(3),
        t.TimestampTz(6, "Europe/Vienna"),
        t.JSON,
        t.Map(t.VARCHAR, t.Array(t.DOUBLE)),
        t.UNKNOWN,
    ]
    fields = [Field(i, f"c{i}", kind) for i, kind in enumerate(kinds)]
    schema = result_schema(fields)
    # The batches of a result have the same types.
    assert schema.equals(arrow_schema(fields))
    assert [told(field)["TYPE_NAME"] for field in schema] == [str(kind) for kind in kinds]
    assert [told(field).get("PRECISION") for field in list(schema)[:5]] == ["19", "38", "7", "10", "23"]
    assert [told(field).get("SCALE") for field in list(schema)[:5]] == [None, "5", None, None, "3"]
    assert all(field.nullable for field in schema)


def test_a_stored_column_that_cannot_be_read_yet() -> None:
    columns = [Column("id", t.BIGINT, False, None, 1), Column("v", t.Simple("variant"), True, None, 2)]
    schema = table_schema(TableName("lake", ("hr",), "t"), columns, stored=True)
    assert schema == pa.schema([pa.field("id", pa.int64(), nullable=False), pa.field("v", pa.null())])
    said = told(schema.field("v"))
    assert (said["TYPE_NAME"], said["IS_SEARCHABLE"]) == ("variant", "0")


def test_a_result_without_columns() -> None:
    assert result_schema([]) == pa.schema([])
