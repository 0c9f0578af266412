"""Whole statements: what engines do with values of each type beside computing with them."""

from __future__ import annotations

from collections.abc import Iterator

from tests.lanes.columns import DERIVED, inlined

_SCALARS = (
    "b",
    "t8",
    "t16",
    "i",
    "l",
    "f",
    "d",
    "n",
    "big",
    "s",
    "w",
    "v",
    "c",
    "bin",
    "dt",
    "ts",
    "tz",
    "u",
)
_NESTED = ("ai", "ad", "as_", "adt", "aa", "r", "rd")


def statements() -> Iterator[str]:
    for name in (*_SCALARS, *_NESTED):
        yield from map(inlined, _of_column(name))
    for name in _SCALARS:
        yield from map(inlined, _of_scalar(name))
    yield from _OTHERS


def _of_column(name: str) -> Iterator[str]:
    x = f"a.{name}"
    yield f"SELECT {x}, count(*), min(k), sum(k) FROM one GROUP BY {x}"
    yield f"SELECT DISTINCT {x} FROM one"
    yield f"SELECT count(DISTINCT {x}) FROM one"
    yield f"SELECT {x} FROM one WHERE k < 5 UNION SELECT {x} FROM one WHERE k > 2"
    yield f"SELECT {x} FROM one WHERE k < 5 INTERSECT SELECT {x} FROM one WHERE k > 2"
    yield f"SELECT {x} FROM one EXCEPT SELECT {x} FROM one WHERE k = 3"
    yield f"SELECT k, CASE WHEN k % 2 = 0 THEN {x} END, coalesce({x}, {x}) FROM one"
    yield f"SELECT k, count(*) OVER (PARTITION BY {x}) FROM one"
    yield f"SELECT k, row_number() OVER (PARTITION BY {x} ORDER BY k) FROM one"


def _of_scalar(name: str) -> Iterator[str]:
    x = f"a.{name}"
    # A column of the same name in the other table.
    y = DERIVED[name].format("y.a") if name in DERIVED else f"y.a_{name}"
    mine = DERIVED[name].format("x.a") if name in DERIVED else f"x.a_{name}"
    for direction in ("", " DESC", " NULLS FIRST", " DESC NULLS LAST"):
        yield f"SELECT k FROM one ORDER BY {x}{direction}, k"
    yield f"SELECT k, {x} FROM one ORDER BY {x}, k LIMIT 5"
    yield f"SELECT k, {x} FROM one ORDER BY {x} DESC, k OFFSET 2 LIMIT 4"
    yield f"SELECT k, rank() OVER (ORDER BY {x}), dense_rank() OVER (ORDER BY {x} DESC) FROM one"
    yield f"SELECT k, sum(k) OVER (ORDER BY {x}) FROM one"
    after = "RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING"
    yield f"SELECT k, max(k) OVER (PARTITION BY a_g ORDER BY {x} {after}) FROM one"
    yield f"SELECT x.k, y.k FROM one AS x JOIN one AS y ON {mine} = {y}"
    yield f"SELECT x.k, y.k FROM one AS x LEFT JOIN one AS y ON {mine} = {y} AND y.k > 3"
    yield f"SELECT x.k FROM one AS x WHERE {mine} IN (SELECT {y} FROM one AS y WHERE y.k > 1)"
    yield f"SELECT x.k, {mine} IN (SELECT {y} FROM one AS y WHERE y.k > 1 AND {y} IS NOT NULL) FROM one AS x"
    yield f"SELECT x.k FROM one AS x WHERE {mine} NOT IN (SELECT {y} FROM one AS y WHERE y.k > 1)"
    yield f"SELECT x.k FROM one AS x WHERE EXISTS (SELECT 1 FROM one AS y WHERE {mine} = {y} AND y.k <> x.k)"
    yield f"SELECT x.k FROM one AS x WHERE {mine} > ALL (SELECT {y} FROM one AS y WHERE y.k = 1)"
    yield f"SELECT x.k, (SELECT max({y}) FROM one AS y WHERE y.k <= x.k) FROM one AS x"
    yield f"SELECT k FROM one WHERE {x} BETWEEN {x} AND {x}"
    yield f"SELECT k, {x} IN ({x}, NULL) FROM one"
    yield f"SELECT a_g, min({x}), max({x}), count({x}) FROM one GROUP BY ROLLUP (a_g)"
    yield f"SELECT count(*) FROM one WHERE {x} IS NULL"


_OTHERS = (
    "SELECT a_g, k % 3, count(*), grouping(a_g, k % 3) FROM one GROUP BY CUBE (a_g, k % 3)",
    "SELECT k, x FROM one CROSS JOIN UNNEST(a_ai) AS u (x)",
    "SELECT k, x, n FROM one CROSS JOIN UNNEST(a_as_) WITH ORDINALITY AS u (x, n)",
    "SELECT k, x, y FROM one CROSS JOIN UNNEST(a_ms) AS u (x, y)",
    "SELECT k, x, y FROM one CROSS JOIN UNNEST(a_ar) AS u (x, y)",
    "SELECT k, x, y FROM one LEFT JOIN UNNEST(a_ai, a_as_) AS u (x, y) ON true",
    "SELECT k, a_r.x, a_r.y, a_rd.z FROM one",
    "SELECT * FROM (VALUES (1, 'a', 1.5), (2, NULL, -0.5)) AS t (a, b, c)",
    "SELECT 1, 'é', DATE '2024-02-29', nan(), -0e0, DECIMAL '1.50', X'ff'",
    "SELECT TIMESTAMP '2024-02-29 01:02:03.456789', TIMESTAMP '2024-02-29 01:02:03 Europe/Paris'",
    "SELECT NULL, ARRAY[], MAP(), ROW(1, 'a'), ARRAY[NULL]",
    "SELECT count(*) FROM one WHERE false",
    "SELECT sum(a_n), avg(a_n), min(a_n) FROM one WHERE k < 0",
    "WITH t AS (SELECT a_g, count(*) AS c FROM one GROUP BY 1) SELECT * FROM t x JOIN t y ON x.c = y.c",
    "SELECT a_g FROM one GROUP BY a_g HAVING count(*) > 10 ORDER BY a_g",
    "SELECT k FROM one WHERE a_s LIKE '%a%' OR a_l > 0 AND NOT (a_d = 0)",
    "SELECT x.k, y.k FROM one x FULL JOIN (SELECT * FROM one WHERE k > 20) y ON x.k = y.k + 10",
    "SELECT x.k, y.k FROM one x JOIN one y ON x.k < y.k AND y.k < 4",
    "SELECT k, (SELECT count(*) FROM one y WHERE y.a_g = x.a_g AND y.k < x.k) FROM one x",
    "SELECT k, lag(a_i) OVER w, first_value(a_s) OVER w FROM one WINDOW w AS (PARTITION BY a_g ORDER BY k)",
    "SELECT a_g, array_agg(a_i ORDER BY k) FROM one GROUP BY a_g",
    "SELECT a_g, listagg(a_v5, ',') WITHIN GROUP (ORDER BY k) FROM one GROUP BY a_g",
    "SELECT k FROM one ORDER BY k LIMIT 0",
    'SELECT k AS "Name with space", a_i AS "é" FROM one WHERE k = 1',
    "SELECT k FROM one UNION ALL SELECT a_i FROM one",
    "SELECT 1 AS x UNION SELECT 1.0",
)


def is_ordered(sql: str) -> bool:
    return " ORDER BY " in sql and " OVER " not in sql and " GROUP BY " not in sql and "(ORDER" not in sql
