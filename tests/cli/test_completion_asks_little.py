"""With a thousand tables, completion costs a few calls of the catalog, and none of them loads a table."""

from __future__ import annotations

import functools
import sqlite3
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sqe.api.connection import Connection, connect
from sqe.catalog.backends.embedded import EmbeddedCatalog
from sqe.cli.completion import candidates
from sqe.cli.names import Names

TABLES = 1000


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[Connection]:
    with connect(warehouse=tmp_path) as connection:
        connection.execute("CREATE TABLE t0 (id BIGINT, price DOUBLE)")
        # They share their metadata, which is enough for names.
        with sqlite3.connect(tmp_path / "sqe.db") as file:
            for number in range(1, TABLES):
                file.execute(
                    "INSERT INTO iceberg_tables SELECT catalog_name, table_namespace, ?, metadata_location, "
                    "previous_metadata_location, iceberg_type FROM iceberg_tables WHERE table_name = 't0'",
                    (f"t{number}",),
                )
        file.close()
        yield connection


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """How often each method of a catalog was called from outside."""
    counts: Counter[str] = Counter()

    def counted(name: str, method: Any) -> Any:
        @functools.wraps(method)
        def call(*arguments: Any, **options: Any) -> Any:
            counts[name] += 1
            return method(*arguments, **options)

        return call

    for name in dir(EmbeddedCatalog):
        method = getattr(EmbeddedCatalog, name)
        if callable(method) and not name.startswith("_"):
            monkeypatch.setattr(EmbeddedCatalog, name, counted(name, method))
    return counts


def offered(names: Names, text: str) -> list[str]:
    return [c.text for c in candidates(text, len(text), names)]


def test_tables_are_listed_once_for_many_tabs(connection: Connection, calls: Counter[str]) -> None:
    names = Names(connection)
    assert len([name for name in offered(names, "SELECT * FROM t") if name != "t"]) == TABLES
    first = sum(calls.values())
    assert first <= 12, calls
    assert not {"find_table", "load_tables"} & calls.keys(), calls
    for text in ("SELECT * FROM t1", "SELECT * FROM t12", "INSERT INTO t7", "SELECT 1 FROM t1 JOIN t9"):
        assert offered(names, text)
    assert sum(calls.values()) == first
    # A statement that may have changed names ends what is kept.
    names.forget()
    offered(names, "SELECT * FROM t1")
    assert sum(calls.values()) == 2 * first


def test_columns_load_the_tables_of_the_statement_and_no_others(
    connection: Connection, calls: Counter[str]
) -> None:
    names = Names(connection)
    assert "price" in offered(names, "SELECT * FROM t5 JOIN t6 ON t5.id = t6.id WHERE pr")
    assert calls["find_table"] <= 4 and sum(calls.values()) <= 20, calls
    before = sum(calls.values())
    offered(names, "SELECT * FROM t5 JOIN t6 ON t5.id = t6.id WHERE price > 1 AND i")
    assert sum(calls.values()) == before
