"""Aggregates: DISTINCT, FILTER, ORDER BY, NaN, NULL, n of them, and the errors."""

from __future__ import annotations

from math import inf, nan
from typing import Any

import pytest
from tests.functions.answering import check_answer, check_failure

from sqe.api.connection import Connection

pytestmark = pytest.mark.spark

# A statement and its answer: the rows, or the value where it is a single one; and its type where
# that is not plain.
ANSWERS: list[tuple[str, Any, str | None]] = [
    (
        "SELECT CAST(sum(x) AS varchar) FROM (VALUES INTERVAL '1' DAY, INTERVAL '2' HOUR) t(x)",
        "1 02:00:00.000",
        None,
    ),
    ("SELECT CAST(sum(x) AS varchar) FROM (VALUES INTERVAL '1' YEAR, INTERVAL '2' MONTH) t(x)", "1-2", None),
    ("SELECT multimap_agg(DISTINCT x, y) FROM (VALUES (1,1),(1,1),(2,5)) t(x,y)", {1: [1], 2: [5]}, None),
    ("SELECT histogram(DISTINCT x) FROM (VALUES 1,1,2) t(x)", {1: 1, 2: 1}, None),
    ("SELECT approx_percentile(DISTINCT x, 0.5) FROM (VALUES 1,1,1,2,3) t(x)", 2, None),
    ("SELECT max(DISTINCT x, 2) FROM (VALUES 1,1,3,3,2) t(x)", [3, 2], None),
    ("SELECT count_if(DISTINCT x) FROM (VALUES true,true,false) t(x)", 1, None),
    ("SELECT bitwise_xor_agg(DISTINCT x) FROM (VALUES 1,1,2) t(x)", 3, None),
    ("SELECT geometric_mean(DISTINCT x) FROM (VALUES 1e0,1e0,4e0) t(x)", 2.0, None),
    (
        "SELECT sum(DISTINCT x) FILTER (WHERE x > 1), count(DISTINCT y) FROM (VALUES "
        "(1,1),(2,1),(2,3)) t(x,y)",
        [[2, 2]],
        None,
    ),
    ("SELECT listagg(DISTINCT x, ',') WITHIN GROUP (ORDER BY x) FROM (VALUES 'b','a','b') t(x)", "a,b", None),
    (
        "SELECT listagg(DISTINCT x, ',') WITHIN GROUP (ORDER BY x), count(DISTINCT y) FROM "
        "(VALUES ('b',1),('a',2),('b',3)) t(x,y)",
        [["a,b", 3]],
        None,
    ),
    (
        "SELECT listagg(x, ',') WITHIN GROUP (ORDER BY y DESC) FILTER (WHERE y > 1) FROM (VALUES "
        "('b',1),('a',2),('c',3)) t(x,y)",
        "c,a",
        None,
    ),
    ("SELECT listagg(x) WITHIN GROUP (ORDER BY x) FROM (VALUES 'b','a') t(x)", "ab", None),
    ("SELECT listagg(x, ',') WITHIN GROUP (ORDER BY x) FROM (SELECT CAST(NULL AS varchar) x) t", None, None),
    (
        "SELECT array_agg(x ORDER BY y DESC NULLS FIRST, x) FROM (VALUES (1,2),(2,2),(3,NULL)) t(x,y)",
        [3, 1, 2],
        None,
    ),
    (
        "SELECT array_agg(x ORDER BY x) FROM (VALUES nan(), 1e0, infinity(), NULL) t(x)",
        [1.0, inf, nan, None],
        None,
    ),
    ("SELECT max(x, 2) FROM (VALUES nan(), 1e0, infinity(), NULL) t(x)", [inf, 1.0], None),
    ("SELECT min(x, 3) FROM (VALUES nan(), 1e0, infinity(), NULL) t(x)", [1.0, inf, nan], None),
    (
        "SELECT max_by(x, y, 2) FROM (VALUES ('a',1),('b',3),('c',2),('d',NULL)) t(x,y)",
        ["b", "c"],
        "array(varchar(1))",
    ),
    ("SELECT min_by(x, y, 2) FROM (VALUES ('a',1e0),('b',nan()),('c',2e0)) t(x,y)", ["a", "c"], None),
    ("SELECT max_by(x, y, 5) FROM (VALUES ('a',1e0),('b',nan()),('c',2e0)) t(x,y)", ["c", "a", "b"], None),
    ("SELECT max_by(x, y) FROM (VALUES ('a',1),(NULL,3)) t(x,y)", None, None),
    ("SELECT max(x) FROM (VALUES ARRAY[1,2], ARRAY[1,3]) t(x)", [1, 3], None),
    ("SELECT min(x), max(x) FROM (VALUES true, false, NULL) t(x)", [[False, True]], None),
    ("SELECT min(x) FROM (VALUES nan(), NULL) t(x)", nan, None),
    ("SELECT avg(x) FROM (VALUES 9223372036854775807, 9223372036854775807) t(x)", 9.223372036854776e18, None),
    (
        "SELECT stddev(x), var_pop(x), stddev_pop(x), variance(x) FROM (VALUES 5) t(x)",
        [[None, 0.0, 0.0, None]],
        None,
    ),
    ("SELECT stddev(x), var_pop(x) FROM (VALUES 5e0, nan()) t(x)", [[nan, nan]], None),
    ("SELECT count(DISTINCT ROW(x,y)) FROM (VALUES (1,NULL),(1,NULL),(1,2)) t(x,y)", 2, None),
    ("SELECT approx_percentile(x, 0.5) FROM (VALUES 1,2,3,4) t(x)", 3, None),
    (
        "SELECT approx_percentile(x, ARRAY[0.25, 0.5, 0.75]) FROM (VALUES 1,2,3,4) t(x)",
        [2, 3, 4],
        "array(bigint)",
    ),
    (
        "SELECT approx_percentile(x, 0.9) FROM (VALUES 1e0,2e0,3e0,4e0,5e0,6e0,7e0,8e0,9e0,10e0) t(x)",
        10.0,
        None,
    ),
    ("SELECT approx_percentile(x, 0.1) FROM (VALUES 1,2,3,4,5,6,7,8,9,10) t(x)", 2, None),
    ("SELECT approx_percentile(x, 1.0) FROM (VALUES 1,2,3,4) t(x)", 4, None),
    ("SELECT approx_percentile(x, 0.0) FROM (VALUES 1,2,3,4) t(x)", 1, None),
    ("SELECT approx_distinct(x, 0.01) FROM (VALUES 1,2,2) t(x)", 2, None),
    ("SELECT histogram(x) FROM (VALUES 1,1,NULL) t(x)", {1: 2}, "map(integer, bigint)"),
    (
        "SELECT map_agg(x, y) FROM (VALUES (1,'a'),(1,'b'),(2,NULL),(NULL,'c')) t(x,y)",
        {1: "a", 2: None},
        None,
    ),
    (
        "SELECT map_union(x) FROM (VALUES MAP(ARRAY[1],ARRAY['a']), NULL, "
        "MAP(ARRAY[1,2],ARRAY['b','c'])) t(x)",
        {1: "a", 2: "c"},
        None,
    ),
    (
        "SELECT bool_and(x), bool_or(x), every(x) FROM (VALUES true, NULL, false) t(x)",
        [[False, True, False]],
        None,
    ),
    ("SELECT reduce_agg(x, 0, (a,b) -> a+b, (a,b) -> a+b) FROM (VALUES 1,2,3,NULL) t(x)", 6, "integer"),
    ("SELECT array_agg(x) FROM (SELECT 1 x WHERE false) t", None, None),
    ("SELECT any_value(x), arbitrary(x) FROM (VALUES NULL, 1) t(x)", [[1, 1]], None),
    ("SELECT sum(x) FROM (VALUES TINYINT '100', TINYINT '100') t(x)", 200, "bigint"),
    ("SELECT avg(x) FROM (VALUES REAL '1', REAL '2') t(x)", 1.5, "real"),
    (
        "SELECT count(x) FILTER (WHERE x > 1), count(*) FILTER (WHERE x > 1) FROM (VALUES 1,2,NULL) t(x)",
        [[1, 1]],
        None,
    ),
    ("SELECT sum(x ORDER BY x) FROM (VALUES 1,2) t(x)", 3, None),
    ("SELECT count(*)", 1, None),
    ("SELECT sum(1) FROM (VALUES 1,2) t(x) HAVING count(*) > 1", 2, None),
    ("SELECT count(*) FROM (SELECT 1 a WHERE false) t GROUP BY GROUPING SETS ((a),())", 0, None),
    (
        "SELECT numeric_histogram(2, x) FROM (VALUES 1e0,2e0,9e0) t(x)",
        {1.5: 2.0, 9.0: 1.0},
        "map(double, double)",
    ),
    (
        "SELECT numeric_histogram(10, x) FROM (VALUES 1e0,2e0,9e0,9e0) t(x)",
        {1.0: 1.0, 2.0: 1.0, 9.0: 2.0},
        None,
    ),
    (
        "SELECT approx_most_frequent(2, x, 10) FROM (VALUES 1,1,2,3,3,3) t(x)",
        {3: 3, 1: 2},
        "map(bigint, bigint)",
    ),
    (
        "SELECT approx_most_frequent(2, x, 10) FROM (VALUES 'a','b','a') t(x)",
        {"a": 2, "b": 1},
        "map(varchar, bigint)",
    ),
    (
        "SELECT g, histogram(DISTINCT x), multimap_agg(DISTINCT x, y) FILTER (WHERE y > 1) FROM "
        "(VALUES (1,1,1),(1,1,2),(1,1,2),(2,1,5)) t(g,x,y) GROUP BY g ORDER BY g",
        [[1, {1: 1}, {1: [2]}], [2, {1: 1}, {1: [5]}]],
        None,
    ),
    (
        "SELECT CAST(avg(x) AS varchar) FROM (VALUES INTERVAL '1' DAY, INTERVAL '2' DAY) t(x)",
        "1 12:00:00.000",
        None,
    ),
    ("SELECT round(kurtosis(DISTINCT x), 6) FROM (VALUES 1e0, 1e0, 2e0, 5e0, 9e0) t(x)", -0.581894, None),
    (
        "SELECT round(corr(DISTINCT x, y), 6) FROM (VALUES (1e0, 1e0), (1e0, 1e0), (2e0, 5e0), "
        "(3e0, 4e0)) t(x, y)",
        0.720577,
        None,
    ),
]


