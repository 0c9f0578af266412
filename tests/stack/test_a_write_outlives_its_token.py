"""A token of a minute, and a write of several: it is committed as its user, with a fresh token."""

from __future__ import annotations

import time
from pathlib import Path

import jwt
import pytest
from tests.stack.between import Asked, ShortKeys, between
from tests.stack.lake import Lake
from tests.stack.serving import serving

from sqe.engine.spark.spark import Spark

pytestmark = [pytest.mark.spark, pytest.mark.integration, pytest.mark.long]
LIFETIME = 60
LEAST_SECONDS = 300.0
FILES = 60


def test_a_write_of_minutes(lake: Lake, spark_on_s3: Spark, tmp_path: Path) -> None:
    lake.need_servers()
    lake.people.set_lifetime(LIFETIME)
    try:
        with between(lake.url) as catalog, between(lake.servers["s3"].facts["url"]) as store:
            keys = ShortKeys(catalog, store, 45.0)
            with serving(lake, tmp_path, spark_on_s3, catalog_url=catalog.url) as sqe:
                sqe.ask("bob", "SET SESSION query_max_run_time = '20m'")
                sqe.ask("bob", "CREATE SCHEMA IF NOT EXISTS lake.sales")
                sqe.ask(
                    "bob",
                    "CREATE OR REPLACE TABLE lake.sales.source WITH (partitioning = ARRAY['part']) AS "
                    f"SELECT n % {FILES} AS part, n FROM TABLE(sequence(1, 1000)) AS s (n)",
                )
                sqe.ask("bob", "CREATE OR REPLACE TABLE lake.sales.target (n BIGINT)")
                before = len(catalog.asked)

                def slowly(asked: Asked) -> float:
                    is_data = "/source" in asked.path and ".parquet" in asked.path
                    return 2 * LEAST_SECONDS / FILES if asked.method == "GET" and is_data else 0.0

                keys.delay = slowly
                began = time.time()
                sqe.ask("bob", "INSERT INTO lake.sales.target SELECT n FROM lake.sales.source")
                took = time.time() - began
                keys.delay = lambda asked: 0.0
                assert took > LEAST_SECONDS
                assert sqe.ask("alice", "SELECT count(*), sum(n) FROM lake.sales.target") == [(1000, 500500)]
    finally:
        lake.people.set_lifetime(300)
    commits = [a for a in catalog.asked[before:] if a.method == "POST" and a.path.endswith("/target")]
    assert len(commits) == 1 and commits[0].token is not None
    claims = jwt.decode(commits[0].token, options={"verify_signature": False})
    assert claims["preferred_username"] == "bob"
    # It was issued long after the statement began, and the first one was over by then.
    assert claims["iat"] > began + LIFETIME and claims["exp"] - claims["iat"] == LIFETIME
    log = [line for line in lake.catalog_log() if line["method"] == "POST" and "/target" in line["path"]]
    assert {line["user"] for line in log} == {"bob"}
    assert keys.refused == 0 and len(keys.used) > 3
