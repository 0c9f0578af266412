"""Two coordinator processes that commit to one table at the same moment, through one Spark."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.conftest import Connect
from tests.faults.test_killed_writers import Warehouse, Writer
from tests.one_spark import SharedServer

pytestmark = [pytest.mark.spark, pytest.mark.faults]

ROUNDS = 4
CONFLICT = "TRANSACTION_CONFLICT"


@pytest.fixture
def warehouse(tmp_path: Path) -> Warehouse:
    return Warehouse(tmp_path / "warehouse")


@pytest.fixture
def writers(spark_server: SharedServer, warehouse: Warehouse) -> Iterator[list[Writer]]:
    made = [Writer(warehouse.path, SQE__spark__remote=spark_server.remote).ready() for _ in range(2)]
    yield made
    for writer in made:
        writer.kill()


def at_once(writers: list[Writer], kind: str, numbers: list[int]) -> list[str]:
    for writer, number in zip(writers, numbers, strict=True):
        writer.order(kind, number)
    return [
        writer.answer().removesuffix(f" {kind} {number}")
        for writer, number in zip(writers, numbers, strict=True)
    ]


def test_inserts_that_meet_are_both_made(warehouse: Warehouse, writers: list[Writer]) -> None:
    for _ in range(ROUNDS):
        numbers = [warehouse.next("insert") for _ in writers]
        assert at_once(writers, "insert", numbers) == ["done", "done"]
        warehouse.done["insert"] += numbers
    assert warehouse.check() == "insert after"


def test_no_update_is_lost(connect: Connect, warehouse: Warehouse, writers: list[Writer]) -> None:
    """One that has met another is made after it, or refused as a whole."""
    connection = connect(warehouse=warehouse.path)
    connection.execute("CREATE TABLE counter AS SELECT 0 AS n")
    made = 0
    for number in range(ROUNDS):
        answers = at_once(writers, "count", [number, number])
        assert set(answers) <= {"done", f"failed count {number} {CONFLICT}"} and "done" in answers
        made += answers.count("done")
        assert connection.execute("SELECT n FROM counter").fetchall() == [(made,)]