@pytest.mark.parametrize(("sql", "wanted", "kind"), ANSWERS, ids=lambda v: str(v)[:60])
def test_answers(connection: Connection, sql: str, wanted: Any, kind: str | None) -> None:
    check_answer(connection, sql, wanted, kind)


FAILURES = [
    ("SELECT max(x, 0) FROM (VALUES 1) t(x)", "INVALID_FUNCTION_ARGUMENT"),
    (
        "SELECT sum(x) FROM (VALUES CAST('99999999999999999999999999999999999999' AS "
        "decimal(38,0)), CAST(1 AS decimal(38,0))) t(x)",
        "NUMERIC_VALUE_OUT_OF_RANGE",
    ),
    ("SELECT approx_percentile(x, 1.5) FROM (VALUES 1,2,3,4) t(x)", "INVALID_FUNCTION_ARGUMENT"),
    ("SELECT approx_distinct(x, 0.5) FROM (VALUES 1,2,2) t(x)", "INVALID_FUNCTION_ARGUMENT"),
    ("SELECT max(x) FROM (VALUES ARRAY[1, NULL], ARRAY[1, 3]) t(x)", "NOT_SUPPORTED"),
    ("SELECT array_agg(DISTINCT x ORDER BY y) FROM (VALUES (1, 2)) t(x, y)", "EXPRESSION_NOT_IN_DISTINCT"),
    ("SELECT approx_percentile(x, 2e0, 0.5) FROM (VALUES 1) t(x)", "NOT_SUPPORTED"),
]


@pytest.mark.parametrize(("sql", "code"), FAILURES, ids=lambda v: str(v)[:60])
def test_failures(connection: Connection, sql: str, code: str) -> None:
    check_failure(connection, sql, code)
