"""Each test of the API twice: with an engine in this process, and with a server."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest
from tests.flight_server import KEYS, serve, server

import sqe
from sqe.api.base_connection import BaseConnection
from sqe.engine.spark.spark import Spark

__all__ = ["serve", "server"]

_numbers = itertools.count(1)


@pytest.fixture(scope="session", params=["embedded", "server"])
def connection(request: pytest.FixtureRequest, spark_lane: Spark) -> Iterator[BaseConnection[Any]]:
    if request.param == "embedded":
        yield request.getfixturevalue("connect")(memory=True)
    else:
        port = request.getfixturevalue("server").flight.port
        with sqe.connect(host="127.0.0.1", port=port, token=KEYS["ann"]) as made:
            yield made


@pytest.fixture
def schema(connection: BaseConnection[Any]) -> Iterator[BaseConnection[Any]]:
    """The connection, in a schema of the test's own."""
    name = f"api_{next(_numbers)}"
    connection.execute(f"CREATE SCHEMA {name}")
    connection.execute(f"USE {name}")
    yield connection
    connection.execute("USE default")
    connection.execute(f"DROP SCHEMA {name} CASCADE")
