"""Statements that the fast lane takes have the answers that Spark gives."""

from __future__ import annotations

import pytest
from tests.lanes.both import Lanes
from tests.lanes.comparing import difference_of_tables
from tests.lanes.queries import is_ordered, statements

from sqe.engine.duckdb.errors import FastLaneFailed
from sqe.errors import NotSupported, SqeError


@pytest.mark.lanes
@pytest.mark.spark
def test_what_engines_do_with_each_type(lanes: Lanes) -> None:
    different, taken = [], 0
    for sql in statements():
        try:
            fast = lanes.fast.run(sql)
        except (NotSupported, FastLaneFailed):
            continue
        except SqeError as error:
            different.append(f"{sql}: fast {error.code} ({error.message})")
            continue
        taken += 1
        try:
            spark = lanes.spark.run(sql)
        except SqeError as error:
            different.append(f"{sql}: fast a value, Spark {error.code} ({error.message})")
            continue
        told = difference_of_tables(fast, spark, ordered=is_ordered(sql))
        if told:
            different.append(f"{sql}: {told}")
    assert not different, f"{len(different)} differ:\n" + "\n".join(different)
    assert taken > 300
