"""Queries: run on the lane that was chosen, and drain the rows into a result."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from sqe.bind.binder import Binder
from sqe.commands import fast
from sqe.commands.fast import FastThenSpark
from sqe.config.session_properties import value_of
from sqe.coordinator import Coordinator
from sqe.errors import Cancelled, LimitExceeded, SqeError
from sqe.tree.statements import Query

if TYPE_CHECKING:
    import pyarrow as pa

    from sqe.commands.spark import OnMetrics
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
    batches, cancel = batches_of(statement, tree, binder, coordinator)
    statement.result = coordinator.spools.collect(
        Limited(batches, coordinator.config.query.max_result_rows, statement),
        tree.relation.fields,
        user=statement.user,
        cancel=cancel,
        ended=ended,
    )


def batches_of(
    statement: Statement,
    tree: Query,
    binder: Binder,
    coordinator: Coordinator,
    *,
    mode: str = "rows",
    on_metrics: OnMetrics | None = None,
) -> tuple[Stream | FastThenSpark, Callable[[], None]]:
    """The answer of the query's lane, and what cancels it. In the mode "profile" the fast lane answers with
    what it measured; Spark tells it to `on_metrics`."""

    def on_spark() -> tuple[Stream, Callable[[], None]]:
        from sqe.commands import spark

        if coordinator.closed:
            # The fast lane ends its processes then, and nobody wants the answer of another.
            raise Cancelled("the statement was ended with its connection")
        rendered = spark.render_for(statement, tree, binder)
        stream = spark.stream_of(statement, rendered, binder, coordinator, on_metrics=on_metrics)
        session = coordinator.spark_session(statement.session.identity)
        return stream, lambda: session.cancel(statement.id)

    admitted = None if statement.route is None else statement.route.admitted
    if admitted is None:
        return on_spark()
    only = value_of(statement.session, "lane", coordinator.config) == "fast"
    batches = FastThenSpark(
        statement,
        *fast.stream_of(statement, admitted, binder, coordinator, mode=mode, patient=only),
        None if only else on_spark,
        tree,
    )
    return batches, batches.cancel


class Limited:
    """The batches of a stream, up to query.max_result_rows; beyond it an error, not a shorter result."""

    def __init__(self, stream: Stream | FastThenSpark, most: int, statement: Statement) -> None:
        self._stream = stream
        self._most = most
        self._statement = statement

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        try:
            yield from self._batches()
        except LimitExceeded as error:
            raise self._statement.blamed(error) from error.__cause__

    def _batches(self) -> Iterator[pa.RecordBatch]:
        rows = 0
        for batch in self._stream:
            rows += batch.num_rows
            if self._most and rows > self._most:
                raise too_many_rows(self._most)
            if rows and self._statement.first_row_at is None:
                self._statement.first_row_at = time.time()
            yield batch

    def close(self) -> None:
        self._stream.close()


def too_many_rows(most: int) -> LimitExceeded:
    return LimitExceeded(
        f"the result has more than query.max_result_rows = {most} rows",
        code="EXCEEDED_RESULT_ROWS",
        hint="add a LIMIT, or raise the limit",
    )
