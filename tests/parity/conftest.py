"""The recorded table, and the recorded statements, run once on each lane."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import pyarrow as pa
import pytest
from tests.bisecting import bisected, expression_of
from tests.parity.answers import Deliveries, Execute, Outcome, judge, recorded

from sqe.api.connection import Connection
from sqe.errors import SqeError
from sqe.results import result as results
from sqe.tree.expressions import Field
from sqe.types import sql_types as t


@pytest.fixture(scope="session", params=["spark", "auto"])
def lane(request: pytest.FixtureRequest) -> str:
    """Spark answers every case, and the fast lane every one that it admits."""
    return str(request.param)


@pytest.fixture(scope="session")
def deliveries(lane: str) -> Deliveries:
    """The engine's own batches, before they become the announced type."""
    return {}


@pytest.fixture(scope="session")
def execute(connect: Callable[..., Connection], lane: str, deliveries: Deliveries) -> Iterator[Execute]:
    connection = connect(memory=True)
    connection.execute(f"SET SESSION lane = '{lane}'")
    connection.execute("CREATE SCHEMA parity")
    connection.execute("USE parity")
    for statement in recorded()[0]:
        connection.execute(statement.replace("{schema}", "parity"))
    arrived: list[pa.Schema] = []
    conform = results.conform

    def observed(
        batch: pa.RecordBatch, fields: Sequence[Field], schema: pa.Schema | None = None
    ) -> pa.RecordBatch:
        arrived.append(batch.schema)
        return conform(batch, fields, schema)

    def execute(sql: str) -> tuple[list[t.Type], pa.Table]:
        if sql in together:
            return together[sql]
        arrived.clear()
        cursor = connection.execute(sql)
        rows = cursor.fetch_arrow_table()
        assert cursor.columns is not None
        types = [kind for _, kind in cursor.columns]
        if arrived:
            deliveries[sql] = [
                (kind, arrived[0].field(i).type, rows.column(i)) for i, kind in enumerate(types)
            ]
        return types, rows

    def execute_together(expressions: Sequence[str]) -> list[tuple[list[t.Type], pa.Table]]:
        sql = f"SELECT {', '.join(expressions)}"
        types, rows = execute(sql)
        for expression, delivery in zip(expressions, deliveries.pop(sql), strict=True):
            deliveries[f"SELECT {expression}"] = [delivery]
        return [([kind], rows.select([i])) for i, kind in enumerate(types)]

    together: dict[str, tuple[list[t.Type], pa.Table]] = {}
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(results, "conform", observed)
        if lane == "spark":
            # A lane that is chosen by the statement gets each by itself.
            answered = [case.sql for case in recorded()[1] if case.error is None]
            expressions = [e for e in map(expression_of, answered) if e is not None]
            for expression, answer in zip(expressions, bisected(expressions, execute_together), strict=True):
                if not isinstance(answer, SqeError):
                    together[f"SELECT {expression}"] = answer
        yield execute


@pytest.fixture(scope="session")
def outcomes(execute: Execute) -> list[Outcome]:
    return [judge(case, execute, "parity") for case in recorded()[1]]
