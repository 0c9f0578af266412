"""What the tests of the lake share: one Spark that reads and writes S3, a table that alice may read, and one
that she may not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.stack.lake import Lake
from tests.stack.tables import Stored, new_table

from sqe.config.spark import SparkSettings
from sqe.engine.spark.jars import ICEBERG, ICEBERG_AWS, default_cache
from sqe.engine.spark.spark import Spark


@pytest.fixture(scope="session")
def spark_on_s3() -> Iterator[Spark]:
    # Its log is read by those who look for secrets in it.
    conf = {"spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1"}
    spark = Spark(SparkSettings(driver_memory="1g", conf=conf), default_cache(), (ICEBERG, ICEBERG_AWS))
    yield spark
    spark.close(wait=60)


@pytest.fixture(scope="module")
def orders(lake: Lake) -> Iterator[Stored]:
    with new_table(lake, "sales") as table:
        yield table


@pytest.fixture(scope="module")
def salaries(lake: Lake) -> Iterator[Stored]:
    with new_table(lake, "hr") as table:
        yield table
