"""What is granted by SQL is what a user may do and see; the rest does not exist."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sqe.api.connection import Connection
from sqe.catalog.catalogs import embedded
from sqe.config.config import load
from sqe.coordinator import Coordinator
from sqe.engine.spark.spark import Spark
from sqe.errors import AccessDenied, ConfigError, NotFound, NotSupported, SqeError, SyntaxFault, Unavailable
from sqe.policy.configured import from_config
from sqe.policy.grant_store import GrantStore
from sqe.session import Identity
from sqe.tree.grants import Grant, Grantee, GranteeKind, Scope
from sqe.tree.privileges import Privilege
from sqe.tree.relations import TableName

pytestmark = pytest.mark.spark
USERS = {
    "root": Identity("root", roles=frozenset({"admin"})),
    "joe": Identity("joe", roles=frozenset({"analyst"}), groups=frozenset({"emea"})),
    "sue": Identity("sue", roles=frozenset({"analyst", "auditor"})),
    "bob": Identity("bob"),
}
As = Callable[[str, str], list[tuple[Any, ...]]]


class House:
    """One coordinator, and a connection for each user."""

    def __init__(self, place: Path, spark: Spark) -> None:
        toml = place / "sqe.toml"
        toml.write_text(
            f'[policy]\nengine = "grants"\nstore = "{place}/grants.db"\nadmin_roles = ["admin"]\n'
            'mask_key = "pepper"\n'
        )
        config = load(toml, {})
        self.coordinator = Coordinator(
            config, embedded(warehouse=place / "w"), policy=from_config(config), spark=spark
        )
        self._connections = {name: Connection(self.coordinator, user) for name, user in USERS.items()}

    def connect(self, name: str, identity: Identity) -> None:
        """One more user."""
        self._connections[name] = Connection(self.coordinator, identity)

    def ask(self, user: str, sql: str) -> list[tuple[Any, ...]]:
        cursor = self._connections[user].execute(sql)
        return [] if cursor.description is None else cursor.fetchall()

    def close(self) -> None:
        self.coordinator.close()


@pytest.fixture(scope="module")
def house(spark_lane: Spark, tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    house = House(tmp_path_factory.mktemp("grants"), spark_lane)
    for sql in (
        "CREATE TABLE people (id bigint, name varchar, region varchar, salary bigint)",
        "INSERT INTO people VALUES (1, 'Ann Lee', 'EU', 10), (2, 'Bob Ray', 'US', 20), (3, 'Cas', 'EU', 30)",
        "CREATE TABLE regions (who varchar, region varchar)",
        "INSERT INTO regions VALUES ('joe', 'US')",
        "CREATE VIEW names AS SELECT id, name FROM people",
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


def test_without_a_grant_there_is_nothing(ask: As) -> None:
    assert ask("joe", "SHOW TABLES FROM iceberg.default") == []
    for sql in ("SELECT * FROM people", "DESCRIBE people", "INSERT INTO people SELECT 1, 'x', 'EU', 1"):
        with pytest.raises(NotFound):
            ask("joe", sql)
    assert ask("root", "SELECT count(*) FROM people") == [(3,)]


@pytest.mark.parametrize("grantee", ["USER joe", "joe", "ROLE analyst", "GROUP emea", "PUBLIC", 'USER "joe"'])
def test_a_grant_to_whoever_they_are(ask: As, grantee: str) -> None:
    ask("root", f"GRANT SELECT ON people TO {grantee}")
    assert ask("joe", "SELECT count(*) FROM people") == [(3,)]
    with pytest.raises(AccessDenied, match="cannot insert into"):
        ask("joe", "INSERT INTO people VALUES (4, 'x', 'EU', 1)")
    ask("root", f"REVOKE SELECT ON people FROM {grantee}")
    with pytest.raises(NotFound):
        ask("joe", "SELECT count(*) FROM people")


@pytest.mark.parametrize("on", [
    "TABLE people", "SCHEMA iceberg.default", "ALL TABLES IN SCHEMA iceberg.default", "CATALOG iceberg",
    "FUTURE TABLES IN iceberg.default",
])  # fmt: skip
def test_a_grant_on_what_holds_the_table(ask: As, on: str) -> None:
    ask("root", f"GRANT SELECT ON {on} TO joe")
    assert ask("joe", "SELECT count(*) FROM people") == [(3,)]
    held = on.startswith("CATALOG")
    assert (("orders",) in ask("joe", "SHOW TABLES FROM shop")) is held


def test_some_columns(ask: As) -> None:
    ask("root", "GRANT SELECT (id, region) ON people TO joe")
    assert ask("joe", "SELECT * FROM people ORDER BY id")[0] == (1, "EU")
    with pytest.raises(NotFound, match="column 'salary' cannot be resolved"):
        ask("joe", "SELECT salary FROM people")
    ask("root", "GRANT SELECT (name) ON people TO ROLE analyst")
    assert ask("joe", "SELECT * FROM people ORDER BY id")[0] == (1, "Ann Lee", "EU")
    ask("root", "DENY SELECT (region) ON people TO joe")
    assert ask("joe", "SELECT * FROM people ORDER BY id")[0] == (1, "Ann Lee")


def test_deny_wins(ask: As) -> None:
    ask("root", "GRANT ALL PRIVILEGES ON SCHEMA iceberg.default TO ROLE analyst")
    ask("root", "DENY SELECT ON people TO joe")
    with pytest.raises(AccessDenied, match="cannot read"):
        ask("joe", "SELECT * FROM people")
    assert ask("sue", "SELECT count(*) FROM people") == [(3,)]
    ask("root", "REVOKE SELECT ON people FROM joe")
    assert ask("joe", "SELECT count(*) FROM people") == [(3,)]


def test_rows_and_masks(ask: As) -> None:
    ask("root", "GRANT SELECT ON people TO ROLE analyst ROWS WHERE region = 'EU'")
    ask("root", "GRANT SELECT ON people TO ROLE auditor MASKED WITH (name = 'show-first-4', salary = NULL)")
    everything = "SELECT id, name, salary FROM people ORDER BY id"
    assert ask("joe", everything) == [(1, "Ann Lee", 10), (3, "Cas", 30)]
    # Sue has both roles, and both rules.
    assert ask("sue", everything) == [(1, "Ann xxx", None), (3, "Cas", None)]
    assert ask("sue", "SELECT count(*) FROM people WHERE name = 'Ann Lee'") == [(0,)]

def test_rules_in_the_other_spellings(ask: As) -> None:
    ask("root", "GRANT SELECT (id, name MASKED WITH 'REDACT') ROWS WHERE region='EU' ON people TO joe")
    assert ask("joe", "SELECT * FROM people ORDER BY id") == [(1, "***"), (3, "***")]
    initial = "upper(substr(name, 1, 1)) || '.'"
    ask("root", f"GRANT SELECT ON people TO joe MASKED WITH (name AS {initial}, salary = 0)")
    assert ask("joe", "SELECT name, salary FROM people ORDER BY id LIMIT 1") == [("A.", 0)]
    ask("root", "GRANT SELECT ON people TO joe MASKED WITH (name = 'hash')")
    (hashed,), *_ = ask("joe", "SELECT name FROM people ORDER BY id")
    assert hashed == hmac.new(b"pepper", b"Ann Lee", "sha256").hexdigest()


def test_a_filter_by_a_table_that_the_user_does_not_see(ask: As) -> None:
    ask(
        "root",
        "GRANT SELECT ON people TO joe"
        " ROWS WHERE region IN (SELECT r.region FROM regions AS r WHERE r.who = current_user)",
    )
    assert ask("joe", "SELECT id FROM people") == [(2,)]
    with pytest.raises(NotFound):
        ask("joe", "SELECT * FROM regions")


def test_a_renamed_column_keeps_its_rules(ask: As) -> None:
    ask("root", "CREATE TABLE t (a bigint, secret varchar)")
    ask("root", "INSERT INTO t VALUES (1, 'x'), (2, 'y')")
    rules = "ROWS WHERE secret = 'x' MASKED WITH (secret = 'REDACT')"
    ask("root", f"GRANT SELECT (a, secret) ON t TO joe {rules}")
    ask("root", "ALTER TABLE t RENAME COLUMN secret TO open")
    assert ask("joe", "SELECT a, open FROM t") == [(1, "***")]
    ask("root", "ALTER TABLE t ADD COLUMN later varchar")
    assert ask("joe", "SELECT * FROM t") == [(1, "***")]
    ask("root", "ALTER TABLE t RENAME TO t2")
    assert ask("joe", "SELECT a, open FROM t2") == [(1, "***")]
    ask("root", "ALTER TABLE t2 DROP COLUMN open")
    with pytest.raises(AccessDenied, match="a rule on it cannot be applied"):
        ask("joe", "SELECT a FROM t2")
    ask("root", "DROP TABLE t2")
    ask("root", "CREATE TABLE t2 (a bigint)")
    with pytest.raises(NotFound):
        ask("joe", "SELECT a FROM t2")
    ask("root", "DROP TABLE t2")


def test_whoever_makes_a_table_owns_it(ask: As) -> None:
    ask("root", "GRANT CREATE ON SCHEMA shop TO bob")
    ask("bob", "CREATE TABLE IF NOT EXISTS shop.mine (a bigint)")
    ask("bob", "INSERT INTO shop.mine VALUES 1")
    ask("bob", "CREATE TABLE shop.copied AS SELECT a FROM shop.mine")
    ask("bob", "GRANT SELECT ON shop.copied TO joe")
    assert ask("joe", "SELECT a FROM shop.copied") == [(1,)]
    # Another's that is there already does not become his.
    ask("bob", "CREATE TABLE IF NOT EXISTS shop.orders (id bigint)")
    with pytest.raises(SqeError):
        ask("bob", "SELECT * FROM shop.orders")
    with pytest.raises(SqeError):
        ask("bob", "GRANT SELECT ON shop.orders TO bob")
    for name in ("mine", "copied"):
        ask("bob", f"DROP TABLE shop.{name}")


def test_who_may_grant(ask: As) -> None:
    ask("root", "GRANT SELECT ON people TO joe")
    with pytest.raises(AccessDenied, match="cannot grant select on"):
        ask("joe", "GRANT SELECT ON people TO bob")
    ask("root", "GRANT SELECT ON people TO joe WITH GRANT OPTION")
    ask("joe", "GRANT SELECT ON people TO bob")
    assert ask("bob", "SELECT count(*) FROM people") == [(3,)]
    with pytest.raises(AccessDenied):
        ask("joe", "GRANT INSERT ON people TO bob")
    with pytest.raises(AccessDenied):
        ask("joe", "DENY SELECT ON people TO sue")
    ask("root", "REVOKE GRANT OPTION FOR SELECT ON people FROM joe")
    with pytest.raises(AccessDenied):
        ask("joe", "GRANT SELECT ON people TO PUBLIC")
    # Whoever sees a part cannot give away the whole.
    ask("root", "GRANT SELECT ON people TO joe ROWS WHERE region = 'EU' WITH GRANT OPTION")
    with pytest.raises(AccessDenied):
        ask("joe", "GRANT SELECT ON people TO PUBLIC")


def test_what_was_granted_is_shown_to_whom_it_concerns(ask: As) -> None:
    ask("root", "GRANT SELECT ON people TO joe ROWS WHERE region = 'EU'")
    ask("root", "GRANT SELECT, INSERT ON people TO ROLE auditor WITH GRANT OPTION")
    mine = [("root", "USER", "joe", "USER", "iceberg", "default", "people", "SELECT", "NO")]
    assert ask("joe", "SHOW GRANTS") == mine
    assert ask("joe", "SHOW GRANTS ON people") == mine
    assert len(ask("sue", "SHOW GRANTS")) == 2 and len(ask("root", "SHOW GRANTS ON TABLE people")) == 3
    assert ask("bob", "SHOW GRANTS") == []


WRONG = [
    ("GRANT SELECT ON nothere TO joe", NotFound, "does not exist"),
    ("GRANT SELECT (nope) ON people TO joe", NotFound, "column 'nope' does not exist"),
    ("GRANT SELECT ON people TO joe ROWS WHERE nope = 1", NotFound, "column 'nope' cannot be resolved"),
    ("GRANT SELECT ON people TO joe ROWS WHERE salary", SqeError, "has to be boolean"),
    ("GRANT SELECT ON people TO joe MASKED WITH (name = 1)", SqeError, "has to be varchar"),
    ("GRANT SELECT ON people TO joe MASKED WITH (nope = 'hash')", NotFound, "column 'nope' does not exist"),
    ("GRANT INSERT ON people TO joe ROWS WHERE region = 'EU'", SqeError, "go with SELECT"),
    ("GRANT INSERT (id) ON people TO joe", NotSupported, "on whole tables"),
    ("GRANT SELECT ON SCHEMA shop TO joe ROWS WHERE id = 1", NotSupported, "for a table"),
    ("DENY SELECT ROWS WHERE id = 1 ON people TO joe", NotSupported, "DENY takes no ROWS WHERE"),
    ("REVOKE SELECT ROWS WHERE id = 1 ON people FROM joe", NotSupported, "REVOKE takes no ROWS WHERE"),
    ("DENY SELECT (id MASKED WITH 'hash') ON people TO joe", NotSupported, "no MASKED WITH"),
    ("GRANT FLY ON people TO joe", SyntaxFault, "expected ALL PRIVILEGES"),
    ("GRANT SELECT ON people", SyntaxFault, "expected TO"),
    ("GRANT SELECT ON people TO", SyntaxFault, "expected"),
    ("GRANT SELECT ON people TO joe ROWS WHERE", SyntaxFault, "expected"),
    ("GRANT SELECT ON people TO joe ROWS WHERE 1 = 1; DROP TABLE people", SyntaxFault, "one statement"),
    ("REVOKE SELECT ON people TO joe", SyntaxFault, "expected FROM"),
]


@pytest.mark.parametrize(("sql", "kind", "said"), WRONG, ids=str)
def test_what_is_wrong_is_said_to_whoever_grants(ask: As, sql: str, kind: type[SqeError], said: str) -> None:
    with pytest.raises(kind, match=said):
        ask("root", sql)
    assert ask("root", "SHOW GRANTS") == []


def test_some_columns_of_all_cannot_be_revoked(ask: As) -> None:
    ask("root", "GRANT SELECT ON people TO joe")
    with pytest.raises(SqeError, match="cannot be revoked for some"):
        ask("root", "REVOKE SELECT (id) ON people FROM joe")
    ask("root", "GRANT SELECT (id, name) ON people TO joe")
    ask("root", "REVOKE SELECT (name) ON people FROM joe")
    assert ask("joe", "SELECT * FROM people ORDER BY id LIMIT 1") == [(1,)]


def test_grants_that_cannot_be_read_allow_nothing(house: House, ask: As) -> None:
    ask("root", "GRANT SELECT ON people TO joe")
    store: Any = house.coordinator.policy.granted  # type: ignore[attr-defined]
    content = store._path.read_bytes()
    store._path.write_bytes(b"this is no database" * 100)
    try:
        with pytest.raises(Unavailable, match="the grants cannot be read"):
            ask("joe", "SELECT * FROM people")
    finally:
        store._path.write_bytes(content)
    assert ask("joe", "SELECT count(*) FROM people") == [(3,)]


def test_plans_are_kept_until_something_is_granted(house: House, ask: As) -> None:
    ask("root", "GRANT SELECT ON regions TO joe")
    plans = house.coordinator.plans
    sql = "SELECT region FROM regions"
    used = plans.used
    assert [ask("joe", sql) for _ in range(3)] == [[("US",)]] * 3
    assert plans.used == used + 2
    ask("root", "GRANT SELECT ON regions TO joe MASKED WITH (region = 'redact')")
    assert [ask("joe", sql) for _ in range(2)] == [[("***",)]] * 2
    ask("root", "REVOKE SELECT ON regions FROM joe")
    with pytest.raises(NotFound):
        ask("joe", sql)


def test_another_process_may_change_the_grants(house: House, ask: As) -> None:
    ours: Any = house.coordinator.policy.granted  # type: ignore[attr-defined]
    theirs = GrantStore(ours._path)
    grant = Grant(
        Privilege.SELECT,
        Scope.TABLE,
        TableName("iceberg", ("default",), "people"),
        Grantee(GranteeKind.USER, "joe"),
    )
    for _ in range(20):
        theirs.add(grant)
        assert list(ours.grants()) == [grant] and ours.version == theirs.version
        assert theirs.remove(grant)
        assert list(ours.grants()) == []


def test_somebody_must_be_able_to_grant(tmp_path: Path) -> None:
    (tmp_path / "sqe.toml").write_text('[policy]\nengine = "grants"\n')
    with pytest.raises(ConfigError, match="admins"):
        load(tmp_path / "sqe.toml", {})


def test_without_the_engine_there_is_no_grant(connect: Any) -> None:
    with pytest.raises(NotSupported, match="GRANT needs a place"):
        connect(memory=True).execute("GRANT CREATE ON CATALOG iceberg TO joe")


PRIVILEGES = (
    "SELECT grantor, grantor_type, grantee, grantee_type, table_schema, table_name, privilege_type,"
    " is_grantable FROM information_schema.table_privileges ORDER BY table_name, grantee, privilege_type"
)


def test_table_privileges_show_what_was_granted(ask: As) -> None:
    for sql in (
        "GRANT SELECT, INSERT ON people TO joe WITH GRANT OPTION",
        "GRANT SELECT ON ALL TABLES IN SCHEMA shop TO ROLE analyst",
        "GRANT SELECT (who) ON regions TO ROLE auditor",
        "GRANT DELETE ON regions TO bob",
    ):
        ask("root", sql)
    by = ("root", "USER")
    own = [(*by, "joe", "USER", "default", "people", name, "YES") for name in ("INSERT", "SELECT")]
    of_role = (*by, "analyst", "ROLE", "shop", "orders", "SELECT", "NO")
    of_bob = (*by, "bob", "USER", "default", "regions", "DELETE", "NO")
    assert ask("joe", PRIVILEGES) == [of_role, *own]
    assert ask("sue", PRIVILEGES) == [of_role]
    assert ask("bob", PRIVILEGES) == [of_bob]
    assert ask("root", PRIVILEGES) == [of_role, *own, of_bob]
    assert ask("root", PRIVILEGES.replace("ORDER", "WHERE table_name = 'regions' ORDER")) == [of_bob]


def test_table_privileges_leave_out_what_is_denied_or_hidden(ask: As) -> None:
    ask("root", "GRANT SELECT, DELETE ON SCHEMA iceberg.default TO ROLE analyst")
    ask("root", "DENY SELECT ON regions TO ROLE analyst")
    ask("root", "DENY SELECT ON people TO joe")
    ask("root", "DENY DELETE ON people TO joe")
    shown = {(row[5], row[6]) for row in ask("joe", PRIVILEGES)}
    assert ("people", "SELECT") not in shown, "a table that does not exist for them"
    assert {name for name in shown if name[0] == "regions"} == {("regions", "DELETE")}
    others = {(row[5], row[6]) for row in ask("sue", PRIVILEGES)}
    assert {("people", "SELECT"), ("people", "DELETE")} <= others
