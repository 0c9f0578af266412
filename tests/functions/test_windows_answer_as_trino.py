"""Windows: frames of each unit, NULL keys, IGNORE NULLS, named windows, and the errors."""

from __future__ import annotations

from math import nan
from typing import Any

import pytest
from tests.functions.answering import check_answer, check_failure

from sqe.api.connection import Connection

pytestmark = pytest.mark.spark

# A statement and its answer: the rows, or the value where it is a single one; and its type where
# that is not plain.
ANSWERS: list[tuple[str, Any, str | None]] = [
    (
        "SELECT x, lag(y) IGNORE NULLS OVER (ORDER BY x), lead(y) IGNORE NULLS OVER (ORDER BY x),"
        " first_value(y) IGNORE NULLS OVER (ORDER BY x), last_value(y) IGNORE NULLS OVER (ORDER "
        "BY x), nth_value(y, 2) IGNORE NULLS OVER (ORDER BY x) FROM (VALUES "
        "(1,NULL),(2,10),(3,NULL),(4,20)) t(x,y) ORDER BY x",
        [
            [1, None, 10, None, None, None],
            [2, None, 20, 10, 10, None],
            [3, 10, 20, 10, 10, None],
            [4, 10, None, 10, 20, 20],
        ],
        None,
    ),
    (
        "SELECT x, lag(y, 2) IGNORE NULLS OVER (ORDER BY x), lag(y, 2, -1) IGNORE NULLS OVER "
        "(ORDER BY x) FROM (VALUES (1,NULL),(2,10),(3,NULL),(4,20),(5,30)) t(x,y) ORDER BY x",
        [[1, None, -1], [2, None, -1], [3, None, -1], [4, None, -1], [5, 10, 10]],
        None,
    ),
    ("SELECT x, lag(x, 0) OVER (ORDER BY x) FROM (VALUES 1,2) t(x) ORDER BY x", [[1, 1], [2, 2]], None),
    (
        "SELECT x, sum(x) OVER (ORDER BY x RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM "
        "(VALUES 1,2,4,NULL,NULL) t(x) ORDER BY x",
        [[1, 3], [2, 3], [4, 4], [None, None], [None, None]],
        None,
    ),
    (
        "SELECT x, count(*) OVER (ORDER BY x RANGE BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM "
        "(VALUES 1,2,4,NULL,NULL) t(x) ORDER BY x",
        [[1, 2], [2, 2], [4, 1], [None, 2], [None, 2]],
        None,
    ),
    (
        "SELECT x, count(*) OVER (ORDER BY x DESC RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM"
        " (VALUES 1,2,4,NULL,NULL) t(x) ORDER BY x",
        [[1, 2], [2, 1], [4, 1], [None, 2], [None, 2]],
        None,
    ),
    (
        "SELECT x, count(*) OVER (ORDER BY x DESC NULLS FIRST RANGE BETWEEN 1 PRECEDING AND "
        "CURRENT ROW) FROM (VALUES 1,2,4,NULL) t(x) ORDER BY x",
        [[1, 2], [2, 1], [4, 1], [None, 1]],
        None,
    ),
    (
        "SELECT x, count(*) OVER (ORDER BY x RANGE BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING) "
        "FROM (VALUES 1,2,4,NULL) t(x) ORDER BY x",
        [[1, 2], [2, 2], [4, 3], [None, 4]],
        None,
    ),
    (
        "SELECT x, count(*) OVER (ORDER BY x NULLS FIRST RANGE BETWEEN UNBOUNDED PRECEDING AND 1 "
        "FOLLOWING) FROM (VALUES 1,2,4,NULL) t(x) ORDER BY x",
        [[1, 3], [2, 3], [4, 4], [None, 1]],
        None,
    ),
    (
        "SELECT x, count(*) OVER (ORDER BY x GROUPS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM "
        "(VALUES 1,1,5,9,9) t(x) ORDER BY x",
        [[1, 2], [1, 2], [5, 3], [9, 3], [9, 3]],
        None,
    ),
    (
        "SELECT x, sum(x) OVER (ORDER BY x ROWS BETWEEN 1 PRECEDING AND 1 FOLLOWING) FROM (VALUES"
        " 1,2,3) t(x) ORDER BY x",
        [[1, 3], [2, 6], [3, 5]],
        None,
    ),
    (
        "SELECT x, sum(x) OVER (ORDER BY x ROWS 1 PRECEDING) FROM (VALUES 1,2,3) t(x) ORDER BY x",
        [[1, 1], [2, 3], [3, 5]],
        None,
    ),
    (
        "SELECT x, sum(x) OVER (ORDER BY x ROWS BETWEEN 1 FOLLOWING AND UNBOUNDED FOLLOWING) FROM"
        " (VALUES 1,2,3) t(x) ORDER BY x",
        [[1, 5], [2, 3], [3, None]],
        None,
    ),
    (
        "SELECT x, first_value(x) OVER (ORDER BY x ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING) FROM"
        " (VALUES 1,2,3) t(x) ORDER BY x",
        [[1, 2], [2, 3], [3, None]],
        None,
    ),
    (
        "SELECT x, array_agg(x) OVER (ORDER BY x ROWS BETWEEN 1 FOLLOWING AND 2 FOLLOWING) FROM "
        "(VALUES 1,2,3) t(x) ORDER BY x",
        [[1, [2, 3]], [2, [3]], [3, None]],
        None,
    ),
    ("SELECT percent_rank() OVER (ORDER BY x) FROM (VALUES 1) t(x)", 0.0, None),
    ("SELECT rank() OVER () FROM (VALUES 1,2) t(x)", [[1], [1]], None),
    (
        "SELECT g, sum(sum(x)) OVER (ORDER BY g) FROM (VALUES (1,1),(1,2),(2,5)) t(g,x) GROUP BY "
        "g ORDER BY g",
        [[1, 3], [2, 8]],
        None,
    ),
    (
        "SELECT g, rank() OVER (ORDER BY count(*) DESC) FROM (VALUES (1,1),(1,2),(2,5)) t(g,x) "
        "GROUP BY g ORDER BY g",
        [[1, 1], [2, 2]],
        None,
    ),
    ("SELECT count(*) FILTER (WHERE x > 1) OVER () FROM (VALUES 1,2) t(x)", [[1], [1]], None),
    ("SELECT max_by(x, y) FILTER (WHERE x > 1) OVER () FROM (VALUES (1,2),(2,1)) t(x,y)", [[2], [2]], None),
    (
        "SELECT reduce_agg(x, 0, (a,b) -> a+b, (a,b) -> a+b) OVER (ORDER BY x) FROM (VALUES 1,2,3) t(x)",
        [[1], [3], [6]],
        None,
    ),
    (
        "SELECT x, last_value(x) OVER (PARTITION BY x > 1 ORDER BY x ROWS BETWEEN UNBOUNDED "
        "PRECEDING AND UNBOUNDED FOLLOWING) FROM (VALUES 1,2,3) t(x) ORDER BY x",
        [[1, 1], [2, 3], [3, 3]],
        None,
    ),
    ("SELECT map_agg(x, x) OVER (ORDER BY x) FROM (VALUES 1,2) t(x)", [[{1: 1}], [{1: 1, 2: 2}]], None),
    (
        "SELECT array_agg(x) OVER (ORDER BY y) FROM (VALUES (NULL, 1), (2, 2)) t(x,y)",
        [[[None]], [[None, 2]]],
        None,
    ),
    (
        "SELECT x, row_number() OVER (ORDER BY x DESC) FROM (VALUES 1, NULL, nan()) t(x) ORDER BY 2",
        [[nan, 1], [1.0, 2], [None, 3]],
        None,
    ),
    (
        "SELECT x, array_agg(x) OVER (ORDER BY x DESC GROUPS BETWEEN 1 FOLLOWING AND 2 FOLLOWING)"
        " FROM (VALUES 1, 5, 5, 9, NULL) t(x) ORDER BY x",
        [[1, [None]], [5, [1, None]], [5, [1, None]], [9, [5, 5, 1]], [None, None]],
        None,
    ),
    (
        "SELECT x, sum(x) OVER w, count(*) OVER (w ROWS 1 PRECEDING) FROM (VALUES 1, 2, 3) t(x) "
        "WINDOW w AS (ORDER BY x) ORDER BY x",
        [[1, 1, 1], [2, 3, 2], [3, 6, 2]],
        None,
    ),
    (
        "SELECT x, sum(x) OVER v FROM (VALUES 1, 2, 3) t(x) WINDOW w AS (PARTITION BY x), v AS (w"
        " ORDER BY x) ORDER BY x",
        [[1, 1], [2, 2], [3, 3]],
        None,
    ),
]


