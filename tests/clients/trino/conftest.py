"""The server that Trino's clients talk to, and what is in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from tests.clients.trino.client_programs import python_client
from tests.doors.trino.trino_door import ANYBODY, WITH_KEYS, Opened, Wire, opened_door

from sqe.engine.spark.spark import Spark


@pytest.fixture(scope="session")
def shop(spark_lane: Spark, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    """A server with a catalog `iceberg` and some orders in it, for clients that write too."""
    home = tmp_path_factory.mktemp("shop")
    catalog = f'[catalogs.iceberg.backend]\ntype = "sqlite"\nwarehouse = "{home / "iceberg"}"\n'
    with opened_door(home, catalog, providers=WITH_KEYS + ANYBODY, spark=spark_lane) as opened:
        wire = Wire(opened.url)
        for sql in (
            "CREATE SCHEMA iceberg.shop",
            "CREATE TABLE iceberg.shop.orders"
            " (id bigint, region varchar COMMENT 'where', amount decimal(10, 2)) COMMENT 'what was bought'",
            "INSERT INTO iceberg.shop.orders VALUES (1, 'EU', 12.50), (2, 'US', 7.25), (3, 'EU', 30.00)",
            "CREATE VIEW iceberg.shop.totals AS SELECT region, sum(amount) AS total"
            " FROM iceberg.shop.orders GROUP BY region",
        ):
            assert "error" not in wire.run(sql).pages[-1], sql
        yield opened


@pytest.fixture(scope="session")
def trino_client() -> Any:
    return python_client()
