"""Forms of SQL that people type every day: names, types, rows and errors as Trino has them, on both lanes."""

from __future__ import annotations

from typing import Any

import pytest

from sqe.api.connection import Connection
from sqe.errors import SqeError

pytestmark = pytest.mark.spark

# A statement, the names and types of its columns where they matter, and its rows.
Forms = list[tuple[str, list[str] | None, list[tuple[Any, ...]]]]
# A statement, its error's code, and where it is.
Refused = list[tuple[str, str, tuple[int, int]]]


def check(connection: Connection, forms: Forms) -> None:
    for sql, columns, wanted in forms:
        cursor = connection.execute(sql)
        assert cursor.fetchall() == wanted, sql
        assert cursor.columns is not None
        assert columns is None or [f"{name} {kind}" for name, kind in cursor.columns] == columns, sql


def check_refused(connection: Connection, refused: Refused) -> None:
    for sql, code, place in refused:
        with pytest.raises(SqeError) as error:
            connection.execute(sql).fetchall()
        position = error.value.position
        assert position is not None, sql
        assert (error.value.code, (position.line, position.column)) == (code, place), sql


def test_rows_of_values(connection: Connection) -> None:
    two = ["_col0 integer", "_col1 integer"]
    check(
        connection,
        [
            ("VALUES ROW(1, 2), (3, 4), (ROW(5, 6)), ((7, 8))", two, [(1, 2), (3, 4), (5, 6), (7, 8)]),
            ("VALUES 1, ROW(2), (3)", ["_col0 integer"], [(1,), (2,), (3,)]),
            ("VALUES ROW(ROW(1, 2))", ["_col0 row(integer, integer)"], [((1, 2),)]),
            (
                "VALUES CAST(ROW(1, 2) AS row(a integer, b integer)), (1.5, NULL)",
                ["_col0 decimal(11,1)", "_col1 integer"],
                [(1, 2), (1.5, None)],
            ),
            ("SELECT b, a FROM (VALUES ROW(1, 'x'), ROW(NULL, 'y')) t(a, b)", None, [("x", 1), ("y", None)]),
        ],
    )
    check_refused(
        connection,
        [
            ("VALUES ROW(1, 2), ROW(3)", "TYPE_MISMATCH", (1, 19)),
            ("VALUES (1, 2), NULL", "TYPE_MISMATCH", (1, 16)),
            # Each column would choose for itself.
            ("VALUES IF(random() < 0.5, ROW(1, 2), ROW(3, 4))", "NOT_SUPPORTED", (1, 11)),
        ],
    )


def test_values_as_a_subquery(connection: Connection) -> None:
    check(
        connection,
        [
            (
                "SELECT 1 IN (VALUES 1, 2), 3 NOT IN (VALUES 1, 2), NULL IN (VALUES 1),"
                " 3 IN (VALUES 1, NULL), 1 IN (VALUES 1.5, 1), 2 IN (VALUES 2, 1 ORDER BY 1 LIMIT 1),"
                " 1 IN ((VALUES 1))",
                None,
                [(True, True, None, None, True, False, True)],
            ),
            (
                "SELECT (1, 2) IN (VALUES (1, 2)), ROW(1, 2) NOT IN (VALUES (1, 3), (2, 2)),"
                " (1, 2) IN (VALUES ROW(1, 3)), ROW(1) IN (VALUES 1)",
                None,
                [(True, True, False, True)],
            ),
            (
                "SELECT 1 = ANY (VALUES 1, 2), 1 < ALL (VALUES 1, 2), 5 > SOME (VALUES 1, NULL),"
                " 0 > SOME (VALUES 1, NULL), 1 <> ALL (VALUES 2, 3), EXISTS (VALUES 1)",
                None,
                [(True, False, True, None, True, True)],
            ),
            (
                "SELECT (1, 2) = ANY (VALUES (1, 2)), (1, 2) < ALL (VALUES (1, 3)),"
                " (1, 2) <> ALL (VALUES (1, 3), (2, 4)), ROW(1, 2) >= ANY (VALUES ROW(1, 3))",
                None,
                [(True, True, True, False)],
            ),
            ("SELECT x FROM (VALUES 1, 2, 3) t(x) WHERE x IN (VALUES 2, 9)", ["x integer"], [(2,)]),
            ("SELECT (VALUES 3 LIMIT 1) + 1, (VALUES (1, 2))", None, [(4, (1, 2))]),
            (
                "SELECT (SELECT a, b), (SELECT 1, a WHERE a > 1), (SELECT a, b) = ROW(1, 2)"
                " FROM (VALUES (1, 2)) t(a, b)",
                ["_col0 row(a integer, b integer)", "_col1 row(integer, a integer)", "_col2 boolean"],
                [((1, 2), (None, None), True)],
            ),
        ],
    )
    check_refused(
        connection,
        [
            ("SELECT 1 IN (VALUES (1, 2))", "TYPE_MISMATCH", (1, 8)),
            ("SELECT (1, 2) IN (SELECT 1)", "TYPE_MISMATCH", (1, 9)),
            ("SELECT 1 IN (VALUES 'a')", "TYPE_MISMATCH", (1, 8)),
            ("SELECT 1 = ANY (VALUES (1, 2))", "TYPE_MISMATCH", (1, 8)),
        ],
    )


