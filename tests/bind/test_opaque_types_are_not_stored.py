"""A geometry or a sketch exists while a statement runs: no table keeps one, and few casts make one."""

from __future__ import annotations

import pytest

from sqe.api.connection import connect
from sqe.errors import SqeError

GEOMETRY = "st_point(1, 2)"
TILE = "bing_tile(1, 2, 3)"


@pytest.mark.parametrize(
    ("statement", "code"),
    [
        (f"CREATE TABLE t AS SELECT {GEOMETRY} AS g", "NOT_SUPPORTED"),
        (f"CREATE TABLE t AS SELECT ARRAY[{TILE}] AS g", "NOT_SUPPORTED"),
        ("CREATE TABLE t (g geometry)", "NOT_SUPPORTED"),
        ("ALTER TABLE known ADD COLUMN g geometry", "NOT_SUPPORTED"),
        (f"CREATE VIEW v AS SELECT {GEOMETRY} AS g", "NOT_SUPPORTED"),
        (f"INSERT INTO known SELECT {GEOMETRY}", "TYPE_MISMATCH"),
        (f"INSERT INTO known SELECT {TILE}", "TYPE_MISMATCH"),
        (f"SELECT CAST({GEOMETRY} AS varchar)", "TYPE_MISMATCH"),
        (f"SELECT CAST({GEOMETRY} AS varbinary)", "TYPE_MISMATCH"),
        (f"SELECT CAST({TILE} AS json)", "TYPE_MISMATCH"),
        ("SELECT CAST('POINT (1 2)' AS geometry)", "TYPE_MISMATCH"),
        (f"SELECT {GEOMETRY} < {GEOMETRY}", "TYPE_MISMATCH"),
        (f"SELECT {GEOMETRY} = {TILE}", "TYPE_MISMATCH"),
        (f"SELECT {GEOMETRY} || 'a'", "TYPE_MISMATCH"),
        (f"SELECT 1 ORDER BY {TILE}", "TYPE_MISMATCH"),
        (f"SELECT upper({GEOMETRY})", "FUNCTION_NOT_FOUND"),
        (f"SELECT max({GEOMETRY})", "FUNCTION_NOT_FOUND"),
        (f"SELECT TRY(st_x({GEOMETRY}))", "NOT_SUPPORTED"),
        (f"SELECT transform(ARRAY[{GEOMETRY}], g -> st_x(g))", "NOT_SUPPORTED"),
        ("SELECT transform(ARRAY[empty_approx_set()], h -> cardinality(h))", "NOT_SUPPORTED"),
        ("SELECT transform(ARRAY[X'020C0000'], h -> CAST(h AS HyperLogLog))", "NOT_SUPPORTED"),
        ("SELECT CAST(ARRAY[X'020C0000'] AS array(HyperLogLog))", "NOT_SUPPORTED"),
        ("CREATE TABLE t AS SELECT approx_set(1) AS h", "NOT_SUPPORTED"),
        ("SELECT CAST(1 AS SetDigest)", "TYPE_MISMATCH"),
        ("SELECT CAST(empty_approx_set() AS tdigest)", "TYPE_MISMATCH"),
    ],
)
def test_it_is_refused(statement: str, code: str) -> None:
    with connect(memory=True) as connection:
        connection.execute("CREATE TABLE known (s varchar)")
        with pytest.raises(SqeError) as error:
            connection.execute(statement)
        assert error.value.code == code


def test_what_to_store_instead_is_said() -> None:
    with connect(memory=True) as connection, pytest.raises(SqeError) as error:
        connection.execute(f"CREATE TABLE t AS SELECT {GEOMETRY} AS g")
    assert error.value.hint is not None and "st_asbinary" in error.value.hint
