"""Functions answer alike on both lanes."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.functions.answering import Asked

from sqe.api.connection import Connection


@pytest.fixture(scope="session", params=["spark", "auto"])
def lane(request: pytest.FixtureRequest) -> str:
    """Spark answers everything, and the fast lane whatever it admits."""
    return str(request.param)


@pytest.fixture(scope="session")
def connection(connect: Callable[..., Connection], lane: str) -> Connection:
    opened = connect(memory=True)
    opened.execute(f"SET SESSION lane = '{lane}'")
    return opened


@pytest.fixture(scope="session")
def asked(connection: Connection, lane: str) -> Asked:
    return Asked(connection, together=lane == "spark")
