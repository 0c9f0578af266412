"""What a REST catalog hides from a user is for them as what is not there, whatever the statement; a user who
may know of a table, and not do something with it, is told that."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from tests.catalog.backends.conformance import definition, view_definition
from tests.catalog.backends.fake_rest_server import Failure, FakeRestServer, fake_rest_server
from tests.catalog.backends.local_places import ANYWHERE
from tests.catalog.backends.people import ALICE, BOB, Tokens

from sqe.api.connection import Connection
from sqe.catalog.backends.rest import RestCatalog
from sqe.catalog.catalogs import Catalogs
from sqe.config.config import load
from sqe.coordinator import Coordinator
from sqe.errors import AccessDenied, NotFound, SqeError
from sqe.policy.decision import AllowAll
from sqe.tree import changes as c
from sqe.tree.relations import TableName

HR, SALES = ("hr",), ("sales",)
# Nessie's, and what the specification says.
DENIALS = [(500, "AccessCheckException"), (403, "ForbiddenException")]
STATEMENTS = [
    "SELECT * FROM {}",
    "SELECT count(*) FROM {}",
    "SELECT 1 FROM lake.sales.people AS t JOIN {} AS h ON h.id = t.id",
    'SELECT * FROM {0} FOR VERSION AS OF 1',
    "SELECT * FROM {0} FOR TIMESTAMP AS OF TIMESTAMP '2026-01-01 00:00:00 UTC'",
    "SELECT * FROM {schema}.\"{name}$snapshots\"",
    "DESCRIBE {}",
    "SHOW COLUMNS FROM {}",
    "SHOW CREATE TABLE {}",
    "SHOW CREATE VIEW {}",
    "SHOW STATS FOR {}",
    "EXPLAIN SELECT * FROM {}",
    "INSERT INTO {} VALUES (1, 'x')",
    "DELETE FROM {}",
    "UPDATE {} SET name = 'x'",
    "TRUNCATE TABLE {}",
    "ALTER TABLE {} ADD COLUMN c integer",
    "ALTER TABLE {} RENAME TO lake.sales.mine",
    "COMMENT ON TABLE {} IS 'x'",
    "DROP TABLE {}",
    "DROP VIEW {}",
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FakeRestServer]:
    with fake_rest_server(tmp_path_factory.mktemp("lake")) as server:
        server.denial = DENIALS[0]
        yield server


@pytest.fixture(scope="module")
def catalog(server: FakeRestServer) -> Iterator[RestCatalog]:
    """alice reads `sales`, and may know nothing of `hr`."""
    catalog = RestCatalog("lake", server.url, warehouse="lake", allowed=ANYWHERE, cache_seconds=30)
    for namespace in (HR, SALES):
        catalog.create_namespace(namespace)
        catalog.create_table(definition(catalog, "people", namespace=namespace))
        catalog.create_view(view_definition(catalog, "paid", namespace=namespace))
    server.hidden["a"] = {HR}
    server.readers.add("a")
    yield catalog
    catalog.close()


@pytest.fixture(scope="module")
def alice(catalog: RestCatalog) -> Iterator[Connection]:
    coordinator = Coordinator(load(None, {}), Catalogs({"lake": catalog}), policy=AllowAll())
    connection = Connection(coordinator, ALICE)
    connection.session.tokens = Tokens("a")
    # What somebody else has been answered does not help.
    catalog.acting_for(BOB, Tokens("b")).find_table(HR, "people")
    yield connection
    coordinator.close()


def said(connection: Connection, statement: str, schema: str, name: str) -> tuple[type, str, str, str | None]:
    """What she hears, with the name that she wrote left out."""
    with pytest.raises(SqeError) as refused:
        connection.execute(statement.format(f"{schema}.{name}", schema=schema, name=name)).fetchall()
    error = refused.value
    words = error.message.replace(schema, "SCHEMA").replace(name, "NAME")
    return type(error), error.code, words, error.hint


@pytest.mark.parametrize("statement", STATEMENTS)
def test_a_hidden_table_a_guessed_one_and_a_schema_that_is_none(alice: Connection, statement: str) -> None:
    hidden = said(alice, statement, "lake.hr", "people")
    assert issubclass(hidden[0], NotFound) and hidden[1] == "SCHEMA_NOT_FOUND", hidden
    assert said(alice, statement, "lake.hr", "paid") == hidden
    assert said(alice, statement, "lake.hr", "zzz") == hidden
    assert said(alice, statement, "lake.nowhere", "zzz") == hidden


def test_either_way_in_which_servers_deny(
    alice: Connection, server: FakeRestServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    heard = []
    for denial in DENIALS:
        monkeypatch.setattr(server, "denial", denial)
        heard += [said(alice, "SELECT * FROM {}", "lake.hr", name) for name in ("people", "zzz")]
    assert len(set(heard)) == 1


@pytest.mark.parametrize(
    "statement",
    ["SHOW TABLES FROM {schema}", "SHOW CREATE SCHEMA {schema}", "DROP SCHEMA {schema}", "USE {schema}",
     "CREATE TABLE {schema}.x (a integer)", "CREATE VIEW {schema}.x AS SELECT 1 AS a"],
)  # fmt: skip
def test_a_hidden_schema(alice: Connection, statement: str) -> None:
    hidden = said(alice, statement, "lake.hr", "zzz")
    assert issubclass(hidden[0], NotFound), hidden
    assert said(alice, statement, "lake.nowhere", "zzz") == hidden


def test_no_list_has_it(alice: Connection) -> None:
    assert ("hr",) not in alice.execute("SHOW SCHEMAS FROM lake").fetchall()
    columns = {"tables": "table_schema", "columns": "table_schema", "schemata": "schema_name"}
    for table, column in columns.items():
        rows = alice.execute(f"SELECT DISTINCT {column} FROM lake.information_schema.{table}").fetchall()
        assert ("sales",) in rows and ("hr",) not in rows


def test_a_hidden_table_of_a_schema_that_she_sees(
    alice: Connection, catalog: RestCatalog, server: FakeRestServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No list has it, so that it is as absent."""
    catalog.create_table(definition(catalog, "secret", namespace=SALES))
    answer_for = server.answer_for

    def without_secret(token: str | None, method: str, path: list[str], *more: Any) -> Any:
        if token == "a" and path[-1] == "secret":
            raise Failure(*server.denial)
        answer = answer_for(token, method, path, *more)
        if token == "a" and answer and "identifiers" in answer:
            answer["identifiers"] = [each for each in answer["identifiers"] if each["name"] != "secret"]
        return answer

    monkeypatch.setattr(server, "answer_for", without_secret)
    for statement in ("SELECT * FROM {}", "DROP TABLE {}", "INSERT INTO {} VALUES (1, 'x')"):
        hidden = said(alice, statement, "lake.sales", "secret")
        assert hidden == said(alice, statement, "lake.sales", "zzzzzz")
        assert hidden[1:3] == ("TABLE_NOT_FOUND", "table 'SCHEMA.NAME' does not exist")


