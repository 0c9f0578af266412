"""Where others lose the user: the commit of an INSERT, statistics, a cache that is filled again, another
thread, a retry. The catalog's own log names the right one for each, through every door. (Nessie has no views:
tests/catalog/backends/test_rest_catalogs_act_for_the_user.py.)"""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from pyiceberg.catalog import load_catalog
from pyiceberg.exceptions import NoSuchTableError
from pyiceberg.schema import Schema
from pyiceberg.types import LongType, NestedField
from tests.stack.between import Asked, Between, Told, between
from tests.stack.lake import Lake
from tests.stack.serving import Serving, rows, serving

from sqe.engine.spark.spark import Spark

pytestmark = [pytest.mark.spark, pytest.mark.integration]
TTL = 2
STEPS = [
    ("POST", "CREATE SCHEMA IF NOT EXISTS lake.steps"),
    ("POST", "CREATE TABLE lake.steps.made (id BIGINT)"),
    ("POST", "CREATE TABLE lake.steps.selected AS SELECT 1 AS id"),
    ("POST", "INSERT INTO lake.steps.made VALUES (1), (2)"),
    ("POST", "UPDATE lake.steps.made SET id = 3 WHERE id = 2"),
    ("POST", "DELETE FROM lake.steps.made WHERE id = 3"),
    ("POST", "ALTER TABLE lake.steps.made ADD COLUMN name VARCHAR"),
    ("POST", "COMMENT ON TABLE lake.steps.made IS 'x'"),
    ("GET", "SHOW STATS FOR lake.steps.made"),
    ("GET", "SHOW TABLES FROM lake.steps"),
    ("GET", "SHOW CREATE TABLE lake.steps.made"),
    ("GET", "SELECT table_name FROM lake.information_schema.tables"),
    ("GET", 'SELECT count(*) FROM lake.steps."made$files"'),
    ("GET", "SELECT * FROM lake.steps.made"),
    ("GET", "EXPLAIN ANALYZE SELECT * FROM lake.steps.made"),
    ("POST", "ALTER TABLE lake.steps.made RENAME TO lake.steps.renamed"),
    ("DELETE", "DROP TABLE lake.steps.renamed"),
    ("DELETE", "DROP SCHEMA lake.steps CASCADE"),
]


@dataclass
class Watched:
    sqe: Serving
    catalog: Between
    lake: Lake

    def users_of(self, action: Any) -> tuple[set[str], set[str]]:
        """Whom the catalog's log names for it, and what they did."""
        before = len(self.lake.catalog_log())
        action()
        lines = [line for line in self.lake.catalog_log()[before:] if "/v1/config" not in line["path"]]
        # Now and then the server asks, for nobody, whether the catalog is there, and is told nothing.
        lines = [line for line in lines if (line["user"], line["status"]) != ("-", "401")]
        return {line["user"] for line in lines}, {line["method"] for line in lines}


@pytest.fixture(scope="module")
def watched(
    lake: Lake, spark_on_s3: Spark, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Watched]:
    lake.need_servers()
    home = tmp_path_factory.mktemp("sqe")
    settings = {"metadata_cache_ttl_secs": TTL}
    with (
        between(lake.url) as catalog,
        serving(lake, home, spark_on_s3, catalog_url=catalog.url, settings=settings) as sqe,
    ):
        sqe.ask("bob", "CREATE SCHEMA IF NOT EXISTS lake.sales")
        sqe.ask("bob", "CREATE OR REPLACE TABLE lake.sales.shared AS SELECT 1 AS id")
        yield Watched(sqe, catalog, lake)


def test_every_statement_of_bob_is_bobs(watched: Watched) -> None:
    # alice is there at the same time, with a session and answers of her own.
    watched.sqe.ask("alice", "SELECT * FROM lake.sales.shared")
    for method, sql in STEPS:
        users, methods = watched.users_of(lambda sql=sql: watched.sqe.ask("bob", sql))
        # What is only read may be known.
        assert users == {"bob"} or (method == "GET" and not users), sql
        assert method in methods or not users, sql


