"""Keys that a catalog vends end after minutes, here after seconds: statements on Spark that run for longer
ask the gateway for the next, as the user who runs them."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.stack.between import Asked, ShortKeys, between
from tests.stack.lake import Lake
from tests.stack.serving import Serving, serving

from sqe.engine.spark.spark import Spark

pytestmark = [pytest.mark.spark, pytest.mark.integration]
SECONDS = 10.0
FILES = 40


@pytest.fixture(scope="module")
def keys_and_sqe(
    lake: Lake, spark_on_s3: Spark, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[ShortKeys, Serving]]:
    lake.need_servers()
    home = tmp_path_factory.mktemp("sqe")
    with between(lake.url) as catalog, between(lake.servers["s3"].facts["url"]) as store:
        keys = ShortKeys(catalog, store, SECONDS)
        with serving(lake, home, spark_on_s3, catalog_url=catalog.url) as sqe:
            sqe.ask("bob", "CREATE SCHEMA IF NOT EXISTS lake.sales")
            sqe.ask(
                "bob",
                "CREATE OR REPLACE TABLE lake.sales.many WITH (partitioning = ARRAY['part']) AS "
                f"SELECT n % {FILES} AS part, n FROM TABLE(sequence(1, 1000)) AS s (n)",
            )
            for user in ("alice", "bob"):
                sqe.ask(user, "SET SESSION lane = 'spark'")
            yield keys, sqe


@pytest.fixture(autouse=True)
def slow_data(keys_and_sqe: tuple[ShortKeys, Serving]) -> Iterator[None]:
    """Two cores read a file after the other: longer than one set of keys holds."""
    keys, _ = keys_and_sqe
    keys.delay = lambda asked: 0.7 if asked.method == "GET" and _is_data(asked) else 0.0
    keys.used.clear()
    yield
    keys.delay = lambda asked: 0.0


def _is_data(asked: Asked) -> bool:
    return "/many" in asked.path and ".parquet" in asked.path


def test_a_read_outlives_its_keys(keys_and_sqe: tuple[ShortKeys, Serving]) -> None:
    keys, sqe = keys_and_sqe
    assert sqe.ask("alice", "SELECT count(*), sum(n) FROM lake.sales.many") == [(1000, 500500)]
    assert len(keys.used) > 1 and keys.refused == 0


def test_a_write_outlives_its_keys(keys_and_sqe: tuple[ShortKeys, Serving], lake: Lake) -> None:
    keys, sqe = keys_and_sqe
    sqe.ask("bob", "CREATE OR REPLACE TABLE lake.sales.copy (part BIGINT, n BIGINT)")
    before = len(lake.catalog_log())
    sqe.ask("bob", "INSERT INTO lake.sales.copy SELECT part, n FROM lake.sales.many")
    assert len(keys.used) > 2 and keys.refused == 0
    assert sqe.ask("alice", "SELECT count(*), sum(n) FROM lake.sales.copy") == [(1000, 500500)]
    commits = [line for line in lake.catalog_log()[before:] if line["method"] == "POST"]
    assert [(line["user"], line["path"].rpartition("/")[2]) for line in commits] == [("bob", "copy")]