@pytest.mark.parametrize(
    "statement",
    ["DROP TABLE {}", "ALTER TABLE {} ADD COLUMN c integer", "COMMENT ON TABLE {} IS 'x'",
     "ALTER TABLE {} RENAME TO lake.sales.u", "CREATE TABLE lake.sales.u (a integer)",
     "CREATE OR REPLACE VIEW lake.sales.paid AS SELECT 2 AS a", "DROP VIEW lake.sales.paid"],
)  # fmt: skip
def test_what_she_sees_and_may_not_change(alice: Connection, statement: str) -> None:
    with pytest.raises(AccessDenied, match="catalog 'lake' does not allow this"):
        alice.execute(statement.format("lake.sales.people"))
    assert alice.execute("SELECT * FROM lake.sales.people").fetchall() == []


def test_whoever_speaks_the_protocol_hears_the_same(catalog: RestCatalog) -> None:
    """The Iceberg door asks by exact names, and commits without a look before."""
    alice = catalog.acting_for(ALICE, Tokens("a"))
    change = [{"action": "set-properties", "updates": {"a": "b"}}]
    for name in ("people", "zzz"):
        table = TableName("lake", HR, name)
        with pytest.raises(NotFound, match=f"table 'lake.hr.{name}' does not exist"):
            alice.load(table)
        with pytest.raises(NotFound, match=f"table 'lake.hr.{name}' does not exist"):
            alice.commit(table, [], change)
        assert not alice.has_view(TableName("lake", HR, name if name == "zzz" else "paid"))
    for schema in (HR, ("nowhere",)):
        with pytest.raises(NotFound, match="schema 'lake"):
            alice.create_requested(TableName("lake", schema, "x"), {"name": "x", "schema": {}})
    seen = TableName("lake", SALES, "people")
    with pytest.raises(AccessDenied):
        alice.commit(seen, [], change)
    with pytest.raises(AccessDenied):
        alice.alter_table(seen, c.SetComment("x"))


def test_whoever_may_list_nothing_still_finds_what_is_theirs(
    catalog: RestCatalog, server: FakeRestServer
) -> None:
    server.failures = [("GET", "/namespaces", 403), ("GET", "/tables", 403)] * 50
    catalog._server.changes.add(None)
    alice = catalog.acting_for(ALICE, Tokens("a"))
    assert alice.find_table(SALES, "people").name.name == "people"
    assert alice.find_namespace(SALES) == SALES
    for schema, name in ((SALES, "zzz"), (HR, "people"), (HR, "zzz")):
        with pytest.raises(NotFound, match="does not exist"):
            alice.find_table(schema, name)
    server.failures.clear()
