"""A right that is taken away is gone within the configured seconds: of the catalog's, by how long its answers
are used; of the identity provider's, by how long a token lives."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import adbc_driver_manager
import pytest
from tests.stack.between import Asked, Between, Told, between
from tests.stack.lake import Lake
from tests.stack.serving import Serving, serving

from sqe.engine.spark.spark import Spark

pytestmark = [pytest.mark.spark, pytest.mark.integration]
TTL = 3
SNAPSHOTS = 'SELECT count(*) FROM lake.sales."revoked$snapshots"'


@pytest.fixture
def catalog_and_sqe(lake: Lake, spark_on_s3: Spark, tmp_path: Path) -> Iterator[tuple[Between, Serving]]:
    lake.need_servers()
    with (
        between(lake.url) as catalog,
        serving(
            lake,
            tmp_path,
            spark_on_s3,
            catalog_url=catalog.url,
            settings={"metadata_cache_ttl_secs": TTL},
        ) as sqe,
    ):
        sqe.ask("bob", "CREATE SCHEMA IF NOT EXISTS lake.sales")
        sqe.ask("bob", "CREATE TABLE IF NOT EXISTS lake.sales.revoked (id BIGINT)")
        yield catalog, sqe


def test_what_the_catalog_takes_away(catalog_and_sqe: tuple[Between, Serving], lake: Lake) -> None:
    """Nessie's rules hold until it ends: what it would answer comes from the proxy."""
    catalog, sqe = catalog_and_sqe
    assert sqe.ask("alice", SNAPSHOTS) == [(0,)]

    def deny(asked: Asked) -> Told | None:
        if asked.user == "alice" and "config" not in asked.path:
            body = b'{"error": {"message": "no", "type": "AccessCheckException", "code": 500}}'
            return Told(500, [("Content-Type", "application/json")], body)
        return None

    taken_away = time.monotonic()
    catalog.refuse = deny
    while True:
        try:
            sqe.ask("alice", SNAPSHOTS)
        except adbc_driver_manager.Error as error:
            assert "does not exist" in str(error)
            break
        assert time.monotonic() - taken_away < TTL + 5, "it is still answered from the cache"
        time.sleep(0.2)
    assert sqe.ask("bob", SNAPSHOTS) == [(0,)]


def test_what_the_identity_provider_takes_away(
    catalog_and_sqe: tuple[Between, Serving], lake: Lake
) -> None:
    """Her session ends when her token is renewed; who logs in again is who she is now."""
    _, sqe = catalog_and_sqe
    lake.people.set_lifetime(6)
    try:
        assert sqe.ask("alice", SNAPSHOTS) == [(0,)]
        lake.people.set_roles("alice")
        taken_away = time.monotonic()
        while True:
            try:
                sqe.ask("alice", SNAPSHOTS)
            except adbc_driver_manager.Error as error:
                assert "session" in str(error) or "does not exist" in str(error)
                break
            assert time.monotonic() - taken_away < 6 + TTL + 5
            time.sleep(0.2)
        sqe.leave("alice")
        assert "does not exist" in sqe.refusal("alice", SNAPSHOTS)
    finally:
        lake.people.set_lifetime(300)
        lake.people.set_roles("alice", "analyst")
    sqe.leave("alice")
    assert sqe.ask("alice", SNAPSHOTS) == [(0,)]


def test_our_own_changes_are_seen_at_once(catalog_and_sqe: tuple[Between, Serving]) -> None:
    _, sqe = catalog_and_sqe
    assert sqe.ask("alice", "SHOW COLUMNS FROM lake.sales.revoked") != []
    for n in range(3):
        sqe.ask("bob", f"ALTER TABLE lake.sales.revoked ADD COLUMN c{time.monotonic_ns()} integer")
        assert len(sqe.ask("alice", "SHOW COLUMNS FROM lake.sales.revoked")) >= 2 + n
