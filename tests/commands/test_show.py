"""SHOW and DESCRIBE, in Trino's column names, from names alone: no engine is started."""

from __future__ import annotations

import pytest

from sqe.api.connection import Connection, connect
from sqe.errors import SqeError


@pytest.fixture
def lake(light: Connection) -> Connection:
    for sql in (
        "CREATE TABLE orders (id bigint NOT NULL COMMENT 'the key', placed timestamp(6) with time zone, "
        "tags array(varchar), address row(street varchar, no integer)) COMMENT 'what was bought'",
        "CREATE TABLE a_b (x bigint)",
        "CREATE TABLE axb (x bigint)",
        "CREATE VIEW recent (id, at COMMENT 'when') AS SELECT id, placed FROM orders",
        "CREATE SCHEMA sales",
        "CREATE TABLE sales.t (x bigint)",
    ):
        light.execute(sql)
    return light


def columns(connection: Connection, sql: str) -> list[str]:
    return [c[0] for c in connection.execute(sql).description or []]


def rows(connection: Connection, sql: str) -> list[tuple[object, ...]]:
    return connection.execute(sql).fetchall()


def names(connection: Connection, sql: str) -> list[object]:
    return [row[0] for row in rows(connection, sql)]


@pytest.mark.parametrize(("sql", "expected"), [
    ("SHOW CATALOGS", ["Catalog"]),
    ("SHOW SCHEMAS", ["Schema"]),
    ("SHOW TABLES", ["Table"]),
    ("SHOW VIEWS", ["Table"]),
    ("SHOW COLUMNS FROM orders", ["Column", "Type", "Extra", "Comment"]),
    ("DESCRIBE orders", ["Column", "Type", "Extra", "Comment"]),
    ("SHOW FUNCTIONS",
     ["Function", "Return Type", "Argument Types", "Function Type", "Deterministic", "Description"]),
    ("SHOW SESSION", ["Name", "Value", "Default", "Type", "Description"]),
    ("SHOW STATS FOR orders",
     ["column_name", "data_size", "distinct_values_count", "nulls_fraction", "row_count", "low_value",
      "high_value"]),
    ("SHOW CREATE TABLE orders", ["Create Table"]),
    ("SHOW CREATE VIEW recent", ["Create View"]),
    ("SHOW CREATE SCHEMA sales", ["Create Schema"]),
])  # fmt: skip
def test_columns_are_named_as_in_trino(lake: Connection, sql: str, expected: list[str]) -> None:
    assert columns(lake, sql) == expected


def test_names(lake: Connection) -> None:
    assert names(lake, "SHOW CATALOGS") == ["iceberg", "system"]
    assert names(lake, "SHOW SCHEMAS") == ["default", "information_schema", "sales"]
    assert names(lake, "SHOW SCHEMAS FROM system") == ["information_schema", "jdbc", "metadata", "runtime"]
    assert names(lake, "SHOW TABLES") == ["a_b", "axb", "orders", "recent"]
    assert names(lake, "SHOW TABLES IN sales") == ["t"]
    assert names(lake, 'SHOW TABLES FROM "iceberg".SALES') == ["t"]
    assert names(lake, "SHOW TABLES FROM INFORMATION_SCHEMA") == [
        *("applicable_roles", "columns", "enabled_roles", "roles", "schemata", "table_privileges", "tables"),
        "views",
    ]
    assert names(lake, "SHOW VIEWS") == ["recent"]
    assert names(lake, "SHOW VIEWS FROM sales") == []


def test_like_and_escape(lake: Connection) -> None:
    assert names(lake, "SHOW TABLES LIKE 'a_b'") == ["a_b", "axb"]
    assert names(lake, "SHOW TABLES LIKE 'a!_b' ESCAPE '!'") == ["a_b"]
    assert names(lake, r"SHOW TABLES FROM default LIKE 'a\_%' ESCAPE '\'") == ["a_b"]
    assert names(lake, "SHOW TABLES LIKE '%R%'") == []
    assert names(lake, "SHOW TABLES LIKE ''") == []
    assert names(lake, "SHOW SCHEMAS LIKE 's%'") == ["sales"]
    assert names(lake, "SHOW CATALOGS LIKE '%s%'") == ["system"]
    assert names(lake, "SHOW COLUMNS FROM orders LIKE '%a%'") == ["placed", "tags", "address"]
    assert names(lake, "SHOW SESSION LIKE 'lane'") == ["lane"]
    assert set(names(lake, "SHOW FUNCTIONS LIKE 'count%'")) == {"count", "count_if"}


