"""Statements that Trino's clients send besides queries: roles, paths, and the end of a query."""

from __future__ import annotations

import time
from hashlib import sha256
from pathlib import Path

import pytest
from tests.doors.trino.test_pages_of_statements import ENDLESS
from tests.doors.trino.trino_door import KEYS, Opened, Wire, opened_door

ROLES = (
    '[[auth.providers]]\ntype = "api_key"\n[[auth.providers.keys]]\nuser = "ann"\nroles = ["admin", "dev"]\n'
    f'hash = "sha256:{sha256(KEYS["ann"].encode()).hexdigest()}"\n'
)


def test_roles_are_those_of_the_log_in(tmp_path: Path) -> None:
    with opened_door(tmp_path, providers=ROLES) as door:
        ann = Wire(door.url, Authorization=f"Bearer {KEYS['ann']}")
        for sql in ("SHOW ROLES", "SHOW CURRENT ROLES", "SHOW ROLE GRANTS FROM lake"):
            assert ann.run(sql).rows == [["admin"], ["dev"]]
        assert ann.run("SET ROLE ALL").headers["x-trino-set-role"] == "system=ALL"
        assert ann.run("SET ROLE dev").headers["x-trino-set-role"] == "system=ROLE%7Bdev%7D"
        as_dev = {"X-Trino-Role": "system=ROLE%7Bdev%7D"}
        # All roles hold: one of them could be there to restrict its user.
        assert ann.run("SHOW CURRENT ROLES", **as_dev).rows == [["admin"], ["dev"]]
        assert ann.run("SET ROLE root").error["errorName"] == "PERMISSION_DENIED"
        assert ann.run("SET ROLE NONE").error["errorName"] == "NOT_SUPPORTED"
        as_root = {"X-Trino-Role": "system=ROLE%7Broot%7D"}
        assert ann.run("SELECT 1", **as_root).error["errorName"] == "PERMISSION_DENIED"
        assert ann.run("SELECT 1", **{"X-Trino-Role": "system=NONE"}).error["errorName"] == "NOT_SUPPORTED"


def test_grants_and_paths(wire: Wire) -> None:
    grants = wire.run("SHOW GRANTS")
    assert grants.rows == [] and [column["name"] for column in grants.columns][-2:] == [
        "Privilege",
        "Grantable",
    ]
    assert wire.run("SHOW GRANTS ON lake.default.none").error["errorName"] == "TABLE_NOT_FOUND"
    path = wire.run('SET PATH lake.default, "A b".c')
    assert path.headers["x-trino-set-path"] == 'lake.default, "A b".c'
    assert path.pages[-1]["updateType"] == "SET PATH"
    assert wire.run("SELECT 1", **{"X-Trino-Path": "lake.default"}).rows == [[1]]


@pytest.mark.parametrize("arguments", ["'{id}', 'too long'", "query_id => '{id}', message => 'too long'"])
def test_a_query_is_killed_by_its_own_user(door: Opened, wire: Wire, ann: Wire, arguments: str) -> None:
    page = wire.get(wire.post(ENDLESS)["nextUri"])
    call = f"CALL system.runtime.kill_query({arguments.format(id=page['id'])})"
    assert ann.run(call).error["errorName"] == "NOT_FOUND"
    killed = wire.run(call)
    assert killed.pages[-1]["updateType"] == "CALL" and "data" not in killed.pages[-1]
    while "nextUri" in page:
        page = wire.get(page["nextUri"])
    assert page["error"]["errorName"] == "ADMINISTRATIVELY_KILLED" and page["error"]["errorCode"] == 38
    assert "Message: too long" in page["error"]["message"]
    deadline = time.monotonic() + 30
    while wire.run(call).error["errorName"] not in ("NOT_SUPPORTED", "NOT_FOUND"):
        assert time.monotonic() < deadline


