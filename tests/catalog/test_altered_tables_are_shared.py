"""Tables that we altered, with rows from before and after, as plain Spark and PyIceberg read them."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from pyiceberg.catalog.sql import SqlCatalog
from sqlalchemy import URL
from tests.plain_spark import run_plain as spark

from sqe.api.connection import Connection
from sqe.catalog.backends.embedded import EmbeddedCatalog

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def home(connect: Callable[..., Connection]) -> Connection:
    return connect(memory=True)


@pytest.fixture
def plain(home: Connection) -> Iterator[SqlCatalog]:
    catalog = home.coordinator.catalogs.get("iceberg")
    assert isinstance(catalog, EmbeddedCatalog)
    uri = URL.create("sqlite", database=str(catalog.path / "sqe.db"), query={"timeout": "30"})
    with SqlCatalog("iceberg", uri=uri.render_as_string(), warehouse=f"file://{catalog.data}") as plain:
        yield plain  # type: ignore[misc]


ALTERED = (
    "ALTER TABLE {t} ADD COLUMN extra date COMMENT 'late'",
    "ALTER TABLE {t} RENAME COLUMN name TO label",
    "ALTER TABLE {t} DROP COLUMN gone",
    "ALTER TABLE {t} ALTER COLUMN n SET DATA TYPE bigint",
    "ALTER TABLE {t} ALTER COLUMN price SET DATA TYPE decimal(20, 2)",
    "ALTER TABLE {t} ADD COLUMN r.z varchar",
    "ALTER TABLE {t} RENAME COLUMN r.x TO ex",
    "ALTER TABLE {t} ADD COLUMN gone varchar",
    "ALTER TABLE {t} SET PROPERTIES \"write.delete.mode\" = 'merge-on-read'",
    "COMMENT ON TABLE {t} IS 'altered'",
    "COMMENT ON COLUMN {t}.n IS 'a number'",
)


@pytest.mark.parametrize("version", [1, 2, 3])
def test_rows_from_before_and_after(home: Connection, plain: SqlCatalog, version: int) -> None:
    table = f"t{version}"
    home.execute(
        f"CREATE TABLE {table} (n integer, name varchar, gone integer, price decimal(9,2), r row(x integer)) "
        f"WITH (format_version = {version}, partitioning = ARRAY['bucket(n, 2)'])"
    )
    home.execute(f"INSERT INTO {table} VALUES (1, 'one', 11, 1.5, ROW(10)), (2, 'two', 22, 2.5, NULL)")
    for sql in ALTERED:
        home.execute(sql.format(t=table))
    home.execute(
        f"INSERT INTO {table} (n, label, price, r, extra, gone) VALUES "
        "(3000000000, 'three', 123456789012.5, ROW(30, 'z'), DATE '2024-01-01', 'back')"
    )
    question = "SELECT n, label, CAST(price AS varchar{n}), r.ex, r.z, extra, gone FROM {t} ORDER BY n"
    rows = home.execute(question.format(n="", t=table)).fetchall()
    assert [row[:5] for row in rows] == [
        (1, "one", "1.50", 10, None),
        (2, "two", "2.50", None, None),
        (3000000000, "three", "123456789012.50", 30, "z"),
    ]
    assert [row[6] for row in rows] == [None, None, "back"]
    assert spark(home, question.format(n="(50)", t=f"iceberg.default.{table}")) == rows

    stored = plain.load_table(("default", table))
    assert stored.metadata.format_version == version
    assert stored.properties["comment"] == "altered"
    assert {f.name: f.doc for f in stored.schema().fields if f.doc} == {"n": "a number", "extra": "late"}
    read = sorted(stored.scan().to_arrow().to_pylist(), key=lambda row: row["n"])
    assert [(row["n"], row["label"], row["r"], row["gone"]) for row in read] == [
        (1, "one", {"ex": 10, "z": None}, None),
        (2, "two", None, None),
        (3000000000, "three", {"ex": 30, "z": "z"}, "back"),
    ]
    assert ("a number",) in [row[2:3] for row in spark(home, f"DESCRIBE iceberg.default.{table}")]


@pytest.mark.parametrize(("before", "after"), [(1, 2), (1, 3), (2, 3)])
def test_an_upgraded_table_is_read_and_written(
    home: Connection, plain: SqlCatalog, before: int, after: int
) -> None:
    table = f"up{before}{after}"
    home.execute(f"CREATE TABLE {table} (n integer) WITH (format_version = {before})")
    home.execute(f"INSERT INTO {table} VALUES (1), (2)")
    home.execute(f"ALTER TABLE {table} SET PROPERTIES format_version = {after}")
    stored = plain.load_table(("default", table))
    assert stored.metadata.format_version == after
    assert sorted(stored.scan().to_arrow()["n"].to_pylist()) == [1, 2]
    home.execute(f"INSERT INTO {table} VALUES (3)")
    home.execute(f"DELETE FROM {table} WHERE n = 1")
    assert spark(home, f"SELECT n FROM iceberg.default.{table} ORDER BY n") == [(2,), (3,)]


def test_a_renamed_table_keeps_its_rows_for_all(home: Connection, plain: SqlCatalog) -> None:
    home.execute("CREATE SCHEMA attic")
    home.execute("CREATE TABLE moving AS SELECT 1 AS n")
    home.execute("ALTER TABLE moving RENAME TO attic.moved")
    assert spark(home, "SELECT n FROM iceberg.attic.moved") == [(1,)]
    assert plain.load_table(("attic", "moved")).scan().to_arrow()["n"].to_pylist() == [1]
    home.execute("INSERT INTO attic.moved VALUES (2)")
    home.execute("ALTER SCHEMA attic RENAME TO cellar")
    assert spark(home, "SELECT n FROM iceberg.cellar.moved ORDER BY n") == [(1,), (2,)]
    assert home.execute("SELECT n FROM cellar.moved ORDER BY n").fetchall() == [(1,), (2,)]


def test_not_null_that_was_proven_holds(home: Connection) -> None:
    home.execute("CREATE TABLE proven (n integer, m integer)")
    home.execute("INSERT INTO proven VALUES (1, NULL), (2, 2)")
    home.execute("DELETE FROM proven WHERE n = 1")
    home.execute("ALTER TABLE proven ALTER COLUMN n SET NOT NULL")
    home.execute("INSERT INTO proven VALUES (3, NULL)")
    assert spark(home, "SELECT n, m FROM iceberg.default.proven ORDER BY n") == [(2, 2), (3, None)]


def test_the_sort_order_is_used_by_spark(home: Connection, plain: SqlCatalog) -> None:
    home.execute("CREATE TABLE sorted (n integer, s varchar) WITH (sorted_by = ARRAY['n DESC', 's'])")
    home.execute("INSERT INTO sorted VALUES (1, 'a'), (3, 'c'), (2, 'b')")
    stored = plain.load_table(("default", "sorted"))
    assert str(stored.sort_order().fields[0].direction).lower().endswith("desc")
    assert stored.scan().to_arrow()["n"].to_pylist() == [3, 2, 1]
    home.execute("ALTER TABLE sorted RENAME COLUMN n TO number")
    home.execute("INSERT INTO sorted VALUES (4, 'd')")
    assert home.execute("SELECT count(*) FROM sorted").fetchall() == [(4,)]
