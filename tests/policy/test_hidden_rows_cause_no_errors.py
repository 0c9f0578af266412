"""What is hidden from a user cannot be found out by an expression that fails for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from sqe.api.connection import Connection
from sqe.engine.spark.relations import SparkRelations
from sqe.errors import DataError
from sqe.policy.decision import EVERYTHING, Decision
from sqe.session import Identity
from sqe.tree.privileges import ALL
from sqe.tree.relations import TableName
from sqe.tree.rules import Rule

pytestmark = pytest.mark.spark


# A Python body: Spark computes it after the conditions of the query.
ONLY_EUROPE = Rule("normalize(region, NFC) = 'EU'")
STARS = Rule("'***'")


class OnlyEurope:
    active = False
    rule = ONLY_EUROPE

    def table(self, identity: Identity, table: TableName) -> Decision:
        if not self.active:
            return EVERYTHING
        if table.name == "people":
            return Decision(ALL, row_filters=(self.rule,))
        if table.name == "masked":
            return Decision(ALL, masks={"name": STARS})
        return EVERYTHING

    def may_read_files(self, identity: Identity, paths: Sequence[str]) -> bool:
        return False

    def may_place(self, identity: Identity, location: str) -> bool:
        return True


POLICY = OnlyEurope()
SNAPSHOTS: dict[str, int] = {}


@pytest.fixture(scope="module")
def joe(connect: object) -> Iterator[Connection]:
    """Sees the European rows of `people`. The hidden one earns 100."""
    policy = POLICY
    connection = connect(memory=True, policy=policy)  # type: ignore[operator]
    for sql in (
        "CREATE TABLE people (id bigint, name varchar, region varchar, salary bigint)",
        "INSERT INTO people VALUES (1, '10', 'EU', 10), (2, 'carl', 'US', 100), (3, '30', 'EU', 30)",
        "CREATE TABLE masked (id bigint, name varchar)",
        "CREATE TABLE orders (person bigint, amount bigint)",
        "INSERT INTO orders VALUES (1, 7), (2, 0), (3, 9)",
        "CREATE VIEW shares AS SELECT id, 1000 / (salary - 100) AS share FROM people",
        "CREATE TABLE seen_people AS SELECT * FROM people WHERE region = 'EU'",
        "CREATE VIEW seen_shares AS SELECT id, 1000 / (salary - 100) AS share FROM seen_people",
        "CREATE TABLE visible_regions AS SELECT 'EU' AS region",
        "INSERT INTO masked VALUES (1, '7')",
    ):
        connection.execute(sql)
    [(SNAPSHOTS["people"],)] = connection.execute('SELECT snapshot_id FROM "people$snapshots"').fetchall()
    policy.active = True
    yield connection
    connection.execute("RESET SESSION lane")


LEAKY = [
    "SELECT id FROM people WHERE 1 / (salary - 100) > -100",
    "SELECT id FROM people WHERE CAST(name AS bigint) > 0",
    "SELECT 1000 / (salary - 100) FROM people",
    "SELECT sum(salary) FROM people",
    "SELECT region, sum(9 / (salary - 100)) FROM people GROUP BY region HAVING min(1 / (salary - 100)) = 0",
    "SELECT id, sum(1000 / (salary - 100)) OVER (ORDER BY id) FROM people",
    "SELECT id FROM (SELECT id, salary FROM people) WHERE salary * 92233720368547758 > 0",
    "SELECT o.person FROM orders o JOIN people p ON person = id WHERE 9 / (salary - 100) > amount - 99",
    "SELECT o.person FROM orders o JOIN people p ON o.person = p.id AND 1 / (p.salary - 100) = 0",
    "SELECT o.person FROM orders o LEFT JOIN people p ON o.person = p.id AND 1 / (p.salary - 100) = 0",
    "SELECT person FROM orders WHERE person = (SELECT id FROM people WHERE CAST(name AS bigint) = 10)",
    "SELECT person FROM orders WHERE person IN (SELECT id FROM people WHERE 1 / (salary - 100) = 0)",
    "SELECT id FROM people WHERE id NOT IN (SELECT CAST(name AS bigint) FROM people)",
    "SELECT id FROM shares WHERE share < 0",
    "SELECT id FROM people WHERE regexp_like(name, '^(1|3)*0$')",
    "SELECT element_at(ARRAY[1, 2, 3], 1), ARRAY[1, 2, 3][CAST(salary / 10 AS integer)] FROM people",
    "WITH c AS (SELECT id, 9 / (salary - 100) AS s FROM people) SELECT a.s FROM c a JOIN c b ON a.id = b.id",
    "SELECT id FROM people WHERE 1 / (salary - 100) = 0 UNION SELECT person FROM orders WHERE 7 / person > 0",
    "SELECT id FROM people WHERE CAST(name AS bigint) > 0 ORDER BY 1 / (salary - 100), id LIMIT 1",
    "SELECT DISTINCT CAST(name AS bigint) / 10 FROM people",
    "SELECT id FROM people FOR VERSION AS OF {snapshot} WHERE CAST(name AS bigint) > 0",
]


@pytest.mark.parametrize("sql", LEAKY)
def test_what_may_fail_sees_no_hidden_row(joe: Connection, sql: str) -> None:
    """The answer is that over a table of the rows that joe sees."""
    permitted = sql.replace("FOR VERSION AS OF {snapshot} ", "")
    for name in ("people", "shares"):
        permitted = permitted.replace(f"FROM {name}", f"FROM seen_{name}").replace(
            f"JOIN {name}", f"JOIN seen_{name}"
        )
    governed = joe.execute(sql.format(snapshot=SNAPSHOTS["people"])).fetchall()
    assert sorted(governed, key=repr) == sorted(joe.execute(permitted).fetchall(), key=repr)


def test_a_visible_row_fails_as_it_would(joe: Connection) -> None:
    for expression in ("1 / (salary - 10)", "CAST(region AS bigint)"):
        sql = f"SELECT id FROM people WHERE {expression} > 0"
        with pytest.raises(DataError) as caught:
            joe.execute(sql).fetchall()
        assert "carl" not in str(caught.value) and "US" not in str(caught.value)


def test_a_copy_has_no_hidden_row(joe: Connection) -> None:
    joe.execute("CREATE TABLE copy AS SELECT id FROM people WHERE 1 / (salary - 100) > -100")
    assert joe.execute("SELECT id FROM copy ORDER BY id").fetchall() == [(1,), (3,)]
    assert joe.execute("INSERT INTO copy SELECT 1000 / (salary - 100) FROM people").rowcount == 2
    joe.execute("DROP TABLE copy")


def test_a_mask_alone_is_no_barrier_and_shows_no_raw_value(joe: Connection) -> None:
    with pytest.raises(DataError):
        joe.execute("SELECT name FROM masked WHERE CAST(name AS bigint) > 0").fetchall()
    assert joe.execute("SELECT length(name) FROM masked WHERE 6 / id = 6").fetchall() == [(3,)]


RULES = [
    ONLY_EUROPE,
    Rule("region = 'EU'"),
    Rule("region IN (SELECT r.region FROM visible_regions AS r)"),
    Rule("EXISTS (SELECT 1 FROM visible_regions AS r WHERE r.region = people.region)"),
    Rule("region = (SELECT max(r.region) FROM visible_regions AS r)"),
    Rule("current_user <> 'nobody' AND region NOT IN ('US')"),
]


@pytest.mark.parametrize("rule", RULES, ids=[rule.sql for rule in RULES])
def test_the_barrier_holds_in_front_of_every_form_of_a_rule(joe: Connection, rule: Rule) -> None:
    POLICY.rule = rule
    try:
        for condition in ("1 / (salary - 100) > -100", "CAST(name AS bigint) > 0"):
            rows = joe.execute(f"SELECT id FROM people WHERE {condition} AND id < 3").fetchall()
            assert rows == [(1,)]
            joined = f"SELECT id FROM orders JOIN people ON {condition} WHERE person = id ORDER BY 1"
            assert joe.execute(joined).fetchall() == [(1,), (3,)]
    finally:
        POLICY.rule = ONLY_EUROPE


def test_these_tests_find_a_barrier_that_is_missing(
    joe: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(SparkRelations, "barrier", lambda self, block: block)
    with pytest.raises(DataError):
        joe.execute("SELECT id FROM people WHERE 1 / (salary - 100) > -100").fetchall()


def test_what_cannot_fail_is_answered(joe: Connection) -> None:
    joe.execute("SET SESSION lane = 'auto'")
    for sql, rows in (
        ("SELECT id FROM people WHERE salary > 20 AND name LIKE '3%'", [(3,)]),
        ("SELECT max(salary), (SELECT count(*) FROM people) FROM people", [(30, 2)]),
        ("SELECT id FROM people WHERE TRY(1000 / (salary - 100)) < -10 ORDER BY id", [(1,), (3,)]),
        ("SELECT TRY_CAST(name AS bigint) FROM people ORDER BY 1", [(10,), (30,)]),
        ("SELECT person FROM orders WHERE 1 / (amount - 100) > -1 AND person = 1", [(1,)]),
    ):
        assert joe.execute(sql).fetchall() == rows, sql


def test_explain_tells_no_rule(joe: Connection) -> None:
    joe.execute("SET SESSION lane = 'auto'")
    for table, told in (("people", "EU"), ("masked", "***")):
        [(plan,)] = joe.execute(f"EXPLAIN SELECT id FROM {table} WHERE name = 'x'").fetchall()
        assert "Filter (name = 'x')" in plan and "Lane: spark" in plan
        assert told not in plan and "normalize" not in plan and "SQL:" not in plan
