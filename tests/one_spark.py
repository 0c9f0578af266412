"""One Spark server per run: with pytest-xdist the controller starts it, and all workers share it."""

from __future__ import annotations

from typing import Any

import pytest
from tests.plain_spark import class_path
from tests.without_spark import OPTION

from sqe.api.connection import connect
from sqe.config.spark import SparkSettings
from sqe.engine.spark.archive import class_archive
from sqe.engine.spark.jars import default_cache, ensure_jars, spark_jars
from sqe.engine.spark.java import find_java
from sqe.engine.spark.server import SparkServer
from sqe.engine.spark.spark import Spark
from sqe.foundation.record import record

_server = pytest.StashKey[SparkServer]()
# Thousands of small statements: a third of the time would go into compiling for long ones.
_CONF = {"spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m"}
# What the tests that start a Spark of their own use first.
_TRAINING = (
    "CREATE TABLE t AS SELECT n, n % 3 AS k, CAST(n AS varchar) AS s FROM TABLE(sequence(1, 99)) AS r (n)",
    "INSERT INTO t VALUES (100, 1, 'x')",
    "UPDATE t SET s = 'y' WHERE k = 1",
    "DELETE FROM t WHERE n = 3",
    "SET SESSION lane = 'spark'",
    "SELECT k, count(*), max(s) FROM t WHERE n > 1 GROUP BY k ORDER BY k LIMIT 5",
)


@record
class SharedServer:
    """The run's server, for whoever connects to it or looks at its process."""

    port: int
    token: str
    jvm: int

    @property
    def remote(self) -> str:
        """What `[spark] remote` has to be."""
        return f"sc://127.0.0.1:{self.port}/;token={self.token}"


def settings() -> SparkSettings:
    return SparkSettings(driver_memory="2g", conf=_CONF | {"spark.driver.extraClassPath": class_path()})


def address(server: SparkServer) -> SharedServer:
    return SharedServer(server.wait(), server.token, server.jvm)


def make_class_archive() -> None:
    """On a new machine: else every Spark of the run would start without one, and write one at its end."""
    cache = default_cache()
    if class_archive(cache, find_java(), [*ensure_jars(cache), *spark_jars()]).pending is None:
        return
    spark = Spark(SparkSettings(), cache)
    with connect(memory=True, spark=spark) as connection:
        for sql in _TRAINING:
            cursor = connection.execute(sql)
        cursor.fetchall()
    spark.close(wait=120)


def shared_server(config: pytest.Config) -> SharedServer | None:
    """The server that the controller has started; None in a run without workers."""
    given = getattr(config, "workerinput", {}).get("spark")
    return None if given is None else SharedServer(*given)


@pytest.hookimpl(optionalhook=True)
def pytest_configure_node(node: Any) -> None:
    """Tells a worker of pytest-xdist where the server is."""
    if node.config.getoption(OPTION):
        return
    if _server not in node.config.stash:
        make_class_archive()
        node.config.stash[_server] = SparkServer(settings(), default_cache())
    server = address(node.config.stash[_server])
    node.workerinput["spark"] = (server.port, server.token, server.jvm)


def pytest_unconfigure(config: pytest.Config) -> None:
    server = config.stash.get(_server, None)
    if server is not None:
        server.stop(wait=60)
