"""What a name leads to when Spark gets to it may be something else than what was bound and secured: Spark
reads what was bound."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator

import pytest

from sqe.api.connection import Connection
from sqe.catalog.backends.embedded import EmbeddedCatalog
from sqe.commands import query
from sqe.errors import NotFound, SqeError, TypeMismatch, UserError
from sqe.statement import Statement, plan
from sqe.tree.statements import Query

Rows = list[tuple[object, ...]]


@pytest.fixture
def lake(schema: Connection) -> Iterator[Connection]:
    """A schema with the table `secret`, of which no statement below may tell a row."""
    schema.execute("CREATE TABLE secret (id integer, file_path varchar)")
    schema.execute("INSERT INTO secret VALUES (7, 'hidden')")
    schema.execute("SET SESSION lane = 'spark'")
    yield schema
    schema.execute("RESET SESSION lane")


def read(lake: Connection, sql: str, *between: str) -> Rows:
    """The rows of a query, where others run statements after it was bound and before Spark has it."""
    statement = Statement(sql, lake.session)
    planned = plan(statement, lake.coordinator)
    assert isinstance(planned.tree, Query) and statement.lane == "spark"
    for other in between:
        lake.execute(other)
    query.execute(statement, planned, lake.coordinator)
    assert statement.result is not None
    return [tuple(row.values()) for batch in statement.result.batches() for row in batch.to_pylist()]


def full(lake: Connection, name: str) -> str:
    return ".".join((*lake.session.namespace, name))


@pytest.mark.parametrize("name", ["branch_main", "at_timestamp_99999999999999", "files", "plain"])
def test_no_selector_leads_to_the_table_of_the_schemas_name(lake: Connection, name: str) -> None:
    deep = full(lake, "other")
    lake.execute(f"CREATE SCHEMA {deep}")
    lake.execute(f"CREATE TABLE {deep}.{name} AS SELECT 1 AS id, 'mine' AS file_path")
    swap = (f"DROP TABLE {deep}.{name}", f"DROP SCHEMA {deep}", "ALTER TABLE secret RENAME TO other")
    assert read(lake, f"SELECT * FROM {deep}.{name}", *swap) == [(1, "mine")]


@pytest.mark.parametrize("state", ["written", "altered", "empty"])
def test_a_view_in_the_place_of_a_table_is_not_read(lake: Connection, state: str) -> None:
    lake.execute("CREATE TABLE mine (id integer, file_path varchar)")
    if state != "empty":
        lake.execute("INSERT INTO mine VALUES (1, 'mine')")
    if state == "altered":
        lake.execute("ALTER TABLE mine RENAME COLUMN file_path TO note")
    view = "SELECT id, file_path AS note FROM secret" if state == "altered" else "SELECT * FROM secret"
    swap = ("ALTER TABLE mine RENAME TO away", f"CREATE VIEW mine AS {view}")
    assert read(lake, "SELECT * FROM mine", *swap) == ([] if state == "empty" else [(1, "mine")])


def test_another_table_of_the_same_name_is_not_read(lake: Connection) -> None:
    lake.execute("CREATE TABLE mine AS SELECT 1 AS id, 'mine' AS file_path")
    swap = ("DROP TABLE mine", "ALTER TABLE secret RENAME TO mine")
    assert read(lake, "SELECT * FROM mine", *swap) == [(1, "mine")]


def test_altered_and_empty_tables_are_read_as_they_are_now(lake: Connection) -> None:
    lake.execute("CREATE TABLE t (a integer, r row(x integer))")
    assert read(lake, "SELECT * FROM t") == []
    lake.execute("INSERT INTO t VALUES (1, row(2))")
    first = lake.execute('SELECT snapshot_id FROM "t$snapshots"').fetchall()[0][0]
    lake.execute("ALTER TABLE t ALTER COLUMN a SET DATA TYPE bigint")
    lake.execute("ALTER TABLE t ADD COLUMN r.y varchar")
    lake.execute("ALTER TABLE t RENAME COLUMN a TO b")
    lake.execute("ALTER TABLE t ADD COLUMN c date")
    assert read(lake, "SELECT b, r.x, r.y, c FROM t") == [(1, 2, None, None)]
    assert read(lake, f"SELECT a FROM t FOR VERSION AS OF {first}") == [(1,)]
    assert read(lake, "SELECT x.b, y.c FROM t x JOIN t y ON x.b = y.b") == [(1, None)]
    assert "Spark plan:" in str(lake.execute("EXPLAIN SELECT c FROM t").fetchall())


def test_a_table_in_a_schema_that_is_a_table_too_is_refused(lake: Connection) -> None:
    """As another writer may have put them side by side."""
    lake.execute(f"CREATE SCHEMA {full(lake, 'deep')}")
    lake.execute(f"CREATE TABLE {full(lake, 'deep')}.branch_main (id integer, file_path varchar)")
    lake.execute(f"CREATE VIEW {full(lake, 'deep')}.v AS SELECT 1 AS a")
    catalog = lake.coordinator.catalogs.get("iceberg")
    assert isinstance(catalog, EmbeddedCatalog)
    with sqlite3.connect(catalog.path / "sqe.db") as db:
        db.execute(
            "UPDATE iceberg_tables SET table_namespace = ? WHERE table_namespace = ?",
            (full(lake, "secret"), full(lake, "deep")),
        )
    db.close()
    inside = f"{full(lake, 'secret')}.branch_main"
    for sql in (
        f"SELECT * FROM {inside}",
        f"SELECT * FROM {full(lake, 'secret')}.v",
        f"INSERT INTO {inside} VALUES (1, 'x')",
        f"DELETE FROM {inside}",
        f'SELECT * FROM "{full(lake, "secret").replace(".", chr(34) + "." + chr(34))}"."branch_main$files"',
    ):
        with pytest.raises(UserError) as error:
            lake.execute(sql)
        assert error.value.code == "AMBIGUOUS_NAME", sql
    assert lake.execute("SELECT id FROM secret").fetchall() == [(7,)]
    # What mends it is possible.
    lake.execute(f"DROP TABLE {inside}")
    lake.execute(f"DROP SCHEMA {full(lake, 'secret')} CASCADE")


def test_a_table_may_have_the_name_of_a_branch(lake: Connection) -> None:
    lake.execute(f"CREATE SCHEMA {full(lake, 'deep')}")
    table = f"{full(lake, 'deep')}.branch_main"
    lake.execute(f"CREATE TABLE {table} (a integer)")
    for sql in (
        "INSERT INTO {} VALUES 1, 3",
        "UPDATE {} SET a = 2 WHERE a = 1",
        "DELETE FROM {} WHERE a = 3",
    ):
        lake.execute(sql.format(table))
    assert lake.execute(f"SELECT a FROM {table}").fetchall() == [(2,)]


def test_create_table_as_does_not_stand_beside_a_schema(lake: Connection) -> None:
    lake.execute(f"CREATE SCHEMA {full(lake, 'deep')}")
    for sql in (
        "CREATE TABLE deep AS SELECT 1 AS a",
        "CREATE TABLE IF NOT EXISTS deep AS SELECT 1 AS a",
        "CREATE TABLE deep (a integer)",
        "CREATE VIEW deep AS SELECT 1 AS a",
        "ALTER TABLE secret RENAME TO deep",
        f"CREATE SCHEMA {full(lake, 'secret')}",
        f"CREATE SCHEMA IF NOT EXISTS {full(lake, 'secret')}.deeper",
        f"ALTER SCHEMA {full(lake, 'deep')} RENAME TO {full(lake, 'secret')}",
    ):
        with pytest.raises(UserError) as error:
            lake.execute(sql)
        assert error.value.code == "ALREADY_EXISTS", sql


def while_waiting(lake: Connection, table: str, sql: str, *others: str) -> SqeError | None:
    """The error of a writer that was bound and had to wait while others ran; None if it wrote."""
    failed: list[SqeError] = []
    cursor = lake.cursor()

    def write() -> None:
        try:
            cursor.execute(sql)
        except SqeError as error:
            failed.append(error)

    def runs() -> bool:
        return isinstance(cursor.statement, Statement) and cursor.statement.state == "run"

    with lake.coordinator.write_lock(f"iceberg.{full(lake, table)}"):
        writer = threading.Thread(target=write)
        writer.start()
        until(lambda: bool(failed) or runs())
        for other in others:
            lake.execute(other)
    writer.join()
    return failed[0] if failed else None


def until(is_so: Callable[[], bool]) -> None:
    while not is_so():
        time.sleep(0.01)


def test_a_writer_binds_again_after_it_waited(lake: Connection) -> None:
    lake.execute("CREATE TABLE t (a bigint)")
    lake.execute("CREATE TABLE source AS SELECT 1 AS a")
    insert = "INSERT INTO t SELECT count(*) FROM source"
    assert while_waiting(lake, "t", insert, "INSERT INTO source VALUES 2") is None
    assert lake.execute("SELECT a FROM t").fetchall() == [(2,)]
    swap = ("DROP TABLE source", "CREATE VIEW source AS SELECT * FROM (VALUES 1, 2, 3) x (a)")
    assert while_waiting(lake, "t", insert, *swap) is None
    assert lake.execute("SELECT a FROM t ORDER BY a").fetchall() == [(2,), (3,)]
    lake.execute("DROP VIEW source")
    lake.execute("CREATE TABLE source (a bigint)")
    wider = "ALTER TABLE source ADD COLUMN b bigint"
    failure = while_waiting(lake, "t", "INSERT INTO t SELECT * FROM source", wider)
    assert isinstance(failure, TypeMismatch)
    gone = "DROP TABLE source"
    assert isinstance(while_waiting(lake, "u", "CREATE TABLE u AS SELECT * FROM source", gone), NotFound)


@pytest.mark.parametrize("name", ["position_deletes", "files", "plain"])
def test_the_past_of_a_table_whose_name_is_a_selector(lake: Connection, name: str) -> None:
    lake.execute(f"CREATE TABLE {name} (a integer)")
    for number in (1, 2):
        lake.execute(f"INSERT INTO {name} VALUES ({number})")
    rows = lake.execute(f'SELECT snapshot_id FROM "{name}$snapshots" ORDER BY committed_at').fetchall()
    before = lake.execute(f"SELECT a FROM {name} FOR VERSION AS OF {rows[0][0]}").fetchall()
    assert before == [(1,)]
    # How many rows an UPDATE changed is counted in the snapshot before it.
    assert lake.execute(f"UPDATE {name} SET a = a + 10 WHERE a = 1").rowcount == 1
