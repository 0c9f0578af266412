"""Ordering, joins, set operations, UNNEST, grouping sets: NULLs and NaN in each."""

from __future__ import annotations

from typing import Any

import pytest
from tests.functions.answering import check_answer, check_failure

from sqe.api.connection import Connection

pytestmark = pytest.mark.spark

_NUMBERS = "SELECT count(*) FROM (VALUES 0, 1, 2, 3, 4, 5, 6) n(k)"
_MATCHING = "FROM (VALUES 0, 1, 2, 3) r(k) WHERE r.k = n.k"
# A statement and its answer: the rows, or the value where it is a single one; and its type where
# that is not plain.
ANSWERS: list[tuple[str, Any, str | None]] = [
    ("SELECT x FROM (VALUES ARRAY[2], ARRAY[1,5]) t(x) ORDER BY x", [[[1, 5]], [[2]]], None),
    ("SELECT DISTINCT x FROM (VALUES ARRAY[2], ARRAY[1], ARRAY[2]) t(x) ORDER BY x", [[[1]], [[2]]], None),
    ("SELECT a.x FROM (VALUES nan(), 1e0) a(x) JOIN (VALUES nan(), 1e0) b(x) ON a.x = b.x", 1.0, None),
    ("SELECT count(*) FROM (SELECT nan() UNION SELECT nan())", 1, None),
    (
        "SELECT x FROM (VALUES 1, 2, 2, NULL, NULL) t(x) INTERSECT ALL SELECT x FROM (VALUES 2, "
        "2, NULL) s(x) ORDER BY 1",
        [[2], [2], [None]],
        None,
    ),
    ("SELECT x FROM (VALUES 1, NULL) t(x) EXCEPT SELECT NULL", 1, None),
    (
        "SELECT u.k, u.v FROM UNNEST(MAP(ARRAY[1,2], ARRAY['a','b'])) AS u(k, v) ORDER BY k",
        [[1, "a"], [2, "b"]],
        None,
    ),
    ("SELECT * FROM UNNEST(ARRAY[1,2], ARRAY['a']) AS u(a, b) ORDER BY a", [[1, "a"], [2, None]], None),
    (
        "SELECT * FROM UNNEST(ARRAY[1,2], ARRAY['a']) WITH ORDINALITY AS u(a, b, o) ORDER BY o",
        [[1, "a", 1], [2, None, 2]],
        None,
    ),
    (
        "SELECT t.x, u.e FROM (VALUES (1, ARRAY[7,8]), (2, NULL), (3, ARRAY[])) t(x, a) LEFT JOIN"
        " UNNEST(a) AS u(e) ON true ORDER BY 1, 2",
        [[1, 7], [1, 8], [2, None], [3, None]],
        None,
    ),
    ("SELECT * FROM UNNEST(ARRAY[(1,'a'), (2,'b')]) AS u(x, y) ORDER BY 1", [[1, "a"], [2, "b"]], None),
    (
        "WITH RECURSIVE r(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM r WHERE n < 5) SELECT sum(n) FROM r",
        15,
        None,
    ),
    ("SELECT 1 IN (SELECT y FROM (VALUES 2, NULL) s(y))", None, None),
    ("SELECT x FROM (VALUES 1,2,2,3) t(x) ORDER BY x FETCH FIRST 2 ROWS WITH TIES", [[1], [2], [2]], None),
    (
        "SELECT a, b, grouping(a, b), count(*) FROM (VALUES (1,1),(1,2)) t(a,b) GROUP BY GROUPING"
        " SETS ((a,b),(b),()) ORDER BY 3, 2",
        [[1, 1, 0, 1], [1, 2, 0, 1], [None, 1, 2, 1], [None, 2, 2, 1], [None, None, 3, 2]],
        None,
    ),
    (
        "SELECT approx_percentile(x, ARRAY[0.25, 0.5, 0.75]) FROM (VALUES 1,2,3,4) t(x)",
        [2, 3, 4],
        "array(bigint)",
    ),
    # Trino has no such subqueries; where no row matches, an aggregate without GROUP BY is still a row.
    (f"{_NUMBERS} WHERE (SELECT 1 {_MATCHING} HAVING max(r.k) IS NULL) = 1", 3, None),
    (f"{_NUMBERS} WHERE (SELECT n.k {_MATCHING} HAVING sum(r.k) IS NULL) = n.k", 3, None),
    (f"{_NUMBERS} LEFT JOIN LATERAL (SELECT max(r.k) m {_MATCHING} UNION ALL SELECT 3) ON true", 14, None),
    # From left to right: the constants alone overflow, or leave an overflow out.
    ("SELECT k * 2147483647 * 2 FROM (VALUES 0) t(k)", 0, "integer"),
    ("SELECT 2 * (2147483647 * k) FROM (VALUES 0) t(k)", 0, "integer"),
    ("SELECT k + 2147483647 + 2 FROM (VALUES -5) t(k)", 2147483644, "integer"),
    ("SELECT b * 9223372036854775807 * 2 FROM (VALUES BIGINT '0') t(b)", 0, "bigint"),
    ("SELECT TRY(k * 2147483647 * 2) FROM (VALUES 0) t(k)", 0, "integer"),
]


@pytest.mark.parametrize(("sql", "wanted", "kind"), ANSWERS, ids=lambda v: str(v)[:60])
def test_answers(connection: Connection, sql: str, wanted: Any, kind: str | None) -> None:
    check_answer(connection, sql, wanted, kind)


FAILURES = [
    ("SELECT k + 2147483647 + (-2) FROM (VALUES 1) t(k)", "NUMERIC_VALUE_OUT_OF_RANGE"),
    ("SELECT regexp_like(x, '(') FROM (VALUES 'a') t(x)", "INVALID_FUNCTION_ARGUMENT"),
    ("SELECT regexp_extract(x, '(') FROM (VALUES 'a') t(x)", "INVALID_FUNCTION_ARGUMENT"),
    ("SELECT x FROM (VALUES ARRAY[2], ARRAY[NULL]) t(x) ORDER BY x", "NOT_SUPPORTED"),
]


@pytest.mark.parametrize(("sql", "code"), FAILURES, ids=lambda v: str(v)[:60])
def test_failures(connection: Connection, sql: str, code: str) -> None:
    check_failure(connection, sql, code)