@pytest.mark.parametrize(("sql", "wanted", "kind"), ANSWERS, ids=lambda v: str(v)[:60])
def test_answers(connection: Connection, sql: str, wanted: Any, kind: str | None) -> None:
    check_answer(connection, sql, wanted, kind)


FAILURES = [
    ("SELECT lag(x, -1) OVER (ORDER BY x) FROM (VALUES 1,2) t(x)", "INVALID_FUNCTION_ARGUMENT"),
    ("SELECT lag(x, x) OVER (ORDER BY x) FROM (VALUES 1,2) t(x)", "NOT_SUPPORTED"),
    ("SELECT nth_value(x, 0) OVER () FROM (VALUES 1) t(x)", "INVALID_FUNCTION_ARGUMENT"),
    ("SELECT sum(x) IGNORE NULLS OVER () FROM (VALUES 1) t(x)", "NULL_TREATMENT_NOT_ALLOWED"),
    (
        "SELECT sum(x) OVER (ORDER BY x, x RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM (VALUES 1) t(x)",
        "INVALID_ORDER_BY",
    ),
    (
        "SELECT sum(1) OVER (ORDER BY x RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM (VALUES 'a') t(x)",
        "TYPE_MISMATCH",
    ),
    (
        "SELECT sum(x) OVER (RANGE BETWEEN 1 PRECEDING AND CURRENT ROW) FROM (VALUES 1) t(x)",
        "MISSING_ORDER_BY",
    ),
    (
        "SELECT sum(x) OVER (ORDER BY x ROWS BETWEEN 2 FOLLOWING AND 1 FOLLOWING) FROM (VALUES 1) t(x)",
        "NOT_SUPPORTED",
    ),
    (
        "SELECT sum(x) OVER (w PARTITION BY x) FROM (VALUES 1) t(x) WINDOW w AS (ORDER BY x)",
        "INVALID_PARTITION_BY",
    ),
    ("SELECT sum(x) OVER (w ORDER BY x) FROM (VALUES 1) t(x) WINDOW w AS (ORDER BY x)", "INVALID_ORDER_BY"),
]


@pytest.mark.parametrize(("sql", "code"), FAILURES, ids=lambda v: str(v)[:60])
def test_failures(connection: Connection, sql: str, code: str) -> None:
    check_failure(connection, sql, code)
