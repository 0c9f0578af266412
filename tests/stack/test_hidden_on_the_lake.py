"""On a real catalog, what is hidden from alice is for her as what is not there, through every door; she is
denied what she sees and may not change."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import urllib3
from tests.stack.lake import Lake
from tests.stack.serving import Embedded, Serving, embedded, serving

from sqe.engine.spark.spark import Spark

pytestmark = [pytest.mark.spark, pytest.mark.integration]
READS = [
    "SELECT * FROM {table}",
    "SELECT * FROM {table} FOR VERSION AS OF 1",
    'SELECT * FROM {schema}."{name}$snapshots"',
    "DESCRIBE {table}",
    "SHOW CREATE TABLE {table}",
    "SHOW STATS FOR {table}",
    "INSERT INTO {table} VALUES (1, 'x')",
    "DELETE FROM {table}",
    "ALTER TABLE {table} ADD COLUMN c integer",
    "DROP TABLE {table}",
    "DROP VIEW {table}",
]
SCHEMAS = [
    "SHOW TABLES FROM {schema}",
    "CREATE TABLE {schema}.of_alice (a integer)",
    "CREATE VIEW {schema}.of_alice AS SELECT 1 AS a",
    "DROP SCHEMA {schema}",
    "USE {schema}",
]


@pytest.fixture(scope="module")
def sqe(
    lake: Lake, spark_on_s3: Spark, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Serving | Embedded]:
    home = tmp_path_factory.mktemp("sqe")
    with serving(lake, home, spark_on_s3) if lake.servers else embedded(lake, home, spark_on_s3) as sqe:
        for schema in ("sales", "hr"):
            sqe.ask("bob", f"CREATE SCHEMA IF NOT EXISTS lake.{schema}")
            sqe.ask("bob", f"CREATE TABLE IF NOT EXISTS lake.{schema}.people (id BIGINT, name VARCHAR)")
        assert sqe.ask("bob", "SHOW TABLES FROM lake.hr LIKE 'people'") == [("people",)]
        yield sqe


def heard(sqe: Serving | Embedded, statement: str, schema: str, name: str) -> str:
    """By alice, with the names that she wrote left out."""
    text = sqe.refusal("alice", statement.format(table=f"{schema}.{name}", schema=schema, name=name))
    return text.replace(schema, "SCHEMA").replace(name, "NAME")


@pytest.mark.parametrize("statement", READS)
def test_a_hidden_table_a_guessed_one_and_a_schema_that_is_none(
    sqe: Serving | Embedded, statement: str
) -> None:
    hidden = heard(sqe, statement, "lake.hr", "people")
    assert "NotFound" in hidden and "does not exist" in hidden
    assert heard(sqe, statement, "lake.hr", "guessed") == hidden
    assert heard(sqe, statement, "lake.nowhere", "guessed") == hidden


@pytest.mark.parametrize("statement", SCHEMAS)
def test_a_hidden_schema_and_none(sqe: Serving | Embedded, statement: str) -> None:
    hidden = heard(sqe, statement, "lake.hr", "of_alice")
    assert "NotFound" in hidden
    assert heard(sqe, statement, "lake.nowhere", "of_alice") == hidden


def test_no_list_shows_it(sqe: Serving | Embedded) -> None:
    assert ("hr",) not in sqe.ask("alice", "SHOW SCHEMAS FROM lake")
    rows = sqe.ask("alice", "SELECT DISTINCT table_schema FROM lake.information_schema.tables")
    assert ("sales",) in rows and ("hr",) not in rows


@pytest.mark.parametrize(
    "statement",
    [
        "INSERT INTO lake.sales.people VALUES (1, 'x')",
        "CREATE TABLE lake.sales.of_alice (a integer)",
        "CREATE TABLE lake.sales.of_alice AS SELECT 1 AS a",
        "ALTER TABLE lake.sales.people ADD COLUMN c integer",
        "DROP TABLE lake.sales.people",
    ],
)
def test_what_she_sees_and_may_not_change(sqe: Serving | Embedded, statement: str) -> None:
    assert "PermissionDenied" in sqe.refusal("alice", statement)
    assert sqe.ask("bob", "SELECT count(*) FROM lake.sales.people") == [(0,)]


@pytest.mark.parametrize(("method", "status"), [("GET", 404), ("HEAD", 404), ("DELETE", 404), ("POST", 404)])
def test_other_engines_hear_the_same(
    sqe: Serving | Embedded, lake: Lake, method: str, status: int
) -> None:
    if not isinstance(sqe, Serving):
        pytest.skip("the people of this lake cannot log in here")
    headers = {"Authorization": f"Bearer {lake.token('alice')}", "Content-Type": "application/json"}
    change = b'{"requirements": [], "updates": [{"action": "set-properties", "updates": {"a": "b"}}]}'
    answers = []
    for name in ("people", "guessed"):
        url = f"{sqe.iceberg_url}/v1/lake/namespaces/hr/tables/{name}"
        body = change if method == "POST" else None
        answer = urllib3.request(method, url, body=body, headers=headers, retries=False)
        answers.append((answer.status, answer.data.replace(name.encode(), b"NAME")))
    assert answers[0] == answers[1] and answers[0][0] == status