def test_a_read_after_a_cache_hit_and_after_it_is_filled_again(watched: Watched) -> None:
    question = "SELECT count(*) FROM lake.sales.shared"
    for user in ("bob", "alice", "bob", "alice"):
        users, _ = watched.users_of(lambda user=user: watched.sqe.ask(user, question))
        assert users <= {user}
    time.sleep(TTL)
    for user in ("alice", "bob"):
        users, _ = watched.users_of(lambda user=user: watched.sqe.ask(user, question))
        assert users == {user}, "what was known for a while is asked for again, by whoever needs it"


def test_many_threads_at_once(watched: Watched) -> None:
    """A schema of each user's own, so that every line of the log says whose it has to be."""
    failures: list[BaseException] = []

    def work(user: str) -> None:
        table = "lake.sales.shared" if user == "alice" else "lake.hr.threads"
        try:
            with watched.sqe.connect(user) as connection:
                for n in range(15):
                    rows(connection, f"SHOW COLUMNS FROM {table}")
                    rows(connection, f"SELECT count(*) FROM {table} WHERE id > {n}")
        except BaseException as error:
            failures.append(error)

    watched.sqe.ask("bob", "CREATE SCHEMA IF NOT EXISTS lake.hr")
    watched.sqe.ask("bob", "CREATE OR REPLACE TABLE lake.hr.threads AS SELECT 1 AS id")
    before = len(watched.lake.catalog_log())
    threads = [threading.Thread(target=work, args=(user,)) for user in ("alice", "bob") * 3]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures, failures
    lines = watched.lake.catalog_log()[before:]
    of_tables = [line for line in lines if "/namespaces/" in line["path"]]
    assert of_tables
    for line in of_tables:
        assert line["user"] == ("alice" if "/sales" in line["path"] else "bob"), line


@pytest.mark.parametrize("status", [401, 429, 503])
def test_a_retry_is_the_same_users(watched: Watched, status: int) -> None:
    """Also one with a renewed token, after the former was refused."""
    refused: list[Asked] = []

    def once(asked: Asked) -> Told | None:
        if asked.user == "bob" and not refused and "/v1/config" not in asked.path:
            refused.append(asked)
            return Told(status)
        return None

    before = len(watched.catalog.asked)
    watched.catalog.refuse = once
    try:
        watched.sqe.ask("bob", f"COMMENT ON TABLE lake.sales.shared IS 'after {status}'")
    finally:
        watched.catalog.refuse = lambda asked: None
    assert len(refused) == 1
    asked = [a for a in watched.catalog.asked[before:] if a.token is not None]
    assert {a.user for a in asked} == {"bob"}
    again = [a for a in asked if (a.method, a.path) == (refused[0].method, refused[0].path)]
    assert len(again) > 1
    if status == 401:
        assert again[1].token != again[0].token


def test_other_engines_are_asked_about_as_their_user(watched: Watched) -> None:
    def through_the_door(user: str) -> Any:
        token = watched.lake.token(user)
        return load_catalog(
            "door", type="rest", uri=watched.sqe.iceberg_url, warehouse="lake", token=token
        )

    schema = Schema(NestedField(1, "id", LongType()))

    def work() -> None:
        catalog = through_the_door("bob")
        table = catalog.create_table("sales.by_door", schema=schema)
        table.transaction().set_properties(colour="blue").commit_transaction()
        assert ("sales", "by_door") in catalog.list_tables("sales")
        catalog.load_table("sales.by_door")
        catalog.drop_table("sales.by_door")

    users, methods = watched.users_of(work)
    assert users == {"bob"} and {"GET", "POST", "DELETE"} <= methods
    reader = through_the_door("alice")
    users, _ = watched.users_of(lambda: reader.load_table("sales.shared"))
    assert users == {"alice"}
    with pytest.raises(NoSuchTableError):
        reader.load_table("hr.threads")
