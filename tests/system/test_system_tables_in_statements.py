"""System tables stand where any table stands: beside stored ones, in writes, in EXPLAIN, in threads."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from sqe.api.connection import Connection

pytestmark = pytest.mark.spark


def rows(connection: Connection, sql: str) -> list[tuple[object, ...]]:
    return connection.execute(sql).fetchall()


def of_schema(connection: Connection) -> str:
    return f"table_schema = '{connection.session.namespace[0]}'"


def test_writes_take_their_rows(schema: Connection) -> None:
    here = of_schema(schema)
    schema.execute("CREATE TABLE t (a bigint, b varchar)")
    columns = f"SELECT column_name, ordinal_position FROM information_schema.columns WHERE {here}"
    assert schema.execute(f"CREATE TABLE names AS {columns}").rowcount == 2
    insert = f"INSERT INTO names SELECT table_name, 100 FROM information_schema.tables WHERE {here}"
    assert schema.execute(insert).rowcount == 2
    assert sorted(rows(schema, "TABLE names")) == [("a", 1), ("b", 2), ("names", 100), ("t", 100)]
    named = f"SELECT table_name FROM information_schema.tables WHERE {here} AND table_name = 't'"
    assert schema.execute(f"DELETE FROM names WHERE column_name IN ({named})").rowcount == 1
    count = f"SELECT count(*) FROM information_schema.columns WHERE {here}"
    assert (
        schema.execute(f"UPDATE names SET ordinal_position = ({count}) WHERE column_name = 'a'").rowcount == 1
    )
    merge = (
        f"MERGE INTO names USING (SELECT * FROM information_schema.tables WHERE {here}) s "
        "ON column_name = s.table_name WHEN MATCHED THEN DELETE "
        "WHEN NOT MATCHED THEN INSERT VALUES (s.table_name, 7)"
    )
    assert schema.execute(merge).rowcount == 2
    assert sorted(rows(schema, "TABLE names")) == [("a", 4), ("b", 2), ("t", 7)]


def test_beside_each_other_and_stored_tables(schema: Connection) -> None:
    here = of_schema(schema)
    schema.execute("CREATE TABLE wanted AS SELECT 'wanted' AS n, 1 AS k")
    schema.execute("CREATE VIEW v AS SELECT n FROM wanted")
    sql = f"""SELECT w.k, t.table_type, count(*) FROM wanted w
        JOIN information_schema.tables t ON t.table_name = w.n
        JOIN information_schema.columns c ON c.table_name = t.table_name AND c.{here}
        WHERE t.{here} GROUP BY 1, 2"""
    assert rows(schema, sql) == [(1, "BASE TABLE", 2)]
    sql = f"""SELECT table_name FROM information_schema.tables WHERE {here}
        UNION ALL SELECT table_name FROM information_schema.views WHERE {here} ORDER BY 1"""
    assert rows(schema, sql) == [("v",), ("v",), ("wanted",)]
    sql = f"""SELECT table_name, table_name IN (SELECT n FROM wanted),
        (SELECT count(*) FROM information_schema.columns c WHERE c.table_name = t.table_name AND c.{here})
        FROM information_schema.tables t WHERE {here} ORDER BY 1"""
    assert rows(schema, sql) == [("v", False, 1), ("wanted", True, 2)]
    # What is written once in the statement may be twice in Spark's, with other columns of it.
    sql = f"""SELECT n IN (SELECT table_name FROM information_schema.views WHERE {here}),
        n NOT IN (SELECT table_name FROM information_schema.views WHERE {here}),
        k > ALL (SELECT ordinal_position FROM information_schema.columns WHERE {here}) FROM wanted"""
    assert rows(schema, sql) == [(False, True, False)]


def test_counting_needs_no_column(schema: Connection) -> None:
    here = of_schema(schema)
    schema.execute("CREATE TABLE t (a bigint)")
    assert rows(schema, f"SELECT count(*) FROM information_schema.tables WHERE {here}") == [(1,)]
    assert rows(schema, "SELECT count(*) FROM system.runtime.nodes") == [(1,)]
    assert rows(schema, "SELECT 1 FROM system.runtime.nodes") == [(1,)]
    assert rows(schema, "SELECT EXISTS (SELECT 1 FROM system.metadata.materialized_views)") == [(False,)]
    assert rows(schema, 'SELECT count(*) FROM "t$files"') == [(0,)]


def test_explain(schema: Connection) -> None:
    schema.execute("CREATE TABLE t (a bigint)")
    for sql in (
        "SELECT table_name FROM information_schema.tables WHERE table_schema = 'x'",
        'SELECT file_path FROM "t$files"',
        "INSERT INTO t SELECT ordinal_position FROM information_schema.columns",
    ):
        [(plan,)] = rows(schema, f"EXPLAIN {sql}")
        assert ("Spark SQL:" if sql.startswith("INSERT") else "DuckDB SQL:") in str(plan)
        assert "rror" not in str(plan)
    [(plan,)] = rows(schema, "EXPLAIN SELECT table_name FROM information_schema.tables")
    assert "SystemScan iceberg.information_schema.tables" in str(plan)


def test_a_view_of_them_is_fresh_each_time(schema: Connection) -> None:
    schema.execute(
        f"CREATE VIEW here AS SELECT table_name FROM information_schema.tables WHERE {of_schema(schema)}"
    )
    assert rows(schema, "TABLE here") == [("here",)]
    schema.execute("CREATE TABLE later (a bigint)")
    assert sorted(rows(schema, "TABLE here")) == [("here",), ("later",)]


def test_threads_of_one_session(schema: Connection) -> None:
    for number in range(4):
        schema.execute(f"CREATE TABLE t{number} (a{number} bigint)")

    def ask(number: int) -> list[tuple[object, ...]]:
        sql = f"SELECT column_name FROM information_schema.columns WHERE table_name = 't{number % 4}'"
        return rows(schema, f"{sql} AND {of_schema(schema)}")

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(ask, range(24))) == [[(f"a{n % 4}",)] for n in range(24)]
