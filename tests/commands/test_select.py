# ruff: noqa: E501 (a table reads best in long lines)
"""One test a kind of SELECT, on a real table, with Trino's answers."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest

from sqe.api.connection import Connection
from sqe.errors import SqeError

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def db(connect: object) -> Connection:
    connection = connect(memory=True)  # type: ignore[operator]
    for sql in (
        "CREATE TABLE emp (id bigint, name varchar, dept varchar, pay decimal(10,2), boss bigint)",
        "INSERT INTO emp VALUES (1, 'Ann', 'it', 100.00, NULL), (2, 'Bob', 'it', 80.00, 1),"
        " (3, 'Cas', 'hr', 80.00, 1), (4, 'Dan', NULL, NULL, 2)",
        "CREATE TABLE dept (dept varchar, city varchar)",
        "INSERT INTO dept VALUES ('it', 'Ghent'), ('law', 'Bern')",
        "CREATE TABLE nested (id bigint, tags array(varchar), attributes map(varchar, bigint),"
        " place row(city varchar, zip integer))",
        "INSERT INTO nested VALUES (1, ARRAY['a', 'b'], MAP(ARRAY['x', 'y'], ARRAY[1, 2]), ROW('Ghent', 9000)),"
        " (2, ARRAY[], NULL, ROW('Bern', 3000)), (3, NULL, MAP(ARRAY['z'], ARRAY[3]), NULL)",
    ):
        connection.execute(sql)
    assert isinstance(connection, Connection)
    return connection


IT, HR = "it", "hr"
CASES: dict[str, tuple[str, list[tuple[Any, ...]]]] = {
    "constants": ("SELECT 1, 'x', NULL, true, 1.50, 1e0", [(1, "x", None, True, Decimal("1.50"), 1.0)]),
    "expressions": ("SELECT id * 2 + 1, name || '!' FROM emp WHERE id = 2", [(5, "Bob!")]),
    "inner join": ("SELECT name, city FROM emp JOIN dept ON emp.dept = dept.dept ORDER BY name",
                   [("Ann", "Ghent"), ("Bob", "Ghent")]),
    "left join": ("SELECT name, city FROM emp e LEFT JOIN dept d ON e.dept = d.dept ORDER BY id",
                  [("Ann", "Ghent"), ("Bob", "Ghent"), ("Cas", None), ("Dan", None)]),
    "right join": ("SELECT name, city FROM emp RIGHT JOIN dept USING (dept) WHERE name IS NULL", [(None, "Bern")]),
    "full join": ("SELECT count(*) FROM emp FULL JOIN dept ON emp.dept = dept.dept", [(5,)]),
    "full join using": ("SELECT dept FROM emp FULL JOIN dept USING (dept) ORDER BY dept",
                        [("hr",), ("it",), ("it",), ("law",), (None,)]),
    "cross join": ("SELECT count(*) FROM emp, dept", [(8,)]),
    "comma and right join": ("SELECT count(*) FROM dept d, emp e RIGHT JOIN dept x ON e.dept = x.dept", [(6,)]),
    "comma and using": ("SELECT count(*) FROM dept d, emp e JOIN dept x USING (dept)", [(4,)]),
    "comma and unnest": ("SELECT n.id, x FROM nested n, UNNEST(tags) AS u(x) LEFT JOIN dept ON city = x ORDER BY x",
                         [(1, "a"), (1, "b")]),
    "self join": ("SELECT e.name, b.name FROM emp e JOIN emp b ON e.boss = b.id ORDER BY e.id",
                  [("Bob", "Ann"), ("Cas", "Ann"), ("Dan", "Bob")]),
    "using": ("SELECT dept, name, city FROM emp JOIN dept USING (dept) ORDER BY name",
              [("it", "Ann", "Ghent"), ("it", "Bob", "Ghent")]),
    "join in parentheses": ("SELECT e.id FROM emp e JOIN (dept d JOIN dept x ON d.dept = x.dept) ON e.dept = d.dept "
                            "ORDER BY 1", [(1,), (2,)]),
    "lateral": ("SELECT e.name, q.n FROM emp e, LATERAL (SELECT count(*) AS n FROM emp b WHERE b.boss = e.id) q "
                "ORDER BY e.id", [("Ann", 2), ("Bob", 1), ("Cas", 0), ("Dan", 0)]),
    "union": ("SELECT dept FROM emp UNION SELECT dept FROM dept ORDER BY 1", [("hr",), ("it",), ("law",), (None,)]),
    "union all": ("SELECT 1 AS a UNION ALL SELECT 1 ORDER BY a", [(1,), (1,)]),
    "intersect": ("SELECT dept FROM emp INTERSECT SELECT dept FROM dept", [("it",)]),
    "intersect all": ("SELECT a FROM (VALUES 1, 1, 2) t(a) INTERSECT ALL SELECT a FROM (VALUES 1, 1, 1) u(a)",
                      [(1,), (1,)]),
    "except": ("SELECT dept FROM dept EXCEPT SELECT dept FROM emp", [("law",)]),
    "except all": ("SELECT a FROM (VALUES 1, 1, 2) t(a) EXCEPT ALL SELECT a FROM (VALUES 1) u(a) ORDER BY 1",
                   [(1,), (2,)]),
    "union types": ("SELECT 1 AS a UNION ALL SELECT 2.5 ORDER BY 1", [(Decimal("1.0"),), (Decimal("2.5"),)]),
    "scalar subquery": ("SELECT name FROM emp WHERE pay = (SELECT max(pay) FROM emp)", [("Ann",)]),
    "correlated scalar": ("SELECT name FROM emp e WHERE pay < (SELECT avg(pay) FROM emp x WHERE x.dept = e.dept)",
                          [("Bob",)]),
    "subquery in select": ("SELECT id, (SELECT city FROM dept d WHERE d.dept = e.dept) FROM emp e ORDER BY 1",
                           [(1, "Ghent"), (2, "Ghent"), (3, None), (4, None)]),
    "exists": ("SELECT dept FROM dept d WHERE NOT EXISTS (SELECT 1 FROM emp e WHERE e.dept = d.dept)", [("law",)]),
    "in subquery": ("SELECT name FROM emp WHERE dept IN (SELECT dept FROM dept) ORDER BY 1", [("Ann",), ("Bob",)]),
    "not in with null": ("SELECT city FROM dept WHERE dept NOT IN (SELECT dept FROM emp)", []),
    "row in subquery": ("SELECT id FROM emp WHERE (dept, id) IN (SELECT dept, 1 FROM dept)", [(1,)]),
    "exists in select": ("SELECT id, EXISTS (SELECT 1 FROM emp b WHERE b.boss = e.id) FROM emp e ORDER BY 1",
                         [(1, True), (2, True), (3, False), (4, False)]),
    "in in select": ("SELECT id, dept IN (SELECT dept FROM dept) FROM emp ORDER BY 1",
                     [(1, True), (2, True), (3, False), (4, None)]),
    "subquery in having": ("SELECT dept FROM emp GROUP BY dept HAVING sum(pay) > (SELECT 100) ORDER BY 1", [("it",)]),
    "subquery in join": ("SELECT e.id FROM emp e JOIN dept d ON e.dept = d.dept AND e.id IN (SELECT boss FROM emp) "
                         "ORDER BY 1", [(1,), (2,)]),
    "subquery in order by": ("SELECT dept FROM dept d ORDER BY (SELECT count(*) FROM emp e WHERE e.dept = d.dept)",
                             [("law",), ("it",)]),
    "any": ("SELECT id FROM emp WHERE id > ANY (SELECT boss FROM emp) ORDER BY 1", [(2,), (3,), (4,)]),
    "some": ("SELECT id FROM emp WHERE id = SOME (SELECT boss FROM emp) ORDER BY 1", [(1,), (2,)]),
    "all": ("SELECT id FROM emp WHERE id >= ALL (SELECT id FROM emp)", [(4,)]),
    "all with null": ("SELECT id FROM emp WHERE id > ALL (SELECT boss FROM emp)", []),
    "all of nothing": ("SELECT count(*) FROM emp WHERE id > ALL (SELECT id FROM emp WHERE false)", [(4,)]),
    "group by": ("SELECT dept, count(*), sum(pay), avg(pay), min(name) FROM emp GROUP BY dept ORDER BY dept",
                 [("hr", 1, Decimal("80.00"), Decimal("80.00"), "Cas"),
                  ("it", 2, Decimal("180.00"), Decimal("90.00"), "Ann"), (None, 1, None, None, "Dan")]),
    "group by position": ("SELECT upper(dept), count(*) FROM emp GROUP BY 1 ORDER BY 1", [("HR", 1), ("IT", 2), (None, 1)]),
    "group by expression": ("SELECT id % 2, count(*) FROM emp GROUP BY id % 2 ORDER BY 1", [(0, 2), (1, 2)]),
    "having": ("SELECT dept FROM emp GROUP BY dept HAVING count(*) > 1", [("it",)]),
    "count distinct": ("SELECT count(DISTINCT dept), count(dept), count(*) FROM emp", [(2, 3, 4)]),
    "filter": ("SELECT count(*) FILTER (WHERE pay > 90) FROM emp", [(1,)]),
    "aggregate of nothing": ("SELECT count(*), sum(pay) FROM emp WHERE false", [(0, None)]),
    "group by of nothing": ("SELECT dept, count(*) FROM emp WHERE false GROUP BY dept", []),
    "grouping sets": ("SELECT dept, boss, count(*) FROM emp WHERE dept = 'it' "
                      "GROUP BY GROUPING SETS ((dept), (boss), ()) ORDER BY 1, 2, 3",
                      [("it", None, 2), (None, 1, 1), (None, None, 1), (None, None, 2)]),
    "rollup": ("SELECT dept, count(*), grouping(dept) FROM emp GROUP BY ROLLUP (dept) ORDER BY 3, 1",
               [("hr", 1, 0), ("it", 2, 0), (None, 1, 0), (None, 4, 1)]),
    "cube": ("SELECT count(*) FROM (SELECT dept, boss FROM emp GROUP BY CUBE (dept, boss))", [(11,)]),
    "distinct": ("SELECT DISTINCT dept FROM emp ORDER BY dept", [("hr",), ("it",), (None,)]),
    "window rank": ("SELECT name, rank() OVER (ORDER BY pay DESC NULLS LAST) FROM emp ORDER BY id",
                    [("Ann", 1), ("Bob", 2), ("Cas", 2), ("Dan", 4)]),
    "window sum": ("SELECT id, sum(id) OVER (PARTITION BY dept ORDER BY id ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) "
                   "FROM emp ORDER BY id", [(1, 1), (2, 3), (3, 3), (4, 4)]),
    "window over aggregate": ("SELECT dept, sum(pay), rank() OVER (ORDER BY sum(pay) DESC) FROM emp "
                              "WHERE pay IS NOT NULL GROUP BY dept ORDER BY 3",
                              [("it", Decimal("180.00"), 1), ("hr", Decimal("80.00"), 2)]),
    "lag and lead": ("SELECT id, lag(id) OVER (ORDER BY id), lead(id, 1, -1) OVER (ORDER BY id) FROM emp ORDER BY id",
                     [(1, None, 2), (2, 1, 3), (3, 2, 4), (4, 3, -1)]),
    "ignore nulls": ("SELECT id, last_value(dept) IGNORE NULLS OVER (ORDER BY id) FROM emp ORDER BY id",
                     [(1, IT), (2, IT), (3, HR), (4, HR)]),
    "named window": ("SELECT id, sum(id) OVER w FROM emp WINDOW w AS (ORDER BY id) ORDER BY id",
                     [(1, 1), (2, 3), (3, 6), (4, 10)]),
    "qualify": ("SELECT name FROM emp QUALIFY row_number() OVER (PARTITION BY dept ORDER BY id) = 1 ORDER BY 1",
                [("Ann",), ("Cas",), ("Dan",)]),
    "recursive": ("WITH RECURSIVE t(n) AS (VALUES 1 UNION ALL SELECT n + 1 FROM t WHERE n < 5) SELECT sum(n) FROM t",
                  [(15,)]),
    "recursive over a table": (
        "WITH RECURSIVE up(id, boss) AS (SELECT id, boss FROM emp WHERE id = 4 UNION ALL "
        "SELECT e.id, e.boss FROM emp e JOIN up ON e.id = up.boss) SELECT id FROM up ORDER BY id",
        [(1,), (2,), (4,)]),
    "with": ("WITH a AS (SELECT id FROM emp), b(x) AS (SELECT id + 10 FROM a) SELECT max(x), min(id) FROM a, b",
             [(14, 1)]),
    "with shadows a table": ("WITH emp AS (SELECT 1 AS one) SELECT * FROM emp", [(1,)]),
    "nested with": ("SELECT * FROM (WITH a AS (SELECT 1 AS x) SELECT x FROM a)", [(1,)]),
    "unnest": ("SELECT id, tag FROM nested CROSS JOIN UNNEST(tags) AS u(tag) ORDER BY tag", [(1, "a"), (1, "b")]),
    "unnest with ordinality": ("SELECT x, n FROM UNNEST(ARRAY['p', 'q']) WITH ORDINALITY AS u(x, n) ORDER BY n",
                               [("p", 1), ("q", 2)]),
    "unnest two": ("SELECT a, b FROM UNNEST(ARRAY[1, 2], ARRAY['x']) AS u(a, b) ORDER BY a", [(1, "x"), (2, None)]),
    "unnest a map": ("SELECT k, v FROM nested CROSS JOIN UNNEST(attributes) AS u(k, v) ORDER BY k",
                     [("x", 1), ("y", 2), ("z", 3)]),
    "left unnest": ("SELECT id, tag FROM nested LEFT JOIN UNNEST(tags) AS u(tag) ON TRUE ORDER BY id, tag",
                    [(1, "a"), (1, "b"), (2, None), (3, None)]),
    "row field": ("SELECT place.city, n.place.zip FROM nested n ORDER BY id",
                  [("Ghent", 9000), ("Bern", 3000), (None, None)]),
    "subscript": ("SELECT tags[1], attributes['y'] FROM nested WHERE id = 1", [("a", 2)]),
    "lambda": ("SELECT transform(ARRAY[1, 2], x -> x * 10), filter(ARRAY[1, 2, 3], x -> x > 1)", [([10, 20], [2, 3])]),
    "values": ("SELECT * FROM (VALUES (1, 'a'), (2, NULL)) AS v(x, y) ORDER BY x", [(1, "a"), (2, None)]),
    "values alone": ("VALUES (2), (1) ORDER BY 1", [(1,), (2,)]),
    "table": ("TABLE dept", [("it", "Ghent"), ("law", "Bern")]),
    "offset and limit": ("SELECT id FROM emp ORDER BY id OFFSET 1 LIMIT 2", [(2,), (3,)]),
    "fetch first": ("SELECT id FROM emp ORDER BY id FETCH FIRST 2 ROWS ONLY", [(1,), (2,)]),
    "with ties": ("SELECT name FROM (SELECT name FROM emp ORDER BY pay DESC NULLS LAST"
                  " FETCH FIRST 2 ROWS WITH TIES) ORDER BY name", [("Ann",), ("Bob",), ("Cas",)]),
    "limit all": ("SELECT count(*) FROM (SELECT id FROM emp LIMIT ALL)", [(4,)]),
    "nulls last": ("SELECT boss FROM emp ORDER BY boss DESC", [(2,), (1,), (1,), (None,)]),
    "nulls first": ("SELECT boss FROM emp ORDER BY boss NULLS FIRST LIMIT 1", [(None,)]),
    "order by hidden column": ("SELECT name FROM emp ORDER BY id DESC LIMIT 2", [("Dan",), ("Cas",)]),
    "order by alias": ("SELECT -id AS n FROM emp ORDER BY n LIMIT 1", [(-4,)]),
    "sample all": ("SELECT count(*) FROM emp TABLESAMPLE BERNOULLI (100)", [(4,)]),
    "sample none": ("SELECT count(*) FROM emp TABLESAMPLE SYSTEM (0)", [(0,)]),
    "star exclude": ("SELECT * EXCLUDE (pay, boss) FROM emp WHERE id = 1", [(1, "Ann", "it")]),
    "star replace": ("SELECT * REPLACE (id + 1 AS id) FROM dept CROSS JOIN (SELECT 1 AS id) WHERE dept = 'it'",
                     [("it", "Ghent", 2)]),
    "qualified star": ("SELECT d.* FROM emp e JOIN dept d ON e.dept = d.dept WHERE id = 1", [("it", "Ghent")]),
    "case": ("SELECT CASE dept WHEN 'it' THEN 1 ELSE 0 END, CASE WHEN id > 2 THEN 'x' END FROM emp ORDER BY id",
             [(1, None), (1, None), (0, "x"), (0, "x")]),
    "between and like": ("SELECT id FROM emp WHERE id BETWEEN 2 AND 3 AND name NOT LIKE 'B%'", [(3,)]),
    "distinct from": ("SELECT count(*) FROM emp WHERE dept IS DISTINCT FROM 'it'", [(2,)]),
    "quoted names": ('SELECT "ID" FROM (SELECT id AS "ID" FROM emp) q ORDER BY 1 LIMIT 1', [(1,)]),
    "three part names": ("SELECT iceberg.default.emp.id FROM iceberg.default.emp ORDER BY 1 LIMIT 1", [(1,)]),
    "sequence": ("SELECT sum(sequential_number) FROM TABLE(sequence(1, 4))", [(10,)]),
    "alias of a join with using": ("SELECT * FROM (emp e JOIN dept d USING (dept)) AS z(dept, id, name, pay, boss, city) "
                                   "WHERE id = 1", [("it", 1, "Ann", Decimal("100.00"), None, "Ghent")]),
    "sample in parentheses": ("SELECT count(*) FROM (emp) TABLESAMPLE BERNOULLI (0)", [(0,)]),
    "star of one side of using": ("SELECT d.* FROM emp e JOIN dept d USING (dept) WHERE id = 1", [("Ghent",)]),
    "lambda in order by": ("SELECT id, tags FROM nested ORDER BY any_match(tags, id -> id = 'a') NULLS FIRST, id",
                           [(3, None), (2, []), (1, ["a", "b"])]),
    "cast with a comment": ("SELECT CAST(/* c */ '1.239' AS decimal(10,2))", [(Decimal("1.24"),)]),
    "with in another case": ('WITH "Emp" AS (SELECT 7 AS q) SELECT * FROM emp', [(7,)]),
    "char against text": ("SELECT CAST('a' AS char(3)) = 'a', 'a' = CAST('a' AS char(3)), "
                          "CAST('b' AS char(2)) IN ('a', 'b')", [(True, True, True)]),
    "integer division": ("SELECT 7 / 2, -7 / 2, 7 % 3, 7.0 / 2", [(3, -3, 1, Decimal("3.5"))]),
    "big in list": (f"SELECT count(*) FROM emp WHERE id IN ({', '.join(map(str, range(2, 1000)))})", [(3,)]),
    "deep nesting": ("SELECT " + "(" * 200 + "1" + ")" * 200, [(1,)]),
    "long chain": ("SELECT " + " + ".join(["1"] * 300), [(300,)]),
}  # fmt: skip


@pytest.mark.parametrize("kind", CASES)
def test_kind(db: Connection, kind: str) -> None:
    sql, expected = CASES[kind]
    rows = db.execute(sql).fetchall()
    if "ORDER BY" not in sql:
        rows, expected = sorted(rows, key=str), sorted(expected, key=str)
    assert rows == expected


ERRORS = {
    "SELECT 1 / 0": ("DIVISION_BY_ZERO", "1:8"),
    "SELECT 10 / (id - 1) FROM emp": ("DIVISION_BY_ZERO", "1:8"),
    "SELECT CAST(name AS bigint) FROM emp": ("INVALID_CAST_ARGUMENT", "1:13"),
    "SELECT 9223372036854775807 + id FROM emp": ("NUMERIC_VALUE_OUT_OF_RANGE", "1:8"),
    "SELECT (SELECT id FROM emp)": ("SUBQUERY_MULTIPLE_ROWS", None),
}


@pytest.mark.parametrize("sql", ERRORS)
def test_errors_while_running_have_trinos_code_and_our_position(db: Connection, sql: str) -> None:
    code, position = ERRORS[sql]
    with pytest.raises(SqeError) as error:
        db.execute(sql).fetchall()
    assert error.value.code == code
    if position is not None:
        assert str(error.value.position) == position


def test_columns_are_called_as_they_are_written(db: Connection) -> None:
    sql = 'SELECT A, b AS Bee, c AS "Sea", A + 1 FROM (VALUES (1, 2, 3)) AS t (a, b, c)'
    cursor = db.execute(sql)
    assert cursor.description is not None
    assert [column[0] for column in cursor.description] == ["A", "Bee", "Sea", "_col3"]
    assert [c[0] for c in db.execute("SELECT * FROM (VALUES 1) AS t (A)").description or []] == ["a"]


def test_null_beside_texts_is_a_text_or_an_array_of_them(db: Connection) -> None:
    cursor = db.execute("SELECT 'a' || NULL, NULL || 'a', concat('a', NULL), concat('a', NULL, 'b')")
    assert cursor.fetchall() == [(None,) * 4]
    assert cursor.columns is not None
    assert [str(kind) for _, kind in cursor.columns] == [*["array(varchar(1))"] * 3, "varchar"]
