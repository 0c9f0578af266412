"""What statements change of the session alone, and what they say of transactions."""

from __future__ import annotations

import pytest

from sqe.api.connection import Connection
from sqe.errors import NotSupported, SqeError


def settings(connection: Connection) -> dict[str, str]:
    return {name: value for name, value, *_ in connection.execute("SHOW SESSION").fetchall()}


def failure(connection: Connection, sql: str) -> SqeError:
    with pytest.raises(SqeError) as error:
        connection.execute(sql)
    return error.value


def test_properties_are_set_and_reset(light: Connection) -> None:
    before = settings(light)
    assert before.items() >= {"lane": "auto", "query_max_run_time": "0s", "time_zone_id": "UTC"}.items()
    light.execute("SET SESSION lane = 'spark'")
    light.execute("SET SESSION QUERY_MAX_RUN_TIME = '90s'")
    light.execute("SET SESSION time_zone_id = 'europe/berlin'")
    changed = {"lane": "spark", "query_max_run_time": "90s", "time_zone_id": "Europe/Berlin"}
    assert settings(light) == before | changed
    for name in changed:
        light.execute(f"RESET SESSION {name}")
    assert settings(light) == before


@pytest.mark.parametrize(("sql", "part", "place"), [
    ("SET SESSION lane = 'quick'", "'quick' is not one of 'auto', 'spark', 'fast'", "1:20"),
    ("SET SESSION lane = 1", "of type varchar, not integer", "1:20"),
    ("SET SESSION lane = NULL", "of type varchar", "1:20"),
    ("SET SESSION lane = 'a' || 'uto'", "not an expression", "1:20"),
    ("SET SESSION query_max_run_time = '90'", "no duration", "1:34"),
    ("SET SESSION query_max_run_time = '-1s'", "no duration", "1:34"),
    ("SET SESSION time_zone_id = 'Mars'", "no time zone", "1:28"),
])  # fmt: skip
def test_values_are_typed(light: Connection, sql: str, part: str, place: str) -> None:
    error = failure(light, sql)
    assert error.code == "INVALID_SESSION_PROPERTY"
    assert part in error.message
    assert str(error.position) == place
    assert light.session.properties == {} and light.session.time_zone == "UTC"


def test_unknown_properties_name_the_nearest(light: Connection) -> None:
    error = failure(light, "SET SESSION lan = 'spark'")
    assert (error.code, error.hint) == ("INVALID_SESSION_PROPERTY", "did you mean 'lane'?")
    assert failure(light, "RESET SESSION query_max_run_tim").hint == "did you mean 'query_max_run_time'?"
    assert failure(light, "SET SESSION spark.sql.ansi.enabled = 'false'").hint == "see SHOW SESSION"
    assert failure(light, "SET SESSION iceberg.lane = 'spark'").code == "INVALID_SESSION_PROPERTY"


def test_only_the_session_is_set(light: Connection) -> None:
    for sql in ("SET lane = 'auto'", "SET GLOBAL lane = 'auto'", "SET SESSION lane"):
        error = failure(light, sql)
        assert error.kind.value == "USER_ERROR" and error.position is not None


def test_a_lane_that_is_asked_for_is_taken_or_refused(light: Connection) -> None:
    light.execute("SET SESSION lane = 'fast'")
    cursor = light.execute("SELECT 1")
    assert cursor.statement is not None
    assert cursor.fetchall() == [(1,)] and cursor.statement.lane == "fast"
    sampled = "SELECT * FROM (VALUES 1, 2) AS t (x) TABLESAMPLE BERNOULLI (50)"
    assert failure(light, sampled).code == "NOT_SUPPORTED"
    light.execute("RESET SESSION lane")


@pytest.mark.parametrize(("zone", "kept"), [
    ("'Europe/Berlin'", "Europe/Berlin"),
    ("'america/new_york'", "America/New_York"),
    ("'+05:30'", "+05:30"),
    ("'UTC'", "UTC"),
    ("INTERVAL '2' HOUR", "+02:00"),
    ("INTERVAL '-2' HOUR", "-02:00"),
    ("INTERVAL -'08:30' HOUR TO MINUTE", "-08:30"),
    ("INTERVAL '0' HOUR", "UTC"),
    ("LOCAL", "UTC"),
])  # fmt: skip
def test_set_time_zone(light: Connection, zone: str, kept: str) -> None:
    light.execute("SET TIME ZONE 'Asia/Tokyo'")
    light.execute(f"SET TIME ZONE {zone}")
    assert light.session.time_zone == kept
    assert settings(light)["time_zone_id"] == kept


