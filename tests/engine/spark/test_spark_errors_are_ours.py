"""Errors of Spark and Iceberg have our codes, our positions, and nothing of theirs."""

from __future__ import annotations

from pathlib import Path

import pytest

from sqe.engine.spark.connect import Progress
from sqe.engine.spark.errors import Failure, translate
from sqe.engine.spark.spark import Spark, SparkSession
from sqe.errors import (
    Cancelled,
    CommitConflict,
    InternalError,
    LimitExceeded,
    Position,
    SqeError,
    Unavailable,
    UserError,
)

RAISED = {
    "SELECT /*3:14*/(1 / (id - 2)) FROM range(5)": ("DIVISION_BY_ZERO", Position(3, 14)),
    "SELECT /*1:8*/((id % (id - 2))) FROM range(5)": ("DIVISION_BY_ZERO", Position(1, 8)),
    "SELECT /*2:1*/ ( id + 9223372036854775807) FROM range(5)": (
        "NUMERIC_VALUE_OUT_OF_RANGE",
        Position(2, 1),
    ),
    "SELECT sum(9223372036854775807) FROM range(2)": ("NUMERIC_VALUE_OUT_OF_RANGE", None),
    "SELECT CAST(id + 2147483647 AS INT) FROM range(5)": ("NUMERIC_VALUE_OUT_OF_RANGE", None),
    "SELECT /*1:1*/CAST(id * 1000 AS DECIMAL(3,1)) FROM range(5)": (
        "NUMERIC_VALUE_OUT_OF_RANGE",
        Position(1, 1),
    ),
    "SELECT /*9:9*/CAST(concat('x', id) AS INT) FROM range(5)": ("INVALID_CAST_ARGUMENT", Position(9, 9)),
    "SELECT CAST(concat('2020-13-0', id) AS DATE) FROM range(5)": ("INVALID_CAST_ARGUMENT", None),
    "SELECT /*1:8*/(SELECT id FROM range(3))": ("SUBQUERY_MULTIPLE_ROWS", Position(1, 8)),
    "SELECT /*1:8*/element_at(array(1, 2), CAST(id + 3 AS INT)) FROM range(1)": (
        "INVALID_FUNCTION_ARGUMENT",
        Position(1, 8),
    ),
    "SELECT raise_error('SQE:INVALID_ARGUMENTS:a: b') FROM range(1)": ("INVALID_ARGUMENTS", None),
    "SELECT nowhere FROM range(1)": ("GENERIC_INTERNAL_ERROR", None),
    "SELEC 1": ("GENERIC_INTERNAL_ERROR", None),
}


@pytest.mark.parametrize("sql", RAISED)
def test_codes_and_positions(spark: SparkSession, sql: str) -> None:
    code, position = RAISED[sql]
    with pytest.raises(SqeError) as caught:
        list(spark.run(sql, statement_id="failing", user="x"))
    assert caught.value.code == code
    if position is not None:
        assert caught.value.position == position
    assert_clean(caught.value)


def assert_clean(error: SqeError) -> None:
    text = str(error)
    assert len(text) < 300 and "\n" not in text
    for leak in ("SELECT", "org.apache", "java.", "\tat ", "/tmp", "/home", "SQLSTATE", "range("):
        assert leak not in text


def test_raised_messages_are_shown_as_written(spark: SparkSession) -> None:
    with pytest.raises(UserError, match=r"^value: 'x' is wrong$"):
        sql = r"SELECT raise_error('SQE:INVALID_ARGUMENTS:value: \'x\' is wrong')"
        list(spark.run(sql, statement_id="raised", user="x"))


