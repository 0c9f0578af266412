"""The server that the clients talk to, and what is in it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from tests.flight_server import Connect, connect_as, serve, server

__all__ = ["connect_as", "serve", "server"]


@pytest.fixture
def connection(connect_as: Connect) -> Any:
    return connect_as("ann")


@pytest.fixture
def cursor(connection: Any) -> Iterator[Any]:
    with connection.cursor() as made:
        yield made
