"""A catalog or an object store that is down, slow, or refuses in the middle: a statement ends with one error
that says what to do, and the next one works when they are well again."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

import pytest
from tests.stack.between import Asked, Between, ShortKeys, Told, between
from tests.stack.lake import Lake
from tests.stack.serving import Serving, serving

from sqe.catalog.backends import rest_client
from sqe.catalog.gateway import app
from sqe.catalog.io import s3
from sqe.engine.spark.spark import Spark

pytestmark = [pytest.mark.spark, pytest.mark.integration]
READ = "SELECT count(*), sum(id) FROM lake.sales.failing"
FILES = 'SELECT count(*) FROM lake.sales."failing$files"'
# What the catalog answers, and what the user hears.
FAULTS = {
    "401": (Told(401), "does not accept the token that it is asked with"),
    "403": (Told(403), "does not exist"),
    "429": (Told(429), "cannot answer: HTTP status 429"),
    "500": (Told(500), "cannot answer: HTTP status 500"),
    "503": (Told(503), "cannot answer: HTTP status 503"),
    "garbage": (Told(200, [], b"<html>"), "does not answer as an Iceberg REST catalog"),
}


@dataclass
class Watched:
    sqe: Serving
    catalog: Between
    store: Between


@pytest.fixture(scope="module")
def watched(
    lake: Lake, spark_on_s3: Spark, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Watched]:
    lake.need_servers()
    home = tmp_path_factory.mktemp("sqe")
    with between(lake.url) as catalog, between(lake.servers["s3"].facts["url"]) as store:
        ShortKeys(catalog, store, 900.0)
        with serving(
            lake,
            home,
            spark_on_s3,
            catalog_url=catalog.url,
            settings={"metadata_cache_ttl_secs": 0},
        ) as sqe:
            sqe.ask("bob", "CREATE SCHEMA IF NOT EXISTS lake.sales")
            sqe.ask(
                "bob",
                "CREATE OR REPLACE TABLE lake.sales.failing WITH (partitioning = ARRAY['id']) AS "
                "SELECT n AS id FROM TABLE(sequence(1, 8)) AS s (n)",
            )
            for user in ("alice", "bob"):
                sqe.ask(user, "SET SESSION lane = 'spark'")
            yield Watched(sqe, catalog, store)


@pytest.fixture(autouse=True)
def well_again(watched: Watched) -> Iterator[None]:
    catalog, store = watched.catalog.refuse, watched.store.refuse
    yield
    watched.catalog.refuse, watched.store.refuse = catalog, store
    assert watched.sqe.ask("alice", READ) == [(8, 36)]
    assert watched.sqe.ask("alice", FILES) == [(8,)]


@pytest.mark.parametrize("fault", FAULTS)
def test_a_catalog_that_answers_wrongly(watched: Watched, fault: str) -> None:
    answer, words = FAULTS[fault]
    watched.catalog.refuse = lambda asked: None if "/v1/config" in asked.path else answer
    assert words in watched.sqe.refusal("alice", READ)


def test_a_catalog_that_is_silent(watched: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rest_client, "ANSWER_SECONDS", 0.5)

    def wait(asked: Asked) -> None:
        time.sleep(3)

    watched.catalog.refuse = wait
    began = time.monotonic()
    assert "does not answer within" in watched.sqe.refusal("alice", READ)
    assert time.monotonic() - began < 30


def test_a_commit_that_the_catalog_refuses(watched: Watched) -> None:
    """After all files were written. Nothing is committed, and the words are the catalog's."""

    def refuse(asked: Asked) -> Told | None:
        return Told(403) if asked.method == "POST" else None

    watched.catalog.refuse = refuse
    heard = watched.sqe.refusal("bob", "INSERT INTO lake.sales.failing VALUES 9")
    assert "catalog 'lake' does not allow this" in heard and "PermissionDenied" in heard


def test_a_commit_whose_answer_does_not_come(watched: Watched) -> None:
    watched.catalog.refuse = lambda asked: Told(502) if asked.method == "POST" else None
    heard = watched.sqe.refusal("bob", "INSERT INTO lake.sales.failing VALUES 9")
    assert "look at the table before you run the statement again" in heard


def test_a_store_that_refuses_in_the_middle(watched: Watched) -> None:
    files: set[str] = set()

    def refuse(asked: Asked) -> Told | None:
        if ".parquet" in asked.path:
            files.add(asked.path)
        body = b"<Error><Code>AccessDenied</Code><Message>Access Denied.</Message></Error>"
        return Told(403, [("Content-Type", "application/xml")], body) if len(files) > 4 else None

    watched.store.refuse = refuse
    heard = watched.sqe.refusal("alice", READ)
    assert "the object store does not allow this" in heard and "PermissionDenied" in heard


def test_a_store_that_is_silent(watched: Watched, monkeypatch: pytest.MonkeyPatch) -> None:
    """On Spark, and in the coordinator, which reads manifests."""
    limits = {"http-client.apache.socket-timeout-ms": "500", "s3.retry.num-retries": "1"}
    monkeypatch.setattr(app, "STORE_LIMITS", {**app.STORE_LIMITS, **limits})
    monkeypatch.setattr(s3, "ANSWER_SECONDS", 1)
    monkeypatch.setattr(s3, "RETRIES", 0)

    def wait(asked: Asked) -> None:
        time.sleep(4)

    watched.sqe.ask("bob", "INSERT INTO lake.sales.failing VALUES 9")
    watched.store.refuse = wait
    try:
        for sql in (READ, FILES):
            began = time.monotonic()
            heard = watched.sqe.refusal("alice", sql)
            assert "Unavailable" in heard and ("cannot be used" in heard or "cannot be read" in heard)
            assert time.monotonic() - began < 60
    finally:
        watched.store.refuse = lambda asked: None
        watched.sqe.ask("bob", "DELETE FROM lake.sales.failing WHERE id = 9")


def test_a_store_that_is_down(watched: Watched) -> None:
    watched.store.refuse = lambda asked: Told(503)
    assert "the object store cannot be used" in watched.sqe.refusal("alice", READ)