def test_writes_that_break_rules(spark_lane: Spark, tmp_path: Path) -> None:
    key = "spark.sql.catalog.lake"
    conf = {
        key: "org.apache.iceberg.spark.SparkCatalog",
        f"{key}.type": "hadoop",
        f"{key}.warehouse": str(tmp_path),
    }
    session = spark_lane.session("rules", conf)

    def run(sql: str) -> None:
        list(session.run(sql, statement_id="rules", user="x"))

    run("CREATE TABLE lake.a.t (a BIGINT NOT NULL, b STRING) USING iceberg")
    run("INSERT INTO lake.a.t VALUES (1, 'x')")
    with pytest.raises(UserError) as null:
        run("INSERT INTO lake.a.t SELECT if(id = 3, null, id), 'y' FROM range(5)")
    assert null.value.code == "CONSTRAINT_VIOLATION"
    assert null.value.message.endswith(": a")
    merge = "MERGE INTO lake.a.t USING (SELECT 1L AS i FROM range(2)) ON a = i"
    with pytest.raises(UserError) as many:
        run(f"{merge} WHEN MATCHED THEN UPDATE SET b = 'z'")
    assert many.value.code == "MERGE_TARGET_ROW_MULTIPLE_MATCHES"
    for error in (null.value, many.value):
        assert_clean(error)


def test_two_writers_of_the_same_rows(spark_lane: Spark, tmp_path: Path) -> None:
    key = "spark.sql.catalog.lake"
    kind = {key: "org.apache.iceberg.spark.SparkCatalog", f"{key}.type": "hadoop"}
    session = spark_lane.session("writers", {**kind, f"{key}.warehouse": str(tmp_path)})
    list(session.run("CREATE TABLE lake.a.t USING iceberg AS SELECT 1 AS a", statement_id="w1", user="x"))
    overtaken: list[bool] = []

    def overtake(progress: Progress) -> None:
        if progress.tasks_total and not overtaken:
            overtaken.append(True)
            list(session.run("UPDATE lake.a.t SET a = 2", statement_id="w2", user="x"))

    # It has read the table when its long second input begins.
    slow = "(SELECT count(*) FROM range(0, 400000000, 1, 1) WHERE id % 7 = 3)"
    with pytest.raises(CommitConflict) as caught:
        sql = f"UPDATE lake.a.t SET a = CAST({slow} AS INT)"
        list(session.run(sql, statement_id="w3", user="x", on_progress=overtake))
    assert_clean(caught.value)
    (batch,) = session.run("SELECT a FROM lake.a.t", statement_id="w4", user="x")
    assert batch.column(0).to_pylist() == [2]


def failure(*causes: tuple[str, str], condition: str | None = None, **parameters: str) -> Failure:
    return Failure(condition, parameters, causes)


@pytest.mark.parametrize(
    ("given", "kind", "names"),
    [
        (
            failure(("org.apache.iceberg.exceptions.CommitFailedException", "Requirement failed: /data/x")),
            CommitConflict,
            "at the same time",
        ),
        (
            failure(
                ("org.apache.spark.SparkException", "Job aborted"),
                (
                    "org.apache.iceberg.exceptions.ValidationException",
                    "Found conflicting files that can contain",
                ),
            ),
            CommitConflict,
            "at the same time",
        ),
        (
            failure(("org.apache.iceberg.exceptions.CommitStateUnknownException", "Cannot determine")),
            CommitConflict,
            "not known",
        ),
        (failure(("org.apache.spark.SparkException", "[OPERATION_CANCELED]")), Cancelled, "cancelled"),
        (
            failure(
                ("org.apache.spark.SparkException", "Job aborted"),
                ("java.io.IOException", "No space left on device"),
            ),
            LimitExceeded,
            "spark.local.dir",
        ),
        (failure(("java.lang.OutOfMemoryError", "Java heap space")), LimitExceeded, "spark.driver_memory"),
        (
            failure(
                ("org.apache.spark.SparkException", "is bigger than spark.driver.maxResultSize (512 MiB)")
            ),
            LimitExceeded,
            "spark.driver.maxResultSize",
        ),
        (failure(("org.sqlite.SQLiteException", "[SQLITE_BUSY] locked")), Unavailable, "locked"),
        (
            failure(("java.lang.NullPointerException", "at /home/joe/secret-token")),
            InternalError,
            "NullPointerException",
        ),
    ],
)
def test_failures_by_their_java_classes(given: Failure, kind: type[SqeError], names: str) -> None:
    error = translate(given)
    assert type(error) is kind
    assert names in error.message
    assert_clean(error)
