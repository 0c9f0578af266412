"""Catalogs, schemas and tables: what is filtered, in which order, and what hides."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from tests.doors.flight.metadata_commands import ask, rows, schema_of, told

from sqe.api.connection import Connection
from sqe.catalog.catalogs import embedded
from sqe.config.config import load
from sqe.coordinator import Coordinator
from sqe.doors.flight import flight_sql_pb2 as sql
from sqe.errors import InvalidArgument
from sqe.policy.decision import EVERYTHING, NOTHING, Decision
from sqe.session import Identity
from sqe.tree.privileges import ALL
from sqe.tree.relations import TableName


class Hiding:
    """Joe knows of no secret and of no salaries."""

    def table(self, identity: Identity, table: TableName) -> Decision:
        if identity.user == "ann":
            return EVERYTHING
        if "secret" in table.name:
            return NOTHING
        return (
            Decision(ALL, restricted=frozenset({"salary"})) if table.name == "people" else EVERYTHING
        )

    def may_read_files(self, identity: Identity, paths: Sequence[str]) -> bool:
        return False

    def may_place(self, identity: Identity, location: str) -> bool:
        return False


@pytest.fixture(scope="module")
def ann(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    place: Path = tmp_path_factory.mktemp("metadata")
    catalogs = embedded(catalogs={"lake": place / "lake", "pond": place / "pond"})
    coordinator = Coordinator(load(None, {}), catalogs, policy=Hiding())
    with Connection(coordinator, Identity("ann")) as connection:
        for statement in (
            "CREATE SCHEMA lake.a_b",
            "CREATE SCHEMA lake.axb",
            "CREATE SCHEMA pond.a_b",
            "CREATE TABLE lake.a_b.people (id bigint NOT NULL COMMENT 'the number', salary decimal(12,2), "
            "name varchar(40), tags array(varchar), seen timestamp(6) with time zone)",
            "CREATE TABLE lake.a_b.secret (x bigint)",
            "CREATE VIEW lake.a_b.everybody AS SELECT * FROM lake.a_b.people",
            "CREATE VIEW lake.a_b.secrets AS SELECT x FROM lake.a_b.secret",
            "CREATE TABLE lake.axb.people (x date)",
            "CREATE TABLE pond.a_b.people (y bigint)",
            'CREATE TABLE pond.a_b."50%" (z bigint)',
            'CREATE TABLE pond.a_b."50x" (z bigint)',
            r'CREATE TABLE pond.a_b."back\slash" (z bigint)',
            "USE lake.a_b",
        ):
            connection.execute(statement)
        yield connection
        assert not coordinator.spark.started


@pytest.fixture(scope="module")
def joe(ann: Connection) -> Connection:
    return Connection(ann.coordinator, Identity("joe"))


def tables(connection: Connection, **asked: Any) -> list[tuple[Any, ...]]:
    return rows(connection, sql.CommandGetTables(**asked))


def test_catalogs(ann: Connection) -> None:
    assert rows(ann, sql.CommandGetCatalogs()) == [("lake",), ("pond",), ("system",)]


def test_schemas_of_all_catalogs_although_the_session_has_one(ann: Connection) -> None:
    found = rows(ann, sql.CommandGetDbSchemas())
    assert found == sorted(found)
    assert {("lake", "a_b"), ("lake", "axb"), ("pond", "a_b"), ("system", "jdbc")} <= set(found)
    assert ("pond", "information_schema") in found


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"db_schema_filter_pattern": "a_b"}, [("lake", "a_b"), ("lake", "axb"), ("pond", "a_b")]),
        ({"db_schema_filter_pattern": r"a\_b"}, [("lake", "a_b"), ("pond", "a_b")]),
        ({"db_schema_filter_pattern": r"a\_b", "catalog": "lake"}, [("lake", "a_b")]),
        ({"db_schema_filter_pattern": "%x_"}, [("lake", "axb")]),
        ({"db_schema_filter_pattern": ""}, []),
        ({"db_schema_filter_pattern": "A%"}, []),
        ({"catalog": ""}, []),
        ({"catalog": "la%"}, []),
        ({"catalog": "nowhere"}, []),
    ],
)
def test_schemas_by_pattern_and_catalog(
    ann: Connection, asked: dict[str, str], expected: list[tuple[str, str]]
) -> None:
    assert rows(ann, sql.CommandGetDbSchemas(**asked)) == expected


def test_tables_in_the_order_of_the_protocol(ann: Connection) -> None:
    assert tables(ann, db_schema_filter_pattern="a%") == [
        ("lake", "a_b", "everybody", "VIEW"),
        ("lake", "a_b", "people", "TABLE"),
        ("lake", "a_b", "secret", "TABLE"),
        ("lake", "a_b", "secrets", "VIEW"),
        ("lake", "axb", "people", "TABLE"),
        ("pond", "a_b", "50%", "TABLE"),
        ("pond", "a_b", "50x", "TABLE"),
        ("pond", "a_b", r"back\slash", "TABLE"),
        ("pond", "a_b", "people", "TABLE"),
    ]


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"table_name_filter_pattern": "peop%"}, ["lake.a_b", "lake.axb", "pond.a_b"]),
        ({"table_name_filter_pattern": "people", "catalog": "pond"}, ["pond.a_b"]),
        ({"table_name_filter_pattern": "people", "db_schema_filter_pattern": "%x%"}, ["lake.axb"]),
        ({"table_name_filter_pattern": "people", "table_types": ["VIEW"]}, []),
        ({"table_name_filter_pattern": "people", "table_types": ["VIEW", "TABLE"], "catalog": "pond"},
         ["pond.a_b"]),
        ({"table_name_filter_pattern": ""}, []),
        ({"table_name_filter_pattern": "people", "catalog": ""}, []),
        ({"table_name_filter_pattern": "people", "table_types": ["GLOBAL TEMPORARY"]}, []),
        ({"table_name_filter_pattern": r"50\%"}, ["pond.a_b"]),
        ({"table_name_filter_pattern": r"back\slash"}, ["pond.a_b"]),
        ({"table_name_filter_pattern": r"back\\slash"}, ["pond.a_b"]),
    ],
)  # fmt: skip
def test_tables_by_filters(ann: Connection, asked: dict[str, Any], expected: list[str]) -> None:
    assert [f"{row[0]}.{row[1]}" for row in tables(ann, **asked)] == expected


def test_a_pattern_of_any_shape_ends(ann: Connection) -> None:
    assert tables(ann, table_name_filter_pattern="%e" * 2000 + "x") == []
    with pytest.raises(InvalidArgument):
        tables(ann, table_name_filter_pattern="%e" * 2000 + "x" * 97)


def test_system_tables_are_tables(ann: Connection) -> None:
    found = tables(ann, catalog="system", db_schema_filter_pattern="runtime")
    assert ("system", "runtime", "queries", "TABLE") in found
    assert rows(ann, sql.CommandGetTableTypes()) == [("TABLE",), ("VIEW",)]


def test_what_is_hidden_looks_absent(joe: Connection, ann: Connection) -> None:
    hidden = set(tables(ann)) - set(tables(joe))
    assert {row[2] for row in hidden} == {"secret", "secrets"}
    for field in ("people", "everybody"):
        command = sql.CommandGetTables(table_name_filter_pattern=field, catalog="lake", include_schema=True)
        for row in rows(joe, command):
            assert "salary" not in schema_of(row[4]).names
        assert any("salary" in schema_of(row[4]).names for row in rows(ann, command))


def test_the_columns_of_a_table(ann: Connection) -> None:
    asked = sql.CommandGetTables(
        catalog="lake",
        db_schema_filter_pattern="a_b",
        table_name_filter_pattern="people",
        include_schema=True,
    )
    [first, second] = ask(ann, asked).to_pylist()
    assert first["db_schema_name"] == "a_b" and second["db_schema_name"] == "axb"
    schema = schema_of(first["table_schema"])
    assert schema == pa.schema(
        [
            pa.field("id", pa.int64(), nullable=False),
            pa.field("salary", pa.decimal128(12, 2)),
            pa.field("name", pa.string()),
            pa.field("tags", pa.list_(pa.field("element", pa.string()))),
            pa.field("seen", pa.timestamp("us", "UTC")),
        ]
    )
    place = {"CATALOG_NAME": "lake", "DB_SCHEMA_NAME": "a_b", "TABLE_NAME": "people", "IS_READ_ONLY": "0"}
    place["SCHEMA_NAME"] = "a_b"
    flags = {"IS_AUTO_INCREMENT": "0", "IS_CASE_SENSITIVE": "0", "IS_SEARCHABLE": "1"}
    assert told(schema.field("id")) == {
        **place,
        **flags,
        "TYPE_NAME": "bigint",
        "PRECISION": "19",
        "REMARKS": "the number",
    }
    assert told(schema.field("salary")) == {
        **place,
        **flags,
        "TYPE_NAME": "decimal(12,2)",
        "PRECISION": "12",
        "SCALE": "2",
    }
    name = told(schema.field("name"))
    assert (name["TYPE_NAME"], name["IS_CASE_SENSITIVE"]) == ("varchar", "1")
    assert told(schema.field("tags"))["TYPE_NAME"] == "array(varchar)"
    seen = told(schema.field("seen"))
    assert (seen["TYPE_NAME"], seen["SCALE"]) == ("timestamp(6) with time zone", "6")


def test_views_and_system_tables_are_read_only(ann: Connection) -> None:
    for asked in (
        {"catalog": "lake", "table_name_filter_pattern": "everybody"},
        {"catalog": "system", "table_name_filter_pattern": "queries"},
    ):
        [row] = rows(ann, sql.CommandGetTables(include_schema=True, **asked))
        schema = schema_of(row[4])
        assert len(schema) > 1
        assert {told(field)["IS_READ_ONLY"] for field in schema} == {"1"}
