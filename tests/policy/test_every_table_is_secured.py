"""A policy holds wherever a table can stand: filter first, then masks, and hidden columns look absent."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.stored_views import store_view

from sqe.api.connection import Connection
from sqe.errors import AccessDenied, InternalError, NotFound
from sqe.policy.decision import EVERYTHING, NOTHING, Decision
from sqe.policy.secure import check_secured
from sqe.session import Identity
from sqe.tree.expressions import Field
from sqe.tree.privileges import ALL
from sqe.tree.relations import Scan, TableName
from sqe.tree.rules import Rule
from sqe.tree.statements import Query
from sqe.types import sql_types as t

pytestmark = pytest.mark.spark


ONLY_EUROPE = Rule("region = 'EU'")
STARS = Rule("'***'")


class Restricted:
    """Joe sees the European rows of `people`, its names as stars, and no salaries."""

    active = False

    def table(self, identity: Identity, table: TableName) -> Decision:
        if table.name == "secret" and self.active:
            return NOTHING
        if table.name != "people" or not self.active:
            return EVERYTHING
        return Decision(
            ALL, row_filters=(ONLY_EUROPE,), masks={"name": STARS}, restricted=frozenset({"salary"})
        )

    def may_read_files(self, identity: Identity, paths: Sequence[str]) -> bool:
        return not self.active


@pytest.fixture(scope="module")
def joe(connect: object) -> Iterator[Connection]:
    policy = Restricted()
    connection = connect(memory=True, policy=policy)  # type: ignore[operator]
    for sql in (
        "CREATE TABLE people (id bigint, name varchar, region varchar, salary bigint)",
        "INSERT INTO people VALUES (1, 'Ann', 'EU', 10), (2, 'Bob', 'US', 20), (3, 'Cas', 'EU', 30)",
        "CREATE TABLE orders (person bigint, amount bigint)",
        "INSERT INTO orders VALUES (1, 100), (2, 200), (3, 300)",
        "CREATE TABLE copy (id bigint, name varchar)",
        "CREATE TABLE secret (x bigint)",
    ):
        connection.execute(sql)
    policy.active = True
    yield connection


SEEN = [
    ("SELECT * FROM people ORDER BY id", [(1, "***", "EU"), (3, "***", "EU")]),
    ("WITH p AS (SELECT id, name FROM people) SELECT * FROM p ORDER BY id", [(1, "***"), (3, "***")]),
    ("SELECT person FROM orders WHERE person IN (SELECT id FROM people) ORDER BY 1", [(1,), (3,)]),
    ("SELECT (SELECT max(id) FROM people), (SELECT count(*) FROM people)", [(3, 2)]),
    ("SELECT person FROM orders o WHERE EXISTS (SELECT 1 FROM people p WHERE p.id = o.person) ORDER BY 1",
     [(1,), (3,)]),
    ("SELECT id FROM people UNION ALL SELECT id FROM people ORDER BY 1", [(1,), (1,), (3,), (3,)]),
    ("SELECT id FROM people EXCEPT SELECT 1", [(3,)]),
    ("SELECT a.id, b.name FROM people a JOIN people b ON a.id = b.id ORDER BY 1", [(1, "***"), (3, "***")]),
    ("SELECT count(*) FROM people WHERE name = 'Ann'", [(0,)]),
    ("SELECT count(*) FROM people WHERE name = '***'", [(2,)]),
    ("SELECT region, count(*) FROM people GROUP BY region", [("EU", 2)]),
    ("SELECT q.id FROM orders, LATERAL (SELECT id FROM people WHERE id = person) q ORDER BY 1", [(1,), (3,)]),
    ("TABLE people", [(1, "***", "EU"), (3, "***", "EU")]),
]  # fmt: skip


@pytest.mark.parametrize(("sql", "rows"), SEEN)
def test_only_what_joe_may_see(joe: Connection, sql: str, rows: list[tuple[object, ...]]) -> None:
    assert sorted(joe.execute(sql).fetchall(), key=str) == sorted(rows, key=str)


def test_time_travel_is_filtered(joe: Connection) -> None:
    table = joe.coordinator.catalogs.get("iceberg").find_table(("default",), "people")
    sql = f"SELECT id, name FROM people FOR VERSION AS OF {table.current_snapshot_id} ORDER BY id"
    assert joe.execute(sql).fetchall() == [(1, "***"), (3, "***")]


def test_the_source_of_a_write_is_filtered(joe: Connection) -> None:
    assert joe.execute("INSERT INTO copy SELECT id, name FROM people").rowcount == 2
    assert joe.execute("SELECT * FROM copy ORDER BY 1").fetchall() == [(1, "***"), (3, "***")]
    assert joe.execute("DELETE FROM copy WHERE id IN (SELECT id FROM people)").rowcount == 2


def test_a_hidden_column_looks_absent(joe: Connection) -> None:
    with pytest.raises(NotFound) as hidden:
        joe.execute("SELECT salary FROM people")
    with pytest.raises(NotFound) as absent:
        joe.execute("SELECT nosuch FROM people")
    assert str(hidden.value).replace("salary", "nosuch") == str(absent.value)
    assert "salary" not in [name for name, _ in joe.execute("SELECT * FROM people").columns or []]


def test_a_hidden_table_looks_absent(joe: Connection) -> None:
    with pytest.raises(NotFound) as hidden:
        joe.execute("SELECT * FROM secret")
    with pytest.raises(NotFound) as absent:
        joe.execute("SELECT * FROM zecret")
    assert str(hidden.value).replace("secret", "zecret") == str(absent.value)


@pytest.mark.parametrize("sql", [
    'SELECT * FROM "people$snapshots"',
    "UPDATE people SET region = 'EU'",
    "DELETE FROM people",
    "DELETE FROM people WHERE id = 2",
    "INSERT INTO people VALUES (4, 'Dan', 'EU')",
    "MERGE INTO people USING orders ON id = person WHEN MATCHED THEN DELETE",
    "TRUNCATE TABLE people",
    "DROP TABLE people",
    "DROP TABLE secret",
    "DROP SCHEMA default CASCADE",
    "CREATE OR REPLACE TABLE people (id bigint)",
    "CREATE OR REPLACE TABLE people AS SELECT 1 AS id",
])  # fmt: skip
def test_what_would_tell_or_change_hidden_rows_is_denied(joe: Connection, sql: str) -> None:
    with pytest.raises((AccessDenied, NotFound)):
        joe.execute(sql)


@pytest.fixture(scope="module")
def views(joe: Connection) -> Connection:
    """Views that somebody made who sees all of `people`."""
    catalog = joe.coordinator.catalogs.get("iceberg")
    people = {"id": "long", "name": "string", "region": "string", "salary": "long"}
    store_view(catalog, "everybody", "SELECT * FROM people", people)
    store_view(catalog, "counted", "SELECT count(*) FROM everybody WHERE name = 'Ann'", {"n": "long"})
    named = "WITH p AS (TABLE people) SELECT id, upper(name) FROM p"
    store_view(catalog, "named", named, {"i": "long", "who": "string"})
    for column in ("salary", "nosuch"):
        store_view(catalog, f"{column}_of", f"SELECT id, {column} FROM people", {"id": "long", "x": "long"})
    for table in ("secret", "zecret"):
        store_view(catalog, f"in_{table}", f"SELECT x FROM {table}", {"x": "long"})
    joe.execute("CREATE SCHEMA vault")
    store_view(catalog, "secret", "SELECT 1 AS x", {"x": "long"}, namespace="vault")
    store_view(catalog, "people", "SELECT person AS id FROM orders", {"id": "long"}, namespace="vault")
    return joe


@pytest.mark.parametrize(("sql", "rows"), [
    ("SELECT * FROM everybody ORDER BY id", [(1, "***", "EU"), (3, "***", "EU")]),
    ("SELECT * FROM named ORDER BY i", [(1, "***"), (3, "***")]),
    ("SELECT n, (SELECT count(*) FROM everybody) FROM counted", [(0, 2)]),
    ("SELECT person FROM orders WHERE person IN (SELECT i FROM named) ORDER BY 1", [(1,), (3,)]),
    ("WITH people AS (SELECT 2 AS id) SELECT e.id FROM everybody e, people ORDER BY 1", [(1,), (3,)]),
])  # fmt: skip
def test_a_view_shows_what_joe_may_see(views: Connection, sql: str, rows: list[tuple[object, ...]]) -> None:
    assert views.execute(sql).fetchall() == rows


def test_what_is_hidden_looks_absent_in_and_from_a_view(views: Connection) -> None:
    for hidden, absent, replaced in (
        ("SELECT salary FROM everybody", "SELECT nosuch FROM everybody", ("salary", "nosuch")),
        ("SELECT id FROM salary_of", "SELECT id FROM nosuch_of", ("salary", "nosuch")),
        ("SELECT * FROM in_secret", "SELECT * FROM in_zecret", ("secret", "zecret")),
        ("SELECT * FROM vault.secret", "SELECT * FROM vault.zecret", ("secret", "zecret")),
        ("DELETE FROM vault.secret", "DELETE FROM vault.zecret", ("secret", "zecret")),
    ):
        with pytest.raises(NotFound) as first:
            views.execute(hidden)
        with pytest.raises(NotFound) as second:
            views.execute(absent)
        assert str(first.value).replace(*replaced) == str(second.value)


def test_a_policy_about_a_view_itself_is_not_passed_by(views: Connection) -> None:
    with pytest.raises(AccessDenied):
        views.execute("SELECT * FROM vault.people")


def test_a_hidden_table_is_not_dropped_under_another_spelling(joe: Connection) -> None:
    for name in ("SECRET", '"Secret"', '"DEFAULT".secret'):
        joe.execute(f"DROP TABLE IF EXISTS {name}")
    names = joe.coordinator.catalogs.get("iceberg").tables(("default",))
    assert "secret" in names


def test_files_that_may_not_be_read_tell_nothing(joe: Connection, tmp_path: Path) -> None:
    file = tmp_path / "f.parquet"
    pq.write_table(pa.table({"salary": [1]}), file)
    for sql in (f"SELECT salry FROM '{file}'", f"SELECT * FROM '{tmp_path}/none.parquet'"):
        with pytest.raises(AccessDenied):
            joe.execute(sql)


def test_explain_names_no_hidden_column(joe: Connection) -> None:
    [(plan,)] = joe.execute("EXPLAIN SELECT id FROM people").fetchall()
    assert "salary" not in plan


def test_an_unsecured_scan_never_passes() -> None:
    field = Field(1, "a", t.BIGINT)
    scan = Scan((field,), TableName("c", ("s",), "t"), ("a",))
    with pytest.raises(InternalError):
        check_secured(Query(scan))