def test_stars_of_outer_queries_and_of_rows(connection: Connection) -> None:
    t = "(VALUES (1, 2)) t(a, b)"
    r = "(VALUES ROW(CAST(ROW(1, 2) AS row(a integer, b integer)))) t(r)"
    check(
        connection,
        [
            (
                f"SELECT x.* FROM {t}, LATERAL (SELECT t.*, 7 AS c, u.* FROM (VALUES 5) u(d)) x",
                ["a integer", "b integer", "c integer", "d integer"],
                [(1, 2, 7, 5)],
            ),
            (f"SELECT (SELECT t.*), EXISTS (SELECT t.*) FROM {t}", None, [((1, 2), True)]),
            (f"SELECT t.*, 1 + 1 FROM {t}", ["a integer", "b integer", "_col2 integer"], [(1, 2, 2)]),
            (f"SELECT t.* AS (p, q) FROM {t}", ["p integer", "q integer"], [(1, 2)]),
            (f"SELECT t.r.*, 3 FROM {r}", ["a integer", "b integer", "_col2 integer"], [(1, 2, 3)]),
            (
                "SELECT 5, ROW(1, 'x').*",
                ["_col0 integer", "_col1 integer", "_col2 varchar(1)"],
                [(5, 1, "x")],
            ),
        ],
    )
    check_refused(
        connection,
        [
            (f"SELECT * FROM {t}, LATERAL (SELECT *) x", "COLUMN_NOT_FOUND", (1, 56)),
            (f"SELECT t.* AS (p) FROM {t}", "MISMATCHED_COLUMN_ALIASES", (1, 8)),
            (f"SELECT * AS (p, q) FROM {t}", "SYNTAX_ERROR", (1, 8)),
            (f"SELECT r.* FROM {r}", "TABLE_NOT_FOUND", (1, 8)),
            (f"SELECT t.a.* FROM {t}", "TABLE_NOT_FOUND", (1, 8)),
            ("SELECT (5).*", "TYPE_MISMATCH", (1, 9)),
        ],
    )


