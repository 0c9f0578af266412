"""Statements of several identities share one Spark and not much else."""

from __future__ import annotations

import itertools
import threading
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sqe.engine.spark.spark import Spark, SparkSession
from sqe.errors import InternalError, NotFound, SqeError, Unavailable

numbers = itertools.count()


def rows(session: SparkSession, sql: str, **options: Any) -> list[tuple[Any, ...]]:
    stream = session.run(sql, statement_id=f"s{next(numbers)}", user="anyone", **options)
    return [tuple(row.values()) for batch in stream for row in batch.to_pylist()]


def catalog(name: str, warehouse: Path) -> dict[str, str]:
    key = f"spark.sql.catalog.{name}"
    kind = {key: "org.apache.iceberg.spark.SparkCatalog", f"{key}.type": "hadoop"}
    return {**kind, f"{key}.warehouse": str(warehouse)}


def test_a_stream_gives_the_schema_and_then_the_batches(spark: SparkSession) -> None:
    stream = spark.run("SELECT id AS a, 'x' AS a FROM range(3)", statement_id="schema", user="anyone")
    assert stream.schema.names == ["a", "a"]
    assert stream.schema.types == [pa.int64(), pa.string()]
    assert sum(batch.num_rows for batch in stream) == 3


def test_an_empty_answer_has_a_schema(spark: SparkSession) -> None:
    stream = spark.run("SELECT 1 AS a WHERE false", statement_id="empty", user="anyone")
    assert stream.schema == pa.schema([pa.field("a", pa.int32(), nullable=False)])
    assert sum(batch.num_rows for batch in stream) == 0


def test_a_large_answer_arrives_whole_and_in_order(spark: SparkSession) -> None:
    stream = spark.run("SELECT id FROM range(0, 500000, 1, 7) ORDER BY id", statement_id="large", user="x")
    column = pa.chunked_array([batch.column(0) for batch in stream])
    assert column.to_pylist() == list(range(500000))


def test_a_write_runs_once(spark_lane: Spark, tmp_path: Path) -> None:
    session = spark_lane.session("writer", catalog("lake", tmp_path))
    rows(session, "CREATE TABLE lake.a.t USING iceberg AS SELECT id FROM range(5)")
    rows(session, "INSERT INTO lake.a.t SELECT id FROM range(5)")
    rows(session, "DELETE FROM lake.a.t WHERE id = 0")
    merge = "MERGE INTO lake.a.t USING (SELECT 7L AS i) ON id = i"
    rows(session, f"{merge} WHEN NOT MATCHED THEN INSERT (id) VALUES (i)")
    assert rows(session, "SELECT count(*), max(id) FROM lake.a.t") == [(9, 7)]
    snapshots = rows(session, "SELECT operation FROM lake.a.t.snapshots ORDER BY committed_at")
    assert [operation for (operation,) in snapshots] == ["append", "append", "overwrite", "append"]


def test_explain_shows_a_plan_and_runs_nothing(spark_lane: Spark, tmp_path: Path) -> None:
    session = spark_lane.session("explainer", catalog("lake", tmp_path))
    rows(session, "CREATE TABLE lake.a.t (id BIGINT) USING iceberg")
    assert "AppendData" in session.explain("INSERT INTO lake.a.t SELECT id FROM range(5)")
    assert rows(session, "SELECT count(*) FROM lake.a.t") == [(0,)]


def test_catalogs_belong_to_their_identity(spark_lane: Spark, tmp_path: Path) -> None:
    one = spark_lane.session("one", catalog("lake", tmp_path / "one"))
    two = spark_lane.session("two", catalog("lake", tmp_path / "two"))
    rows(one, "CREATE TABLE lake.a.t USING iceberg AS SELECT 1 AS a")
    with pytest.raises(NotFound):
        rows(two, "SELECT * FROM lake.a.t")
    assert spark_lane.session("one", catalog("lake", tmp_path / "one")) is one


def test_another_configuration_is_another_session(spark_lane: Spark, tmp_path: Path) -> None:
    before = spark_lane.session("mover", catalog("lake", tmp_path / "before"))
    rows(before, "CREATE TABLE lake.a.t USING iceberg AS SELECT 1 AS a")
    after = spark_lane.session("mover", catalog("lake", tmp_path / "after"))
    assert after is not before
    with pytest.raises(NotFound):
        rows(after, "SELECT * FROM lake.a.t")
    with pytest.raises(Unavailable):
        rows(before, "SELECT 1")


def test_a_replaced_session_finishes_what_it_runs(spark_lane: Spark, tmp_path: Path) -> None:
    before = spark_lane.session("finisher", {})
    stream = before.run("SELECT id FROM range(10)", statement_id="late", user="x")
    spark_lane.session("finisher", catalog("lake", tmp_path))
    assert sum(batch.num_rows for batch in stream) == 10


def test_files_are_views_for_the_time_of_the_statement(spark: SparkSession, tmp_path: Path) -> None:
    for index in range(2):
        pq.write_table(pa.table({"Id": [index], "id": ["x"]}), tmp_path / f"{index}.parquet")
    paths = [str(tmp_path / "0.parquet"), str(tmp_path / "1.parquet")]
    files = {"files_1": ("parquet", paths)}
    assert rows(spark, "SELECT `Id`, `id` FROM files_1 ORDER BY 1", files=files) == [(0, "x"), (1, "x")]
    with pytest.raises(NotFound):
        rows(spark, "SELECT * FROM files_1")


def test_a_missing_file_says_so_without_its_place(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(NotFound) as caught:
        rows(spark, "SELECT * FROM f", files={"f": ("parquet", [str(tmp_path / "no.parquet")])})
    assert caught.value.code == "FILE_NOT_FOUND"
    assert str(tmp_path) not in str(caught.value)


def test_many_statements_run_at_once(spark: SparkSession) -> None:
    answers: list[Any] = []
    threads = [
        threading.Thread(target=lambda n=n: answers.append(rows(spark, f"SELECT sum(id) FROM range({n})")))
        for n in (10, 20, 30, 40)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(answers) == [[(45,)], [(190,)], [(435,)], [(780,)]]


@pytest.mark.parametrize(
    "sql",
    ["SELECT '${env:HOME}'", "SELECT '${system:user.home}'", "SELECT '${spark.master}'"],
)
def test_variables_are_not_substituted(spark: SparkSession, sql: str) -> None:
    assert rows(spark, sql) == [(sql.split("'")[1],)]


def test_files_are_not_tables(spark: SparkSession, tmp_path: Path) -> None:
    (tmp_path / "secret.txt").write_text("secret")
    with pytest.raises(SqeError) as caught:
        rows(spark, f"SELECT * FROM text.`{tmp_path}/secret.txt`")
    assert isinstance(caught.value, (InternalError, NotFound))
    assert str(tmp_path) not in str(caught.value)


def test_names_are_case_sensitive_and_arithmetic_is_ansi(spark: SparkSession) -> None:
    assert rows(spark, "SELECT A, a FROM (SELECT 1 AS A, 2 AS a)") == [(1, 2)]
    assert rows(spark, "SELECT current_timezone()") == [("UTC",)]


def test_a_closed_stream_frees_its_statement(spark: SparkSession) -> None:
    stream = spark.run("SELECT id FROM range(0, 20000000, 1, 100)", statement_id="left", user="x")
    assert next(iter(stream)).num_rows > 0
    stream.close()
    assert rows(spark, "SELECT 1") == [(1,)]
