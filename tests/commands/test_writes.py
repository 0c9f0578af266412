"""INSERT, UPDATE, DELETE, MERGE, TRUNCATE and CREATE TABLE AS, with exact counts."""

from __future__ import annotations

import datetime as dt
import math
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sqe.api.connection import Connection
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


NUMBERS = "n integer, i integer, b bigint, r real, d decimal(15,2), w decimal(5,0), e decimal(38,20)"
MOMENTS = "c date, t timestamp(6), z timestamp(6) with time zone"
NESTED = "a array(decimal(5,1)), m map(integer, real), o row(x integer, y varchar)"
# What Trino 476 makes of a value that is written to a column, and its error where it makes nothing of it.
ASSIGNED: list[tuple[str, str, object]] = [
    ("i", "BIGINT '5'", 5),
    ("i", "DECIMAL '-5.5'", -6),
    ("i", "REAL '2.5'", 3),
    ("b", "1.5e0", 2),
    ("r", "1.5e300", math.inf),
    ("r", "1.5e0", 1.5),
    ("d", "1.239", Decimal("1.24")),
    ("d", "DECIMAL '-1.235'", Decimal("-1.24")),
    ("d", "1.005e0", Decimal("1.01")),
    ("d", "REAL '1.5'", Decimal("1.50")),
    ("w", "BIGINT '12345'", Decimal("12345")),
    ("e", "REAL '0.1'", Decimal("0.1")),
    ("e", "0.1e0", Decimal("0.1")),
    ("c", "TIMESTAMP '2020-01-01 23:00:00'", dt.date(2020, 1, 1)),
    ("c", "TIMESTAMP '2020-01-01 23:00:00 America/New_York'", dt.date(2020, 1, 1)),
    ("t", "DATE '2020-01-01'", dt.datetime(2020, 1, 1)),
    ("t", "TIMESTAMP '2020-01-01 10:00:00 Europe/Berlin'", dt.datetime(2020, 1, 1, 10)),
    ("z", "TIMESTAMP '2020-01-01 10:00:00'", dt.datetime(2020, 1, 1, 10, tzinfo=dt.UTC)),
    ("z", "TIMESTAMP '2020-01-01 10:00:00 Europe/Berlin'", dt.datetime(2020, 1, 1, 9, tzinfo=dt.UTC)),
    ("a", "ARRAY[1.25, NULL]", [Decimal("1.3"), None]),
    ("m", "MAP(ARRAY[1e0, 2.2e0], ARRAY[1.5, 2])", {1: 1.5, 2: 2.0}),
    ("o", "ROW(1.5e0, CHAR 'a')", (2, "a")),
]
UNASSIGNABLE: list[tuple[str, str]] = [
    ("i", "'5'"),
    ("i", "true"),
    ("c", "'2020-01-01'"),
    ("z", "'2020-01-01'"),
    ("a", "ARRAY['1']"),
    ("a", "1"),
    ("o", "ROW(1, 2)"),
    ("o", "ROW(1, 'a', 2)"),
]
TOO_LARGE: list[tuple[str, str, str]] = [
    ("i", "BIGINT '5000000000'", "NUMERIC_VALUE_OUT_OF_RANGE"),
    ("i", "1.5e30", "NUMERIC_VALUE_OUT_OF_RANGE"),
    ("i", "nan()", "INVALID_CAST_ARGUMENT"),
    ("i", "99999999999.5", "INVALID_CAST_ARGUMENT"),
    ("d", "DECIMAL '99999999999999.99'", "INVALID_CAST_ARGUMENT"),
    ("w", "BIGINT '123456'", "INVALID_CAST_ARGUMENT"),
    ("w", "99999.5", "INVALID_CAST_ARGUMENT"),
    ("a", "ARRAY[12345.5]", "INVALID_CAST_ARGUMENT"),
]


