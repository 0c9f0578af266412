"""Connections of which nothing is asked that needs Spark."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from sqe.api.connection import Connection, connect


@pytest.fixture
def light() -> Iterator[Connection]:
    """A catalog of its own, and no engine: a statement that starts one fails the test."""
    with connect(memory=True) as connection:
        yield connection
        assert connection.coordinator.spark.started is False
