"""A listing of many tables asks a catalog as little as one of few; only columns need the tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.doors.flight.metadata_commands import ask, rows

from sqe.api.connection import Connection
from sqe.catalog.backends.embedded import EmbeddedCatalog
from sqe.catalog.catalogs import Catalogs
from sqe.config.config import load
from sqe.coordinator import Coordinator
from sqe.doors.flight import flight_sql_pb2 as sql
from sqe.errors import Unavailable
from sqe.policy.decision import AllowAll
from sqe.session import Identity


class Counting:
    """A catalog that counts the calls to it, and fails while it is `away`."""

    def __init__(self, inner: EmbeddedCatalog) -> None:
        self.inner = inner
        self.calls: Counter[str] = Counter()
        self.away = False

    def acting_for(self, identity: object, tokens: object) -> Counting:
        return self

    def __getattr__(self, name: str) -> Any:
        found = getattr(self.inner, name)
        if not callable(found):
            return found

        def counted(*arguments: Any, **options: Any) -> Any:
            self.calls[name] += 1
            if self.away and name != "close":
                raise Unavailable("the catalog is away")
            return found(*arguments, **options)

        return counted


@pytest.fixture
def lake(tmp_path: Path) -> Counting:
    return Counting(EmbeddedCatalog("lake", tmp_path / "lake"))


@pytest.fixture
def joe(lake: Counting, tmp_path: Path) -> Iterator[Connection]:
    mounted: Any = {"lake": lake, "pond": EmbeddedCatalog("pond", tmp_path / "pond")}
    coordinator = Coordinator(load(None, {}), Catalogs(mounted), policy=AllowAll())
    with Connection(coordinator, Identity("joe")) as connection:
        yield connection


def calls(lake: Counting, connection: Connection, command: Any) -> Counter[str]:
    lake.calls.clear()
    rows(connection, command)
    return Counter(lake.calls)


def test_calls_do_not_grow_with_tables(lake: Counting, joe: Connection) -> None:
    commands = [sql.CommandGetTables(), sql.CommandGetDbSchemas(), sql.CommandGetPrimaryKeys(table="t0")]
    joe.execute("CREATE TABLE t0 (a bigint)")
    few = [calls(lake, joe, command) for command in commands]
    for number in range(1, 9):
        joe.execute(f"CREATE TABLE t{number} (a bigint)")
        joe.execute(f"CREATE VIEW v{number} AS SELECT 1 AS x")
    assert [calls(lake, joe, command) for command in commands] == few
    assert few[0]["find_table"] == few[0]["find_view"] == 0
    assert few[2]["find_table"] == 1


def test_columns_are_read_of_the_tables_that_are_wanted(lake: Counting, joe: Connection) -> None:
    for number in range(5):
        joe.execute(f"CREATE TABLE t{number} (a bigint)")
    command = sql.CommandGetTables(include_schema=True, table_name_filter_pattern="t3")
    assert calls(lake, joe, command)["find_table"] == 1


def test_a_large_answer_comes_in_several_batches(joe: Connection) -> None:
    wide = ", ".join(f"a_column_of_many_{number} bigint" for number in range(600))
    for number in range(20):
        joe.execute(f"CREATE TABLE wide_{number} ({wide})")
    command = sql.CommandGetTables(include_schema=True, table_name_filter_pattern="wide%")
    answer = ask(joe, command)
    assert answer.num_rows == 20 and answer.nbytes > 4 << 20
    assert [batch.nbytes < 8 << 20 for batch in answer.to_batches()] == [True, True]


def test_a_catalog_that_is_away_hides_no_other(lake: Counting, joe: Connection) -> None:
    joe.execute("CREATE TABLE pond.default.here (a bigint)")
    lake.away = True
    command = sql.CommandGetTables(table_name_filter_pattern="here")
    assert rows(joe, command) == [("pond", "default", "here", "TABLE")]
    with pytest.raises(Unavailable):
        rows(joe, sql.CommandGetTables(catalog="lake"))
    with pytest.raises(Unavailable):
        rows(joe, sql.CommandGetDbSchemas(catalog="lake"))
