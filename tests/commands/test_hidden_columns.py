"""`"$path"`: in which file a row is. It can be named, and nothing lists it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

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


def test_a_column_of_that_name_is_a_column(door: Opened) -> None:
    outcome = asked(door, "auto").run('SELECT "$path" FROM own')
    assert [column["type"] for column in outcome.columns] == ["bigint"]


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
        with pytest.raises(SqeError) as failure:
            connection.execute('SELECT "$path" FROM t')
        assert failure.value.code == "COLUMN_NOT_FOUND"
