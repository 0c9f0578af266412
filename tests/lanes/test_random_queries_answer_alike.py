"""Queries of chance over tables of chance: what the fast lane takes, both lanes answer alike.

The default run has a fixed budget and always the same queries; SQE_LANES_EXAMPLES=2000 searches for new ones.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.lanes.comparing import difference_of_tables
from tests.lanes.random_queries import Table, make_table, queries

from sqe.api.connection import Connection
from sqe.engine.duckdb.errors import FastLaneFailed
from sqe.errors import NotSupported, SqeError

EXAMPLES = int(os.environ.get("SQE_LANES_EXAMPLES", "0"))
TABLES = 12 if EXAMPLES else 3
BUDGET = EXAMPLES or 40
# The same tables in every run of the default budget.
SEED = 20 if not EXAMPLES else int.from_bytes(os.urandom(3), "big")


@pytest.fixture(scope="module")
def tables() -> list[Table]:
    return [make_table(SEED + number) for number in range(TABLES)]


@pytest.fixture(scope="module")
def on_lanes(
    connect: Callable[..., Connection], tables: Sequence[Table], tmp_path_factory: pytest.TempPathFactory
) -> tuple[Connection, Connection]:
    warehouse = tmp_path_factory.mktemp("random")
    fast, spark = connect(warehouse=warehouse), connect(warehouse=warehouse)
    fast.execute("SET SESSION lane = 'fast'")
    spark.execute("SET SESSION lane = 'spark'")
    for table in tables:
        for statement in table.statements:
            spark.execute(statement)
    return fast, spark


@pytest.mark.spark
def test_queries_of_chance(on_lanes: tuple[Connection, Connection], tables: list[Table]) -> None:
    fast, spark = on_lanes
    taken = 0

    @settings(
        max_examples=BUDGET,
        derandomize=not EXAMPLES,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(st.data())
    def ask(data: st.DataObject) -> None:
        nonlocal taken
        sql, ordered = data.draw(queries(tables))
        try:
            left = fast.execute(sql).fetch_arrow_table()
        except (NotSupported, FastLaneFailed):
            return
        except SqeError as error:
            taken += 1
            with pytest.raises(SqeError) as raised:
                spark.execute(sql).fetchall()
            assert raised.value.code == error.code, sql
            return
        taken += 1
        told = difference_of_tables(left, spark.execute(sql).fetch_arrow_table(), ordered=ordered)
        assert not told, f"{sql}\n{told}"

    ask()
    assert taken >= BUDGET // 2, f"the fast lane took {taken} of {BUDGET} queries"
