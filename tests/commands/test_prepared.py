"""Prepared statements: their texts are kept in the session, and bound with values of the right types."""

from __future__ import annotations

import pytest

from sqe.api.connection import Connection
from sqe.errors import NotFound, SqeError


@pytest.fixture
def tables(light: Connection) -> Connection:
    light.execute("CREATE TABLE t (a bigint NOT NULL, b varchar, c decimal(5,2), d date)")
    return light


def rows(connection: Connection, sql: str) -> list[tuple[object, ...]]:
    return connection.execute(sql).fetchall()


@pytest.mark.parametrize(("text", "types"), [
    ("SELECT 1", []),
    ("SELECT a FROM t WHERE a = ? AND b <> ?", ["bigint", "varchar"]),
    ("SELECT a FROM t WHERE ? < a", ["bigint"]),
    ("SELECT a FROM t WHERE a BETWEEN ? AND ?", ["bigint", "bigint"]),
    ("SELECT a FROM t WHERE a IN (?, ?, 3)", ["bigint", "bigint"]),
    ("SELECT ? + a, coalesce(d, ?), CAST(? AS date), ? FROM t", ["bigint", "date", "unknown", "unknown"]),
    ("SELECT a FROM t ORDER BY a OFFSET ? LIMIT ?", ["bigint", "bigint"]),
    ("SELECT count(*) FROM t HAVING count(*) > ?", ["bigint"]),
    ("SELECT a FROM t WHERE EXISTS (SELECT 1 FROM t u WHERE u.c = ?)", ["decimal(5,2)"]),
    ("SELECT b FROM (SELECT b FROM t WHERE d = ?) WHERE b = ?", ["date", "varchar"]),
    ("INSERT INTO t VALUES (?, ?, ?, ?)", ["bigint", "varchar", "decimal(5,2)", "date"]),
    ("INSERT INTO t (a, d) VALUES (?, ?), (?, ?)", ["bigint", "date", "bigint", "date"]),
    ("INSERT INTO t (d, a) SELECT ?, ?", ["date", "bigint"]),
    ("UPDATE t SET b = ? WHERE a = ?", ["varchar", "bigint"]),
    ("DELETE FROM t WHERE d < ?", ["date"]),
    ("MERGE INTO t USING (SELECT 1 AS x) s ON a = x WHEN MATCHED THEN UPDATE SET d = ?", ["date"]),
    ("SHOW TABLES", []),
])  # fmt: skip
def test_describe_input_has_the_types_that_values_are_brought_to(
    tables: Connection, text: str, types: list[str]
) -> None:
    tables.execute(f"PREPARE p FROM {text}")
    cursor = tables.execute("DESCRIBE INPUT p")
    assert [c[0] for c in cursor.description or []] == ["Position", "Type"]
    assert cursor.fetchall() == list(enumerate(types))


def test_describe_output(tables: Connection) -> None:
    tables.execute("PREPARE p FROM SELECT a, b AS x, c + 1, 'x' AS y FROM t WHERE a = ?")
    cursor = tables.execute("DESCRIBE OUTPUT p")
    assert [c[0] for c in cursor.description or []] == [
        *("Column Name", "Catalog", "Schema", "Table", "Type", "Type Size", "Aliased")
    ]
    assert cursor.fetchall() == [
        ("a", "iceberg", "default", "t", "bigint", 8, False),
        ("x", "iceberg", "default", "t", "varchar", 0, True),
        ("_col2", "", "", "", "decimal(13,2)", 0, False),
        ("y", "", "", "", "varchar(1)", 0, True),
    ]
    for text, expected in (
        ("INSERT INTO t VALUES (1, ?, ?, ?)", [("rows", "", "", "", "bigint", 8, False)]),
        ("SHOW TABLES", [("Table", "", "", "", "varchar", 0, False)]),
        ("DROP TABLE t", []),
    ):
        tables.execute(f"PREPARE p FROM {text}")
        assert rows(tables, "DESCRIBE OUTPUT p") == expected
    assert rows(tables, "SHOW TABLES") == [("t",)], "a described statement does not run"


def test_names_are_folded_unless_they_are_quoted(light: Connection) -> None:
    light.execute("PREPARE Abc FROM SHOW CATALOGS")
    assert rows(light, "EXECUTE ABC") == [("iceberg",), ("system",)]
    light.execute('PREPARE "Abc" FROM SHOW SCHEMAS')
    assert rows(light, 'EXECUTE "Abc"') == [("default",), ("information_schema",)]
    assert rows(light, "EXECUTE abc") == [("iceberg",), ("system",)]


def test_preparing_again_replaces_and_deallocate_forgets(light: Connection) -> None:
    light.execute("PREPARE p FROM SHOW CATALOGS")
    light.execute("PREPARE p FROM SHOW SCHEMAS")
    assert ("default",) in rows(light, "EXECUTE p")
    light.execute("DEALLOCATE PREPARE p")
    for sql in ("EXECUTE p", "DEALLOCATE PREPARE p", "DESCRIBE INPUT p", "DESCRIBE OUTPUT p"):
        with pytest.raises(NotFound) as error:
            light.execute(sql)
        assert error.value.code == "NOT_FOUND"
        assert error.value.position is not None


