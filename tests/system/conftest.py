"""Connections over catalogs that count what is asked of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.system.counting_catalog import Counting, Mounted

from sqe.api.connection import Connection
from sqe.catalog.backends.embedded import EmbeddedCatalog
from sqe.catalog.catalogs import Catalogs
from sqe.config.config import load
from sqe.coordinator import Coordinator
from sqe.engine.spark.spark import Spark
from sqe.policy.decision import AllowAll, Policy
from sqe.session import Identity


@pytest.fixture
def mounted(tmp_path: Path) -> Iterator[Mounted]:
    """Makes connections over counting catalogs; without `spark`, none may be started."""
    made: list[tuple[Connection, bool]] = []

    def mount(
        *names: str, spark: Spark | None = None, policy: Policy | None = None, user: str = "joe"
    ) -> Connection:
        catalogs = {name: Counting(EmbeddedCatalog(name, tmp_path / name)) for name in names or ("iceberg",)}
        coordinator = Coordinator(
            load(None, {}), Catalogs(catalogs), policy=policy or AllowAll(), spark=spark
        )
        made.append((Connection(coordinator, Identity(user)), spark is None))
        return made[-1][0]

    yield mount
    for connection, alone in made:
        assert not (alone and connection.coordinator.spark.started)
        connection.close()