def test_joins_of_unnest(connection: Connection) -> None:
    t = "(VALUES (1, ARRAY[1, 2]), (2, CAST(NULL AS array(integer)))) t(a, b)"
    check(
        connection,
        [
            (f"SELECT a, x FROM {t} JOIN UNNEST(b) AS u(x) ON true ORDER BY x", None, [(1, 1), (1, 2)]),
            (
                f"SELECT * FROM {t} INNER JOIN UNNEST(b) WITH ORDINALITY AS u(x, n) ON (true) ORDER BY n",
                ["a integer", "b array(integer)", "x integer", "n bigint"],
                [(1, [1, 2], 1, 1), (1, [1, 2], 2, 2)],
            ),
            (
                f"SELECT a, x, n FROM {t} LEFT JOIN UNNEST(b) WITH ORDINALITY AS u(x, n) ON true"
                " ORDER BY a, n",
                None,
                [(1, 1, 1), (1, 2, 2), (2, None, None)],
            ),
            (
                f"SELECT a, x, y FROM {t} JOIN UNNEST(b) AS u(x) ON true JOIN UNNEST(b) AS w(y) ON true"
                " ORDER BY x, y",
                None,
                [(1, 1, 1), (1, 1, 2), (1, 2, 1), (1, 2, 2)],
            ),
            (
                f"SELECT a, x FROM {t} RIGHT JOIN UNNEST(ARRAY[7]) AS u(x) ON true ORDER BY a",
                None,
                [(1, 7), (2, 7)],
            ),
            (
                f"SELECT a, x FROM {t} FULL JOIN LATERAL (SELECT 2) AS u(x) ON a = x ORDER BY a",
                None,
                [(1, None), (2, 2)],
            ),
        ],
    )
    at = 8 + len(f"* FROM {t} ")
    check_refused(
        connection,
        [
            (f"SELECT * FROM {t} JOIN UNNEST(b) AS u(x) ON x > 1", "NOT_SUPPORTED", (1, at + 26)),
            (f"SELECT * FROM {t} LEFT JOIN UNNEST(b) AS u(x) ON 1 = 1", "NOT_SUPPORTED", (1, at + 31)),
            (f"SELECT * FROM {t} JOIN UNNEST(b) AS u(a) USING (a)", "NOT_SUPPORTED", (1, at + 12)),
            (
                f"SELECT * FROM {t} RIGHT JOIN UNNEST(b) AS u(x) ON true",
                "INVALID_COLUMN_REFERENCE",
                (1, at + 18),
            ),
            (
                f"SELECT * FROM {t} FULL JOIN LATERAL (SELECT a) AS u(x) ON true",
                "INVALID_COLUMN_REFERENCE",
                (1, at + 26),
            ),
        ],
    )


def test_distinct_in_windows(connection: Connection) -> None:
    t = "(VALUES (1, 1), (1, 1), (2, 1), (2, 2), (NULL, 2), (NULL, 2), (5, 2)) t(x, y)"
    check(
        connection,
        [
            (
                "SELECT x, y, count(DISTINCT x) OVER (PARTITION BY y) AS p,"
                " count(DISTINCT x) OVER (PARTITION BY y ORDER BY x ROWS UNBOUNDED PRECEDING) AS r,"
                " sum(DISTINCT x) OVER (ORDER BY x RANGE BETWEEN UNBOUNDED PRECEDING AND 1 FOLLOWING) AS s,"
                " avg(DISTINCT x) OVER (PARTITION BY y) AS a, sum(DISTINCT x) OVER (ORDER BY y) AS o,"
                f" max(DISTINCT x) OVER () AS m FROM {t} ORDER BY y, x",
                [
                    "x integer",
                    "y integer",
                    "p bigint",
                    "r bigint",
                    "s bigint",
                    "a double",
                    "o bigint",
                    "m integer",
                ],
                [
                    (1, 1, 2, 1, 3, 1.5, 3, 5),
                    (1, 1, 2, 1, 3, 1.5, 3, 5),
                    (2, 1, 2, 2, 3, 1.5, 3, 5),
                    (2, 2, 2, 1, 3, 3.5, 8, 5),
                    (5, 2, 2, 2, 8, 3.5, 8, 5),
                    (None, 2, 2, 2, 8, 3.5, 8, 5),
                    (None, 2, 2, 2, 8, 3.5, 8, 5),
                ],
            ),
            # A frame whose beginning moves.
            (
                "SELECT x, count(DISTINCT x) OVER (ORDER BY x ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) AS c,"
                " count(DISTINCT x) OVER (ORDER BY x ROWS BETWEEN 2 FOLLOWING AND 3 FOLLOWING) AS f,"
                " cardinality(array_agg(DISTINCT x) OVER (ORDER BY x ROWS 1 PRECEDING)) AS n"
                " FROM (VALUES 1, 1, 2, NULL, NULL) t(x) ORDER BY x, c DESC",
                None,
                [(1, 1, 1, 1), (1, 1, 0, 1), (2, 2, 0, 2), (None, 1, 0, 2), (None, 0, 0, 1)],
            ),
            (
                "SELECT x, sum(DISTINCT count(*)) OVER () FROM (VALUES 1, 1, 2, 3) t(x) GROUP BY x"
                " ORDER BY x",
                None,
                [(1, 3), (2, 3), (3, 3)],
            ),
            (
                "SELECT DISTINCT count(DISTINCT x) OVER () FROM (VALUES nan(), nan(), 0e0, -0e0) t(x)",
                None,
                [(2,)],
            ),
        ],
    )
    check_refused(
        connection,
        [
            (f"SELECT lag(DISTINCT x) OVER (ORDER BY x) FROM {t}", "NOT_SUPPORTED", (1, 8)),
            (f"SELECT sum(DISTINCT random(3)) OVER () FROM {t}", "NOT_SUPPORTED", (1, 8)),
            (f"SELECT count(DISTINCT x) FILTER (WHERE y = 1) OVER () FROM {t}", "NOT_SUPPORTED", (1, 8)),
            (f"SELECT sum(DISTINCT x) OVER (ORDER BY x ROWS 1 PRECEDING) FROM {t}", "NOT_SUPPORTED", (1, 8)),
        ],
    )


