"""Keys that a catalog hands out with a table: which are used where, and until when."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.catalog.backends.conformance import DEFAULT, definition
from tests.catalog.backends.fake_rest_server import fake_rest_server
from tests.catalog.backends.local_places import ANYWHERE

from sqe.catalog.backends.rest import RestCatalog
from sqe.catalog.backends.vended import RENEW_SECONDS, VendedStorage
from sqe.catalog.gateway.app import STORE_LIMITS, spark_files
from sqe.catalog.io import file_system
from sqe.catalog.io.places import AllowedPlaces
from sqe.catalog.io.storage import FixedStorage
from sqe.errors import AccessDenied, InvalidArgument, NotSupported

KEYS = {"s3.access-key-id": "narrow", "s3.secret-access-key": "hush"}
IN_S3 = AllowedPlaces("lake", ("s3://b", "s3://other"))
WIDE = {"s3.access-key-id": "wide", "s3.secret-access-key": "hush"}


def storage(answer: dict[str, Any], **more: Any) -> VendedStorage:
    def fetch() -> dict[str, Any]:
        raise AssertionError("asked again")

    own = {"client.region": "r", "s3.access-key-id": "own"}
    return VendedStorage(answer, own, fetch, allowed=IN_S3, **more)


def test_the_longest_prefix_goes_before_config_and_configuration() -> None:
    given = storage(
        {
            "config": {"s3.endpoint": "https://e", "token": "no business of ours"},
            "storage-credentials": [
                {"prefix": "s3://b/", "config": WIDE},
                {"prefix": "s3://b/t/", "config": KEYS},
            ],
        }
    )
    narrow, wide = given.properties("s3://b/t/x.parquet"), given.properties("s3://b/u/x.parquet")
    assert narrow["s3.access-key-id"] == "narrow" and wide["s3.access-key-id"] == "wide"
    assert narrow["s3.endpoint"] == "https://e" and narrow["client.region"] == "r"
    assert "token" not in narrow
    elsewhere = given.properties("s3://other/x")
    assert elsewhere["s3.access-key-id"] == "own"
    assert "s3.endpoint" not in elsewhere, "keys of the configuration would go where the catalog says"
    assert given.owner == "vended by the catalog"
    assert "hush" not in repr(given)


def test_where_only_vended_keys_may_be_used() -> None:
    with pytest.raises(AccessDenied, match="hands out no keys"):
        storage({}, required=True).properties("s3://b/x")
    assert storage({"config": KEYS}, required=True).properties("s3://b/x")["s3.access-key-id"] == "narrow"
    assert storage({}).owner == "of the configuration"


@pytest.mark.parametrize("told", [True, False])
def test_keys_are_renewed_before_they_end(told: bool) -> None:
    """Those of a catalog that does not tell their end, after the least time that there is."""
    answers = iter(range(1, 10))
    now = [1000.0]

    def answer() -> dict[str, Any]:
        ends = int((now[0] + 900) * 1000)
        expires = {"s3.session-token-expires-at-ms": str(ends)} if told else {}
        keys = {"s3.access-key-id": f"key-{next(answers)}", "s3.session-token": "hush"}
        return {"config": {**keys, **expires}}

    vended = VendedStorage(answer(), {}, answer, allowed=IN_S3, clock=lambda: now[0])
    assert vended.properties("s3://b/x")["s3.access-key-id"] == "key-1"
    now[0] += 899 - RENEW_SECONDS
    assert vended.properties("s3://b/x")["s3.access-key-id"] == "key-1"
    now[0] += 2
    assert vended.properties("s3://b/x")["s3.access-key-id"] == "key-2"


def test_keys_of_a_minute_are_not_had_anew_with_every_use() -> None:
    now, asked = [1000.0], []

    def answer() -> dict[str, Any]:
        asked.append(now[0])
        ends = str(int((now[0] + 60) * 1000))
        return {"config": {**KEYS, "s3.session-token": "t", "s3.session-token-expires-at-ms": ends}}

    vended = VendedStorage(answer(), {}, answer, allowed=IN_S3, clock=lambda: now[0])
    for _ in range(10):
        vended.properties("s3://b/x")
    assert len(asked) == 1
    now[0] += 41
    vended.properties("s3://b/x")
    assert len(asked) == 2


def test_a_store_without_tls_has_to_be_allowed() -> None:
    plain = FixedStorage({**KEYS, "s3.endpoint": "http://127.0.0.1:1"})
    with pytest.raises(AccessDenied, match="has no TLS"):
        file_system("s3://b/x", plain).read("s3://b/x")
    with pytest.raises(AccessDenied, match="has no TLS"):
        spark_files(plain, "s3://b/x")
    allowed = FixedStorage({**plain.given, "sqe.s3-allow-http": "true"})
    with pytest.raises(OSError, match="the object store cannot be used") as failed:
        file_system("s3://b/x", allowed).read("s3://b/x")
    assert not isinstance(failed.value, PermissionError) and "hush" not in str(failed.value)


def test_places_in_a_store() -> None:
    files = file_system("s3://b/x", FixedStorage({}))
    assert files.spell("S3A://b//a/ü b/") == "s3://b/a/ü b" == files.resolve("s3a://b/a/ü b")
    for place in ("s3://b/../x", "s3://b/x?y", "s3:///x"):
        with pytest.raises(InvalidArgument):
            files.spell(place)
    with pytest.raises(NotSupported, match="not a local path"):
        file_system("s3://b/x")


def test_spark_is_told_of_stores_alone(tmp_path: Path) -> None:
    """Of a table on local disks nothing, and of our own settings nothing."""
    with fake_rest_server(tmp_path) as server:
        catalog = RestCatalog(
            "lake", server.url, warehouse="lake", allowed=ANYWHERE, storage={"sqe.s3-allow-http": "true"}
        )
        catalog.create_namespace(DEFAULT)
        catalog.create_table(definition(catalog, "t"))
        table = catalog.find_table(DEFAULT, "t")
        assert table.storage is not None and spark_files(table.storage, table.location).config == {
            "io-impl": "org.apache.iceberg.hadoop.HadoopFileIO"
        }
        catalog.close()
    given = {
        "config": {
            **KEYS,
            "token": "t",
            "io-impl": "org.example.Any",
            "s3.client-factory-impl": "x",
            "sqe.s3-allow-http": "true",
        }
    }
    files = {"io-impl": "org.apache.iceberg.aws.s3.S3FileIO", "client.region": "r"}
    assert spark_files(storage(given), "s3://b/x").config == {**STORE_LIMITS, **KEYS, **files}
