"""CREATE, DROP and ALTER VIEW, as they are written. No engine takes part in any of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from sqe.api.connection import Connection, connect
from sqe.api.cursor import Cursor
from sqe.catalog.iceberg.view import View
from sqe.errors import SqeError
from sqe.statement import Statement, plan
from sqe.tree.statements import Query


@pytest.fixture
def home() -> Iterator[Connection]:
    with connect(memory=True) as connection:
        for sql in (
            "CREATE TABLE t (a integer, b varchar)",
            "CREATE SCHEMA other",
            "CREATE TABLE other.t (c date)",
        ):
            connection.execute(sql)
        yield connection


def view(home: Connection, name: str, *, schema: str = "default") -> View:
    found = home.coordinator.catalogs.get("iceberg").find_view((schema,), name)
    assert found is not None
    return found


def columns(home: Connection, sql: str) -> list[tuple[str, str]]:
    tree = plan(Statement(sql, home.session), home.coordinator).tree
    assert isinstance(tree, Query)
    return [(f.name, str(f.type)) for f in tree.relation.fields]


def warnings(cursor: Cursor) -> Sequence[str]:
    assert cursor.statement is not None
    return cursor.statement.warnings


def failure(home: Connection, sql: str) -> SqeError:
    with pytest.raises(SqeError) as error:
        home.execute(sql)
    return error.value


def test_a_view_is_its_text_and_its_columns(home: Connection) -> None:
    made = home.execute(
        "CREATE VIEW v COMMENT 'it''s' AS\n  SELECT a, -- a comment\n b || 'x' AS c\n  FROM t  ;"
    )
    assert (made.update_type, warnings(made)) == ("CREATE VIEW", [])
    found = view(home, "v")
    assert found.sql == "SELECT a, -- a comment\n b || 'x' AS c\n  FROM t"
    assert (found.comment, found.security) == ("it's", None)
    assert columns(home, "SELECT * FROM v") == [("a", "integer"), ("c", "varchar")]


def test_names_inside_are_where_the_session_was(home: Connection) -> None:
    home.execute("USE other")
    home.execute("CREATE VIEW default.v AS SELECT * FROM t")
    home.execute("USE default")
    assert columns(home, "SELECT * FROM v") == [("c", "date")]
    assert view(home, "v").default_namespace == ("other",)


def test_columns_have_the_types_of_the_text(home: Connection) -> None:
    home.execute(
        "CREATE VIEW v AS SELECT 'abc' AS s, CAST(1 AS tinyint) AS i, CAST('x' AS char(3)) AS c, "
        "current_timestamp AS n"
    )
    assert columns(home, "SELECT * FROM v") == [
        ("s", "varchar(3)"),
        ("i", "tinyint"),
        ("c", "char(3)"),
        ("n", "timestamp(3) with time zone"),
    ]


@pytest.mark.parametrize(
    ("query", "text"),
    [
        ("SELECT 1, 'x'", 'SELECT * FROM (\nSELECT 1, \'x\'\n) AS listed ("p", "Q")'),
        ("SELECT * FROM t", 'SELECT "a" AS "p", "b" AS "Q" FROM (\nSELECT * FROM t\n)'),
        (
            "SELECT x.*, y.a FROM (SELECT a FROM t) x, t y",
            'SELECT * FROM (\nSELECT x.*, y.a FROM (SELECT a FROM t) x, t y\n) AS listed ("p", "Q")',
        ),
        ('SELECT a AS p, b AS "Q" FROM t', 'SELECT a AS p, b AS "Q" FROM t'),
    ],
)
def test_a_column_list_names_the_columns(home: Connection, query: str, text: str) -> None:
    home.execute(f"CREATE VIEW v (p COMMENT 'first', \"Q\") AS {query}")
    assert [name for name, _ in columns(home, "SELECT * FROM v")] == ["p", "Q"]
    assert view(home, "v").sql == text
    assert [c.comment for c in view(home, "v").columns] == ["first", None]


@pytest.mark.parametrize(
    ("sql", "code", "position"),
    [
        ("CREATE VIEW v AS SELECT 1", "MISSING_COLUMN_NAME", "1:25"),
        ("CREATE VIEW v AS SELECT a, a + 1 FROM t", "MISSING_COLUMN_NAME", "1:25"),
        ("CREATE VIEW v AS SELECT a, b AS A FROM t", "DUPLICATE_COLUMN_NAME", "1:13"),
        ("CREATE VIEW v (x, X) AS SELECT a, b FROM t", "DUPLICATE_COLUMN_NAME", "1:13"),
        ("CREATE VIEW v (x) AS SELECT a, b FROM t", "MISMATCHED_COLUMN_ALIASES", "1:16"),
        ("CREATE VIEW v AS SELECT NULL AS x", "COLUMN_TYPE_UNKNOWN", "1:25"),
        ("CREATE VIEW v AS SELECT INTERVAL '1' DAY AS x", "NOT_SUPPORTED", "1:25"),
        ("CREATE VIEW v AS SELECT aa FROM t", "COLUMN_NOT_FOUND", "1:25"),
        ("CREATE VIEW v AS SELECT a FROM\n  nosuch", "TABLE_NOT_FOUND", "2:3"),
        ("CREATE VIEW nosuch.v AS SELECT 1 AS a", "SCHEMA_NOT_FOUND", "1:13"),
        ('CREATE VIEW "v$x" AS SELECT 1 AS a', "INVALID_ARGUMENTS", "1:13"),
        ("CREATE VIEW v SECURITY NOBODY AS SELECT 1 AS a", "NOT_SUPPORTED", "1:1"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(home: Connection, sql: str, code: str, position: str) -> None:
    error = failure(home, sql)
    assert (error.code, str(error.position)) == (code, position)
    assert home.coordinator.catalogs.get("iceberg").views(("default",)) == []


def test_what_is_there_already(home: Connection) -> None:
    home.execute("CREATE VIEW v AS SELECT 1 AS x")
    assert failure(home, "CREATE VIEW v AS SELECT 2 AS x").code == "TABLE_ALREADY_EXISTS"
    home.execute("CREATE VIEW IF NOT EXISTS v AS SELECT 2 AS x")
    assert view(home, "v").sql == "SELECT 1 AS x"
    home.execute("CREATE OR REPLACE VIEW v AS SELECT 3 AS x")
    assert view(home, "v").sql == "SELECT 3 AS x"
    for sql in (
        "CREATE OR REPLACE VIEW t AS SELECT 1 AS x",
        "CREATE OR REPLACE TABLE v (x integer)",
        "CREATE TABLE v (x integer)",
        "ALTER VIEW v RENAME TO t",
        "ALTER TABLE t RENAME TO v",
    ):
        assert failure(home, sql).code == "TABLE_ALREADY_EXISTS"


def test_a_view_cannot_become_a_view_of_itself(home: Connection) -> None:
    home.execute("CREATE VIEW v AS SELECT a FROM t")
    home.execute("CREATE VIEW w AS SELECT a FROM v")
    for query in ("SELECT a FROM v", "SELECT a FROM w", "SELECT 1 AS a WHERE EXISTS (SELECT 1 FROM w)"):
        error = failure(home, f"CREATE OR REPLACE VIEW v AS {query}")
        assert (error.code, str(error.position)) == ("VIEW_IS_RECURSIVE", "1:24")
    assert columns(home, "SELECT * FROM w") == [("a", "integer")]


def test_definer_is_recorded_and_evaluated_as_invoker(home: Connection) -> None:
    made = home.execute("CREATE VIEW v SECURITY DEFINER AS SELECT a FROM t")
    (warning,) = warnings(made)
    assert "evaluated as SECURITY INVOKER" in warning
    found = view(home, "v")
    assert found.security == "DEFINER"
    assert found.properties["sqe.view-definer"] == home.session.identity.user
    made = home.execute("CREATE OR REPLACE VIEW v SECURITY INVOKER AS SELECT 1 AS a")
    assert warnings(made) == []
    assert dict(view(home, "v").properties) == {"sqe.view-security": "INVOKER"}


def test_tables_and_views_are_not_taken_for_each_other(home: Connection) -> None:
    home.execute("CREATE VIEW v AS SELECT a FROM t")
    for sql, hint in (
        ("DROP TABLE v", "DROP VIEW iceberg.default.v"),
        ("DROP TABLE IF EXISTS v", "DROP VIEW iceberg.default.v"),
        ("DROP VIEW t", "DROP TABLE iceberg.default.t"),
        ("DROP VIEW IF EXISTS t", "DROP TABLE iceberg.default.t"),
        ("ALTER VIEW t RENAME TO u", "ALTER TABLE iceberg.default.t"),
        ("ALTER TABLE v ADD COLUMN x integer", "ALTER VIEW iceberg.default.v"),
        ("COMMENT ON TABLE v IS 'x'", "COMMENT ON VIEW iceberg.default.v"),
    ):
        error = failure(home, sql)
        assert (error.hint, error.kind.value) == (hint, "USER_ERROR")
    assert columns(home, "SELECT * FROM v") == [("a", "integer")]


def test_views_are_renamed_and_dropped(home: Connection) -> None:
    home.execute("CREATE VIEW v AS SELECT a FROM t")
    assert home.execute("ALTER VIEW v RENAME TO other.w").update_type == "RENAME VIEW"
    assert columns(home, "SELECT * FROM other.w") == [("a", "integer")]
    assert home.execute("DROP VIEW other.W").update_type == "DROP VIEW"
    assert failure(home, "DROP VIEW other.w").code == "TABLE_NOT_FOUND"
    assert failure(home, "DROP VIEW nosuch.w").code == "SCHEMA_NOT_FOUND"
    for sql in (
        "DROP VIEW IF EXISTS other.w",
        "DROP VIEW IF EXISTS nosuch.w",
        "ALTER VIEW IF EXISTS w RENAME TO x",
    ):
        home.execute(sql)


def test_there_are_no_materialized_views(home: Connection) -> None:
    assert failure(home, "CREATE MATERIALIZED VIEW m AS SELECT 1 AS a").code == "NOT_SUPPORTED"
    assert failure(home, "DROP MATERIALIZED VIEW m").code == "NOT_SUPPORTED"
    home.execute("DROP MATERIALIZED VIEW IF EXISTS m")


def test_a_schema_with_a_view_is_not_empty(home: Connection) -> None:
    home.execute("CREATE SCHEMA s")
    home.execute("CREATE VIEW s.v AS SELECT 1 AS a")
    assert failure(home, "DROP SCHEMA s").message == "schema 'iceberg.s' is not empty"
    home.execute("DROP SCHEMA s CASCADE")


def test_a_text_with_parameters_is_refused(home: Connection) -> None:
    home.execute("PREPARE p FROM CREATE VIEW v AS SELECT a FROM t WHERE a = ?")
    assert failure(home, "EXECUTE p USING 1").code == "INVALID_PARAMETER_USAGE"


def test_a_prepared_view_has_its_own_text(home: Connection) -> None:
    home.execute("PREPARE p FROM CREATE VIEW v AS SELECT a FROM t")
    home.execute("EXECUTE p")
    assert view(home, "v").sql == "SELECT a FROM t"
    home.execute("EXECUTE IMMEDIATE 'CREATE OR REPLACE VIEW v AS SELECT ''x'' AS a'")
    assert view(home, "v").sql == "SELECT 'x' AS a"


def test_explain_makes_nothing(home: Connection) -> None:
    home.execute("EXPLAIN CREATE VIEW v AS SELECT a FROM t").fetchall()
    assert home.coordinator.catalogs.get("iceberg").views(("default",)) == []
