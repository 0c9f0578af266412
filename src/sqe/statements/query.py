"""Queries: render, run, and drain the rows into a result."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from sqe.bind.binder import Binder
from sqe.coordinator import Coordinator
from sqe.engine.spark.render import Rendered, render
from sqe.errors import LimitExceeded, SqeError
from sqe.statements.system_rows import rows_of
from sqe.system.wanted import push_down
from sqe.tree.statements import CreateTable, Delete, Insert, Merge, Query, Update

if TYPE_CHECKING:
    import pyarrow as pa

    from sqe.engine.spark.connect import Progress
    from sqe.engine.spark.lane import Stream
    from sqe.statement import Statement


Ended = Callable[[int, SqeError | None], None]


def execute(
    statement: Statement,
    tree: Query,
    binder: Binder,
    coordinator: Coordinator,
    *,
    ended: Ended,
) -> None:
    """Returns while rows still arrive; `ended` hears how many there were, or of the error instead."""
    rendered = render_for(statement, tree)
    stream = stream_of(statement, rendered, binder, coordinator)
    spark = coordinator.spark_session(statement.session.identity)
    statement.result = coordinator.spools.collect(
        _Limited(stream, coordinator.config.query.max_result_rows),
        tree.relation.fields,
        user=statement.user,
        cancel=lambda: spark.cancel(statement.id),
        ended=ended,
    )


def render_for(
    statement: Statement, tree: Query | Insert | Update | Delete | Merge | CreateTable
) -> Rendered:
    rendered = render(push_down(tree), session_zone=statement.time_zone, statement_id=statement.id)
    statement.engine_sql = rendered.sql
    return rendered


def stream_of(statement: Statement, rendered: Rendered, binder: Binder, coordinator: Coordinator) -> Stream:
    def on_progress(progress: Progress) -> None:
        statement.progress = (progress.tasks_done, progress.tasks_total)

    session = coordinator.spark_session(statement.session.identity)
    stream = session.run(
        rendered.sql,
        statement_id=statement.id,
        user=statement.user,
        files={view.name: (view.format, view.paths) for view in rendered.files},
        tables={
            name: rows_of(scan, statement, binder, coordinator) for name, scan in rendered.tables.items()
        },
        bodies=rendered.bodies,
        on_progress=on_progress,
        deadline=statement.deadline,
    )
    if statement.cancelled:
        # Asked for before there was anything to cancel.
        session.cancel(statement.id)
    return stream


class _Limited:
    """The batches of a stream, up to query.max_result_rows; beyond it an error, not a shorter result."""

    def __init__(self, stream: Stream, most: int) -> None:
        self._stream = stream
        self._most = most

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        rows = 0
        for batch in self._stream:
            rows += batch.num_rows
            if self._most and rows > self._most:
                raise LimitExceeded(
                    f"the result has more than query.max_result_rows = {self._most} rows",
                    code="EXCEEDED_RESULT_ROWS",
                    hint="add a LIMIT, or raise the limit",
                )
            yield batch

    def close(self) -> None:
        self._stream.close()
