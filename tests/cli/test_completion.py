"""What Tab offers, in the places of a statement."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from sqe.api.connection import Connection, connect
from sqe.cli.completion import candidates
from sqe.cli.names import Names
from sqe.policy.decision import EVERYTHING, NOTHING, AllowAll, Decision
from sqe.session import Identity
from sqe.tree.privileges import ALL
from sqe.tree.relations import TableName


@pytest.fixture(scope="module")
def connection() -> Iterator[Connection]:
    with connect(memory=True) as connection:
        for sql in (
            "CREATE SCHEMA shop",
            'CREATE TABLE shop.orders (id BIGINT, amount DECIMAL(10, 2), "Ship To" VARCHAR)',
            "CREATE TABLE shop.customers (id BIGINT, name VARCHAR)",
            'CREATE TABLE shop."Old Orders" (id BIGINT, "order" BIGINT)',
            "CREATE TABLE local_things (thing VARCHAR)",
            "CREATE SCHEMA shop.archive",
        ):
            connection.execute(sql)
        yield connection


@pytest.fixture(scope="module")
def names(connection: Connection) -> Names:
    return Names(connection)


def offered(names: Names, text: str) -> list[str]:
    """What the text before the cursor, `|`, becomes with each candidate in it."""
    before, _, after = text.partition("|")
    return [c.text for c in candidates(before + after, len(before), names)]


def test_statements_begin_with_keywords(names: Names) -> None:
    assert offered(names, "SE|") == ["SELECT", "SET"]
    assert offered(names, "sh|") == ["show"]
    assert offered(names, "CREATE SCHEMA x; DES|") == ["DESCRIBE"]


def test_behind_from_stand_tables_schemas_and_catalogs(names: Names) -> None:
    assert offered(names, "SELECT * FROM |") == [
        *("local_things", "default", "information_schema", "shop", '"shop.archive"', "iceberg", "system"),
    ]
    assert offered(names, "SELECT * FROM lo|") == ["local_things"]
    for text in ("INSERT INTO |", "UPDATE |", "DESCRIBE |", "DROP TABLE |", "SELECT 1 FROM a JOIN |"):
        assert "local_things" in offered(names, text), text
    assert "local_things" in offered(names, "SELECT * FROM shop.orders o, |")
    assert "local_things" in offered(names, "SELECT (SELECT max(id) FROM |")


def test_behind_a_schema_or_catalog_stands_what_it_holds(names: Names) -> None:
    assert offered(names, "SELECT * FROM shop.|") == ['"Old Orders"', "customers", "orders", "archive"]
    assert offered(names, "SELECT * FROM shop.o|") == ['"Old Orders"', "orders"]
    assert offered(names, "SELECT * FROM iceberg.s|") == ["shop", '"shop.archive"']
    assert offered(names, "SELECT * FROM iceberg.shop.c|") == ["customers"]
    assert offered(names, "SELECT * FROM nowhere.|") == []


def test_names_that_need_quotes_get_them(names: Names) -> None:
    assert offered(names, 'SELECT * FROM shop."o|') == ['"Old Orders"', '"orders"']
    assert offered(names, "SELECT o.s| FROM shop.orders o") == ['"Ship To"']
    assert offered(names, 'SELECT o.or| FROM shop."Old Orders" o') == ['"order"']


def test_columns_of_the_tables_of_the_statement(names: Names) -> None:
    assert offered(names, "SELECT am| FROM shop.orders") == ["amount"]
    assert offered(names, "SELECT o.| FROM shop.orders AS o") == ["id", "amount", '"Ship To"']
    assert offered(names, "SELECT o.| FROM shop.customers c JOIN shop.orders o") == [
        *("id", "amount", '"Ship To"'),
    ]
    assert offered(names, "SELECT shop.customers.n| FROM shop.customers") == ["name"]
    assert offered(names, "UPDATE shop.orders SET am|") == ["amount"]
    assert offered(names, "INSERT INTO shop.orders (am|") == ["amount"]
    assert offered(names, "SELECT upper(na| FROM shop.customers, shop.orders") == [
        *("name", "nan", "natural"),
    ]
    assert offered(names, "SELECT * FROM shop.orders WHERE amount > 1 AND am|") == ["amount"]
    assert "amount" not in offered(names, "SELECT 1 FROM shop.orders; SELECT am|")


def test_named_queries_and_aliases(names: Names) -> None:
    assert "recent" in offered(names, "WITH recent AS (SELECT 1) SELECT * FROM re|")
    assert offered(names, "SELECT cus| FROM shop.customers AS cust") == ["cust"]


def test_functions_come_with_their_help(names: Names) -> None:
    found = {c.text: c.about for c in candidates("SELECT date_t", 13, names)}
    assert set(found) == {"date_trunc"} and found["date_trunc"]


def test_nothing_in_strings_comments_and_numbers(names: Names) -> None:
    for text in ("SELECT 'SE|", "SELECT 1 -- SE|", "SELECT /* SE|", "SELECT 12|", 'SELECT "id"|'):
        assert offered(names, text) == [], text


def test_files_in_the_quotes_behind_from(
    names: Names, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "o'clock.parquet").touch()
    (tmp_path / "dates.parquet").touch()
    (tmp_path / "dates.txt").touch()
    monkeypatch.chdir(tmp_path)
    assert offered(names, "SELECT * FROM 'da|") == ["data/", "dates.parquet"]
    assert offered(names, "SELECT * FROM 'data/|") == ["data/o''clock.parquet"]
    assert offered(names, f"SELECT * FROM t JOIN '{tmp_path}/dat|")[0] == f"{tmp_path}/data/"
    assert offered(names, "SELECT * FROM t WHERE a = 'da|") == []
    assert offered(names, "SELECT * FROM 'nowhere/|") == []


def test_schemas_where_a_statement_takes_one(names: Names) -> None:
    for text in ("USE sh|", "SHOW TABLES FROM sh|", "DROP SCHEMA sh|"):
        assert offered(names, text) == ["shop", '"shop.archive"'], text
    assert offered(names, "SHOW SCHEMAS FROM ic|") == ["iceberg"]


def test_dot_commands_and_what_they_take(
    names: Names, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "script.sql").touch()
    monkeypatch.chdir(tmp_path)
    assert offered(names, ".su|") == [".summarize", ".summary"]
    assert offered(names, "\\fo|") == ["\\format"]
    assert offered(names, ".format |") == ["table", "csv", "tsv", "json"]
    assert offered(names, ".timer o|") == ["on", "off"]
    assert offered(names, ".tables sh|") == ["shop", '"shop.archive"']
    assert offered(names, ".d shop.cu|") == ["customers"]
    assert offered(names, ".read sc|") == ["script.sql"]
    assert offered(names, ".help |") == []


class Hides(AllowAll):
    """shop.customers, and what orders cost."""

    def table(self, identity: Identity, table: TableName) -> Decision:
        if table.name == "customers":
            return NOTHING
        return (
            Decision(ALL, restricted=frozenset({"amount"})) if table.name == "orders" else EVERYTHING
        )


def test_only_what_this_user_may_see(tmp_path: Path) -> None:
    with connect(warehouse=tmp_path) as everybody:
        everybody.execute("CREATE SCHEMA shop")
        everybody.execute("CREATE TABLE shop.orders (id BIGINT, amount BIGINT)")
        everybody.execute("CREATE TABLE shop.customers (id BIGINT)")
    with connect(warehouse=tmp_path, policy=Hides()) as somebody:
        names = Names(somebody)
        assert offered(names, "SELECT * FROM shop.|") == ["orders"]
        assert offered(names, "SELECT o.| FROM shop.orders o") == ["id"]
        assert offered(names, "SELECT c.| FROM shop.customers c") == []
