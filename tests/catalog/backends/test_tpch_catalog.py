"""The tables of TPC-H, made when they are read. What is expected of `tiny` was asked of a Trino 476."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.doors.trino.trino_door import Opened, Wire, opened_door

from sqe.catalog.backends.tpch import TpchCatalog
from sqe.catalog.tpch.tables import scale_of
from sqe.engine.spark.spark import Spark
from sqe.errors import Cancelled, ConfigError, SqeError

TPCH = '[catalogs.tpch]\ntype = "tpch"\n'
TYPES = {
    "customer": "bigint varchar(25) varchar(40) bigint varchar(15) double varchar(10) varchar(117)",
    "lineitem": "bigint bigint bigint integer double double double double varchar(1) varchar(1)"
    " date date date varchar(25) varchar(10) varchar(44)",
    "nation": "bigint varchar(25) bigint varchar(152)",
    "orders": "bigint bigint varchar(1) double date varchar(15) varchar(15) integer varchar(79)",
    "part": "bigint varchar(55) varchar(25) varchar(10) varchar(25) integer varchar(10) double varchar(23)",
    "partsupp": "bigint bigint integer double varchar(199)",
    "region": "bigint varchar(25) varchar(152)",
    "supplier": "bigint varchar(25) varchar(40) bigint varchar(15) double varchar(101)",
}
SUMS: dict[str, list[Any]] = {
    "count(*), sum(custkey), sum(acctbal), sum(length(comment)) FROM customer": [
        1500, 1125750, 6681865.59, 109800,
    ],
    "count(*), sum(orderkey), sum(partkey), sum(suppkey), sum(linenumber), sum(quantity), sum(extendedprice),"
    " sum(discount), sum(tax), min(shipdate), max(receiptdate), sum(length(comment)) FROM lineitem": [
        60175, 1802759573, 60337552, 3041002, 180782, 1536127.0, 2152189760.47, 3004.54, 2420.51,
        "1992-01-04", "1998-12-25", 1598371,
    ],
    "count(*), sum(orderkey), sum(custkey), sum(totalprice), sum(length(comment)) FROM orders": [
        15000, 449872500, 11331746, 2127396830.02, 727364,
    ],
    "count(*), sum(retailprice), sum(size), sum(length(comment)) FROM part": [2000, 2800992.0, 50511, 27173],
    "count(*), sum(supplycost), sum(availqty), sum(length(comment)) FROM partsupp": [
        8000, 3957437.38, 40079419, 992530,
    ],
    "count(*), sum(acctbal), sum(length(comment)) FROM supplier": [100, 400930.0, 6115],
    "count(*), sum(nationkey), max(name) FROM nation": [25, 300, "VIETNAM"],
    "count(*), sum(regionkey), max(name) FROM region": [5, 10, "MIDDLE EAST"],
}  # fmt: skip


@pytest.fixture(scope="module")
def door(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Opened]:
    with opened_door(tmp_path_factory.mktemp("tpch"), TPCH) as opened:
        yield opened


@pytest.fixture
def wire(door: Opened) -> Wire:
    return Wire(door.url, **{"X-Trino-Catalog": "tpch", "X-Trino-Schema": "tiny"})


def test_what_there_is_makes_no_rows(tmp_path: Path) -> None:
    with opened_door(tmp_path, TPCH) as opened:
        wire = Wire(opened.url, **{"X-Trino-Catalog": "tpch", "X-Trino-Schema": "tiny"})
        schemas = [name for (name,) in wire.run("SHOW SCHEMAS").rows]
        assert schemas == ["information_schema", "sf1", "sf10", "sf100", "tiny"]
        assert [name for (name,) in wire.run("SHOW TABLES FROM sf100").rows] == sorted(TYPES)
        listed = wire.run(
            "SELECT table_name, data_type FROM information_schema.columns"
            " WHERE table_schema = 'sf10' ORDER BY table_name, ordinal_position"
        ).rows
        assert listed == [[table, kind] for table in sorted(TYPES) for kind in TYPES[table].split(" ")]
        assert [row[1] for row in wire.run("DESCRIBE nation").rows] == TYPES["nation"].split(" ")
        catalog = opened.server.coordinator.catalogs.get("tpch")
        assert isinstance(catalog, TpchCatalog)
        directory = catalog._directory()
        assert not list(directory.rglob("*.parquet"))
    assert not directory.exists()


@pytest.mark.parametrize("query", SUMS)
def test_rows_are_those_of_trino(wire: Wire, query: str) -> None:
    (row,) = wire.run(f"SELECT {query}").rows
    assert row == [pytest.approx(v, rel=1e-12) if isinstance(v, float) else v for v in SUMS[query]]


def test_columns_have_the_types_of_trino(wire: Wire) -> None:
    for table, types in TYPES.items():
        shown = [column["type"] for column in wire.run(f"SELECT * FROM {table} LIMIT 1").columns]
        assert shown == types.split(" ")


def test_any_scale_can_be_named(wire: Wire) -> None:
    assert wire.run('SELECT count(*) FROM "sf0.02".orders').rows == [[30000]]
    assert wire.run("SELECT count(*) FROM SF100000.nation").rows == [[25]]
    for schema in ("sf0", "sf01", "sf", "small"):
        assert wire.run(f"SELECT * FROM {schema}.nation").error["errorName"] == "SCHEMA_NOT_FOUND"
    assert [scale_of(name) for name in ("sf1.0", "sf1e3", "sf-1", "sf300")] == [None, None, None, 300.0]


def test_what_has_no_room_is_refused(wire: Wire) -> None:
    error = wire.run("SELECT count(*) FROM sf100000.lineitem").error
    assert error["errorName"] == "GENERIC_INSUFFICIENT_RESOURCES" and "TMPDIR" in error["message"]


@pytest.mark.parametrize(
    "sql",
    [
        "CREATE SCHEMA tpch.mine",
        "DROP SCHEMA tiny CASCADE",
        "CREATE TABLE mine (a bigint)",
        "CREATE VIEW mine AS SELECT 1 AS a",
        "DROP TABLE nation",
        "ALTER TABLE nation ADD COLUMN a bigint",
        "ALTER TABLE nation RENAME TO mine",
        "DELETE FROM nation",
        "TRUNCATE TABLE nation",
        "INSERT INTO nation SELECT * FROM nation",
    ],
)
def test_nothing_can_be_changed(wire: Wire, sql: str) -> None:
    assert wire.run(sql).error["errorName"] == "NOT_SUPPORTED"
    assert wire.run("SELECT count(*) FROM nation").rows == [[25]]


def test_rows_that_nobody_waits_for_are_not_made() -> None:
    def gone() -> None:
        raise Cancelled("the statement was cancelled")

    catalog = TpchCatalog("tpch")
    try:
        table = catalog.find_table(("sf1",), "orders")
        with pytest.raises(SqeError, match="cancelled"):
            catalog.prepare(table, gone)
        assert not list(catalog._directory().rglob("*.parquet"))
    finally:
        catalog.close()


def test_both_lanes_read_them(tmp_path: Path, spark_lane: Spark) -> None:
    query = (
        "SELECT n.name, count(*), min(o.orderdate), max(c.comment) FROM nation n"
        " JOIN customer c ON c.nationkey = n.nationkey JOIN orders o ON o.custkey = c.custkey"
        " WHERE o.orderpriority = '1-URGENT' GROUP BY n.name ORDER BY n.name"
    )
    with opened_door(tmp_path, TPCH, spark=spark_lane) as opened:
        answers = []
        for lane in ("fast", "spark"):
            headers = {"X-Trino-Catalog": "tpch", "X-Trino-Schema": "tiny", "X-Trino-Session": f"lane={lane}"}
            answers.append(Wire(opened.url, **headers).run(query))
        assert answers[0].rows == answers[1].rows and len(answers[0].rows) == 25
        assert answers[0].columns == answers[1].columns


def test_without_its_generator_it_is_not_mounted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sqe.catalog.tpch.generator.find_spec", lambda name: None)
    with pytest.raises(ConfigError) as failure, opened_door(tmp_path, TPCH):
        pass
    assert "catalog 'tpch': DuckDB's generator of TPC-H is not installed" in failure.value.message
    assert "pip install 'sqe[tpch]'" in (failure.value.hint or "")
