"""TPC-H on tables in an object store, through a REST catalog: both lanes answer as they do on local files."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from benchmarks.object_store import DISK, LANES, STORE, answer, connected, load_both
from tests.stack.lake import Lake

from sqe.api.connection import Connection
from sqe.bench.compare import difference
from sqe.bench.suites import queries

pytestmark = [pytest.mark.spark, pytest.mark.integration, pytest.mark.long]
SCALE = 0.1


@pytest.fixture(scope="module")
def connection(lake: Lake, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    with connected(lake.servers, tmp_path_factory.mktemp("sqe")) as connection:
        load_both(connection, SCALE)
        yield connection


@pytest.mark.parametrize("name", queries("tpch"))
@pytest.mark.parametrize("lane", LANES)
def test_answers_are_those_of_local_files(connection: Connection, lane: str, name: str) -> None:
    sql = queries("tpch")[name]
    connection.execute(f"SET SESSION lane = '{lane}'")
    expected = answer(connection, DISK, sql)
    assert expected
    assert difference(answer(connection, STORE, sql), expected) is None


def test_deleted_rows_stay_deleted(connection: Connection) -> None:
    """Position deletes are read by Iceberg's own metadata, on the fast lane too."""
    connection.execute("SET SESSION lane = 'auto'")
    connection.execute(f"USE {STORE}.tpch")
    connection.execute("CREATE TABLE kept AS SELECT n_nationkey, n_name FROM nation")
    connection.execute("ALTER TABLE kept SET PROPERTIES \"write.delete.mode\" = 'merge-on-read'")
    connection.execute("DELETE FROM kept WHERE n_nationkey > 2")
    for lane in LANES:
        connection.execute(f"SET SESSION lane = '{lane}'")
        rows = connection.execute("SELECT n_nationkey, n_name FROM kept ORDER BY 1").fetchall()
        assert rows == [(0, "ALGERIA"), (1, "ARGENTINA"), (2, "BRAZIL")]
    connection.execute("SET SESSION lane = 'fast'")
    (text,) = connection.execute("EXPLAIN SELECT count(*) FROM kept").fetchall()[0]
    assert "iceberg_scan('s3://" in text
