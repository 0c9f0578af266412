"""Names of objects are compared without keys, and keys of the configuration open one warehouse."""

from __future__ import annotations

import pytest

from sqe.catalog.io import engine_path, file_system, resolve
from sqe.catalog.io.storage import NO_KEYS, warehouse_storage
from sqe.errors import AccessDenied, InvalidArgument, NotSupported
from sqe.foundation.store_requests import RequestCount, count_request, counting


def test_engines_get_the_name_as_it_is() -> None:
    assert engine_path("s3a://lake/t/data/k=1 %3A/ü.parquet") == "s3://lake/t/data/k=1 %3A/ü.parquet"
    assert resolve("s3a://lake/t/../u/") == "s3://lake/u"


@pytest.mark.parametrize("location", ["s3://lake/t//a", "s3://lake/t/../u/a", "s3://lake/./a"])
def test_a_name_that_is_read_in_two_ways_is_refused(location: str) -> None:
    with pytest.raises(InvalidArgument, match="all programs read alike"):
        engine_path(location)


@pytest.mark.parametrize("bucket", ["127.0.0.1:80#", "a@b", "b:80", "a?b", "%61", "b\\c", " b"])
def test_a_bucket_cannot_be_the_name_of_a_server(bucket: str) -> None:
    with pytest.raises(InvalidArgument, match="no place in an object store"):
        engine_path(f"s3://{bucket}/t/a")


def test_nothing_is_opened_without_keys() -> None:
    with pytest.raises(NotSupported, match="not a local path"):
        file_system("s3://lake/t")
    with pytest.raises(AccessDenied, match="no keys"):
        file_system("s3://lake/t", NO_KEYS).read("s3://lake/t/a")


@pytest.mark.parametrize("location", ["s3://lake/other/t", "s3://lake/own2/t", "s3://lake/own/../t"])
def test_keys_of_the_configuration_open_the_warehouse(location: str) -> None:
    keys = warehouse_storage("s3://lake/own", {"s3.access-key-id": "k", "s3.secret-access-key": "secret"})
    assert keys is not None and "secret" not in repr(keys)
    assert keys.properties("s3a://lake/own/t/metadata/1.json")["s3.access-key-id"] == "k"
    with pytest.raises(AccessDenied, match="outside the warehouse"):
        keys.properties(location)


def test_a_warehouse_on_the_disk_needs_none() -> None:
    assert warehouse_storage("/data/own", {"s3.access-key-id": "k"}) is None


def test_requests_are_counted_for_the_statement_that_makes_them() -> None:
    outer, inner = RequestCount(), RequestCount()
    count_request()
    with counting(outer):
        count_request()
        with counting(inner):
            count_request()
        count_request()
    assert (outer.requests, inner.requests) == (2, 1)
