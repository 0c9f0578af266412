"""What somebody may try who wants to see more than was granted, and who may grant a part of it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from tests.policy.test_grants import USERS, As, House

from sqe.engine.spark.spark import Spark
from sqe.errors import AccessDenied, NotFound, SqeError
from sqe.session import UNPROVEN, Identity
from sqe.tree.relations import TableName

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def house(spark_lane: Spark, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    house = House(tmp_path_factory.mktemp("attacks"), spark_lane)
    for sql in (
        "CREATE TABLE people (id bigint, salary bigint)",
        "INSERT INTO people VALUES (1, 10), (2, 20)",
        "CREATE TABLE secret (code bigint)",
        "CREATE SCHEMA shop",
        "CREATE TABLE shop.orders (id bigint)",
    ):
        house.ask("root", sql)
    yield house
    house.close()


@pytest.fixture
def ask(house: House) -> Iterator[As]:
    """Without any grant at first."""
    yield house.ask
    policy: Any = house.coordinator.policy
    for grant in list(policy.granted.grants()):
        policy.granted.remove(grant)


def failure(ask: As, user: str, sql: str) -> tuple[type[SqeError], str]:
    with pytest.raises(SqeError) as error:
        ask(user, sql)
    return type(error.value), error.value.message


@pytest.mark.parametrize(
    "rule", ["(SELECT code FROM secret) = 1", "(SELECT cod FROM secret) = 1", "(SELECT 1 FROM secrt) = 1"]
)
def test_a_rule_of_who_may_write_none_is_not_read(ask: As, rule: str) -> None:
    """Its faults would name tables and columns that they cannot see."""
    ask("root", "GRANT SELECT ON people TO joe WITH GRANT OPTION")
    for sql in (
        f"GRANT SELECT ON people TO bob ROWS WHERE {rule}",
        f"GRANT SELECT ON people TO bob MASKED WITH (id = IF({rule}, 1, 2))",
    ):
        kind, message = failure(ask, "joe", sql)
        assert kind is AccessDenied and "secr" not in message


@pytest.mark.parametrize("sql", [
    "GRANT SELECT ({}) ON people TO bob", "REVOKE SELECT ({}) ON people FROM bob",
    "DENY SELECT ({}) ON people TO bob", "GRANT SELECT ON people TO bob MASKED WITH ({} = 'hash')",
])  # fmt: skip
def test_a_hidden_column_is_absent_in_a_grant_too(ask: As, sql: str) -> None:
    ask("root", "GRANT SELECT (id) ON people TO joe")
    hidden, absent = (failure(ask, "joe", sql.format(name)) for name in ("salary", "nosuch"))
    assert hidden == (absent[0], absent[1].replace("nosuch", "salary"))


def test_an_owner_s_rule_reads_no_other_table(ask: As) -> None:
    """Who they grant it to would see what neither of them may."""
    ask("root", "GRANT CREATE ON SCHEMA shop TO sue")
    ask("sue", "CREATE TABLE shop.mine AS SELECT 10 AS n")
    for rule in (
        "ROWS WHERE n IN (SELECT salary FROM iceberg.default.people)",
        "ROWS WHERE EXISTS (SELECT 1 FROM iceberg.default.nosuch)",
        "MASKED WITH (n = (SELECT max(salary) FROM iceberg.default.people))",
    ):
        kind, message = failure(ask, "sue", f"GRANT SELECT ON shop.mine TO joe {rule}")
        assert kind is AccessDenied and "administrator" in message
    ask("sue", "GRANT SELECT ON shop.mine TO joe ROWS WHERE n > 10")
    assert ask("joe", "SELECT * FROM shop.mine") == []
    ask(
        "root", "GRANT SELECT ON shop.mine TO joe ROWS WHERE n IN (SELECT salary FROM iceberg.default.people)"
    )
    assert ask("joe", "SELECT * FROM shop.mine") == [(10,)]
    ask("root", "DROP TABLE shop.mine")


def test_the_grant_option_lifts_no_rule_of_another_s_grant(ask: As) -> None:
    ask("root", "GRANT SELECT ON people TO bob WITH GRANT OPTION")
    ask("root", "GRANT SELECT ON people TO ROLE analyst")
    ask("root", "GRANT SELECT ON people TO joe ROWS WHERE id = 1")
    assert failure(ask, "bob", "GRANT SELECT ON people TO joe")[0] is AccessDenied
    assert failure(ask, "bob", "REVOKE SELECT ON people FROM joe")[0] is AccessDenied
    assert ask("joe", "SELECT id FROM people") == [(1,)]
    ask("root", "DENY SELECT ON people TO sue")
    assert failure(ask, "bob", "REVOKE SELECT ON people FROM sue")[0] is AccessDenied
    assert failure(ask, "sue", "SELECT id FROM people")[0] is NotFound
    assert failure(ask, "bob", "REVOKE SELECT ON people FROM ROLE analyst")[0] is AccessDenied
    ask("bob", "GRANT SELECT ON people TO ROLE analyst")
    assert {row[0] for row in ask("root", "SHOW GRANTS ON people")} == {"root"}, "it stays root's"


def test_what_was_granted_by_option_is_taken_back(ask: As) -> None:
    ask("root", "GRANT SELECT ON people TO bob WITH GRANT OPTION")
    ask("bob", "GRANT SELECT ON people TO joe")
    assert ask("joe", "SELECT count(*) FROM people") == [(2,)]
    ask("bob", "REVOKE SELECT ON people FROM joe")
    assert failure(ask, "joe", "SELECT count(*) FROM people")[0] is NotFound


def test_the_grant_option_gives_no_more_than_one_has(ask: As) -> None:
    ask("root", "GRANT SELECT ON SCHEMA shop TO bob WITH GRANT OPTION")
    ask("bob", "GRANT SELECT ON SCHEMA shop TO joe")
    ask("bob", "REVOKE SELECT ON SCHEMA shop FROM joe")
    ask("root", "GRANT SELECT ON shop.orders TO bob ROWS WHERE id = 1")
    for on in ("SCHEMA shop", "shop.orders", "ALL TABLES IN SCHEMA shop"):
        assert failure(ask, "bob", f"GRANT SELECT ON {on} TO joe")[0] is AccessDenied
    ask("root", "REVOKE SELECT ON shop.orders FROM bob")
    ask("root", "DENY SELECT ON shop.orders TO bob")
    ask("root", "GRANT DELETE ON shop.orders TO bob")
    for on in ("SCHEMA shop", "shop.orders"):
        assert failure(ask, "bob", f"GRANT SELECT ON {on} TO joe")[0] is AccessDenied


def test_a_deny_names_no_table_that_is_hidden_by_it(ask: As) -> None:
    ask("root", "DENY SELECT ON secret TO joe")
    ask("root", "GRANT SELECT ON people TO joe")
    assert {row[6] for row in ask("joe", "SHOW GRANTS")} == {"people"}
    assert {row[6] for row in ask("root", "SHOW GRANTS")} == {"people", "secret"}


def test_counts_of_changed_rows_tell_nothing_to_who_may_not_read(ask: As) -> None:
    ask("root", "GRANT INSERT, UPDATE, DELETE ON people TO bob")
    for sql in (
        "UPDATE people SET id = id",
        "UPDATE people SET id = 1 WHERE salary = 999",
        "DELETE FROM people WHERE salary = 999",
        "MERGE INTO people USING (VALUES 1) AS v (x) ON salary = 999 WHEN MATCHED THEN UPDATE SET id = 1",
        "EXPLAIN DELETE FROM people WHERE salary = 999",
    ):
        assert failure(ask, "bob", sql)[0] is AccessDenied


@pytest.mark.parametrize("name", ["root", "joe"])
def test_a_name_that_nobody_has_proven_is_nobody_s(house: House, ask: As, name: str) -> None:
    """Whoever comes in by `anonymous` may say any name."""
    ask("root", "GRANT SELECT ON people TO USER joe")
    claimed = f"claimed {name}"
    house.connect(claimed, Identity(name, issuer=UNPROVEN))
    for sql in ("SELECT * FROM people", "SELECT * FROM secret", "GRANT SELECT ON people TO PUBLIC"):
        assert failure(ask, claimed, sql)[0] is NotFound
    assert ask(claimed, "SHOW GRANTS") == []
    ask("root", "GRANT SELECT ON people TO PUBLIC")
    assert ask(claimed, "SELECT count(*) FROM people") == [(2,)]


def test_an_administrator_is_one_by_proof(house: House) -> None:
    policy: Any = house.coordinator.policy
    root = replace(USERS["root"], issuer=UNPROVEN)
    assert policy.is_admin(USERS["root"]) and not policy.is_admin(root)


def test_who_replaces_a_table_that_nobody_owns_does_not_own_its_past(house: House, ask: As) -> None:
    """Tables that were there before the policy have no owner, and a replaced one keeps its snapshots."""
    ask("root", "CREATE TABLE shop.old AS SELECT 42 AS code")
    ((snapshot,),) = ask("root", 'SELECT snapshot_id FROM shop."old$snapshots"')
    policy: Any = house.coordinator.policy
    policy.granted.forget(TableName("iceberg", ("shop",), "old"))
    ask("root", "GRANT CREATE, DROP ON SCHEMA shop TO bob")
    ask("bob", "CREATE OR REPLACE TABLE shop.old (code integer)")
    assert failure(ask, "bob", f"SELECT * FROM shop.old FOR VERSION AS OF {snapshot}")[0] is AccessDenied
    ask("bob", "CREATE OR REPLACE VIEW shop.theirs AS SELECT 1 AS a")
    assert ask("bob", "SELECT * FROM shop.theirs") == [(1,)], "what was not there is theirs"
    ask("root", "DROP VIEW shop.theirs")
    ask("root", "DROP TABLE shop.old")


def test_who_may_create_makes_views_and_replaces_none_that_is_hidden(ask: As) -> None:
    ask("root", "CREATE VIEW shop.hers AS SELECT 1 AS a")
    ask("root", "GRANT CREATE ON SCHEMA shop TO joe")
    ask("joe", "CREATE VIEW shop.his AS SELECT 2 AS a")
    assert ask("joe", "SELECT * FROM shop.his") == [(2,)]
    for name in ("hers", "orders"):
        sql = f"CREATE OR REPLACE VIEW shop.{name} AS SELECT 3 AS a"
        assert failure(ask, "joe", sql)[0] is AccessDenied
    assert ask("root", "SELECT * FROM shop.hers") == [(1,)]
    ask("root", "DROP VIEW shop.hers")
    ask("root", "DROP VIEW shop.his")