@pytest.mark.parametrize(
    ("sql", "code"),
    [
        ("CALL system.runtime.kill_query('nothing')", "NOT_FOUND"),
        ("CALL system.runtime.kill_query()", "INVALID_PROCEDURE_ARGUMENT"),
        ("CALL system.runtime.kill_query(1)", "INVALID_PROCEDURE_ARGUMENT"),
        ("CALL system.runtime.kill_query(NULL)", "INVALID_PROCEDURE_ARGUMENT"),
        ("CALL system.runtime.kill_query(name => 'x')", "INVALID_PROCEDURE_ARGUMENT"),
        ("CALL system.runtime.kill_query('x', message => 'y')", "INVALID_PROCEDURE_ARGUMENT"),
        ("CALL system.runtime.kill_query('x', 'y', 'z')", "INVALID_PROCEDURE_ARGUMENT"),
        ("CALL system.nothing()", "PROCEDURE_NOT_FOUND"),
        ("CALL system.runtime.kill_query", "SYNTAX_ERROR"),
        ("SET ROLE", "SYNTAX_ERROR"),
        ("SET PATH a.b.c", "INVALID_PATH"),
        ("SHOW CURRENT", "SYNTAX_ERROR"),
        ("SHOW ROLE", "SYNTAX_ERROR"),
        ("ANALYZE lake.default.t", "NOT_SUPPORTED"),
        ("CREATE ROLE a", "NOT_SUPPORTED"),
        ("GRANT SELECT ON SCHEMA lake.default TO ann", "NOT_SUPPORTED"),
        ("SET SESSION AUTHORIZATION ann", "NOT_SUPPORTED"),
    ],
)
def test_what_is_wrong_or_not_built_says_so(wire: Wire, sql: str, code: str) -> None:
    assert wire.run(sql).error["errorName"] == code


def test_properties_that_tune_trino_are_taken(wire: Wire) -> None:
    """They change no answer, and clients set them out of habit; others are refused."""
    assert wire.run("SET SESSION query_priority = 5").headers["x-trino-set-session"] == "query_priority=5"
    assert "x-trino-set-session" in wire.run("SET SESSION join_distribution_type = 'BROADCAST'").headers
    for sql in (
        "SET SESSION query_priority = 'x'",
        "SET SESSION query_priority = 0",
        "SET SESSION spill_enabled = 1",
        "SET SESSION join_distribution_type = 'FOO'",
        "SET SESSION hide_inaccessible_columns = true",
        "SET SESSION query_max_cpu_time = '1s'",
    ):
        assert wire.run(sql).error["errorName"] == "INVALID_SESSION_PROPERTY"
    kept = {"X-Trino-Session": "query_priority=5,query_max_execution_time=10m"}
    shown = {row[0]: row[1:4] for row in wire.run("SHOW SESSION", **kept).rows}
    assert shown["query_priority"] == ["5", "1", "integer"]
    assert shown["query_max_execution_time"][0] == "10m"


def test_forms_of_explain(wire: Wire) -> None:
    valid = wire.run("EXPLAIN (TYPE VALIDATE) SELECT 1")
    assert valid.rows == [[True]] and valid.columns[0]["name"] == "Valid"
    assert wire.run("EXPLAIN (TYPE VALIDATE) SELECT a").error["errorName"] == "COLUMN_NOT_FOUND"
    plan = wire.run("EXPLAIN SELECT 1").rows
    for form in ("TYPE LOGICAL", "type distributed, FORMAT text", "FORMAT TEXT"):
        assert wire.run(f"EXPLAIN ({form}) SELECT 1").rows == plan
    assert wire.run("EXPLAIN (SELECT 1)").rows
    for form in ("TYPE IO", "FORMAT JSON", "TYPE LOGICAL, FORMAT GRAPHVIZ"):
        assert wire.run(f"EXPLAIN ({form}) SELECT 1").error["errorName"] == "NOT_SUPPORTED"
    assert "'LOGICAL'" in wire.run("EXPLAIN (TYPE SHORT) SELECT 1").error["message"]


def test_literals_as_trino_reads_them(wire: Wire) -> None:
    assert wire.run("SELECT DATE '1-01-01', DATE '+2020-1-1'").rows == [["0001-01-01", "2020-01-01"]]
    for literal, code in (
        # The clocks were put forward, and never showed it.
        ("TIMESTAMP '2021-03-28 02:30:00 Europe/Brussels'", "INVALID_LITERAL"),
        ("INTERVAL '178956970-8' YEAR TO MONTH", "INVALID_LITERAL"),
        ("INTERVAL '106751992' DAY", "NOT_SUPPORTED"),
    ):
        assert wire.run(f"SELECT {literal}").error["errorName"] == code
    assert wire.run("SELECT CAST(1.4E-45 AS REAL)").rows == [[1.4e-45]]


@pytest.mark.spark
def test_the_least_real_as_a_key(wire: Wire) -> None:
    rows = wire.run("SELECT MAP(ARRAY[CAST(1.4E-45 AS REAL)], ARRAY[1])").rows
    assert rows == [[{"1.4E-45": 1}]]


def test_roles_of_a_log_in(wire: Wire) -> None:
    for table in ("roles", "enabled_roles", "applicable_roles", "table_privileges"):
        assert wire.run(f"SELECT * FROM lake.information_schema.{table}").rows == []
    assert "error" not in wire.run("SET ROLE NONE").pages[-1]