def test_quantifiers_of_group_by(connection: Connection) -> None:
    t = "(VALUES (1, 2), (1, 3)) t(a, b)"
    distinct = [(1, 2, 1), (1, 3, 1), (1, None, 2), (None, None, 2)]
    every = [(1, 2, 1), (1, 2, 1), (1, 3, 1), (1, 3, 1), *[(1, None, 2)] * 3, (None, None, 2)]
    check(
        connection,
        [
            (
                f"SELECT a, b, count(*) FROM {t} GROUP BY DISTINCT ROLLUP (a, b), ROLLUP (a) ORDER BY 1, 2",
                None,
                distinct,
            ),
            (
                f"SELECT a, b, count(*) FROM {t} GROUP BY ALL ROLLUP (a, b), ROLLUP (a) ORDER BY 1, 2",
                None,
                every,
            ),
            (
                "SELECT a, b, count(*), grouping(a, b)"
                f" FROM {t} GROUP BY DISTINCT GROUPING SETS ((a, b), (b, a), (a), (a), ()) ORDER BY 1, 2",
                None,
                [(*row, bits) for row, bits in zip(distinct, (0, 0, 1, 3), strict=True)],
            ),
            (f"SELECT a, count(*) FROM {t} GROUP BY DISTINCT a", None, [(1, 2)]),
            (f"SELECT a, count(*) FROM {t} GROUP BY CUBE (a, a) ORDER BY 1", None, [(1, 2), (None, 2)]),
            (
                f"SELECT a, b + 1, count(*) FROM {t} GROUP BY AUTO HAVING count(*) > 0 ORDER BY 2",
                ["a integer", "_col1 integer", "_col2 bigint"],
                [(1, 3, 1), (1, 4, 1)],
            ),
            (f"SELECT count(*) FROM {t} WHERE a > 1 GROUP BY AUTO", None, [(0,)]),
        ],
    )
    check_refused(
        connection,
        [(f"SELECT a, max(b) + 1 FROM {t} GROUP BY AUTO", "EXPRESSION_NOT_SCALAR", (1, 11))],
    )


