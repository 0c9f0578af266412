"""Reads in the fast lane: no Java, the user's own errors, and Spark where it must not or cannot."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest
from pyiceberg.catalog.sql import SqlCatalog
from sqlalchemy import URL

from sqe.api.connection import Connection, connect
from sqe.engine.duckdb.processes import Processes, ProcessStream
from sqe.errors import Cancelled, SqeError

ROWS = pa.table(
    {
        "id": pa.array([1, 2, 3], pa.int64()),
        "name": ["one", "two", None],
        "price": pa.array([1.5, float("nan"), -0.0], pa.float64()),
    }
)


@pytest.fixture
def warehouse(tmp_path: Path) -> Path:
    with connect(warehouse=tmp_path) as made:
        made.execute("CREATE SCHEMA s")
        made.execute("CREATE TABLE s.t (id bigint, name varchar, price double)")
    append(tmp_path, ROWS)
    return tmp_path


def append(warehouse: Path, rows: pa.Table) -> None:
    """By another writer, without Spark."""
    uri = URL.create("sqlite", database=str(warehouse / "sqe.db")).render_as_string()
    with SqlCatalog("iceberg", uri=uri, warehouse=f"file://{warehouse}") as plain:
        plain.load_table("s.t").append(rows)


@pytest.fixture
def fast(warehouse: Path) -> Iterator[Connection]:
    with connect(warehouse=warehouse) as connection:
        connection.execute("USE s")
        yield connection
        assert not connection.coordinator.spark.started, "no statement needs Java"


def test_reads_start_no_java(fast: Connection) -> None:
    cursor = fast.execute("SELECT name, id + 1 FROM t WHERE id > 1 ORDER BY id")
    assert cursor.fetchall() == [("two", 3), (None, 4)]
    assert cursor.statement is not None and cursor.statement.lane == "fast"
    assert "1 of 1 files" in (cursor.statement.lane_reason or "")


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 1",
        "SELECT NULL",
        "VALUES (1, 'a'), (2, 'b')",
        "SELECT table_name FROM information_schema.tables WHERE table_schema = 's'",
        'SELECT count(*) FROM "t$snapshots"',
        "SHOW TABLES",
        "EXPLAIN SELECT id FROM t",
        "SELECT query_id FROM system.runtime.queries",
    ],
)
def test_so_do_what_the_system_knows_and_constants(fast: Connection, sql: str) -> None:
    assert fast.execute(sql).fetchall()


def test_explain_says_the_lane_and_the_sql(fast: Connection) -> None:
    ((text,),) = fast.execute("EXPLAIN SELECT id FROM t WHERE id = 2").fetchall()
    assert "Lane: fast" in text and "DuckDB SQL:" in text and "read_parquet" in text


def test_files_are_left_out_by_their_statistics(warehouse: Path, fast: Connection) -> None:
    append(warehouse, ROWS.set_column(0, "id", pa.array([11, 12, 13], pa.int64())))
    cursor = fast.execute("SELECT id FROM t WHERE id = 12")
    assert cursor.fetchall() == [(12,)]
    assert cursor.statement is not None and "1 of 2 files" in (cursor.statement.lane_reason or "")
    assert fast.execute("SELECT count(*) FROM t WHERE id > 100").fetchall() == [(0,)]


def test_what_others_write_is_seen_at_once(warehouse: Path, fast: Connection) -> None:
    count = "SELECT count(*) FROM t"
    assert fast.execute(count).fetchall() == [(3,)]
    append(warehouse, ROWS)
    assert fast.execute(count).fetchall() == [(6,)]


def test_a_plan_is_used_again_while_its_tables_stand(warehouse: Path, fast: Connection) -> None:
    plans = fast.coordinator.plans
    for _ in range(3):
        assert fast.execute("SELECT max(id) FROM t").fetchall() == [(3,)]
    assert plans.used == 2
    append(warehouse, ROWS.set_column(0, "id", pa.array([7, 8, 9], pa.int64())))
    assert fast.execute("SELECT max(id) FROM t").fetchall() == [(9,)]
    assert plans.used == 2
    fast.execute("CREATE SCHEMA other")
    fast.execute("CREATE TABLE other.t (id varchar)")
    fast.execute("USE other")
    assert fast.execute("SELECT max(id) FROM t").fetchall() == [(None,)]
    assert plans.used == 2


@pytest.mark.parametrize("sql", ["SELECT now()", "SELECT current_user"])
def test_what_changes_is_not_kept(fast: Connection, sql: str) -> None:
    for _ in range(3):
        fast.execute(sql).fetchall()
    assert fast.coordinator.plans.used == 0


def test_a_comparison_with_nan_is_trinos(fast: Connection) -> None:
    assert fast.execute("SELECT id FROM t WHERE price = price ORDER BY id").fetchall() == [(1,), (3,)]
    assert fast.execute("SELECT id FROM t WHERE price > 0").fetchall() == [(1,)]
    assert fast.execute("SELECT id FROM t WHERE price = 0e0").fetchall() == [(3,)]


def test_errors_are_the_users_with_their_place(fast: Connection) -> None:
    with pytest.raises(SqeError) as raised:
        fast.execute("SELECT 10 / (id - 2) FROM t").fetchall()
    assert raised.value.code == "DIVISION_BY_ZERO" and str(raised.value.position) == "1:8"


def test_a_lane_that_must_not_answer_says_why(fast: Connection) -> None:
    fast.execute("SET SESSION lane = 'fast'")
    with pytest.raises(SqeError) as raised:
        fast.execute("SELECT id FROM t TABLESAMPLE BERNOULLI (50)").fetchall()
    assert raised.value.code == "NOT_SUPPORTED" and "TABLESAMPLE" in str(raised.value)


def test_a_cancelled_statement_is_cancelled(fast: Connection) -> None:
    cursor = fast.cursor()
    fast.execute("SET SESSION lane = 'fast'")
    timer = threading.Timer(0.5, cursor.cancel)
    timer.start()
    with pytest.raises(Cancelled):
        cursor.execute("SELECT count(*) FROM t a, t b, " + ", ".join(f"t t{i}" for i in range(22)))
        cursor.fetchall()
    timer.join()


def test_a_child_that_dies_fails_its_statement_alone(
    fast: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    fast.execute("SET SESSION lane = 'fast'")
    assert fast.execute("SELECT id FROM t LIMIT 1").fetchall()
    kill_next(monkeypatch)
    with pytest.raises(SqeError):
        fast.execute("SELECT count(*) FROM t").fetchall()
    monkeypatch.undo()
    assert fast.execute("SELECT count(*) FROM t").fetchall() == [(3,)]


def kill_next(monkeypatch: pytest.MonkeyPatch) -> None:
    """The child of the next statement gets a signal as soon as it has the statement."""
    take = Processes.child

    def killed(self: Processes, stream: ProcessStream, key: str) -> object:
        context = take(self, stream, key)
        child = context.__enter__()
        os.kill(child.pid, signal.SIGKILL)
        return _Entered(context, child)

    monkeypatch.setattr(Processes, "child", killed)


class _Entered:
    def __init__(self, context: object, child: object) -> None:
        self._context, self._child = context, child

    def __enter__(self) -> object:
        return self._child

    def __exit__(self, *error: object) -> object:
        return self._context.__exit__(*error)  # type: ignore[attr-defined]


@pytest.mark.spark
def test_spark_takes_over_where_the_lane_fails(
    warehouse: Path, connect: object, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection = connect(warehouse=warehouse)  # type: ignore[operator]
    kill_next(monkeypatch)
    cursor = connection.execute("SELECT count(*) FROM s.t")
    assert cursor.fetchall() == [(3,)]
    assert cursor.statement.lane == "spark" and "fast lane failed" in cursor.statement.lane_reason


def test_a_prepared_statement_is_planned_anew(fast: Connection) -> None:
    for number in (1, 2):
        fast.execute(f"PREPARE p FROM SELECT {number}")
        assert fast.execute("EXECUTE p").fetchall() == [(number,)]
        fast.execute("DEALLOCATE PREPARE p")
    with pytest.raises(SqeError):
        fast.execute("EXECUTE p")


def test_a_subquery_counts_for_itself(light: Connection) -> None:
    """count(*) of a subquery looks like count(*) of the query around it."""
    sql = "SELECT count(*), (SELECT count(*) FROM (VALUES 1, 2, 3) AS u (y)) FROM (VALUES 1, 2) AS t (x)"
    assert light.execute(sql).fetchall() == [(2, 3)]
    sql = (
        "SELECT x, (SELECT max(y) + count(*) FROM (VALUES 1, 2, 3) AS u (y) WHERE y <= x), count(*)"
        " FROM (VALUES 1, 2, 2) AS t (x) GROUP BY x"
        " HAVING count(*) > (SELECT count(*) FROM (VALUES 1) AS v (z))"
    )
    assert light.execute(sql).fetchall() == [(2, 4, 2)]
