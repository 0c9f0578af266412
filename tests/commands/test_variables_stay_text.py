"""`${...}` is a variable to Hadoop and to Spark, and text to us: in names, values, places and comments."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sqe.api.connection import Connection
from sqe.errors import NotSupported


def rows(connection: Connection, sql: str, lane: str) -> list[tuple[object, ...]]:
    connection.execute(f"SET SESSION lane = '{lane}'")
    try:
        return connection.execute(sql).fetchall()
    finally:
        connection.execute("RESET SESSION lane")


def test_no_variable_is_put_into_the_name_of_a_column(connection: Connection, tmp_path: Path) -> None:
    file = tmp_path / "v.parquet"
    inner = [{"${user.name}": 1}, {"${user.name}": 2}]
    pq.write_table(pa.table({"${user.name}": [1, 2], "${env.HOME}": [1, 2], "r": inner}), file)
    query = f"""SELECT "${{user.name}}", r."${{user.name}}" FROM '{file}' WHERE "${{env.HOME}}" > 1"""
    assert rows(connection, query, "auto") == [(2, 2)]
    with pytest.raises(NotSupported, match="variable"):
        rows(connection, query, "spark")
    pq.write_table(pa.table({"r": inner}), file)
    with pytest.raises(NotSupported, match="variable"):
        rows(connection, f"SELECT r FROM '{file}'", "spark")


def test_variables_stay_as_they_are_in_tables(schema: Connection, tmp_path: Path) -> None:
    place = tmp_path / "at ${user.name}"
    schema.execute(
        f"""CREATE TABLE t (a varchar, "${{user.name}}" integer)
        WITH (location = '{place}', partitioning = ARRAY['a'])"""
    )
    schema.execute("INSERT INTO t VALUES ('${user.name}', 1), ('${env:HOME}', 2), ('x*', 3), ('a/b %41', 4)")
    schema.execute("""UPDATE t SET "${user.name}" = "${user.name}" + 1 WHERE a = '${user.name}'""")
    query = """SELECT "${user.name}" FROM t WHERE a IN ('${user.name}', 'x*', 'a/b %41') ORDER BY 1"""
    for lane in ("spark", "auto"):
        assert rows(schema, query, lane) == [(2,), (3,), (4,)]
    schema.execute("CREATE TABLE u COMMENT '${user.name}' AS SELECT '${user.name}' AS \"${user.name}\"")
    assert "COMMENT '${user.name}'" in schema.execute("SHOW CREATE TABLE u").fetchall()[0][0]
    assert place.is_dir()