def test_a_value_is_stored_as_trino_assigns_it(schema: Connection) -> None:
    schema.execute(f"CREATE TABLE t ({NUMBERS}, {MOMENTS}, {NESTED})")
    columns = list(dict.fromkeys(column for column, _, _ in ASSIGNED))
    # A value for each column, and again, until all were written: by a constant and by a query.
    waves = [[(v, w) for c, v, w in ASSIGNED if c == column] for column in columns]
    wanted: list[dict[str, object]] = []
    for wave in range(max(map(len, waves))):
        cells = {c: values[wave] for c, values in zip(columns, waves, strict=True) if len(values) > wave}
        listed, texts = ", ".join(cells), ", ".join(text for text, _ in cells.values())
        source = f"SELECT {wave}, {texts}" if wave % 2 else f"VALUES ({wave}, {texts})"
        schema.execute(f"INSERT INTO t (n, {listed}) {source}")
        wanted.append({c: value for c, (_, value) in cells.items()})
    found = rows(schema, f"SELECT {', '.join(columns)} FROM t ORDER BY n")
    assert [{c: v for c, v in zip(columns, row, strict=True) if v is not None} for row in found] == wanted


def test_a_value_of_another_kind_is_refused_where_it_stands(schema: Connection) -> None:
    schema.execute(f"CREATE TABLE t ({NUMBERS}, {MOMENTS}, {NESTED})")
    for column, text in UNASSIGNABLE:
        for sql in (
            f"INSERT INTO t ({column}) SELECT {text}",
            f"UPDATE t SET {column} = {text}",
            "MERGE INTO t USING (VALUES 1) AS s(x) ON t.i = s.x"
            f" WHEN MATCHED THEN UPDATE SET {column} = {text}",
        ):
            with pytest.raises(TypeMismatch, match=f"column '{column}' is .*, the value is") as error:
                schema.execute(sql)
            assert error.value.code == "TYPE_MISMATCH" and error.value.position is not None


def test_a_value_that_is_too_large_for_its_column_is_an_error(schema: Connection) -> None:
    schema.execute(f"CREATE TABLE t ({NUMBERS}, {NESTED})")
    for column, text, code in TOO_LARGE:
        with pytest.raises(SqeError) as error:
            schema.execute(f"INSERT INTO t ({column}) SELECT {text}")
        assert error.value.code == code, text
    assert rows(schema, "SELECT count(*) FROM t") == [(0,)]


def test_update_and_merge_assign_as_insert_does(schema: Connection) -> None:
    schema.execute("CREATE TABLE t (id integer, p decimal(10,2))")
    schema.execute("INSERT INTO t VALUES (1, 10.05), (2, 1)")
    schema.execute("UPDATE t SET p = p * 1.1, id = id + BIGINT '1'")
    assert rows(schema) == [(2, Decimal("11.06")), (3, Decimal("1.10"))]
    schema.execute(
        "MERGE INTO t USING (VALUES (2, 5.555), (9, 6.664)) AS s(id, p) ON t.id = s.id"
        " WHEN MATCHED THEN UPDATE SET p = s.p"
        " WHEN NOT MATCHED THEN INSERT (id, p) VALUES (s.id + BIGINT '0', s.p)"
    )
    assert rows(schema) == [(2, Decimal("5.56")), (3, Decimal("1.10")), (9, Decimal("6.66"))]
    with pytest.raises(SqeError) as error:
        schema.execute("UPDATE t SET id = id * BIGINT '5000000000'")
    assert error.value.code == "NUMERIC_VALUE_OUT_OF_RANGE"


def test_columns_that_are_not_null_get_a_value(schema: Connection) -> None:
    schema.execute("CREATE TABLE t (a bigint, d integer NOT NULL)")
    schema.execute("INSERT INTO t VALUES (1, 1)")
    with pytest.raises(UserError) as error:
        schema.execute("INSERT INTO t (a) VALUES (1)")
    assert error.value.code == "CONSTRAINT_VIOLATION"
    with pytest.raises(SqeError):
        schema.execute("INSERT INTO t SELECT 1, CASE WHEN a > 100 THEN 1 END FROM t")
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
