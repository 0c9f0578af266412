"""Sessions on the run's Spark."""

from __future__ import annotations

import pytest

from sqe.engine.spark.spark import Spark, SparkSession


@pytest.fixture
def spark(spark_lane: Spark) -> SparkSession:
    """The session of a user without catalogs."""
    return spark_lane.session("anyone", {})
