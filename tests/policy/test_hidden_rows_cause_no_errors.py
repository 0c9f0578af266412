"""What is hidden from a user cannot be found out by an expression that fails for it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from sqe.api.connection import Connection
from sqe.errors import NotSupported
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

    def table(self, identity: Identity, table: TableName) -> Decision:
        if not self.active:
            return EVERYTHING
        if table.name == "people":
            return Decision(ALL, row_filters=(ONLY_EUROPE,))
        if table.name == "masked":
            return Decision(ALL, masks={"name": STARS})
        return EVERYTHING

    def may_read_files(self, identity: Identity, paths: Sequence[str]) -> bool:
        return False

    def may_place(self, identity: Identity, location: str) -> bool:
        return True


@pytest.fixture(scope="module")
def joe(connect: object) -> Iterator[Connection]:
    """Sees the European rows of `people`. The hidden one earns 100."""
    policy = OnlyEurope()
    connection = connect(memory=True, policy=policy)  # type: ignore[operator]
    for sql in (
        "CREATE TABLE people (id bigint, name varchar, region varchar, salary bigint)",
        "INSERT INTO people VALUES (1, '10', 'EU', 10), (2, 'carl', 'US', 100), (3, '30', 'EU', 30)",
        "CREATE TABLE masked (id bigint, name varchar)",
        "CREATE TABLE orders (person bigint, amount bigint)",
        "INSERT INTO orders VALUES (1, 7), (2, 0), (3, 9)",
        "CREATE VIEW shares AS SELECT id, 1000 / (salary - 100) AS share FROM people",
    ):
        connection.execute(sql)
    policy.active = True
    yield connection
    connection.execute("RESET SESSION lane")


LEAKY = [
    "SELECT id FROM people WHERE 1 / (salary - 100) > -100",
    "SELECT id FROM people WHERE CAST(name AS bigint) > 0",
    "SELECT 1 / (salary - 100) FROM people",
    "SELECT sum(salary) FROM people",
    "SELECT id FROM (SELECT id, salary FROM people) WHERE salary * 92233720368547759 > 0",
    "SELECT o.person FROM orders o JOIN people p ON o.person = p.id WHERE 1 / o.amount > -1",
    "SELECT person FROM orders WHERE person = (SELECT id FROM people)",
    "SELECT person FROM orders o WHERE EXISTS (SELECT 1 FROM people p WHERE 1 / (p.salary - 100) > o.person)",
    "SELECT id FROM people WHERE ARRAY[salary] IN (ARRAY[NULL])",
    "SELECT id FROM shares WHERE share > 0",
    "SELECT id FROM people WHERE salary > DECIMAL '0.1000000000000000000000000000000000000'",
    "SELECT id FROM people WHERE ARRAY[salary] = ARRAY[DECIMAL '0.1000000000000000000000000000000000000']",
    "SELECT id FROM people WHERE regexp_like(name, '^(a|b)*c$')",
    "CREATE TABLE copy AS SELECT id FROM people WHERE 1 / (salary - 100) > -100",
    "INSERT INTO orders SELECT id, 1 / (salary - 100) FROM people",
    "SELECT name FROM masked WHERE CAST(name AS bigint) > 0",
    "EXPLAIN SELECT id FROM people WHERE 1 / (salary - 100) > -100",
]


@pytest.mark.parametrize("lane", ["auto", "spark", "fast"])
def test_what_may_fail_is_refused(joe: Connection, lane: str) -> None:
    joe.execute(f"SET SESSION lane = '{lane}'")
    for sql in LEAKY:
        with pytest.raises(NotSupported, match="row filter or mask"):
            joe.execute(sql).fetchall()


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
