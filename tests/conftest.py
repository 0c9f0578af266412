"""What the whole run shares: one Spark, and connections on top of it."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from tests.one_spark import (
    SharedServer,
    address,
    pytest_configure_node,
    pytest_unconfigure,
    settings,
    shared_server,
)
from tests.stack.lake import lake
from tests.without_spark import no_java, pytest_addoption, pytest_collection_modifyitems, pytest_configure

from sqe.api.connection import Connection
from sqe.api.connection import connect as open_connection
from sqe.config.spark import SparkSettings
from sqe.engine.spark.jars import default_cache
from sqe.engine.spark.spark import Spark

__all__ = [
    "lake",
    "no_java",
    "pytest_addoption",
    "pytest_collection_modifyitems",
    "pytest_configure",
    "pytest_configure_node",
    "pytest_unconfigure",
]

_numbers = itertools.count(1)
Connect = Callable[..., Connection]


@pytest.fixture(scope="session")
def spark_lane(request: pytest.FixtureRequest) -> Iterator[Spark]:
    shared = shared_server(request.config)
    lane = Spark(SparkSettings(remote=shared.remote) if shared else settings(), default_cache())
    lane.start()
    yield lane
    lane.close(wait=60)


@pytest.fixture(scope="session")
def spark_server(request: pytest.FixtureRequest, spark_lane: Spark) -> SharedServer:
    """The server behind `spark_lane`."""
    shared = shared_server(request.config)
    if shared is None:
        server = spark_lane.link().server
        assert server is not None
        shared = address(server)
    return shared


@pytest.fixture(scope="session")
def connect(spark_lane: Spark) -> Iterator[Connect]:
    """Makes connections that share the run's Spark."""
    made: list[Connection] = []

    def connect(**arguments: Any) -> Connection:
        made.append(open_connection(spark=spark_lane, **arguments))
        return made[-1]

    yield connect
    for connection in made:
        connection.close()


@pytest.fixture(scope="session")
def connection(connect: Connect) -> Connection:
    return connect(memory=True)


@pytest.fixture
def schema(connection: Connection) -> Iterator[Connection]:
    """The connection, in a schema of the test's own."""
    name = f"test_{next(_numbers)}"
    connection.execute(f"CREATE SCHEMA {name}")
    connection.execute(f"USE {name}")
    yield connection
    connection.execute("USE iceberg.default")
    connection.execute(f"DROP SCHEMA {name} CASCADE")
