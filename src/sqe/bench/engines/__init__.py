"""The engines that `sqe bench run` compares, each in a process of its own.

A Trino runner would be one more file here: a class with the methods of `Engine` that talks to a server whose
Iceberg catalog has the same warehouse, and a line in `_PLACES`. `dialect` stays None, since the suites are in
Trino's SQL.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from sqe.errors import InvalidArgument
from sqe.foundation.record import record

if TYPE_CHECKING:
    import pyarrow as pa


@record
class Place:
    """Where a suite's tables are. `tables` has each one's current metadata file. `memory` (bytes) and
    `threads` are for each engine alike."""

    warehouse: Path
    schema: str
    tables: Mapping[str, str]
    memory: int
    threads: int


@record
class Answer:
    """All rows. `lane` and `reason` are SQE's."""

    rows: pa.Table
    lane: str | None = None
    reason: str | None = None


class Engine(Protocol):
    # Whose SQL it is sent: duckdb, spark, or None for ours.
    dialect: str | None

    def open(self, place: Place) -> None:
        """Everything that need not be done again for each query."""

    def prepare(self, sql: str) -> None:
        """Called before a query is measured, with what `answer` will be asked."""

    def answer(self, sql: str) -> Answer: ...

    def close(self) -> None: ...


_PLACES = {
    "sqe-auto": ("sqe.bench.engines.ours", "Auto"),
    "sqe-fast": ("sqe.bench.engines.ours", "Fast"),
    "sqe-spark": ("sqe.bench.engines.ours", "Spark"),
    "duckdb": ("sqe.bench.engines.duck", "Plain"),
    "duckdb-rendered": ("sqe.bench.engines.duck", "Rendered"),
    "pyspark": ("sqe.bench.engines.bare_spark", "BareSpark"),
}
ENGINES = tuple(_PLACES)


def engine(name: str) -> Engine:
    if name not in _PLACES:
        raise InvalidArgument(f"there is no engine '{name}'", hint=f"one of {', '.join(ENGINES)}")
    module, kind = _PLACES[name]
    made: Engine = getattr(importlib.import_module(module), kind)()
    return made
