"""`"$path"`, `"$partition"` and `"$file_modified_time"`: the file of a row, and what is known of it. They can
be named, and nothing lists them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from urllib.parse import urlsplit

import pytest
from tests.doors.trino.trino_door import Opened, Wire, opened_door

from sqe.api.connection import connect
from sqe.engine.spark.spark import Spark
from sqe.errors import SqeError
from sqe.policy.decision import EVERYTHING, Decision
from sqe.session import Identity
from sqe.tree.privileges import ALL
from sqe.tree.relations import TableName
from sqe.tree.rules import Rule


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory, spark_lane: Spark) -> Iterator[Opened]:
    with opened_door(tmp_path_factory.mktemp("hidden"), spark=spark_lane) as opened:
        wire = Wire(opened.url)
        for sql in (
            "CREATE TABLE lake.default.t (a bigint, b varchar)",
            "INSERT INTO lake.default.t VALUES (1, 'x')",
            "INSERT INTO lake.default.t VALUES (2, 'y')",
            "INSERT INTO lake.default.t VALUES (3, 'z')",
            'CREATE TABLE lake.default.own ("$path" bigint)',
            "CREATE TABLE lake.default.parts (a bigint, b varchar, d date) "
            "WITH (partitioning = ARRAY['b', 'month(d)'])",
            "INSERT INTO lake.default.parts VALUES (1, 'x y/ü', DATE '2020-01-02'), (2, NULL, NULL)",
            "INSERT INTO lake.default.parts VALUES (3, 'z', NULL)",
        ):
            assert "error" not in wire.run(sql).pages[-1]
        yield opened


def asked(door: Opened, lane: str) -> Wire:
    headers = {"X-Trino-Catalog": "lake", "X-Trino-Schema": "default", "X-Trino-Session": f"lane={lane}"}
    return Wire(door.url, **headers)


@pytest.mark.parametrize("lane", ["fast", "spark"])
def test_the_path_is_that_of_the_metadata(door: Opened, lane: str) -> None:
    wire = asked(door, lane)
    outcome = wire.run('SELECT a, "$path", length("$PATH") FROM t ORDER BY a')
    assert [column["type"] for column in outcome.columns] == ["bigint", "varchar", "bigint"]
    paths = [path for _, path, _ in outcome.rows]
    assert len(set(paths)) == 3
    files = [path for (path,) in wire.run('SELECT file_path FROM "t$files"').rows]
    assert set(paths) == set(files)
    where = f"\"$path\" = '{paths[2]}'"
    assert wire.run(f"SELECT a FROM t WHERE {where}").rows == [[3]]
    assert wire.run(f"SELECT a FROM t AS s WHERE NOT s.{where} ORDER BY 1").rows == [[1], [2]]
    grouped = wire.run('SELECT "$path", sum(a) FROM t GROUP BY 1 ORDER BY 2').rows
    assert grouped == [[path, n] for n, path in enumerate(paths, 1)]
    assert wire.run('SELECT "$path" FROM t WHERE a > 3').rows == []


@pytest.mark.parametrize("lane", ["fast", "spark"])
def test_nothing_lists_it(door: Opened, lane: str) -> None:
    wire = asked(door, lane)
    assert [c["name"] for c in wire.run('SELECT * FROM t WHERE "$path" IS NOT NULL').columns] == ["a", "b"]
    joined = wire.run('SELECT * FROM t JOIN t AS u USING (a) WHERE u."$path" = t."$path" ORDER BY a')
    assert [row[0] for row in joined.rows] == [1, 2, 3] and len(joined.columns) == 3
    assert [row[0] for row in wire.run("DESCRIBE t").rows] == ["a", "b"]
    missing = wire.run('SELECT "$path" FROM (SELECT * FROM t)').error
    assert missing["errorName"] == "COLUMN_NOT_FOUND"


@pytest.mark.parametrize("lane", ["fast", "spark"])
def test_the_partition_is_that_of_its_path_in_iceberg(door: Opened, lane: str) -> None:
    wire = asked(door, lane)
    outcome = wire.run('SELECT a, "$partition" FROM parts ORDER BY a')
    assert [column["type"] for column in outcome.columns] == ["bigint", "varchar"]
    # Recorded from Trino 476.
    partitions = ["b=x+y%2F%C3%BC/d_month=2020-01", "b=null/d_month=null", "b=z/d_month=null"]
    assert outcome.rows == [[n, text] for n, text in enumerate(partitions, 1)]
    where = f"\"$partition\" = '{partitions[0]}'"
    assert wire.run(f"SELECT p.a FROM parts AS p WHERE p.{where}").rows == [[1]]
    assert wire.run('SELECT "$partition", count(*) FROM t GROUP BY 1').rows == [["", 3]]
    (snapshot,) = wire.run('SELECT min_by(snapshot_id, committed_at) FROM "parts$snapshots"').rows[0]
    past = wire.run(f'SELECT "$partition" FROM parts FOR VERSION AS OF {snapshot} ORDER BY a')
    assert past.rows == [[text] for text in partitions[:2]]


@pytest.mark.parametrize("lane", ["fast", "spark"])
def test_the_time_is_that_of_the_file(door: Opened, lane: str) -> None:
    wire = asked(door, lane)
    paths = sorted(path for (path,) in wire.run('SELECT file_path FROM "t$files"').rows)
    for minute, path in enumerate(paths):
        moment = 1_600_000_000_123_456_789 + minute * 60_000_000_000
        os.utime(urlsplit(path).path, ns=(moment, moment))
    outcome = wire.run('SELECT "$path", "$file_modified_time" FROM t ORDER BY 1')
    assert outcome.columns[1]["type"] == "timestamp(3) with time zone"
    assert outcome.rows == [[path, f"2020-09-13 12:{26 + n}:40.123 UTC"] for n, path in enumerate(paths)]
    later = wire.run(
        "SELECT count(*) FROM t WHERE \"$file_modified_time\" > TIMESTAMP '2020-09-13 12:27:00 UTC'"
    )
    assert later.rows == [[2]]


@pytest.mark.parametrize("lane", ["fast", "spark"])
def test_they_are_columns_of_views_and_of_what_is_prepared(door: Opened, lane: str) -> None:
    wire = asked(door, lane)
    view = 'CREATE OR REPLACE VIEW placed AS SELECT a, "$path" AS p, "$partition" AS q FROM parts'
    assert "error" not in wire.run(view).pages[-1]
    assert wire.run("SELECT a FROM placed WHERE q = 'b=z/d_month=null' AND p LIKE '%parquet'").rows == [[3]]
    prepared = "EXECUTE IMMEDIATE 'SELECT a FROM parts WHERE \"$partition\" = ?' USING 'b=z/d_month=null'"
    assert wire.run(prepared).rows == [[3]]


def test_a_changed_row_goes_to_the_lane_that_knows_its_file(door: Opened) -> None:
    wire = asked(door, "auto")
    for sql in (
        "CREATE TABLE changed (a bigint, b varchar) WITH (partitioning = ARRAY['b'])",
        "INSERT INTO changed VALUES (1, 'x'), (2, 'x'), (3, 'y')",
        "DELETE FROM changed WHERE a = 1",
    ):
        assert "error" not in wire.run(sql).pages[-1]
    assert wire.run('SELECT a, "$partition" FROM changed ORDER BY a').rows == [[2, "b=x"], [3, "b=y"]]
    assert (
        wire.run("DELETE FROM changed WHERE \"$partition\" = 'b=x'").error["errorName"] == "COLUMN_NOT_FOUND"
    )


def test_a_column_of_that_name_is_a_column(door: Opened) -> None:
    wire = asked(door, "auto")
    assert [column["type"] for column in wire.run('SELECT "$path" FROM own').columns] == ["bigint"]
    assert wire.run('SELECT "$partition" FROM own').error["errorName"] == "COLUMN_NOT_FOUND"


class Filtered:
    """Of every table some rows, once it is active."""

    active = False

    def table(self, identity: Identity, table: TableName) -> Decision:
        return Decision(ALL, row_filters=(Rule("true"),)) if self.active else EVERYTHING

    def may_read_files(self, identity: Identity, paths: Sequence[str]) -> bool:
        return False

    def may_place(self, identity: Identity, location: str) -> bool:
        return False


def test_who_sees_a_part_of_a_table_has_none() -> None:
    """Files tell of rows that are hidden."""
    policy = Filtered()
    with connect(memory=True, policy=policy) as connection:
        connection.execute("CREATE TABLE t (a bigint)")
        assert connection.execute('SELECT "$path" FROM t').fetchall() == []
        policy.active = True
        for column in ("$path", "$partition", "$file_modified_time"):
            with pytest.raises(SqeError) as failure:
                connection.execute(f'SELECT "{column}" FROM t')
            assert failure.value.code == "COLUMN_NOT_FOUND"
