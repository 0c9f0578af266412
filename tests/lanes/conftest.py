"""What the proof shares: the tables that probes read, on both lanes."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
from tests.lanes.both import Lanes, open_lanes
from tests.lanes.columns import create
from tests.lanes.outcome import EVERYTHING
from tests.lanes.unread_tables import open_tables

from sqe.api.connection import Connection
from sqe.engine.duckdb import proven


@pytest.fixture(scope="session")
def lanes(connect: Callable[..., Connection], tmp_path_factory: pytest.TempPathFactory) -> Lanes:
    both = open_lanes(connect, tmp_path_factory.mktemp("lanes"))
    both.spark_connection.execute("CREATE SCHEMA probes")
    for connection in (both.spark_connection, both.fast_connection):
        connection.execute("USE probes")
    for statement in create():
        both.spark_connection.execute(statement)
    return both


@pytest.fixture(scope="session")
def unread(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Connection]:
    """The tables of the probes, for statements that are planned and never run: no engine starts."""
    connection = open_tables(tmp_path_factory.mktemp("unread"))
    yield connection
    assert not connection.coordinator.spark.started
    connection.close()


@pytest.fixture
def everything_admitted(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is to be proven may enter the fast lane."""
    monkeypatch.setattr(proven, "outcome", lambda: EVERYTHING)
