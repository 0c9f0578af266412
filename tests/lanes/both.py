"""A session on each lane, over one warehouse."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from tests.lanes.comparing import FastLane, Lane

from sqe.api.connection import Connection


@dataclass(frozen=True, slots=True)
class Lanes:
    """The connection of the fast lane answers by that lane or not at all."""

    fast_connection: Connection
    spark_connection: Connection
    fast: Lane
    spark: Lane


def open_lanes(connect: Callable[..., Connection], warehouse: Path) -> Lanes:
    fast, spark = connect(warehouse=warehouse), connect(warehouse=warehouse)
    fast.execute("SET SESSION lane = 'fast'")
    spark.execute("SET SESSION lane = 'spark'")
    return Lanes(fast, spark, FastLane(fast), Lane(lambda sql: spark.execute(sql).fetch_arrow_table()))
