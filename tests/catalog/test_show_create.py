"""What SHOW CREATE says makes the same thing again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from sqe.api.connection import Connection, connect
from sqe.catalog.iceberg.table import Table
from sqe.catalog.iceberg.view import View
from sqe.catalog.show_create import create_schema_text, create_table_text, create_view_text

TABLES = [
    "CREATE TABLE {} (a integer)",
    """CREATE TABLE {} ("order" integer NOT NULL COMMENT 'it''s',
    "A ""b"" c" varchar, ts timestamp(6) with time zone,
    r row("select" integer, plain array(row(a date))), m map(varchar, decimal(10,2)), u uuid, bin varbinary)
    COMMENT 'a ''table'''
    WITH (format = 'ORC', format_version = 1, sorted_by = ARRAY['ts DESC', '"A ""b"" c" ASC NULLS LAST'],
    partitioning = ARRAY['bucket("order", 4)', 'day(ts)', 'truncate("A ""b"" c", 3)', '"r.select"'])
    TBLPROPERTIES ('owner' = 'me', 'write.delete.mode' = 'merge-on-read')""",
    "CREATE TABLE {} (t timestamp(9), b boolean, d double, f real) WITH (format_version = 3)",
]


@pytest.fixture
def home() -> Iterator[Connection]:
    with connect(memory=True) as connection:
        yield connection


def table(home: Connection, name: str) -> Table:
    return home.coordinator.catalogs.get("iceberg").find_table(("default",), name)


def view(home: Connection, name: str) -> View:
    found = home.coordinator.catalogs.get("iceberg").find_view(("default",), name)
    assert found is not None
    return found


def _definition(table: Table) -> Table:
    # The format is written out where it was a default.
    properties = {"write.format.default": "parquet", **table.properties}
    return replace(table, uuid="", metadata_location="", properties=properties)


@pytest.mark.parametrize("sql", TABLES)
@pytest.mark.parametrize("name", ["t", '"Quoted name"', '"table"'])
def test_a_table_is_the_same_again(home: Connection, sql: str, name: str) -> None:
    home.execute(sql.format(name))
    before = table(home, name.strip('"'))
    text = create_table_text(before)
    home.execute(f"DROP TABLE {name}")
    home.execute(text)
    after = table(home, name.strip('"'))
    assert create_table_text(after) == text
    assert _definition(after) == _definition(before)


def test_the_layout_is_trinos(home: Connection) -> None:
    home.execute(
        "CREATE TABLE t (id bigint NOT NULL COMMENT 'key', \"Name\" varchar) COMMENT 'about' "
        "WITH (partitioning = ARRAY['bucket(id, 4)'])"
    )
    found = table(home, "t")
    assert (
        create_table_text(found)
        == f"""\
CREATE TABLE iceberg.default.t (
   id bigint NOT NULL COMMENT 'key',
   "Name" varchar
)
COMMENT 'about'
WITH (
   format = 'PARQUET',
   format_version = 2,
   location = '{found.location}',
   partitioning = ARRAY['bucket(id, 4)']
)"""
    )


def test_hidden_columns_are_not_told(home: Connection) -> None:
    home.execute(
        "CREATE TABLE t (a integer, secret integer) "
        "WITH (partitioning = ARRAY['secret'], sorted_by = ARRAY['secret', 'a'])"
    )
    found = table(home, "t")
    assert "secret" not in create_table_text(replace(found, columns=found.columns[:1]))


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE VIEW v AS SELECT 1 AS a, 'x' AS \"B b\"",
        "CREATE VIEW v (a COMMENT 'it''s', \"select\") COMMENT 'about' SECURITY DEFINER AS SELECT 1, 2",
        "CREATE VIEW v (p) AS SELECT * FROM t -- to the end",
        "CREATE VIEW v AS\nWITH w AS (SELECT a FROM t)\nSELECT * FROM w",
    ],
)
def test_a_view_is_the_same_again(home: Connection, sql: str) -> None:
    home.execute("CREATE TABLE t (a integer)")
    home.execute(sql)
    before = view(home, "v")
    text = create_view_text(before)
    home.execute("DROP VIEW v")
    home.execute(text)
    after = view(home, "v")
    assert (after.sql, after.columns, after.comment) == (before.sql, before.columns, before.comment)
    assert create_view_text(after) == text
    assert home.execute("SHOW CREATE VIEW v").fetchall() == [(text,)]


def test_a_schema_is_the_same_again(home: Connection, tmp_path: object) -> None:
    text = create_schema_text("iceberg", ("Some", "nested"), f"file://{tmp_path}")
    assert text == f"""CREATE SCHEMA iceberg."Some".nested\nWITH (\n   location = 'file://{tmp_path}'\n)"""
    home.execute(text)
    catalog = home.coordinator.catalogs.get("iceberg")
    assert catalog.namespace_location(("Some", "nested")) == f"file://{tmp_path}"
    assert create_schema_text("iceberg", ("a",), None) == "CREATE SCHEMA iceberg.a"
