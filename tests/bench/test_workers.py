"""Engines in processes of their own: what they use is counted, and how they fail is told."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator

import pytest
from benchmarks.many_files import ROWS_EACH, table_of_files

from sqe.bench import processes
from sqe.bench.engines import Place
from sqe.bench.place import Kept, metadata_file
from sqe.bench.worker import Failed, Worker


@pytest.fixture(scope="module")
def place(kept: Kept) -> Place:
    with kept.connect() as connection:
        name = table_of_files(connection, 3)
        tables = {"t": metadata_file(connection, *name.split("."))}
    return Place(kept.warehouse, name.split(".")[0], tables, memory=1 << 30, threads=2)


@pytest.fixture
def worker(place: Place) -> Iterator[Worker]:
    made = Worker("duckdb", place, timeout=30)
    yield made
    made.close()


def test_an_answer(worker: Worker) -> None:
    done = worker.run("SELECT id, name FROM t WHERE id = 250", keep=True)
    assert done.rows == [(250, "name 250")]
    assert done.names == ("id", "name")
    assert worker.run("SELECT count(*) FROM t", keep=True).rows == [(3 * ROWS_EACH,)]
    assert worker.run("SELECT * FROM t").rows is None


def test_what_it_uses_is_counted(worker: Worker) -> None:
    little = worker.run("SELECT 1")
    much = worker.run("SELECT count(DISTINCT i) FROM range(3000000) AS _(i)")
    assert None not in (little.cpu, much.cpu, little.peak, much.peak)
    assert much.cpu > little.cpu  # type: ignore[operator]
    assert much.peak > little.peak + (10 << 20)  # type: ignore[operator]


def test_a_failure_is_told_and_the_next_query_works(worker: Worker) -> None:
    with pytest.raises(Failed, match=r"CatalogException: .*absent"):
        worker.run("SELECT * FROM absent")
    assert worker.run("SELECT 1").count == 1


def test_a_query_that_never_ends(place: Place) -> None:
    worker = Worker("duckdb", place, timeout=5)
    try:
        with pytest.raises(Failed, match="no answer in 5 s"):
            worker.run("SELECT sum(a.i * b.i) FROM range(10000000) AS a(i), range(10000000) AS b(i)")
        assert worker.run("SELECT 1").count == 1
    finally:
        worker.close()


def test_a_table_that_is_not_there(place: Place) -> None:
    missing = Place(place.warehouse, place.schema, {"t": "/absent/metadata.json"}, memory=1 << 30, threads=1)
    with pytest.raises(Failed):
        Worker("duckdb", missing, timeout=30)


def test_children_belong_to_the_tree() -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        assert child.pid in processes.tree(os.getpid())
        assert len(processes.names(os.getpid())) >= 2
    finally:
        child.communicate(b"\n")


def test_the_table_is_written_once(kept: Kept) -> None:
    with kept.connect() as connection:
        name = table_of_files(connection, 3)
        before = metadata_file(connection, *name.split("."))
        assert table_of_files(connection, 3) == name
        assert metadata_file(connection, *name.split(".")) == before
        files = connection.execute(
            f"SELECT count(*) FROM {name.replace('of_3', chr(34) + 'of_3$files' + chr(34))}"
        )
        assert files is not None
