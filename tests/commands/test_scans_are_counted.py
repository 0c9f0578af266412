"""How many files a statement read and left out is kept with it, whichever lane it ran on."""

from __future__ import annotations

import pytest

from sqe.api.connection import Connection

pytestmark = pytest.mark.spark

_READ = "SELECT files_read, files_skipped, bytes_read > 0 FROM system.runtime.queries WHERE query = '{}'"


@pytest.mark.parametrize("lane", ["fast", "spark"])
def test_files_read_and_left_out(schema: Connection, lane: str) -> None:
    schema.execute("CREATE TABLE t (k integer) WITH (partitioning = ARRAY['k'])")
    schema.execute("INSERT INTO t VALUES 1, 2, 3")
    schema.execute(f"SET SESSION lane = '{lane}'")
    rows: list[tuple[object, ...]] = []
    for number in range(20):
        # Spark tells by a thread of its own, nearly always before the last row.
        sql = f"SELECT k AS of_{lane}_{number} FROM t WHERE k < 3"
        assert len(schema.execute(sql).fetchall()) == 2
        rows = schema.execute(_READ.format(sql)).fetchall()
        if rows != [(None, None, None)]:
            break
    schema.execute("RESET SESSION lane")
    assert rows == [(2, 1, True)]


def test_a_statement_that_reads_no_table_has_no_counts(schema: Connection) -> None:
    schema.execute("SELECT 1 AS nothing_read").fetchall()
    assert schema.execute(_READ.format("SELECT 1 AS nothing_read")).fetchall() == [(None, None, None)]
