"""Functions answer alike on both lanes."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sqe.api.connection import Connection


@pytest.fixture(scope="session", params=["spark", "auto"])
def connection(connect: Callable[..., Connection], request: pytest.FixtureRequest) -> Connection:
    """Spark answers everything, and the fast lane whatever it admits."""
    made = connect(memory=True)
    made.execute(f"SET SESSION lane = '{request.param}'")
    return made
