"""A catalog in memory, and what is bound against it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.bind.binding import Binding

from sqe.api.connection import connect

TABLES = (
    "CREATE TABLE t (a bigint, b varchar, c double)",
    "CREATE TABLE u (a bigint, d date)",
    'CREATE TABLE mixed ("Name" varchar, r row(x integer, y row(z varchar)), l array(bigint))',
    "CREATE TABLE strict (id bigint NOT NULL, n decimal(5,2), s varchar, ts timestamp(6), "
    "arr array(integer))",
    "CREATE SCHEMA other",
    "CREATE TABLE other.t (e integer)",
    "CREATE VIEW v AS SELECT a + 1 AS n, b FROM t WHERE c > 0",
    "CREATE VIEW vv AS SELECT n FROM v",
)


@pytest.fixture(scope="package")
def binding() -> Iterator[Binding]:
    with connect(memory=True) as connection:
        for statement in TABLES:
            connection.execute(statement)
        yield Binding(connection)
        assert not connection.coordinator.spark.started
