"""An answer whose rows are known already."""

from __future__ import annotations

from collections.abc import Sequence

from sqe.commands.running import Statement
from sqe.coordinator import Coordinator
from sqe.engine.plans import Plan
from sqe.types.sql_types import Type

Column = tuple[str, Type]
Rows = list[tuple[object, ...]]


def answer(
    statement: Statement, columns: Sequence[Column], rows: Rows, plan: Plan, coordinator: Coordinator
) -> None:
    """Make these rows the statement's result."""
    import pyarrow as pa

    from sqe.types.arrow import arrow_type

    fields = tuple(plan.fresh(name, kind) for name, kind in columns)
    arrays = [pa.array([row[i] for row in rows], arrow_type(kind)) for i, (_, kind) in enumerate(columns)]
    batch = pa.RecordBatch.from_arrays(arrays, names=[name for name, _ in columns])
    statement.result = coordinator.spools.collect([batch], fields, user=statement.charged)
