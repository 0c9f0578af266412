"""SQE on a real lake: alice and bob ask at the same time, the catalog says what they may, and an object store
has the files. Of the run's own lake, through Flight SQL and with the users of Keycloak."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from tests.stack.lake import Lake
from tests.stack.serving import Embedded, Serving, embedded, serving

from sqe.engine.spark.spark import Spark

pytestmark = [pytest.mark.spark, pytest.mark.integration]


@pytest.fixture(scope="module")
def sqe(
    lake: Lake, spark_on_s3: Spark, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Serving | Embedded]:
    home = tmp_path_factory.mktemp("sqe")
    with serving(lake, home, spark_on_s3) if lake.servers else embedded(lake, home, spark_on_s3) as sqe:
        for schema in ("sales", "hr"):
            sqe.ask("bob", f"CREATE SCHEMA IF NOT EXISTS lake.{schema}")
            sqe.ask("bob", f"CREATE OR REPLACE TABLE lake.{schema}.asked AS SELECT 1 AS id, 'x' AS name")
        yield sqe


def test_each_may_what_the_catalog_lets_them(sqe: Serving | Embedded) -> None:
    for user in ("alice", "bob"):
        assert sqe.ask(user, "SELECT id, name FROM lake.sales.asked") == [(1, "x")]
    assert sqe.ask("bob", "SELECT count(*) FROM lake.hr.asked") == [(1,)]
    assert "does not exist" in sqe.refusal("alice", "SELECT * FROM lake.hr.asked")
    for sql in (
        "INSERT INTO lake.sales.asked VALUES (2, 'y')",
        "CREATE TABLE lake.sales.of_alice (a integer)",
        "DROP TABLE lake.sales.asked",
    ):
        assert "PermissionDenied" in sqe.refusal("alice", sql), sql
    sqe.ask("bob", "INSERT INTO lake.sales.asked VALUES (2, 'y')")
    assert sqe.ask("alice", "SELECT count(*) FROM lake.sales.asked") == [(2,)]


def test_rows_are_changed_and_counted(sqe: Serving | Embedded) -> None:
    """Nessie keeps the last snapshot alone; how many rows were changed is counted in the one before."""
    sqe.ask("bob", "CREATE OR REPLACE TABLE lake.sales.changed AS SELECT 1 AS id UNION ALL SELECT 2")
    sqe.ask("bob", "UPDATE lake.sales.changed SET id = 3 WHERE id = 2")
    assert sorted(sqe.ask("alice", "SELECT id FROM lake.sales.changed")) == [(1,), (3,)]
    sqe.ask("bob", "DELETE FROM lake.sales.changed WHERE id = 3")
    assert sqe.ask("alice", "SELECT id FROM lake.sales.changed") == [(1,)]


def test_only_vended_keys_touch_data(sqe: Serving | Embedded, lake: Lake) -> None:
    objects = len(lake.object_log())
    sqe.ask("bob", "CREATE TABLE lake.sales.steps AS SELECT 1 AS a")
    sqe.ask("bob", "INSERT INTO lake.sales.steps VALUES 2")
    sqe.ask("bob", "DROP TABLE lake.sales.steps")
    root = lake.servers["s3"].facts["access_key"]
    written = [line for line in lake.object_log()[objects:] if "steps" in str(line["object"])]
    assert any(str(line["object"]).endswith(".parquet") for line in written)
    data = [line for line in written if str(line["object"]).endswith((".parquet", ".avro"))]
    assert root not in {line["access_key"] for line in data}
