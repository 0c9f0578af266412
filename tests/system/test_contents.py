"""What the system tables say, as Trino's clients expect it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

import sqe
from sqe.api.connection import Connection
from sqe.errors import SqeError
from sqe.system import definitions

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def lake(connect: Any) -> Iterator[Connection]:
    connection: Connection = connect(memory=True)
    for sql in (
        "CREATE TABLE t (a bigint NOT NULL COMMENT 'the a', b varchar, c decimal(5,2), d date, "
        "e timestamp(6), f timestamp(6) with time zone, g array(integer), h row(x real, y double), "
        "i map(varchar, boolean), j varbinary, k uuid) COMMENT 'a table'",
        "CREATE VIEW v COMMENT 'a view' AS SELECT a AS x FROM t",
        "COMMENT ON COLUMN v.x IS 'of v'",
        "CREATE SCHEMA s",
        "CREATE SCHEMA s.nested",
        "CREATE TABLE s.nested.u (a bigint)",
    ):
        connection.execute(sql)
    yield connection


def rows(connection: Connection, sql: str) -> list[tuple[Any, ...]]:
    return connection.execute(sql).fetchall()


def test_schemata_tables_and_views(lake: Connection) -> None:
    assert sorted(rows(lake, "SELECT * FROM information_schema.schemata")) == [
        *(
            ("iceberg", "default"),
            ("iceberg", "information_schema"),
            ("iceberg", "s"),
            ("iceberg", "s.nested"),
        )
    ]
    sql = "SELECT * FROM information_schema.tables WHERE table_schema <> 'information_schema'"
    assert sorted(rows(lake, sql)) == [
        ("iceberg", "default", "t", "BASE TABLE"),
        ("iceberg", "default", "v", "VIEW"),
        ("iceberg", "s.nested", "u", "BASE TABLE"),
    ]
    sql = "SELECT table_name, table_comment FROM information_schema.tables WHERE table_schema = 'default'"
    assert sorted(rows(lake, sql)) == [("t", "a table"), ("v", "a view")]
    assert rows(lake, "SELECT * FROM information_schema.views") == [
        ("iceberg", "default", "v", "SELECT a AS x FROM t")
    ]


def test_columns(lake: Connection) -> None:
    sql = (
        "SELECT column_name, ordinal_position, column_default, is_nullable, data_type, comment "
        "FROM information_schema.columns WHERE table_name = '{}' ORDER BY ordinal_position"
    )
    assert rows(lake, sql.format("t")) == [
        ("a", 1, None, "NO", "bigint", "the a"),
        ("b", 2, None, "YES", "varchar", None),
        ("c", 3, None, "YES", "decimal(5,2)", None),
        ("d", 4, None, "YES", "date", None),
        ("e", 5, None, "YES", "timestamp(6)", None),
        ("f", 6, None, "YES", "timestamp(6) with time zone", None),
        ("g", 7, None, "YES", "array(integer)", None),
        ("h", 8, None, "YES", "row(x real, y double)", None),
        ("i", 9, None, "YES", "map(varchar, boolean)", None),
        ("j", 10, None, "YES", "varbinary", None),
        ("k", 11, None, "YES", "uuid", None),
    ]
    assert rows(lake, sql.format("v")) == [("x", 1, None, "YES", "bigint", "of v")]


def test_hidden_columns_can_be_named_and_are_in_no_star(lake: Connection) -> None:
    def columns(sql: str) -> list[str]:
        return [c[0] for c in lake.execute(sql).description or []]

    shown = ["table_catalog", "table_schema", "table_name", "table_type"]
    assert columns("SELECT * FROM information_schema.tables") == shown
    assert columns("SELECT t.* FROM information_schema.tables t") == shown
    assert columns("SELECT *, table_comment FROM information_schema.tables") == [*shown, "table_comment"]
    assert columns("TABLE information_schema.tables") == shown
    assert columns("SELECT * FROM (SELECT * FROM information_schema.tables)") == shown
    assert columns("WITH x AS (TABLE information_schema.tables) SELECT * FROM x") == shown
    assert columns("SELECT * FROM information_schema.tables AS x (a, b, c, d)") == ["a", "b", "c", "d"]
    joined = "FROM information_schema.tables t JOIN information_schema.columns c"
    assert columns(f"SELECT * {joined} USING (table_catalog, table_schema, table_name)") == [
        *("table_catalog", "table_schema", "table_name", "table_type"),
        *("column_name", "ordinal_position", "column_default", "is_nullable", "data_type"),
    ]
    assert columns(f"SELECT c.comment, t.table_comment {joined} ON t.table_name = c.table_name") == [
        *("comment", "table_comment")
    ]
    sql = "SELECT 1 FROM information_schema.tables ORDER BY table_comment"
    assert columns(sql) == ["_col0"]


def test_system_metadata(lake: Connection) -> None:
    assert rows(lake, "SELECT * FROM system.metadata.catalogs") == [
        ("iceberg", "iceberg", "iceberg", "OPERATIONAL"),
        ("system", "system", "system", "OPERATIONAL"),
    ]
    sql = "SELECT table_name, comment FROM system.metadata.table_comments WHERE schema_name = 'default'"
    assert sorted(rows(lake, sql)) == [("t", "a table"), ("v", "a view")]
    options = {row[1] for row in rows(lake, "SELECT * FROM system.metadata.table_properties")}
    assert {"format", "format_version", "location", "partitioning"} <= options
    for option, kind in rows(
        lake, "SELECT property_name, type FROM system.metadata.table_properties WHERE default_value <> ''"
    ):
        if kind == "varchar":
            lake.execute(f"CREATE TABLE with_{option} (a bigint) WITH ({option} = 'PARQUET')")
            lake.execute(f"DROP TABLE with_{option}")


def test_jdbc(lake: Connection) -> None:
    assert rows(lake, "SELECT * FROM system.jdbc.catalogs") == [("iceberg",), ("system",)]
    assert rows(lake, "SELECT * FROM system.jdbc.table_types") == [("TABLE",), ("VIEW",)]
    sql = (
        "SELECT column_name, data_type, type_name, column_size, decimal_digits, num_prec_radix, nullable, "
        "remarks, char_octet_length, ordinal_position, is_nullable FROM system.jdbc.columns "
        "WHERE table_name = 't' AND table_schem = 'default' ORDER BY ordinal_position"
    )
    assert rows(lake, sql) == [
        ("a", -5, "bigint", 19, None, 10, 0, "the a", None, 1, "NO"),
        ("b", 12, "varchar", 2147483647, None, None, 1, None, 2147483647, 2, "YES"),
        ("c", 3, "decimal(5,2)", 5, 2, 10, 1, None, None, 3, "YES"),
        ("d", 91, "date", 14, None, None, 1, None, None, 4, "YES"),
        ("e", 93, "timestamp(6)", 26, 6, None, 1, None, None, 5, "YES"),
        ("f", 2014, "timestamp(6) with time zone", 32, 6, None, 1, None, None, 6, "YES"),
        ("g", 2003, "array(integer)", None, None, None, 1, None, None, 7, "YES"),
        ("h", 2000, "row(x real, y double)", None, None, None, 1, None, None, 8, "YES"),
        ("i", 2000, "map(varchar, boolean)", None, None, None, 1, None, None, 9, "YES"),
        ("j", -3, "varbinary", 2147483647, None, None, 1, None, 2147483647, 10, "YES"),
        ("k", 2000, "uuid", None, None, None, 1, None, None, 11, "YES"),
    ]
    types = {
        name: number for name, number in rows(lake, "SELECT type_name, data_type FROM system.jdbc.types")
    }
    assert types["bigint"] == -5 and types["varchar"] == 12 and types["timestamp with time zone"] == 2014


def test_every_system_table_can_be_read(lake: Connection) -> None:
    for (schema, name), table in definitions.TABLES.items():
        catalog = "iceberg" if schema == "information_schema" else "system"
        cursor = lake.execute(f"SELECT * FROM {catalog}.{schema}.{name}")
        shown = [(n, str(kind)) for n, kind in table.columns if n not in table.hidden]
        assert [(c[0], str(c[1])) for c in cursor.description or []] == shown, (schema, name)
        assert lake.execute(f"SELECT count(*) FROM {catalog}.{schema}.{name}").fetchone() is not None
        cursor.fetchall()
    for name in ("schemata", "tables", "columns", "views"):
        assert rows(lake, f"SELECT count(*) FROM system.information_schema.{name}")


def test_nodes(lake: Connection) -> None:
    assert rows(lake, "SELECT * FROM system.runtime.nodes") == [
        ("coordinator", None, sqe.__version__, True, "active")
    ]


@pytest.mark.parametrize("name", [
    "information_schema.tables", "INFORMATION_SCHEMA.TABLES", '"iceberg".INFORMATION_SCHEMA.tables',
    '"information_schema"."tables"', "Iceberg.Information_Schema.Tables", "iceberg.information_schema.tables",
])  # fmt: skip
def test_names_are_found_in_any_spelling(lake: Connection, name: str) -> None:
    assert rows(lake, f"SELECT count(*) FROM {name} WHERE table_name = 't'") == [(1,)]
    sql = f"SELECT tables.table_name FROM {name} WHERE tables.table_name = 't'"
    assert rows(lake, sql) == [("t",)]


@pytest.mark.parametrize(("sql", "code"), [
    ("SELECT * FROM information_schema.tabels", "TABLE_NOT_FOUND"),
    ("SELECT * FROM system.runtme.nodes", "SCHEMA_NOT_FOUND"),
    ("SELECT * FROM iceberg.runtime.nodes", "SCHEMA_NOT_FOUND"),
    ("SELECT nosuch FROM information_schema.tables", "COLUMN_NOT_FOUND"),
    ("SELECT * FROM information_schema.tables FOR VERSION AS OF 1", "NOT_SUPPORTED"),
    ('SELECT * FROM information_schema."tables$files"', "TABLE_NOT_FOUND"),
    ("CREATE SCHEMA information_schema", "NOT_SUPPORTED"),
    ("CREATE SCHEMA system.mine", "SCHEMA_NOT_FOUND"),
    ("DROP SCHEMA information_schema CASCADE", "NOT_SUPPORTED"),
    ("CREATE TABLE information_schema.x (a bigint)", "NOT_SUPPORTED"),
    ("CREATE TABLE system.runtime.x AS SELECT 1 AS a", "NOT_SUPPORTED"),
    ("CREATE VIEW information_schema.x AS SELECT 1 AS a", "NOT_SUPPORTED"),
    ("DROP TABLE information_schema.tables", "NOT_SUPPORTED"),
    ("ALTER TABLE information_schema.tables RENAME TO x", "NOT_SUPPORTED"),
    ("ALTER SCHEMA s RENAME TO information_schema", "NOT_SUPPORTED"),
    ("ALTER TABLE t RENAME TO information_schema.t", "NOT_SUPPORTED"),
    ("INSERT INTO information_schema.tables VALUES ('a')", "NOT_SUPPORTED"),
    ("UPDATE system.runtime.queries SET query = ''", "NOT_SUPPORTED"),
    ("DELETE FROM system.runtime.queries", "NOT_SUPPORTED"),
    ("TRUNCATE TABLE system.runtime.queries", "NOT_SUPPORTED"),
    ("MERGE INTO system.runtime.nodes USING t ON true WHEN MATCHED THEN DELETE", "NOT_SUPPORTED"),
])  # fmt: skip
def test_they_are_read_only_and_have_no_past(lake: Connection, sql: str, code: str) -> None:
    with pytest.raises(SqeError) as error:
        lake.execute(sql)
    assert error.value.code == code
    assert error.value.position is not None