def test_what_is_prepared_belongs_to_one_session(light: Connection) -> None:
    light.execute("PREPARE p FROM SHOW CATALOGS")
    with Connection(light.coordinator, light.session.identity) as other, pytest.raises(NotFound):
        other.execute("EXECUTE p")


def test_the_text_may_span_lines_and_have_comments(light: Connection) -> None:
    light.execute("/* a */ PREPARE p FROM -- b\n  SHOW /* c; */ CATALOGS -- d\n  LIKE 'ice%';")
    assert light.session.prepared["p"].startswith("SHOW")
    assert rows(light, "EXECUTE p") == [("iceberg",)]


def test_a_statement_is_bound_when_it_is_executed(tables: Connection) -> None:
    tables.execute("PREPARE p FROM SELECT z FROM later WHERE z = ?")
    with pytest.raises(NotFound) as error:
        tables.execute("EXECUTE p USING 1")
    assert error.value.code == "TABLE_NOT_FOUND"
    assert "in the prepared statement" in error.value.message and "line 1:15" in error.value.message
    tables.execute("CREATE TABLE later (z bigint)")
    assert rows(tables, "DESCRIBE INPUT p") == [(0, "bigint")]


@pytest.mark.parametrize(("sql", "code"), [
    ("EXECUTE p USING 1, 2", "INVALID_PARAMETER_USAGE"),
    ("EXECUTE p", "INVALID_PARAMETER_USAGE"),
    ("EXECUTE p USING a", "INVALID_PARAMETER_USAGE"),
    ("EXECUTE p USING (SELECT 1)", "INVALID_PARAMETER_USAGE"),
    ("EXECUTE p USING 'x'", "TYPE_MISMATCH"),
    ("EXECUTE IMMEDIATE 'SELECT 1' USING 1", "INVALID_PARAMETER_USAGE"),
    ("EXECUTE IMMEDIATE 'SELEC 1'", "SYNTAX_ERROR"),
    ("EXECUTE IMMEDIATE ''", "SYNTAX_ERROR"),
    ("EXECUTE IMMEDIATE 'EXECUTE p USING 1'", "NOT_SUPPORTED"),
    ("EXECUTE IMMEDIATE 'PREPARE x FROM SELECT 1'", "NOT_SUPPORTED"),
    ("PREPARE x FROM EXECUTE p", "NOT_SUPPORTED"),
    ("PREPARE x FROM PREPARE y FROM SELECT 1", "NOT_SUPPORTED"),
    ("PREPARE x FROM DEALLOCATE PREPARE p", "NOT_SUPPORTED"),
    ("PREPARE x FROM nothing", "SYNTAX_ERROR"),
])  # fmt: skip
def test_errors_stand_where_the_user_wrote_something(tables: Connection, sql: str, code: str) -> None:
    tables.execute("PREPARE p FROM SELECT a FROM t WHERE a = ?")
    with pytest.raises(SqeError) as error:
        tables.execute(sql)
    assert error.value.code == code
    assert error.value.position is not None and error.value.position.line == 1
    assert error.value.position.column > 1
    assert set(tables.session.prepared) == {"p"}


def test_execute_immediate_needs_no_name(light: Connection) -> None:
    assert rows(light, "EXECUTE IMMEDIATE 'SHOW CATALOGS LIKE ''ice%'''") == [("iceberg",)]
    assert light.session.prepared == {}


def test_a_prepared_statement_may_change_the_session(light: Connection) -> None:
    light.execute("PREPARE p FROM SET SESSION lane = ?")
    light.execute("EXECUTE p USING 'spark'")
    assert light.session.properties == {"lane": "spark"}


@pytest.mark.spark
def test_values_travel_as_constants_and_not_as_text(schema: Connection) -> None:
    schema.execute("CREATE TABLE t (a bigint, b varchar, c date)")
    schema.execute("PREPARE i FROM INSERT INTO t VALUES (?, ?, ?)")
    assert schema.execute("EXECUTE i USING 1, 'O''X; DROP TABLE t', DATE '2026-01-02'").rowcount == 1
    assert schema.execute("EXECUTE i USING BIGINT '2', NULL, NULL").rowcount == 1
    schema.execute("PREPARE q FROM SELECT a, b FROM t WHERE a = ? OR b IS NULL AND ? ORDER BY 1 LIMIT ?")
    assert rows(schema, "EXECUTE q USING 1, true, 5") == [(1, "O'X; DROP TABLE t"), (2, None)]
    assert rows(schema, "EXECUTE q USING 1, true, 1") == [(1, "O'X; DROP TABLE t")]
    assert schema.execute("EXECUTE q USING ?, ?, 5", (1, False)).fetchall() == [(1, "O'X; DROP TABLE t")]
    immediate = "EXECUTE IMMEDIATE 'SELECT b FROM t WHERE c = ?' USING DATE '2026-01-02'"
    assert rows(schema, immediate) == [("O'X; DROP TABLE t",)]
    schema.execute("PREPARE e FROM EXPLAIN SELECT a FROM t WHERE a = ?")
    [(plan,)] = rows(schema, "EXECUTE e USING 7")
    assert "= 7" in str(plan)
