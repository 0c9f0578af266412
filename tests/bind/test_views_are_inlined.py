"""A view is its text, read where the view is at home and not where it is named."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.stored_views import store_view

from sqe.api.connection import Connection
from sqe.errors import LimitExceeded, NotFound, NotSupported, SqeError, SyntaxFault, UserError
from sqe.statement import Statement, plan
from sqe.tree.expressions import Call, Cast, walk
from sqe.tree.relations import CteRef, Scan
from sqe.tree.statements import Query

X = {"x": "long"}
Store = Callable[..., None]


@pytest.fixture(scope="module")
def home(connect: Callable[..., Connection]) -> Connection:
    connection = connect(memory=True)
    for sql in (
        "CREATE TABLE t (a bigint, b varchar)",
        "INSERT INTO t VALUES (1, 'one'), (2, 'two')",
        "CREATE SCHEMA other",
        "CREATE TABLE other.t (a bigint, c varchar)",
        "INSERT INTO other.t VALUES (10, 'ten')",
    ):
        connection.execute(sql)
    return connection


@pytest.fixture
def store(home: Connection) -> Store:
    catalog = home.coordinator.catalogs.get("iceberg")

    def store(name: str, sql: str, columns: dict[str, str] = X, **more: str) -> None:
        store_view(catalog, name, sql, columns, **more)

    return store


def bound(connection: Connection, sql: str) -> Query:
    tree = plan(Statement(sql, connection.session), connection.coordinator).tree
    assert isinstance(tree, Query)
    return tree


def columns(connection: Connection, sql: str) -> list[tuple[str, str]]:
    return [(f.name, str(f.type)) for f in bound(connection, sql).relation.fields]


def tables(connection: Connection, sql: str) -> set[str]:
    return {str(node.table) for node in walk(bound(connection, sql)) if isinstance(node, Scan)}


def failure(connection: Connection, sql: str) -> SqeError:
    with pytest.raises(SqeError) as error:
        bound(connection, sql)
    return error.value


@pytest.mark.spark
def test_a_view_is_read_where_a_table_can_stand(home: Connection, store: Store) -> None:
    store("v", "WITH w AS (SELECT a, b FROM t) SELECT a + 1, b FROM w", {"n": "long", "Name": "string"})
    store("vv", "SELECT n * 2 AS m FROM v ORDER BY m DESC LIMIT 1", {"m": "long"})
    for sql, rows in (
        ("SELECT * FROM v ORDER BY n", [(2, "one"), (3, "two")]),
        ("TABLE vv", [(6,)]),
        ("SELECT V.n, default.v.name FROM V WHERE iceberg.default.v.n = 3", [(3, "two")]),
        ("SELECT x.i FROM v AS x (i, j) JOIN v AS y ON x.i = y.n - 1", [(2,)]),
        ("SELECT a FROM t WHERE a IN (SELECT n FROM v) AND EXISTS (SELECT 1 FROM vv)", [(2,)]),
        ("WITH w AS (TABLE v), v AS (SELECT 7 AS n) SELECT w.n + v.n FROM w, v ORDER BY 1", [(9,), (10,)]),
        ("SELECT q.n FROM t, LATERAL (SELECT n FROM v WHERE n = t.a) q", [(2,)]),
    ):
        assert home.execute(sql).fetchall() == rows


def test_names_inside_belong_to_the_view(home: Connection, store: Store) -> None:
    store("away", "SELECT a AS x FROM t", namespace="other", default_namespace="other")
    store("here", "SELECT a AS x FROM t", namespace="other", default_namespace="default")
    assert tables(home, "SELECT * FROM other.away") == {"iceberg.other.t"}
    assert tables(home, "SELECT * FROM other.here") == {"iceberg.default.t"}
    assert tables(home, "SELECT * FROM t, other.away") == {"iceberg.default.t", "iceberg.other.t"}


def test_a_default_catalog_that_is_not_mounted_is_said(home: Connection, store: Store) -> None:
    store("foreign", "SELECT a AS x FROM t", default_catalog="lake")
    error = failure(home, "SELECT * FROM foreign")
    assert (error.code, error.message) == (
        "CATALOG_NOT_FOUND",
        "in view 'iceberg.default.foreign': catalog 'lake' does not exist",
    )


def test_the_session_inside_is_the_users(home: Connection, store: Store) -> None:
    store("who", "SELECT current_schema AS x", {"x": "string"}, default_namespace="other")
    [literal] = bound(home, "SELECT * FROM who").relation.input.input.expressions  # type: ignore[attr-defined]
    assert literal.value == "default"


def test_the_query_around_is_not_visible_inside(home: Connection, store: Store) -> None:
    store("plain", "SELECT a AS x FROM t")
    with_query = "WITH t AS (SELECT 5 AS a) SELECT * FROM plain"
    assert tables(home, with_query) == {"iceberg.default.t"}
    assert not any(isinstance(node, CteRef) for node in walk(bound(home, with_query)))
    store("reaches_out", "SELECT outside.a AS x")
    error = failure(home, "SELECT (SELECT x FROM reaches_out) FROM t AS outside")
    assert error.code == "COLUMN_NOT_FOUND"
    store("inner_with", "WITH hidden AS (SELECT 1 AS x) SELECT x FROM hidden")
    assert failure(home, "SELECT * FROM inner_with, hidden").code == "TABLE_NOT_FOUND"


def test_columns_are_as_announced(home: Connection, store: Store) -> None:
    store("typed", "SELECT 'abc', 1", {"word": "string", "Number": "decimal(12, 2)"})
    assert columns(home, "SELECT * FROM typed") == [("word", "varchar(3)"), ("Number", "decimal(12,2)")]
    # The table's column is wider than it was: shown as it is.
    store("widened", "SELECT a FROM t", {"a": "int"})
    assert columns(home, "SELECT * FROM widened") == [("a", "bigint")]


def test_a_star_is_matched_by_name(home: Connection, store: Store) -> None:
    store("star", "SELECT * FROM t", {"gone": "date", "b": "string"})
    assert columns(home, "SELECT * FROM star") == [("b", "varchar")]
    store("all_gone", "TABLE t", {"gone": "date"})
    assert failure(home, "SELECT * FROM all_gone").code == "VIEW_IS_STALE"
    store("twice", "SELECT * FROM t, other.t", {"a": "long"})
    assert failure(home, "SELECT * FROM twice").code == "VIEW_IS_STALE"
    store("count", "SELECT count(*) AS c FROM t", {"rows": "long"})
    assert columns(home, "SELECT * FROM count") == [("rows", "bigint")]


def test_a_text_of_another_width_is_stale(home: Connection, store: Store) -> None:
    store("stale", "SELECT a, b FROM t", X)
    error = failure(home, "SELECT * FROM stale")
    assert (error.code, str(error)) == (
        "VIEW_IS_STALE",
        "line 1:15: in view 'iceberg.default.stale': the view is stale: its text has 2 columns, "
        "and 1 are announced (create it again)",
    )


@pytest.mark.parametrize(
    ("sql", "kind", "message"),
    [
        ("SELECT\n\n   aa AS x FROM t", NotFound, "column 'aa' cannot be resolved"),
        ("SELECT a AS x\nFROM\n nosuch", NotFound, "table 'iceberg.default.nosuch' does not exist"),
        ("SELECT a AS x\nFROM t\nFOR UPDATE", NotSupported, "SELECT with LOCKS is not supported"),
        ("SELECT\n CAST(a AS ipaddress) AS x FROM t", NotSupported, "unknown type"),
        ("SELECT\n a AS x FROM t WHERE", SyntaxFault, ""),
        ("DELETE\nFROM t", NotSupported, "DELETE is not supported here"),
        ("EXPLAIN SELECT a FROM t", NotSupported, "EXPLAIN is not a query"),
        ("SELECT 1 AS x; SELECT 2 AS x", SyntaxFault, "expected one statement"),
    ],
)
def test_errors_are_where_the_statement_names_the_view(
    home: Connection, store: Store, sql: str, kind: type[SqeError], message: str
) -> None:
    store("broken", sql)
    store("over", "SELECT x FROM\n\n\n broken")
    for name, path in (
        ("broken", "in view 'iceberg.default.broken': "),
        ("over", "in view 'iceberg.default.over': in view 'iceberg.default.broken': "),
    ):
        error = failure(home, f"SELECT 1,\n  2 FROM t, {name}")
        assert isinstance(error, kind)
        assert error.message.startswith(path + message)
        assert str(error.position) == "2:13"


def test_what_fails_at_run_time_points_to_the_view_too(home: Connection, store: Store) -> None:
    store("risky", "SELECT\n\n CAST(b AS bigint) / a AS x FROM t")
    tree = bound(home, "SELECT x + 1 FROM risky")
    places = {str(n.position) for n in walk(tree) if isinstance(n, (Call, Cast)) and n.position}
    assert places == {"1:8", "1:19"}


def test_a_view_of_itself_is_recursive(home: Connection, store: Store) -> None:
    store("self", "SELECT x FROM self")
    error = failure(home, "SELECT * FROM self")
    assert (error.code, str(error.position)) == ("VIEW_IS_RECURSIVE", "1:15")
    store("ping", "SELECT x FROM t, pong")
    store("pong", 'SELECT x FROM (SELECT x FROM iceberg.default."ping")')
    error = failure(home, "SELECT * FROM pong")
    assert error.code == "VIEW_IS_RECURSIVE"
    assert error.message == (
        "in view 'iceberg.default.pong': in view 'iceberg.default.ping': "
        "view 'iceberg.default.pong' is recursive"
    )


def test_views_nest_to_a_limit(home: Connection, store: Store) -> None:
    store("n1", "SELECT a AS x FROM t")
    for depth in range(2, 34):
        store(f"n{depth}", f"SELECT x FROM n{depth - 1}")
    assert columns(home, "SELECT * FROM n32") == [("x", "bigint")]
    assert failure(home, "SELECT * FROM n33").code == "QUERY_NESTED_TOO_DEEPLY"


def test_views_that_double_end_at_a_limit(home: Connection, store: Store) -> None:
    store("d1", "SELECT a AS x FROM t")
    for depth in range(2, 31):
        store(f"d{depth}", f"SELECT p.x FROM d{depth - 1} p, d{depth - 1} q")
    assert isinstance(failure(home, "SELECT * FROM d30"), LimitExceeded)


@pytest.mark.parametrize(
    "sql",
    [
        "INSERT INTO v VALUES (1)",
        "UPDATE v SET x = 1",
        "DELETE FROM v",
        "TRUNCATE TABLE v",
        "MERGE INTO v USING t ON x = a WHEN MATCHED THEN DELETE",
        "SELECT * FROM v FOR VERSION AS OF 1",
        "SELECT * FROM v FOR TIMESTAMP AS OF DATE '2020-01-01'",
        'SELECT * FROM "v$snapshots"',
        "CREATE TABLE v (x bigint)",
        "CREATE OR REPLACE TABLE v (x bigint)",
        "CREATE TABLE v AS SELECT 1 AS x",
        "CREATE OR REPLACE TABLE v AS SELECT 1 AS x",
        "DROP TABLE v",
    ],
)
def test_a_view_is_no_table(home: Connection, store: Store, sql: str) -> None:
    store("v", "SELECT a AS x FROM t")
    with pytest.raises(UserError, match="view"):
        home.execute(sql)
    assert columns(home, "SELECT * FROM v") == [("x", "bigint")]


def test_a_view_for_other_engines_is_refused(home: Connection, store: Store) -> None:
    store("theirs", "SELECT a AS x FROM t", dialect="spark")
    error = failure(home, "SELECT * FROM theirs")
    assert isinstance(error, NotSupported) and error.hint
    assert str(error.position) == "1:15"
