"""One catalog that is away, or one table that cannot be read, hides nothing of the others."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

import pytest
from tests.system.counting_catalog import Mounted, counting

from sqe.api.connection import Connection
from sqe.engine.spark.spark import Spark
from sqe.errors import Unavailable
from sqe.system.definitions import tables_in

pytestmark = pytest.mark.spark


@pytest.fixture
def two(mounted: Mounted, spark_lane: Spark) -> Connection:
    connection = mounted("lake", "pond", spark=spark_lane)
    connection.execute("CREATE TABLE lake.default.a (x bigint) COMMENT 'of a'")
    connection.execute("CREATE TABLE lake.default.b (y bigint)")
    connection.execute("CREATE VIEW lake.default.v AS SELECT x FROM lake.default.a")
    connection.execute("CREATE TABLE pond.default.c (z bigint)")
    return connection


def answer(connection: Connection, sql: str) -> tuple[list[tuple[object, ...]], Sequence[str]]:
    cursor = connection.execute(sql)
    rows = cursor.fetchall()
    assert cursor.statement is not None
    return rows, cursor.statement.warnings


def test_a_catalog_that_is_away(two: Connection) -> None:
    counting(two, "pond").away = {"namespaces", "tables", "views", "find_table", "find_view"}
    for sql, expected in (
        ("SELECT table_schem FROM system.jdbc.schemas WHERE table_catalog <> 'system'",
         [("default",), ("information_schema",)]),
        ("SELECT table_name FROM system.jdbc.tables WHERE table_schem = 'default'", [("a",), ("b",), ("v",)]),
        ("SELECT column_name FROM system.jdbc.columns WHERE table_schem = 'default'",
         [("x",), ("x",), ("y",)]),
        ("SELECT comment FROM system.metadata.table_comments WHERE table_name = 'a'", [("of a",)]),
    ):  # fmt: skip
        rows, warnings = answer(two, sql)
        assert sorted(rows) == expected
        assert warnings == ["catalog 'pond' cannot be listed: the catalog is away"]
    assert answer(two, "SHOW CATALOGS") == ([("lake",), ("pond",), ("system",)], [])
    own = "SELECT count(*) FROM lake.information_schema.columns WHERE table_schema = 'default'"
    assert answer(two, own) == ([(3,)], [])
    assert answer(two, "SELECT * FROM system.jdbc.schemas WHERE table_catalog = 'lake'")[1] == []


def test_a_listing_of_what_is_away_alone_is_an_error(two: Connection) -> None:
    counting(two, "pond").away = {"namespaces", "tables", "views"}
    for sql in ("SHOW SCHEMAS FROM pond", "SHOW TABLES FROM pond.default"):
        with pytest.raises(Unavailable):
            two.execute(sql)
    assert answer(two, "SELECT * FROM pond.information_schema.tables") == (
        [], ["catalog 'pond' cannot be listed: the catalog is away"]
    )  # fmt: skip


def test_a_schema_that_cannot_be_listed(two: Connection) -> None:
    counting(two, "pond").away = {"tables"}
    rows, warnings = answer(two, "SELECT table_name FROM pond.information_schema.tables")
    assert sorted(rows) == sorted((table.name,) for table in tables_in("information_schema"))
    assert warnings == ["schema 'pond.default' cannot be listed: the catalog is away"]


def test_a_table_that_cannot_be_read(two: Connection) -> None:
    path = counting(two, "lake").inner.path / "sqe.db"
    with sqlite3.connect(path) as db:
        db.execute(
            "UPDATE iceberg_tables SET metadata_location = 'file:///nowhere/x.json' WHERE table_name = 'a'"
        )
    db.close()
    rows, warnings = answer(two, "SELECT table_name, column_name FROM information_schema.columns "
                                 "WHERE table_schema = 'default'")  # fmt: skip
    assert rows == [("b", "y")]
    # The view reads it too.
    assert [w.split(" cannot be listed")[0] for w in warnings] == ["'lake.default.a'", "'lake.default.v'"]
    assert answer(two, "SHOW TABLES") == ([("a",), ("b",), ("v",)], [])
    rows, _ = answer(two, "SELECT table_name FROM information_schema.tables WHERE table_schema = 'default'")
    assert sorted(rows) == [("a",), ("b",), ("v",)]


def test_a_table_that_is_dropped_meanwhile_is_not_worth_a_warning(two: Connection) -> None:
    catalog = counting(two, "lake")
    tables = catalog.inner.tables
    catalog.inner.tables = lambda namespace: [*tables(namespace), "gone"]  # type: ignore[method-assign]
    rows, warnings = answer(
        two, "SELECT table_name FROM information_schema.columns WHERE table_schema = 'default'"
    )
    assert (sorted(rows), warnings) == ([("a",), ("b",), ("v",)], [])
