"""TPC-H and TPC-DS, loaded by our own SQL, answered by Spark, compared with DuckDB's answers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.tpc import duck
from tests.tpc.parameters import answerable

from sqe.api.connection import Connection
from sqe.bench.compare import difference, without_partner
from sqe.bench.generators import database, export
from sqe.bench.suites import queries

pytestmark = pytest.mark.spark

# DuckDB divides decimals, and averages them, as doubles.
ROUNDED = 1
# These multiply a quotient of two digits by a hundred: so much larger is what was rounded.
ROUNDED_OF = {"q58": 100, "q83": 100}


class Suite:
    def __init__(self, name: str, connection: Connection, directory: Path) -> None:
        self.name = name
        self.connection = connection
        self.oracle = database(name, duck.SCALE)
        connection.execute(f"CREATE SCHEMA {name}")
        connection.execute(f"USE {name}")
        for table, file in export(self.oracle, directory).items():
            loaded = connection.execute(f"CREATE TABLE {table} AS SELECT * FROM '{file}'")
            [(expected,)] = self.oracle.execute(f"SELECT count(*) FROM {table}").fetchall()
            assert loaded.rowcount == expected

    def check(self, sql: str, rounded: int = ROUNDED) -> bool:
        """Whether there were rows to compare."""
        self.connection.execute(f"USE {self.name}")
        cursor = self.connection.execute(sql)
        ours = cursor.fetchall()
        assert cursor.columns is not None
        theirs = duck.answer(self.oracle, sql, [str(kind) for _, kind in cursor.columns])
        wrong = difference(ours, theirs, decimal_steps=rounded)
        if wrong is not None and _limit(sql) == len(ours):
            # Rows that tie where LIMIT cuts may be others: compare without it.
            whole = re.sub(r"LIMIT\s+\d+\s*$", "", sql.rstrip(), flags=re.IGNORECASE)
            everything = duck.answer(self.oracle, whole, [str(kind) for _, kind in cursor.columns])
            others, _ = without_partner(ours, everything, decimal_steps=rounded)
            wrong = f"not in the whole answer: {others}" if others else None
        assert wrong is None, wrong
        return bool(ours)


def _limit(sql: str) -> int | None:
    match = re.search(r"LIMIT\s+(\d+)\s*$", sql.rstrip(), flags=re.IGNORECASE)
    return int(match[1]) if match else None


@pytest.fixture(scope="module")
def suites(connect: object, tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Suite]]:
    connection = connect(memory=True)  # type: ignore[operator]
    yield {name: Suite(name, connection, tmp_path_factory.mktemp(name)) for name in ("tpch", "tpcds")}


@pytest.mark.parametrize(
    ("suite", "query"), [(s, q) for s in ("tpch", "tpcds") for q in queries(s)], ids=lambda v: v
)
def test_same_answer(suites: dict[str, Suite], suite: str, query: str) -> None:
    assert suites[suite].check(answerable(suite)[query], ROUNDED_OF.get(query, ROUNDED)), (
        "no rows: give it other parameters"
    )
