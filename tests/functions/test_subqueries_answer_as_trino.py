"""Subqueries wherever an expression may stand, also where Spark's own text of the expression is a lambda."""

from __future__ import annotations

from typing import Any

import pytest
from tests.functions.answering import check_answer, check_failure

from sqe.api.connection import Connection

pytestmark = pytest.mark.spark

TABLES = """WITH t(x, d, g) AS (VALUES (1, 1.5e0, 'a'), (2, 2.5e0, 'b'), (3, NULL, 'a')),
u(y, f) AS (VALUES (1, 1.5e0), (2, 2e0), (9, nan()))
"""
ANSWERS: list[tuple[str, Any]] = [
    # A comparison of doubles says its operands twice.
    (
        "SELECT x FROM t WHERE d > (SELECT avg(d) FROM t) OR d BETWEEN (SELECT min(f) FROM u WHERE y = x)"
        " AND (SELECT min(d) FROM t) ORDER BY 1",
        [[1], [2]],
    ),
    (
        "SELECT g, count_if(d > (SELECT avg(f) FROM u WHERE y = x)),"
        " count(*) FILTER (WHERE d > (SELECT min(f) FROM u)) FROM t GROUP BY g"
        " HAVING coalesce(max(d), 1e0) > (SELECT min(f) - 1 FROM u) ORDER BY 1",
        [["a", 0, 0], ["b", 1, 1]],
    ),
    (
        "SELECT x, row_number() OVER (PARTITION BY d > (SELECT max(d) FROM t) ORDER BY x),"
        " sum(d / (SELECT max(f) FROM u WHERE y = x)) OVER (ORDER BY x) FROM t"
        " ORDER BY cast(x AS double) / (SELECT min(f) FROM u WHERE y = x), 1",
        [[1, 1, 1.0], [2, 2, 2.25], [3, 1, 2.25]],
    ),
    (
        "SELECT x, y FROM t LEFT JOIN u ON x > (SELECT min(y) FROM u) AND d >= (SELECT min(f) FROM u WHERE"
        " y = x) AND y < 3 ORDER BY 1, 2",
        [[1, None], [2, 1], [2, 2], [3, None]],
    ),
    (
        "SELECT x, y FROM t FULL JOIN u ON x = y AND d > (SELECT min(d) FROM t) ORDER BY 1, 2",
        [[1, None], [2, 2], [3, None], [None, 1], [None, 9]],
    ),
    (
        "SELECT x, (EXISTS (SELECT 1 FROM u WHERE y = x)) = true, ROW(EXISTS (SELECT 1 WHERE x = 1), 2)[1],"
        " EXISTS (SELECT 1 FROM u WHERE y = x AND 1 = 0), EXISTS (SELECT 1 FROM u WHERE y > x AND NULL)"
        " FROM t ORDER BY 1",
        [[1, True, True, False, False], [2, True, False, False, False], [3, False, False, False, False]],
    ),
    ("SELECT chr(64 + strpos('abcb', (SELECT max('b') FROM u WHERE y = x), 2)) FROM t WHERE x = 1", "D"),
    (
        "SELECT x FROM t WHERE EXISTS (SELECT 1 FROM u WHERE y = x AND f > 0 AND 2 < 1)"
        " OR NOT EXISTS (SELECT 1 FROM u WHERE y = x AND false) AND x = 2",
        2,
    ),
]


@pytest.mark.parametrize(("sql", "wanted"), ANSWERS, ids=lambda v: str(v)[:60])
def test_answers(connection: Connection, sql: str, wanted: Any) -> None:
    check_answer(connection, TABLES + sql, wanted, None)


def test_a_lambda_holds_no_subquery(connection: Connection) -> None:
    check_failure(connection, "SELECT transform(ARRAY[1], x -> x + (SELECT 2))", "NOT_SUPPORTED")


def test_changes_compare_doubles_with_subqueries(connection: Connection) -> None:
    connection.execute(
        "CREATE OR REPLACE TABLE iceberg.default.doubles AS SELECT * FROM (VALUES 1e0, 2e0, 6e0) v(d)"
    )
    connection.execute(
        "DELETE FROM iceberg.default.doubles WHERE d > (SELECT avg(d) FROM iceberg.default.doubles)"
    )
    connection.execute(
        "UPDATE iceberg.default.doubles SET d = d / (SELECT max(d) FROM iceberg.default.doubles) WHERE d > 1"
    )
    check_answer(connection, "SELECT * FROM iceberg.default.doubles", [[1.0], [1.0]], None)
