"""Who sees a table only in part, or not at all, does not change, move or copy what it is."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pytest

from sqe.api.connection import Connection, connect
from sqe.catalog.backends.embedded import EmbeddedCatalog
from sqe.errors import SqeError
from sqe.policy.decision import EVERYTHING, NOTHING, Decision
from sqe.session import Identity
from sqe.tree.privileges import ALL
from sqe.tree.relations import TableName
from sqe.tree.rules import Rule

ONLY_EUROPE = Rule("region = 'only-europe'")
STARS = Rule("'***'")


class Restricted:
    """`secret` and what is called like it is hidden; of `people` some is filtered, masked and restricted;
    the view `half` has a rule of its own."""

    active = False

    def table(self, identity: Identity, table: TableName) -> Decision:
        if not self.active:
            return EVERYTHING
        if table.name.startswith("secret"):
            return NOTHING
        if table.name == "people":
            return Decision(
                ALL,
                row_filters=(ONLY_EUROPE,),
                masks={"name": STARS},
                restricted=frozenset({"salary"}),
            )
        return Decision(ALL, row_filters=(ONLY_EUROPE,)) if table.name == "half" else EVERYTHING

    def may_read_files(self, identity: Identity, paths: Sequence[str]) -> bool:
        return True

    def may_place(self, identity: Identity, location: str) -> bool:
        return False


@pytest.fixture
def joe() -> Iterator[Connection]:
    policy = Restricted()
    with connect(memory=True, policy=policy) as connection:
        for sql in (
            "CREATE TABLE people (id bigint, name varchar, region varchar, salary bigint) "
            "WITH (partitioning = ARRAY['salary'])",
            "CREATE TABLE mine (id bigint)",
            "CREATE TABLE secret (x bigint)",
            "CREATE VIEW secret_view AS SELECT x FROM secret",
            "CREATE VIEW half AS SELECT region FROM people",
            "CREATE VIEW everybody AS SELECT * FROM people",
            "COMMENT ON COLUMN everybody.salary IS 'in cents'",
            "CREATE SCHEMA holds",
            "CREATE VIEW holds.secret AS SELECT 1 AS x",
        ):
            connection.execute(sql)
        policy.active = True
        yield connection


def failure(joe: Connection, sql: str) -> SqeError:
    with pytest.raises(SqeError) as error:
        joe.execute(sql)
    return error.value


@pytest.mark.parametrize(
    "sql",
    [
        "ALTER TABLE people RENAME TO freed",
        "ALTER TABLE people ADD COLUMN x integer",
        "ALTER TABLE people DROP COLUMN salary",
        "ALTER TABLE people RENAME COLUMN salary TO id",
        "ALTER TABLE people RENAME COLUMN name TO renamed",
        "ALTER TABLE people ALTER COLUMN salary SET DATA TYPE varchar",
        "ALTER TABLE people ALTER COLUMN id SET NOT NULL",
        "ALTER TABLE people SET PROPERTIES format = 'ORC'",
        "COMMENT ON TABLE people IS 'x'",
        "COMMENT ON COLUMN people.salary IS 'x'",
        "COMMENT ON COLUMN people.nosuch IS 'x'",
        "DROP TABLE people",
        "DROP TABLE IF EXISTS people",
        "CREATE OR REPLACE TABLE people (x integer)",
        "CREATE OR REPLACE VIEW people AS SELECT 1 AS x",
        "ALTER TABLE mine RENAME TO people",
        "ALTER TABLE mine RENAME TO secret",
        "ALTER TABLE mine RENAME TO secret_that_is_not_there",
        "CREATE VIEW secret AS SELECT 1 AS x",
        "CREATE VIEW IF NOT EXISTS secret_that_is_not_there AS SELECT 1 AS x",
        "CREATE TABLE secret_that_is_not_there (x integer)",
        "DROP VIEW half",
        "ALTER VIEW half RENAME TO freed",
        "COMMENT ON VIEW half IS 'x'",
        "ALTER SCHEMA default RENAME TO freed",
        "ALTER SCHEMA holds RENAME TO freed",
        "DROP SCHEMA holds CASCADE",
    ],
)
def test_it_is_denied(joe: Connection, sql: str) -> None:
    catalog = joe.coordinator.catalogs.get("iceberg")
    before = (catalog.tables(("default",)), catalog.views(("default",)), catalog.namespaces())
    error = failure(joe, sql)
    assert error.code == "PERMISSION_DENIED"
    assert "salary" not in str(error)
    assert (catalog.tables(("default",)), catalog.views(("default",)), catalog.namespaces()) == before


@pytest.mark.parametrize(
    "sql",
    [
        "ALTER TABLE {} ADD COLUMN y integer",
        "ALTER TABLE {} RENAME TO y",
        "COMMENT ON TABLE {} IS 'y'",
        "COMMENT ON COLUMN {}.x IS 'y'",
        "DROP TABLE {}",
        "CREATE TABLE y LIKE {}",
        "CREATE TABLE y (LIKE {})",
        "CREATE VIEW y AS SELECT x FROM {}",
        "DROP VIEW {}_view",
        "ALTER VIEW {}_view RENAME TO y",
        "COMMENT ON VIEW {}_view IS 'y'",
    ],
)
def test_what_is_hidden_looks_absent(joe: Connection, sql: str) -> None:
    hidden, absent = failure(joe, sql.format("secret")), failure(joe, sql.format("zecret"))
    assert str(hidden).replace("secret", "zecret") == str(absent)
    assert hidden.code == "TABLE_NOT_FOUND"


def test_a_comment_on_a_column_of_a_view_finds_those_that_are_seen(joe: Connection) -> None:
    for name in ("salary", "zalary"):
        error = failure(joe, f"COMMENT ON COLUMN everybody.{name} IS 'x'")
        assert (error.code, error.message, error.hint) == (
            "COLUMN_NOT_FOUND",
            f"column '{name}' does not exist",
            None,
        )
    assert failure(joe, "COMMENT ON COLUMN everybody.regoin IS 'x'").hint == "did you mean 'region'?"
    joe.execute("COMMENT ON COLUMN everybody.REGION IS 'where'")
    view = joe.coordinator.catalogs.get("iceberg").find_view(("default",), "everybody")
    assert view is not None
    assert {c.name: c.comment for c in view.columns if c.comment} == {"salary": "in cents", "region": "where"}


def test_if_exists_forgives_what_is_hidden(joe: Connection) -> None:
    for sql in (
        "DROP TABLE IF EXISTS secret",
        "DROP VIEW IF EXISTS secret_view",
        "DROP VIEW IF EXISTS secret",
        "ALTER TABLE IF EXISTS secret RENAME TO y",
        "ALTER TABLE IF EXISTS secret DROP COLUMN x",
    ):
        joe.execute(sql)
    catalog = joe.coordinator.catalogs.get("iceberg")
    assert "secret" in catalog.tables(("default",)) and "secret_view" in catalog.views(("default",))


def test_a_full_schema_does_not_say_how_full(joe: Connection) -> None:
    assert failure(joe, "DROP SCHEMA holds").message == "schema 'iceberg.holds' is not empty"


def test_like_copies_what_is_seen(joe: Connection) -> None:
    for sql in ("CREATE TABLE copy LIKE people", "CREATE TABLE copy (LIKE people INCLUDING PROPERTIES)"):
        assert failure(joe, sql).code == "PERMISSION_DENIED"
    joe.execute("CREATE TABLE copy (LIKE people)")
    made = joe.coordinator.catalogs.get("iceberg").find_table(("default",), "copy")
    assert [c.name for c in made.columns] == ["id", "name", "region"]
    assert made.partitioning == ()


def test_a_view_over_what_is_seen_in_part_has_no_text_for_others(joe: Connection) -> None:
    catalog = joe.coordinator.catalogs.get("iceberg")
    assert isinstance(catalog, EmbeddedCatalog)
    joe.execute("CREATE VIEW whole AS SELECT id FROM mine")
    for sql in ("SELECT * FROM people", "SELECT 1 AS id WHERE EXISTS (SELECT 1 FROM people)"):
        joe.execute(f"CREATE OR REPLACE VIEW part AS {sql}")
        view = catalog.find_view(("default",), "part")
        assert view is not None and view.sql == sql
        assert "salary" not in [c.name for c in view.columns]
    [whole] = catalog.data.glob("default/whole-*/metadata/*.json")
    assert '"dialect": "spark"' in whole.read_text()
    for file in catalog.data.glob("default/part-*/metadata/*.json"):
        text = file.read_text()
        assert '"dialect": "trino"' in text and '"dialect": "spark"' not in text
        assert "***" not in text and "only-europe" not in text and "salary" not in text
