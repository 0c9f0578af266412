"""What drivers and tools ask of a Trino before anybody asks anything: each question has an answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from sqe.api.connection import Connection

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def lake(connect: Any) -> Iterator[Connection]:
    connection: Connection = connect(memory=True)
    for sql in (
        "CREATE SCHEMA tpch",
        "CREATE TABLE tpch.nation (n_nationkey bigint, n_name varchar) COMMENT 'where people live'",
        "CREATE VIEW tpch.names AS SELECT n_name FROM tpch.nation",
    ):
        connection.execute(sql)
    yield connection


def rows(connection: Connection, sql: str) -> list[tuple[Any, ...]]:
    return connection.execute(sql).fetchall()


SCHEMAS_OF_ICEBERG = [("default", "iceberg"), ("information_schema", "iceberg"), ("tpch", "iceberg")]

# java.sql.DatabaseMetaData, as Trino's driver asks for it.
JDBC: list[tuple[str, list[tuple[Any, ...]] | None]] = [
    ("SELECT TABLE_CAT\nFROM system.jdbc.catalogs\nORDER BY TABLE_CAT", [("iceberg",), ("system",)]),
    ("SELECT TABLE_SCHEM, TABLE_CATALOG\nFROM system.jdbc.schemas\n"
     "WHERE TABLE_CATALOG = 'iceberg' AND TABLE_SCHEM LIKE '%' ESCAPE '\\'\n"
     "ORDER BY TABLE_CATALOG, TABLE_SCHEM", SCHEMAS_OF_ICEBERG),
    ("SELECT TABLE_SCHEM, TABLE_CATALOG\nFROM system.jdbc.schemas\nORDER BY TABLE_CATALOG, TABLE_SCHEM",
     [*SCHEMAS_OF_ICEBERG, ("information_schema", "system"), ("jdbc", "system"), ("metadata", "system"),
      ("runtime", "system")]),
    ("SELECT TABLE_CAT, TABLE_SCHEM, TABLE_NAME, TABLE_TYPE, REMARKS,\n  TYPE_CAT, TYPE_SCHEM, TYPE_NAME,   "
     "SELF_REFERENCING_COL_NAME, REF_GENERATION\nFROM system.jdbc.tables\nWHERE TABLE_CAT = 'iceberg' AND "
     "TABLE_SCHEM LIKE 'tpch' ESCAPE '\\' AND TABLE_NAME LIKE '%' ESCAPE '\\' AND "
     "TABLE_TYPE IN ('TABLE', 'VIEW')\nORDER BY TABLE_TYPE, TABLE_CAT, TABLE_SCHEM, TABLE_NAME",
     [("iceberg", "tpch", "nation", "TABLE", *[None] * 6),
      ("iceberg", "tpch", "names", "VIEW", *[None] * 6)]),
    ("SELECT TABLE_CAT, TABLE_SCHEM, TABLE_NAME, TABLE_TYPE FROM system.jdbc.tables\n"
     "WHERE TABLE_CAT = 'iceberg' AND TABLE_SCHEM LIKE 'tp_h' ESCAPE '\\' AND TABLE_NAME LIKE 'nation' "
     "ESCAPE '\\'\nORDER BY TABLE_TYPE, TABLE_CAT, TABLE_SCHEM, TABLE_NAME",
     [("iceberg", "tpch", "nation", "TABLE")]),
    ("SELECT TABLE_CAT, TABLE_SCHEM, TABLE_NAME, COLUMN_NAME, DATA_TYPE,\n"
     "  TYPE_NAME, COLUMN_SIZE, BUFFER_LENGTH, DECIMAL_DIGITS, NUM_PREC_RADIX,\n"
     "  NULLABLE, REMARKS, COLUMN_DEF, SQL_DATA_TYPE, SQL_DATETIME_SUB,\n"
     "  CHAR_OCTET_LENGTH, ORDINAL_POSITION, IS_NULLABLE,\n  SCOPE_CATALOG, SCOPE_SCHEMA, SCOPE_TABLE,\n"
     "  SOURCE_DATA_TYPE, IS_AUTOINCREMENT, IS_GENERATEDCOLUMN\nFROM system.jdbc.columns\n"
     "WHERE TABLE_CAT = 'iceberg' AND TABLE_SCHEM LIKE 'tpch' ESCAPE '\\' AND TABLE_NAME LIKE 'nation' "
     "ESCAPE '\\' AND COLUMN_NAME LIKE '%' ESCAPE '\\'\n"
     "ORDER BY TABLE_CAT, TABLE_SCHEM, TABLE_NAME, ORDINAL_POSITION",
     [("iceberg", "tpch", "nation", "n_nationkey", -5, "bigint", 19, 0, None, 10, 1, None, None, None, None,
       None, 1, "YES", *[None] * 6),
      ("iceberg", "tpch", "nation", "n_name", 12, "varchar", 2147483647, 0, None, None, 1, None, None, None,
       None, 2147483647, 2, "YES", *[None] * 6)]),
    ("SELECT  CAST(NULL AS varchar) TABLE_CAT,  CAST(NULL AS smallint) KEY_SEQ WHERE false", []),
    ("SELECT TYPE_NAME, DATA_TYPE, PRECISION, LITERAL_PREFIX, LITERAL_SUFFIX,\nCREATE_PARAMS, NULLABLE, "
     "CASE_SENSITIVE, SEARCHABLE, UNSIGNED_ATTRIBUTE,\nFIXED_PREC_SCALE, AUTO_INCREMENT, LOCAL_TYPE_NAME, "
     "MINIMUM_SCALE, MAXIMUM_SCALE,\nSQL_DATA_TYPE, SQL_DATETIME_SUB, NUM_PREC_RADIX\n"
     "FROM system.jdbc.types\nORDER BY DATA_TYPE", None),
    ("SELECT TABLE_TYPE\nFROM system.jdbc.table_types\nORDER BY TABLE_TYPE", [("TABLE",), ("VIEW",)]),
    ("select current_catalog, current_schema", [("iceberg", "default")]),
]  # fmt: skip

# A comment of JSON is before each.
DBT: list[tuple[str, list[tuple[Any, ...]]]] = [
    ('select schema_name\n    from "iceberg".INFORMATION_SCHEMA.schemata',
     [("default",), ("information_schema",), ("tpch",)]),
    ("""select
      t.table_catalog as database,
      t.table_name as name,
      t.table_schema as schema,
      case when mv.name is not null then 'materialized_view'
           when t.table_type = 'BASE TABLE' then 'table'
           when t.table_type = 'VIEW' then 'view'
           else t.table_type
      end as table_type
    from "iceberg".INFORMATION_SCHEMA.tables t
    left join (
            select * from system.metadata.materialized_views
            where catalog_name = 'iceberg'
              and schema_name = 'tpch') mv
          on mv.catalog_name = t.table_catalog and mv.schema_name = t.table_schema and mv.name = t.table_name
    where t.table_schema = 'tpch'""",
     [("iceberg", "names", "tpch", "view"), ("iceberg", "nation", "tpch", "table")]),
    ("""select column_name, data_type
    from "iceberg".INFORMATION_SCHEMA.columns
    where
      table_catalog = 'iceberg'
      and table_schema = 'tpch'
      and table_name = 'names'""", [("n_name", "varchar")]),
]  # fmt: skip

SQLALCHEMY: list[tuple[str, list[tuple[Any, ...]]]] = [
    ('SELECT "schema_name"\nFROM "information_schema"."schemata"',
     [("default",), ("information_schema",), ("tpch",)]),
    ("""EXECUTE IMMEDIATE 'SELECT "table_name"