@pytest.mark.parametrize("zone", ["'Mars/City'", "5", "NULL", "INTERVAL '15' HOUR", "INTERVAL '1' MONTH",
                                  "INTERVAL '1' SECOND", "''"])  # fmt: skip
def test_what_is_no_time_zone(light: Connection, zone: str) -> None:
    error = failure(light, f"SET TIME ZONE {zone}")
    assert error.code == "INVALID_ARGUMENTS" and error.position is not None
    assert light.session.time_zone == "UTC"


def test_use_leads_into_the_schemas_of_the_system(light: Connection) -> None:
    light.execute("USE iceberg.information_schema")
    assert ("columns",) in light.execute("SHOW TABLES").fetchall()
    assert light.execute("DESCRIBE schemata").fetchall()[0][0] == "catalog_name"
    light.execute("USE default")
    light.execute("USE information_schema")
    light.execute("USE system.runtime")
    assert light.execute("SHOW TABLES").fetchall() == [("nodes",), ("queries",)]
    assert light.execute("SHOW SCHEMAS").fetchall() == [
        *(("information_schema",), ("jdbc",), ("metadata",), ("runtime",))
    ]
    assert light.execute("DESCRIBE nodes").fetchall()[0][0] == "node_id"
    light.execute("USE jdbc")
    assert failure(light, "USE default").code == "SCHEMA_NOT_FOUND"
    assert failure(light, "SELECT * FROM nosuch").code == "TABLE_NOT_FOUND"
    light.execute("USE iceberg")
    assert (light.session.catalog, light.session.namespace) == ("iceberg", ("default",))


def test_a_transaction_without_writes_ends_either_way(light: Connection) -> None:
    for begin in (
        "BEGIN",
        "START TRANSACTION",
        "START TRANSACTION ISOLATION LEVEL READ COMMITTED, READ ONLY",
    ):
        for end in ("COMMIT", "ROLLBACK", "COMMIT WORK", "ROLLBACK WORK"):
            light.execute(begin)
            light.execute("SHOW TABLES")
            light.execute(end)
    light.execute("ROLLBACK")
    light.execute("COMMIT")


def test_transactions_do_not_nest(light: Connection) -> None:
    light.execute("BEGIN")
    assert failure(light, "START TRANSACTION").code == "NOT_SUPPORTED"
    light.execute("COMMIT")
    light.execute("BEGIN")


def test_rollback_after_a_change_says_that_it_cannot(light: Connection) -> None:
    light.execute("BEGIN")
    light.execute("CREATE TABLE t (a bigint)")
    light.execute("CREATE SCHEMA s")
    with pytest.raises(NotSupported, match="cannot take back 2 statements"):
        light.execute("ROLLBACK")
    light.execute("ROLLBACK")
    assert light.execute("SHOW TABLES").fetchall() == [("t",)]
    light.execute("DROP TABLE t")
    light.execute("ROLLBACK")
    light.execute("BEGIN")
    light.execute("DROP SCHEMA s")
    light.execute("COMMIT")


def test_a_change_that_failed_needs_no_rollback(light: Connection) -> None:
    light.execute("BEGIN")
    failure(light, "DROP TABLE nosuch")
    failure(light, "CREATE TABLE s.t (a bigint)")
    light.execute("EXPLAIN CREATE TABLE t (a bigint)")
    light.execute("SET SESSION lane = 'spark'")
    light.execute("ROLLBACK")


@pytest.mark.spark
def test_each_statement_commits_by_itself(schema: Connection) -> None:
    schema.execute("CREATE TABLE t (a bigint)")
    schema.execute("BEGIN")
    schema.execute("INSERT INTO t VALUES (1)")
    with pytest.raises(NotSupported, match="1 statement:"):
        schema.execute("ROLLBACK")
    assert schema.execute("SELECT a FROM t").fetchall() == [(1,)]
