"""What a table's keys are to DuckDB."""

from __future__ import annotations

import pytest

from sqe.catalog.io.storage import FixedStorage
from sqe.engine.duckdb.errors import FastLaneFailed
from sqe.engine.duckdb.stores import secret_of
from sqe.errors import AccessDenied

MINE = "s3://lake/mine/"
PLAIN = {"s3.endpoint": "http://store:9000", "s3.access-key-id": "a", "s3.secret-access-key": "b"}


def test_a_store_without_tls_needs_leave() -> None:
    with pytest.raises(AccessDenied, match="no TLS"):
        secret_of(MINE, FixedStorage(PLAIN))
    secret = secret_of(MINE, FixedStorage({**PLAIN, "sqe.s3-allow-http": "true", "s3.session-token": "c"}))
    assert secret == {
        "scope": MINE,
        "region": "us-east-1",
        "url_style": "vhost",
        "endpoint": "store:9000",
        "use_ssl": "false",
        "key_id": "a",
        "secret": "b",
        "session_token": "c",
    }


def test_requests_without_a_key_are_not_signed() -> None:
    secret = secret_of(MINE, FixedStorage({"client.region": "eu-1", "s3.path-style-access": "true"}))
    assert secret == {"scope": MINE, "region": "eu-1", "url_style": "path", "use_ssl": "true"}


@pytest.mark.parametrize("address", ["https://store/path", "https://user@store", "https://store?x=1"])
def test_duckdb_knows_addresses_of_a_host_alone(address: str) -> None:
    with pytest.raises(FastLaneFailed, match="such an address"):
        secret_of(MINE, FixedStorage({"s3.endpoint": address}))