FROM "information_schema"."tables"
WHERE "table_schema" = ?
  AND "table_type" = ''BASE TABLE''' USING 'tpch'""", [("nation",)]),
    ("""EXECUTE IMMEDIATE 'SELECT "table_name"
FROM "information_schema"."tables"
WHERE "table_schema" = ?
  AND "table_name" = ?' USING 'tpch','nation'""", [("nation",)]),
    ("""EXECUTE IMMEDIATE 'SELECT
    "column_name",
    "data_type",
    "column_default",
    UPPER("is_nullable") AS "is_nullable",
    "comment"
FROM "information_schema"."columns"
WHERE "table_schema" = ?
  AND "table_name" = ?
ORDER BY "ordinal_position" ASC' USING 'tpch','nation'""",
     [("n_nationkey", "bigint", None, "YES", None), ("n_name", "varchar", None, "YES", None)]),
    ("""EXECUTE IMMEDIATE 'SELECT "comment"
FROM "system"."metadata"."table_comments"
WHERE "catalog_name" = ?
  AND "schema_name" = ?
  AND "table_name" = ?' USING 'iceberg','tpch','nation'""", [("where people live",)]),
    ('SELECT * FROM tpch."nation$partitions"', []),
]  # fmt: skip


@pytest.mark.parametrize(("sql", "expected"), JDBC)
def test_jdbc(lake: Connection, sql: str, expected: list[tuple[Any, ...]] | None) -> None:
    found = rows(lake, sql)
    assert found == expected or (expected is None and found)


@pytest.mark.parametrize(("sql", "expected"), DBT)
def test_dbt(lake: Connection, sql: str, expected: list[tuple[Any, ...]]) -> None:
    assert sorted(rows(lake, f'/* {{"app": "dbt", "node": "a; b"}} */\n{sql}')) == expected


@pytest.mark.parametrize(("sql", "expected"), SQLALCHEMY)
def test_sqlalchemy(lake: Connection, sql: str, expected: list[tuple[Any, ...]]) -> None:
    assert sorted(rows(lake, sql)) == sorted(expected)


def test_jdbc_begins_a_transaction_where_autocommit_is_off(lake: Connection) -> None:
    lake.execute("START TRANSACTION ISOLATION LEVEL READ UNCOMMITTED, READ WRITE")
    assert rows(lake, "select count(*) from tpch.nation") == [(0,)]
    lake.execute("COMMIT")
    assert rows(lake, "SELECT current_user") == [(lake.session.identity.user,)]
