"""What is pushed into a system table leaves out only rows that the query drops: with and without it the
answers are the same, where a careless push-down would change them."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from sqe import statement
from sqe.api.connection import Connection

pytestmark = pytest.mark.spark

QUERIES = [
    # Not every mention of a value is a demand.
    "SELECT n FROM names WHERE n = 'a' OR n = 'b'",
    "SELECT n FROM names WHERE n = 'a' OR true",
    "SELECT n FROM names WHERE NOT (n = 'a')",
    "SELECT n FROM names WHERE NOT (n = 'a' AND n LIKE 'b%')",
    "SELECT n FROM names WHERE n <> 'a' AND n NOT IN ('b', 'c')",
    "SELECT n FROM names WHERE (n = 'a') IS DISTINCT FROM true",
    "SELECT n FROM names WHERE (n = 'a') = (n = 'b')",
    "SELECT n FROM names WHERE CASE WHEN n = 'a' THEN true ELSE n = 'b' END",
    "SELECT n, n = 'a' FROM names",
    "SELECT if(n = 'a', 'x', n) FROM names WHERE n IN ('a', 'b')",
    "SELECT n FROM names WHERE n IN ('a', NULL)",
    "SELECT n FROM names WHERE n NOT IN ('a', NULL)",
    "SELECT n FROM names WHERE n = NULL",
    "SELECT n FROM names WHERE n = 'a' AND n = 'b'",
    "SELECT n FROM names WHERE upper(n) = 'A'",
    "SELECT n FROM names WHERE n = 'A'",
    "SELECT n FROM names WHERE n || '' = 'a'",
    # Blanks: char is padded, and a text is not.
    "SELECT n FROM names WHERE n = CAST('a' AS char(3))",
    "SELECT n FROM names WHERE CAST(n AS char(3)) = 'a'",
    "SELECT n FROM names WHERE n = 'a '",
    # Patterns.
    "SELECT n FROM names WHERE n LIKE 'a_b'",
    "SELECT n FROM names WHERE n LIKE 'a!_b' ESCAPE '!'",
    "SELECT n FROM names WHERE n LIKE 'a!%' ESCAPE '!'",
    "SELECT n FROM names WHERE n LIKE 'a!!b' ESCAPE '!'",
    r"SELECT n FROM names WHERE n LIKE 'a\_b' ESCAPE '\'",
    r"SELECT n FROM names WHERE n LIKE 'a\_b'",
    "SELECT n FROM names WHERE n NOT LIKE 'a%'",
    "SELECT n FROM names WHERE n LIKE ''",
    "SELECT n FROM names WHERE n LIKE n",
    "SELECT n FROM names WHERE 'a' LIKE n",
    "SELECT n FROM names WHERE n LIKE 'a%' AND n LIKE '%b' AND n IN ('a_b', 'axb', 'b')",
    # A LEFT JOIN keeps its left side, and makes NULLs of what its right side lacks.
    "SELECT x.n, y.n FROM names x LEFT JOIN names y ON x.n = y.n AND y.n = 'a'",
    "SELECT x.n, y.n FROM names x LEFT JOIN names y ON x.n = y.n AND x.n = 'a'",
    "SELECT x.n, y.n FROM names x LEFT JOIN names y ON x.n = 'a'",
    "SELECT x.n, y.n FROM names x LEFT JOIN names y ON x.n = y.n WHERE y.n IS NULL",
    "SELECT x.n, y.n FROM names x LEFT JOIN names y ON x.n = y.n AND y.n = 'a' WHERE y.n IS NULL",
    "SELECT x.n, y.n FROM names x LEFT JOIN names y ON x.n = y.n AND y.n LIKE 'b%' "
    "WHERE coalesce(y.n, 'a') = 'a'",
    "SELECT x.n, y.n FROM names x LEFT JOIN names y ON x.n = y.n WHERE x.n = 'a'",
    "SELECT x.n, y.n FROM names x LEFT JOIN names y ON x.n = y.n WHERE y.n = 'a'",
    "SELECT x.n, y.n FROM names x LEFT JOIN names y ON x.n < y.n WHERE x.n = 'a'",
    "SELECT x.n, y.n FROM names x RIGHT JOIN names y ON x.n = y.n AND x.n = 'a'",
    "SELECT x.n, y.n FROM names x RIGHT JOIN names y ON x.n = y.n AND y.n = 'a' WHERE x.n IS NULL",
    "SELECT x.n, y.n FROM names x FULL JOIN names y ON x.n = y.n AND x.n = 'a' AND y.n = 'a'",
    "SELECT x.n, y.n FROM names x FULL JOIN names y ON x.n = y.n WHERE x.n = 'a'",
    "SELECT n, x.k, y.k FROM names x FULL JOIN names y USING (n) WHERE n = 'a'",
    "SELECT n, x.k, y.k FROM names x LEFT JOIN (SELECT * FROM names WHERE n <> 'a') y USING (n) "
    "WHERE n = 'a'",
    "SELECT n, x.k, y.k FROM names x RIGHT JOIN names y USING (n, k) WHERE k = 'VIEW' AND y.n IS NULL",
    "SELECT x.n, y.n FROM names x JOIN names y ON x.n = y.n OR y.n = 'b' WHERE x.n = 'a'",
    "SELECT x.n, y.n FROM names x, names y WHERE x.n = 'a' AND y.n = x.n",
    "SELECT x.n, y.n FROM names x CROSS JOIN names y WHERE x.n = 'a' AND y.k = 'VIEW'",
    "SELECT x.n, y.n, z.n FROM names x LEFT JOIN (names y LEFT JOIN names z ON y.n = z.n AND z.n = 'b') "
    "ON x.n = y.n WHERE z.n IS NULL",
    "SELECT x.n, y.n FROM names x LEFT JOIN LATERAL (SELECT n FROM names z WHERE z.n = x.n AND z.n = 'a') y "
    "ON true",
    # Subqueries are of another row.
    "SELECT n FROM names x WHERE EXISTS (SELECT 1 FROM names y WHERE y.n = x.n AND y.n = 'a')",
    "SELECT n FROM names x WHERE NOT EXISTS (SELECT 1 FROM names y WHERE y.n = x.n AND x.n = 'a')",
    "SELECT n FROM names x WHERE n IN (SELECT n FROM names WHERE n = 'a') OR n = 'b'",
    "SELECT n FROM names x WHERE n NOT IN (SELECT n FROM names WHERE n = 'a')",
    "SELECT n, (SELECT count(*) FROM names y WHERE y.n = x.n AND y.n = 'a') FROM names x",
    "SELECT n, (SELECT max(y.n) FROM names y) FROM names x WHERE n = 'a'",
    # Groups, windows and limits see rows that a condition above them drops.
    "SELECT count(*) FROM names WHERE n = 'a'",
    "SELECT k, count(*), max(n) FROM names GROUP BY k HAVING max(n) = 'v'",
    "SELECT k, count(*) FROM names GROUP BY k HAVING k = 'VIEW'",
    "SELECT n, count(*) FROM names GROUP BY ROLLUP (n) HAVING n IS NULL OR n = 'a'",
    "SELECT * FROM (SELECT n, count(*) AS c FROM names GROUP BY ROLLUP (n)) WHERE n = 'a'",
    "SELECT * FROM (SELECT max(n) AS m FROM names) WHERE m = 'a'",
    "SELECT n, row_number() OVER (ORDER BY n) AS r FROM names QUALIFY n = 'b'",
    "SELECT * FROM (SELECT n, count(*) OVER () AS c FROM names) WHERE n = 'a'",
    "SELECT * FROM (SELECT n FROM names ORDER BY n LIMIT 2) WHERE n = 'v'",
    "SELECT * FROM (SELECT n FROM names ORDER BY n OFFSET 1) WHERE n = 'a'",
    "SELECT * FROM (SELECT DISTINCT k AS n FROM names) WHERE n = 'VIEW'",
    # Set operations.
    "SELECT * FROM (SELECT n FROM names UNION ALL SELECT k FROM names) WHERE n = 'a'",
    "SELECT * FROM (SELECT n FROM names EXCEPT SELECT n FROM names WHERE n = 'a') WHERE n IN ('a', 'b')",
    "SELECT * FROM (SELECT n, k FROM names INTERSECT ALL SELECT n, k FROM names) WHERE k = 'VIEW'",
    "SELECT * FROM (SELECT n FROM names WHERE n = 'a' UNION SELECT k FROM names) WHERE n <> 'a'",
    # WITH: what one use wants is not what another wants.
    "WITH c AS (SELECT * FROM names) SELECT x.n, y.n FROM c x LEFT JOIN c y ON x.n = y.n AND y.n = 'a'",
    "WITH c AS (SELECT * FROM names) SELECT n FROM c WHERE n = 'a' UNION ALL SELECT n FROM c WHERE n = 'b'",
    "WITH c AS (SELECT * FROM names), d AS (SELECT n FROM c WHERE k = 'VIEW') SELECT n FROM d WHERE n = 'v'",
    "WITH c AS (SELECT n FROM names LIMIT 100) SELECT n FROM c WHERE n = 'a'",
    "WITH RECURSIVE r (n, i) AS (SELECT n, 1 FROM names WHERE n = 'a' UNION ALL "
    "SELECT m.n, i + 1 FROM names m JOIN r ON m.n > r.n WHERE i < 2) SELECT n, i FROM r WHERE i = 2",
    # The same column twice, renamed, or computed.
    "SELECT * FROM (SELECT n AS p, n AS q FROM names) WHERE p = 'a' AND q LIKE '%'",
    "SELECT * FROM (SELECT n AS p, n AS q FROM names) WHERE p = 'a' AND q = 'b'",
    "SELECT * FROM (SELECT k AS n, n AS k FROM names) WHERE n = 'VIEW'",
    "SELECT * FROM (SELECT lower(k) AS n FROM names) WHERE n = 'view'",
    "SELECT n FROM over_names WHERE n = 'a'",
    "SELECT n FROM over_names x WHERE n = 'a' AND EXISTS (SELECT 1 FROM over_names y WHERE y.n = 'b')",
]


@pytest.fixture(scope="module")
def lake(connect: Any) -> Iterator[Connection]:
    connection: Connection = connect(memory=True)
    for name in ("a", "b", "c", "axb"):
        connection.execute(f"CREATE TABLE {name} (x bigint, y varchar)")
    for name in ("a_b", "a!b", "a%"):
        connection.execute(f'CREATE TABLE "{name}" (x bigint)')
    connection.execute("CREATE VIEW v AS SELECT x FROM a")
    names = "SELECT table_name AS n, table_type AS k FROM information_schema.tables"
    connection.execute(f"CREATE VIEW names AS {names} WHERE table_schema = 'default'")
    connection.execute("CREATE VIEW over_names AS SELECT n, k FROM names WHERE k <> 'x'")
    yield connection


def answers(connection: Connection) -> dict[str, list[Any]]:
    def answer(sql: str) -> list[Any]:
        return sorted(connection.execute(sql).fetchall(), key=repr)

    with ThreadPoolExecutor(4) as pool:
        return dict(zip(QUERIES, pool.map(answer, QUERIES), strict=True))


@pytest.fixture(scope="module")
def both(lake: Connection) -> tuple[dict[str, list[Any]], dict[str, list[Any]]]:
    pushed = answers(lake)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(statement, "push_down", lambda tree: tree)
        return pushed, answers(lake)


@pytest.mark.parametrize("sql", QUERIES)
def test_the_answer_is_the_same(both: tuple[dict[str, list[Any]], dict[str, list[Any]]], sql: str) -> None:
    pushed, plain = both
    assert pushed[sql] == plain[sql]


def test_the_answers_are_not_all_empty(lake: Connection) -> None:
    assert len(lake.execute("SELECT n FROM names").fetchall()) == 10
    rows = lake.execute(
        "SELECT x.n FROM names x LEFT JOIN names y ON x.n = y.n AND y.n = 'a' WHERE y.n IS NULL"
    )
    assert len(rows.fetchall()) == 9