def test_order_of_rows_and_arrays(connection: Connection) -> None:
    check(
        connection,
        [
            (
                "SELECT ROW(1, 2) < ROW(1, 3), ROW(1, 'a') >= ROW(1.5, 'b'), ARRAY[1] < ARRAY[1, 0],"
                " ARRAY[2] < ARRAY[1, 0], ARRAY[] < ARRAY[1], ROW(1, 2) BETWEEN ROW(1, 1) AND ROW(1, 3),"
                " ARRAY[ROW(1, 2)] < ARRAY[ROW(1, 3)],"
                " ROW(1, ROW(2, ARRAY['b'])) > ROW(1, ROW(2, ARRAY['a', 'z']))",
                None,
                [(True, False, True, False, True, True, True, True)],
            ),
            # A NULL that decides nothing, NaN, and blanks at the end of a char.
            (
                "SELECT ROW(1, 2) < ROW(2, NULL), ARRAY[2] <= ARRAY[1, NULL], ROW(1, 2) <"
                " CAST(NULL AS row(a integer, b integer)), ROW(1, nan()) < ROW(1, 5e0),"
                " ROW(nan(), 1) < ROW(nan(), 2), ARRAY[nan()] > ARRAY[1e0],"
                " ROW(CAST('a' AS char(3)), 1) < ROW(CAST('a' AS char(5)), 2)",
                None,
                [(True, False, None, False, True, True, True)],
            ),
            (
                "SELECT greatest(ROW(1, 2), ROW(1, 3), ROW(0, 9)), least(ARRAY[1, 2], ARRAY[1]),"
                " greatest(ARRAY[1], NULL), greatest(ROW(1, nan()), ROW(1, 5e0)),"
                " least(ROW(1, nan()), ROW(1, 5e0)), greatest(ROW(1, NULL), ROW(2, 2))",
                None,
                [((1, 3), [1], None, (1, 5.0), (1, 5.0), (2, 2))],
            ),
            (
                "SELECT array_max(ARRAY[ROW(1, 2), ROW(1, 3)]), array_min(ARRAY[ARRAY[2], ARRAY[1, 5]]),"
                " array_max(ARRAY[ROW(1, 2), NULL]), array_max(ARRAY[ROW(1, nan()), ROW(1, 5e0)]),"
                " array_min(CAST(ARRAY[] AS array(row(a integer)))),"
                " array_max(ARRAY[ROW(1, NULL), ROW(2, 2)]),"
                " array_sort(ARRAY[ROW(1, 2), ROW(1, 1), NULL, ROW(0, NULL)])",
                None,
                [((1, 3), [1, 5], None, (1, 5.0), None, (2, 2), [(0, None), (1, 1), (1, 2), None])],
            ),
            (
                "SELECT max(x), min(x), max(y), min(y), max_by(n, x), array_agg(x ORDER BY x DESC)"
                " FROM (VALUES (1, ROW(1, 3), ROW(nan())), (2, ROW(1, 2), ROW(5e0))) t(n, x, y)",
                None,
                [((1, 3), (1, 2), (5.0,), (5.0,), 1, [(1, 3), (1, 2)])],
            ),
            (
                "SELECT x, rank() OVER (ORDER BY x DESC) FROM (VALUES ARRAY[1, 3], ARRAY[1], NULL) t(x)"
                " ORDER BY x",
                None,
                [([1], 2), ([1, 3], 1), (None, 3)],
            ),
            (
                "SELECT x, count(*) FROM (VALUES ARRAY[1, NULL], ARRAY[1, NULL], NULL) t(x) GROUP BY x"
                " ORDER BY 2 DESC",
                None,
                [([1, None], 2), (None, 1)],
            ),
        ],
    )
    # A NULL that a comparison comes to.
    for sql in (
        "SELECT ROW(1, 2) < ROW(1, NULL)",
        "SELECT ARRAY[1, 2] >= ARRAY[1, NULL]",
        "SELECT greatest(ROW(1, 2), ROW(1, NULL))",
        "SELECT array_max(ARRAY[ROW(1, 2), ROW(1, NULL)])",
        "SELECT array_sort(ARRAY[ARRAY[1, 2], ARRAY[1, NULL]])",
        "SELECT max(x) FROM (VALUES ARRAY[1, NULL], ARRAY[1, 2]) t(x)",
        "SELECT x FROM (VALUES ARRAY[1, NULL], ARRAY[1, 2]) t(x) ORDER BY x",
        "SELECT rank() OVER (ORDER BY x) FROM (VALUES ARRAY[1, NULL], ARRAY[1, 2]) t(x)",
    ):
        with pytest.raises(SqeError) as error:
            connection.execute(sql).fetchall()
        assert error.value.code == "NOT_SUPPORTED", sql
    check_refused(
        connection,
        [
            (
                "SELECT ROW(MAP(ARRAY[1], ARRAY[1])) < ROW(MAP(ARRAY[1], ARRAY[1]))",
                "TYPE_MISMATCH",
                (1, 8),
            )
        ],
    )
