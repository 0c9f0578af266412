from __future__ import annotations

import pytest

from sqe.api.connection import connect
from sqe.bench.load import create_empty
from sqe.bench.suites import SUITES, queries
from sqe.statement import Statement, plan

COUNTS = {"tpch": 22, "tpcds": 99, "ssb": 13, "clickbench": 43}


@pytest.mark.parametrize("suite", SUITES)
def test_every_query_binds(suite: str) -> None:
    with connect(memory=True) as connection:
        create_empty(connection, suite)
        for name, sql in queries(suite).items():
            statement = Statement(sql, connection.session)
            plan(statement, connection.coordinator)
            assert statement.lane is not None, name


@pytest.mark.parametrize("suite", SUITES)
def test_no_query_is_missing(suite: str) -> None:
    assert len(queries(suite)) == COUNTS[suite]
    for dialect in ("duckdb", "spark"):
        assert list(queries(suite, dialect)) == list(queries(suite))


def test_another_text_only_where_it_differs() -> None:
    ours, duck = queries("clickbench"), queries("clickbench", "duckdb")
    assert [name for name in ours if ours[name] != duck[name]] == ["q28"]


def test_clickbench_has_all_columns() -> None:
    with connect(memory=True) as connection:
        create_empty(connection, "clickbench")
        types = {name: type_ for name, type_, *_ in connection.execute("DESCRIBE hits").fetchall()}
    assert len(types) == 105
    assert types["eventtime"] == "timestamp(6)"
    assert types["eventdate"] == "date"
    assert types["userid"] == "bigint"
    assert types["url"] == "varchar"
