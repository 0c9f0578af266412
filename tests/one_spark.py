"""One Spark server per run: with pytest-xdist the controller starts it, and all workers share it."""

from __future__ import annotations

from typing import Any

import pytest
from tests.plain_spark import class_path
from tests.without_spark import OPTION

from sqe.config.spark import SparkSettings
from sqe.engine.spark.jars import default_cache
from sqe.engine.spark.server import SparkServer
from sqe.foundation.record import record

_server = pytest.StashKey[SparkServer]()


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
    return SparkSettings(driver_memory="2g", conf={"spark.driver.extraClassPath": class_path()})


def address(server: SparkServer) -> SharedServer:
    return SharedServer(server.wait(), server.token, server.jvm)


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
        node.config.stash[_server] = SparkServer(settings(), default_cache())
    server = address(node.config.stash[_server])
    node.workerinput["spark"] = (server.port, server.token, server.jvm)


def pytest_unconfigure(config: pytest.Config) -> None:
    server = config.stash.get(_server, None)
    if server is not None:
        server.trained()
        server.stop(wait=60)
