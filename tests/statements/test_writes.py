"""INSERT, UPDATE, DELETE, MERGE, TRUNCATE and CREATE TABLE AS, with exact counts."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sqe.connection import Connection
from sqe.errors import AlreadyExists, SqeError, TypeMismatch, UserError

pytestmark = pytest.mark.spark


@pytest.fixture(params=["copy-on-write", "merge-on-read"])
def table(schema: Connection, request: pytest.FixtureRequest) -> Connection:
    modes = ", ".join(f"'write.{k}.mode' = '{request.param}'" for k in ("delete", "update", "merge"))
    schema.execute(f"CREATE TABLE t (id bigint, name varchar) TBLPROPERTIES ({modes})")
    done = schema.execute("INSERT INTO t SELECT sequential_number, 'x' FROM TABLE(sequence(1, 10))")
    assert done.rowcount == 10 and done.update_type == "INSERT"
    return schema


def rows(connection: Connection, sql: str = "SELECT * FROM t ORDER BY id") -> list[tuple[object, ...]]:
    return connection.execute(sql).fetchall()


def test_update_counts_only_what_matched(table: Connection) -> None:
    assert table.execute("UPDATE t SET name = 'y' WHERE id <= 3").rowcount == 3
    assert rows(table, "SELECT count(*) FROM t WHERE name = 'y'") == [(3,)]
    assert table.execute("UPDATE t SET name = CASE WHEN id = 1 THEN 'a' ELSE name END").rowcount == 10
    assert table.execute("UPDATE t SET name = 'z' WHERE id > 100").rowcount == 0


def test_update_with_subqueries_over_another_table(table: Connection) -> None:
    table.execute("CREATE TABLE u (id bigint, name varchar)")
    table.execute("INSERT INTO u VALUES (2, 'two'), (3, 'three')")
    assert table.execute("UPDATE t SET name = 'hit' WHERE id IN (SELECT id FROM u)").rowcount == 2
    assert rows(table, "SELECT id FROM t WHERE name = 'hit' ORDER BY 1") == [(2,), (3,)]


def test_delete(table: Connection) -> None:
    assert table.execute("DELETE FROM t WHERE id IN (1, 2)").rowcount == 2
    assert table.execute("DELETE FROM t WHERE id > 100").rowcount == 0
    assert table.execute("DELETE FROM t WHERE id = 3").rowcount == 1
    assert rows(table, "SELECT count(*) FROM t") == [(7,)]
    assert table.execute("DELETE FROM t").rowcount == 7
    assert rows(table) == []


def test_delete_with_a_subquery(table: Connection) -> None:
    table.execute("CREATE TABLE u (id bigint)")
    table.execute("INSERT INTO u VALUES (1), (2), (99)")
    assert table.execute("DELETE FROM t WHERE EXISTS (SELECT 1 FROM u WHERE u.id = t.id)").rowcount == 2
    assert table.execute("DELETE FROM t WHERE id > (SELECT min(id) + 8 FROM u)").rowcount == 1


def test_merge(table: Connection) -> None:
    done = table.execute(
        "MERGE INTO t USING (VALUES (1, 'one'), (2, 'two'), (11, 'new')) s(id, name) ON t.id = s.id "
        "WHEN MATCHED AND s.id = 2 THEN DELETE WHEN MATCHED THEN UPDATE SET name = s.name "
        "WHEN NOT MATCHED THEN INSERT (id, name) VALUES (s.id, s.name)"
    )
    assert done.rowcount == 3
    expected = [(1, "one"), *((i, "x") for i in range(3, 11)), (11, "new")]
    assert rows(table) == expected


def test_merge_twice_on_one_row_is_an_error(table: Connection) -> None:
    with pytest.raises(SqeError) as error:
        table.execute(
            "MERGE INTO t USING (VALUES (1, 'a'), (1, 'b')) s(id, name) ON t.id = s.id "
            "WHEN MATCHED THEN UPDATE SET name = s.name"
        )
    assert error.value.code == "MERGE_TARGET_ROW_MULTIPLE_MATCHES"
    assert rows(table, "SELECT count(*) FROM t WHERE name = 'x'") == [(10,)]


def test_truncate_starts_no_engine_and_counts(schema: Connection) -> None:
    schema.execute("CREATE TABLE t (id bigint)")
    schema.execute("INSERT INTO t VALUES (1), (2)")
    done = schema.execute("TRUNCATE TABLE t")
    assert done.rowcount == 2 and done.statement is not None and done.statement.lane == "catalog"
    assert rows(schema) == []


def test_create_table_as(schema: Connection) -> None:
    done = schema.execute(
        "CREATE TABLE p WITH (partitioning = ARRAY['bucket(id, 2)'], format_version = 2) AS "
        "SELECT sequential_number AS id, 'x' AS name FROM TABLE(sequence(1, 5))"
    )
    assert done.rowcount == 5 and done.update_type == "CREATE TABLE AS"
    assert rows(schema, "SELECT count(*), min(name) FROM p") == [(5, "x")]
    with pytest.raises(AlreadyExists):
        schema.execute("CREATE TABLE p AS SELECT 1 AS a")
    assert schema.execute("CREATE TABLE IF NOT EXISTS p AS SELECT 1 AS a").rowcount == 0
    assert schema.execute("CREATE OR REPLACE TABLE p AS SELECT 1 AS a").rowcount == 1
    assert rows(schema, "SELECT * FROM p") == [(1,)]
    assert schema.execute("CREATE TABLE e (a, b) AS SELECT 1, 'x' WITH NO DATA").rowcount == 0
    assert rows(schema, "SELECT * FROM e") == []


def test_values_are_coerced_or_refused_as_trino_does(schema: Connection) -> None:
    schema.execute("CREATE TABLE t (a bigint, b decimal(10,2), c timestamp(6), d integer NOT NULL)")
    schema.execute("INSERT INTO t VALUES (1, 1.5, TIMESTAMP '2024-01-01 00:00:00', 1)")
    for values in ("('x', 1.5, NULL, 1)", "(1, 1.555, NULL, 1)", "(1, 1.5, NULL, 3000000000)"):
        with pytest.raises(TypeMismatch):
            schema.execute(f"INSERT INTO t VALUES {values}")
    with pytest.raises(UserError) as error:
        schema.execute("INSERT INTO t (a) VALUES (1)")
    assert error.value.code == "CONSTRAINT_VIOLATION"
    with pytest.raises(SqeError):
        schema.execute("INSERT INTO t SELECT 1, 1.5, NULL, CASE WHEN a > 100 THEN 1 END FROM t")
    assert rows(schema, "SELECT count(*) FROM t") == [(1,)]


def test_a_failing_write_leaves_the_table_as_it_was(schema: Connection) -> None:
    schema.execute("CREATE TABLE t (a bigint)")
    schema.execute("INSERT INTO t VALUES (1), (0)")
    with pytest.raises(SqeError):
        schema.execute("INSERT INTO t SELECT 10 / a FROM t")
    with pytest.raises(SqeError):
        schema.execute("CREATE TABLE broken AS SELECT 10 / a AS x FROM t")
    assert rows(schema, "SELECT count(*) FROM t") == [(2,)]
    with pytest.raises(SqeError):
        schema.execute("SELECT * FROM broken")


def test_files_are_read_in_place(schema: Connection, tmp_path: Path) -> None:
    file = tmp_path / "it's a file.parquet"
    pq.write_table(pa.table({"a": [1, 2], "B b": ["x", None]}), file)
    path = str(file).replace("'", "''")
    assert rows(schema, f"SELECT * FROM '{path}' ORDER BY a") == [(1, "x"), (2, None)]
    assert rows(schema, f"SELECT \"B b\" FROM read_parquet('{path}') WHERE a = 1") == [("x",)]
    assert rows(schema, f"SELECT count(*) FROM '{path}' x JOIN '{path}' y ON x.a = y.a") == [(2,)]


def test_statements_at_once_share_a_file(schema: Connection, tmp_path: Path) -> None:
    file = tmp_path / "shared.parquet"
    pq.write_table(pa.table({"a": list(range(1000))}), file)
    with ThreadPoolExecutor(4) as pool:
        sql = f"SELECT sum(a) FROM '{file}'"
        assert list(pool.map(lambda _: rows(schema, sql), range(12))) == [[(499500,)]] * 12


def test_time_travel(schema: Connection) -> None:
    schema.execute("CREATE TABLE t (a bigint)")
    schema.execute("INSERT INTO t VALUES (1)")
    [(first, when)] = rows(schema, 'SELECT snapshot_id, committed_at FROM "t$snapshots"')
    schema.execute("INSERT INTO t VALUES (2)")
    count = "SELECT count(*) FROM t FOR"
    assert rows(schema, f"{count} VERSION AS OF {first}") == [(1,)]
    assert rows(schema, f"{count} VERSION AS OF 'main'") == [(2,)]
    text = f"{when:%Y-%m-%d %H:%M:%S.%f}"
    assert rows(schema, f"{count} TIMESTAMP AS OF TIMESTAMP '{text}'") == [(1,)]
    assert rows(schema, f"{count} TIMESTAMP AS OF TIMESTAMP '{text} UTC'") == [(1,)]
    assert rows(schema, f"{count} TIMESTAMP AS OF '{text}'") == [(1,)]
    assert rows(schema, f"{count} TIMESTAMP AS OF '2999-01-01'") == [(2,)]
    assert rows(schema, f"{count} TIMESTAMP AS OF DATE '2999-01-01'") == [(2,)]
    for wrong in ("VERSION AS OF 1", "VERSION AS OF 'nosuch'", "TIMESTAMP AS OF '2000-01-01'"):
        with pytest.raises(UserError):
            schema.execute(f"{count} {wrong}")


def test_explain_shows_tree_lane_sql_and_plan(schema: Connection) -> None:
    schema.execute("CREATE TABLE t (a bigint)")
    for lane, parts in {
        "spark": ("Lane: spark", "Spark SQL:", "Spark plan:"),
        "auto": ("Lane: fast", "DuckDB SQL:"),
    }.items():
        schema.execute(f"SET SESSION lane = '{lane}'")
        [(plan,)] = rows(schema, "EXPLAIN SELECT a + 1 FROM t WHERE a > 2")
        assert isinstance(plan, str)
        for part in ("Filter (a > 2)", *parts):
            assert part in plan
    schema.execute("RESET SESSION lane")
    [(plan,)] = rows(schema, "EXPLAIN DELETE FROM t WHERE a = 1")
    assert isinstance(plan, str) and "DELETE FROM" in plan
    assert rows(schema, "SELECT count(*) FROM t") == [(0,)]


def test_cross_catalog_joins_and_restarts(connect: object, tmp_path: Path) -> None:
    places = {"sales": tmp_path / "s", "ref": tmp_path / "r"}
    first = connect(catalogs=places)  # type: ignore[operator]
    first.execute("CREATE TABLE sales.default.orders AS SELECT 1 AS id, 'be' AS land")
    first.execute("CREATE TABLE ref.default.lands AS SELECT 'be' AS code, 'Belgium' AS name")
    again = connect(catalogs=places)  # type: ignore[operator]
    sql = "SELECT o.id, l.name FROM sales.default.orders o JOIN ref.default.lands l ON o.land = l.code"
    assert again.execute(sql).fetchall() == [(1, "Belgium")]
    assert first.execute(sql).fetchall() == [(1, "Belgium")]


def test_extremes_of_uuids_are_not_taken_from_statistics(schema: Connection) -> None:
    schema.execute("CREATE TABLE ids (u uuid)")
    smallest, largest = "12151fd2-7586-11e9-8f9e-2a86e4085a59", "f2151fd2-7586-11e9-8f9e-2a86e4085a59"
    schema.execute(f"INSERT INTO ids VALUES UUID '{largest}', UUID '{smallest}'")
    ((low, high),) = schema.execute("SELECT min(u), max(u) FROM ids").fetchall()
    assert (str(low), str(high)) == (smallest, largest)