@pytest.mark.parametrize(("sql", "code", "place"), [
    ("SHOW TABLES LIKE 'a!b' ESCAPE '!'", "INVALID_ARGUMENTS", "1:18"),
    ("SHOW TABLES LIKE 'a!' ESCAPE '!'", "INVALID_ARGUMENTS", "1:18"),
    ("SHOW TABLES LIKE 'a' ESCAPE ''", "INVALID_ARGUMENTS", "1:29"),
    ("SHOW TABLES LIKE 'a' ESCAPE '!!'", "INVALID_ARGUMENTS", "1:29"),
    ("SHOW TABLES FROM nosuch", "SCHEMA_NOT_FOUND", "1:18"),
    ("SHOW TABLES FROM system.nosuch", "SCHEMA_NOT_FOUND", "1:18"),
    ("SHOW SCHEMAS FROM nosuch", "CATALOG_NOT_FOUND", "1:19"),
    ("SHOW SCHEMAS FROM iceberg.sales", "SYNTAX_ERROR", "1:19"),
    ("SHOW COLUMNS FROM nosuch", "TABLE_NOT_FOUND", "1:19"),
    ("DESCRIBE information_schema.colums", "TABLE_NOT_FOUND", "1:10"),
    ("DESCRIBE system.runtme.nodes", "SCHEMA_NOT_FOUND", "1:10"),
    ("SHOW CREATE TABLE recent", "NOT_SUPPORTED", "1:19"),
    ("SHOW CREATE VIEW orders", "NOT_SUPPORTED", "1:18"),
    ("SHOW CREATE SCHEMA nosuch", "SCHEMA_NOT_FOUND", "1:20"),
    ("SHOW CREATE TABLE information_schema.tables", "NOT_SUPPORTED", "1:19"),
    ("SHOW STATS FOR recent", "NOT_SUPPORTED", "1:16"),
    ("SHOW STATS FOR information_schema.tables", "NOT_SUPPORTED", "1:16"),
])  # fmt: skip
def test_errors_have_a_code_and_a_place(lake: Connection, sql: str, code: str, place: str) -> None:
    with pytest.raises(SqeError) as error:
        lake.execute(sql)
    assert (error.value.code, str(error.value.position)) == (code, place)


def test_columns_of_tables_views_system_and_metadata_tables(lake: Connection) -> None:
    assert (
        rows(lake, "DESCRIBE orders")
        == rows(lake, "SHOW COLUMNS FROM iceberg.default.orders")
        == [
            ("id", "bigint", "", "the key"),
            ("placed", "timestamp(6) with time zone", "", ""),
            ("tags", "array(varchar)", "", ""),
            ("address", "row(street varchar, no integer)", "", ""),
        ]
    )
    assert rows(lake, "DESC recent") == [
        ("id", "bigint", "", ""),
        ("at", "timestamp(6) with time zone", "", "when"),
    ]
    assert rows(lake, "DESCRIBE information_schema.schemata") == [
        ("catalog_name", "varchar", "", ""),
        ("schema_name", "varchar", "", ""),
    ]
    assert "comment" not in names(lake, "DESCRIBE information_schema.columns")
    assert names(lake, 'DESCRIBE "orders$refs"')[:3] == ["name", "type", "snapshot_id"]


def test_functions(light: Connection) -> None:
    assert rows(light, "SHOW FUNCTIONS LIKE 'count_if'") == [
        ("count_if", "bigint", "boolean", "aggregate", True, "How many are true")
    ]
    kinds = {row[3] for row in rows(light, "SHOW FUNCTIONS")}
    assert kinds == {"scalar", "aggregate", "window", "table"}
    assert {row[4] for row in rows(light, "SHOW FUNCTIONS LIKE 'rand%'")} == {False}
    assert not any(str(row[0]).startswith("$") for row in rows(light, "SHOW FUNCTIONS"))


def test_what_show_create_says_makes_the_same_again(lake: Connection) -> None:
    for kind, name in (("TABLE", "orders"), ("VIEW", "recent"), ("SCHEMA", "sales")):
        [(text,)] = rows(lake, f"SHOW CREATE {kind} {name}")
        assert str(text).startswith(f"CREATE {kind} iceberg.")
        described = rows(lake, f"DESCRIBE {name}") if kind != "SCHEMA" else []
        lake.execute(f"DROP {kind} {name}{' CASCADE' if kind == 'SCHEMA' else ''}")
        lake.execute(str(text))
        assert rows(lake, f"SHOW CREATE {kind} {name}") == [(text,)]
        assert described == (rows(lake, f"DESCRIBE {name}") if kind != "SCHEMA" else [])


def test_several_catalogs(tmp_path: object) -> None:
    with connect(catalogs={"lake": f"{tmp_path}/lake", "pond": f"{tmp_path}/pond"}) as connection:
        connection.execute("CREATE TABLE pond.default.fish (x bigint)")
        assert names(connection, "SHOW CATALOGS") == ["lake", "pond", "system"]
        assert names(connection, "SHOW TABLES") == []
        assert names(connection, "SHOW TABLES FROM pond.default") == ["fish"]
        assert names(connection, "SHOW SCHEMAS FROM pond") == ["default", "information_schema"]
        connection.execute("USE pond.information_schema")
        assert "columns" in names(connection, "SHOW TABLES")


@pytest.mark.spark
def test_stats(schema: Connection) -> None:
    schema.execute("CREATE TABLE t (a bigint, b varchar, c double, d date, e boolean)")
    empty = rows(schema, "SHOW STATS FOR t")
    assert empty[-1] == (None, None, None, None, 0.0, None, None)
    schema.execute(
        "INSERT INTO t VALUES (1, 'x', 1.5, DATE '2024-02-29', true), (5, NULL, nan(), NULL, NULL)"
    )
    schema.execute("INSERT INTO t SELECT 7, 'yy', 0.5, DATE '2020-01-01', false")
    stats = {row[0]: row[1:] for row in rows(schema, "SHOW STATS FOR t")}
    assert stats[None] == (None, None, None, 3.0, None, None)
    assert stats["a"] == (None, None, 0.0, None, "1", "7")
    assert stats["d"][2:] == (1 / 3, None, "2020-01-01", "2024-02-29")
    assert stats["e"][2:] == (1 / 3, None, "false", "true")
    size, _, nulls, _, low, high = stats["b"]
    assert isinstance(size, float) and size > 0
    assert (nulls, low, high) == (1 / 3, None, None)
    schema.execute("DELETE FROM t WHERE a = 5")
    assert rows(schema, "SHOW STATS FOR t")[-1][4] in (2.0, None)
