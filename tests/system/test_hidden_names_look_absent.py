"""Listings are made of what this user may know: hidden tables and columns are in none of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from sqe.api.connection import Connection
from sqe.catalog.catalogs import embedded
from sqe.catalog.iceberg import metadata_tables
from sqe.config.config import load
from sqe.coordinator import Coordinator
from sqe.engine.spark.spark import Spark
from sqe.errors import AccessDenied, NotFound, SqeError
from sqe.policy.decision import EVERYTHING, NOTHING, Decision
from sqe.session import Identity
from sqe.tree.privileges import ALL
from sqe.tree.relations import TableName
from sqe.tree.rules import Rule

pytestmark = pytest.mark.spark


STARS = Rule("'***'")


class Hiding:
    """Joe knows of no secret, sees names in `people` as stars, and no salaries there."""

    def table(self, identity: Identity, table: TableName) -> Decision:
        if identity.user == "ann":
            return EVERYTHING
        if "secret" in table.name:
            return NOTHING
        if table.name == "people":
            return Decision(ALL, restricted=frozenset({"salary"}))
        if table.name == "masked":
            return Decision(ALL, masks={"name": STARS})
        return EVERYTHING

    def may_read_files(self, identity: Identity, paths: Sequence[str]) -> bool:
        return False

    def may_place(self, identity: Identity, location: str) -> bool:
        return False


@pytest.fixture(scope="module")
def ann(spark_lane: Spark, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    place: Path = tmp_path_factory.mktemp("hidden")
    coordinator = Coordinator(
        load(None, {}), embedded(warehouse=place / "w"), policy=Hiding(), spark=spark_lane
    )
    with Connection(coordinator, Identity("ann")) as connection:
        for sql in (
            "CREATE TABLE people (id bigint, name varchar, salary bigint COMMENT 'in cents') "
            "WITH (partitioning = ARRAY['bucket(salary, 4)'])",
            "CREATE TABLE masked (id bigint, name varchar)",
            "CREATE TABLE secret (x bigint) COMMENT 'hush'",
            "CREATE VIEW everybody AS SELECT * FROM people",
            "CREATE VIEW paid AS SELECT id, salary AS wage FROM people",
            "CREATE VIEW of_a_hidden_one AS SELECT x FROM secret",
            "CREATE VIEW secret_view AS SELECT 1 AS x",
            "CREATE VIEW veiled AS SELECT name FROM masked",
            "COMMENT ON COLUMN everybody.salary IS 'in cents'",
            "CREATE TABLE shown (a bigint)",
        ):
            connection.execute(sql)
        yield connection


@pytest.fixture(scope="module")
def joe(ann: Connection) -> Connection:
    return Connection(ann.coordinator, Identity("joe"))


LISTINGS = [
    "SHOW TABLES",
    "SHOW VIEWS",
    "SHOW COLUMNS FROM people",
    "DESCRIBE people",
    "DESCRIBE everybody",
    "SELECT * FROM information_schema.tables",
    "SELECT *, table_comment FROM information_schema.tables",
    "SELECT *, comment, column_comment, extra_info FROM information_schema.columns "
    "WHERE table_schema = 'default'",
    "SELECT table_name FROM information_schema.columns WHERE column_name = 'salary'",
    "SELECT table_name, column_name FROM information_schema.columns WHERE table_name LIKE 'secret%'",
    "SELECT table_name FROM information_schema.views",
    "SELECT * FROM information_schema.views",
    "SELECT * FROM system.jdbc.tables",
    "SELECT * FROM system.jdbc.columns WHERE table_schem = 'default'",
    "SELECT * FROM system.metadata.table_comments",
]


@pytest.mark.parametrize("sql", LISTINGS)
def test_joe_finds_no_trace(joe: Connection, ann: Connection, sql: str) -> None:
    cursor = joe.execute(sql)
    found = [value for row in cursor.fetchall() for value in row if isinstance(value, str)]
    found += cursor.warnings
    for trace in ("secret", "salary", "wage", "hush", "in cents"):
        assert not any(trace in value for value in found), trace
    theirs = [value for row in ann.execute(sql).fetchall() for value in row if isinstance(value, str)]
    assert len(theirs) > len(found) - len(cursor.warnings)


def test_the_text_of_a_view_is_there_where_all_of_it_may_be_known(joe: Connection, ann: Connection) -> None:
    sql = "SELECT table_name, view_definition FROM information_schema.views WHERE table_schema = 'default'"
    assert dict(joe.execute(sql).fetchall()) == {
        "everybody": None,
        "of_a_hidden_one": None,
        "paid": None,
        "veiled": "SELECT name FROM masked",
    }
    texts: dict[str, str | None] = dict(ann.execute(sql).fetchall())
    assert texts["everybody"] == "SELECT * FROM people"


def test_the_rest_is_there(joe: Connection) -> None:
    assert joe.execute("SHOW TABLES").fetchall() == [
        *(("everybody",), ("masked",), ("of_a_hidden_one",), ("paid",), ("people",), ("shown",)),
        ("veiled",),
    ]
    numbered = "SELECT column_name, ordinal_position FROM information_schema.columns"
    sql = numbered + " WHERE table_name = '{}' ORDER BY 2"
    assert joe.execute(sql.format("people")).fetchall() == [("id", 1), ("name", 2)]
    assert joe.execute(sql.format("everybody")).fetchall() == [("id", 1), ("name", 2)]
    assert joe.execute(sql.format("masked")).fetchall() == [("id", 1), ("name", 2)]


DENIED = [
    "SHOW CREATE TABLE people",
    "SHOW STATS FOR people",
    "SHOW STATS FOR masked",
    *(f'SELECT count(*) FROM "people${name}"' for name in metadata_tables.NAMES),
    *(f'DESCRIBE "people${name}"' for name in metadata_tables.NAMES),
    'SELECT * FROM "masked$files"',
    'EXPLAIN SELECT * FROM "masked$partitions"',
]


@pytest.mark.parametrize("sql", DENIED)
def test_what_would_tell_of_hidden_columns_or_rows_is_denied(joe: Connection, sql: str) -> None:
    with pytest.raises(AccessDenied) as error:
        joe.execute(sql)
    assert "salary" not in str(error.value)


HIDDEN = [
    "DESCRIBE {}",
    "SHOW COLUMNS FROM {}",
    "SHOW CREATE TABLE {}",
    "SHOW STATS FOR {}",
    'SELECT * FROM "{}$files"',
    'DESCRIBE "{}$nosuch"',
    "EXECUTE IMMEDIATE 'SELECT * FROM {}'",
]


@pytest.mark.parametrize("sql", HIDDEN)
def test_a_hidden_table_looks_absent(joe: Connection, sql: str) -> None:
    errors: list[SqeError] = []
    for name in ("secret", "zecret"):
        with pytest.raises(NotFound) as error:
            joe.execute(sql.format(name))
        errors.append(error.value)
    hidden, absent = errors
    assert str(hidden).replace("secret", "zecret") == str(absent)
    assert (hidden.code, hidden.hint) == (absent.code, absent.hint)


def test_prepared_statements_are_described_as_joe_may_see_them(joe: Connection) -> None:
    joe.execute("PREPARE p FROM SELECT * FROM people WHERE id = ?")
    assert [row[0] for row in joe.execute("DESCRIBE OUTPUT p").fetchall()] == ["id", "name"]


def test_joe_knows_only_of_his_own_statements(joe: Connection, ann: Connection) -> None:
    ann.execute("SHOW TABLES LIKE 'a word of ann'")
    joe.execute("SHOW TABLES LIKE 'a word of joe'")
    rows: list[tuple[Any, ...]] = joe.execute('SELECT "user", query FROM system.runtime.queries').fetchall()
    assert {user for user, _ in rows} == {"joe"}
    assert any("a word of joe" in text for _, text in rows)
    assert not any("a word of ann" in text for _, text in rows)
