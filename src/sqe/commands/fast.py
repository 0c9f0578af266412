"""Queries in the fast lane: what may enter it, and what happens when it fails."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from sqe.bind.binder import Binder
from sqe.coordinator import Coordinator
from sqe.errors import Position, SqeError
from sqe.functions.registry import can_fail
from sqe.policy.secure import Guard
from sqe.tree.expressions import ScalarSubquery, walk
from sqe.tree.statements import Query

if TYPE_CHECKING:
    import pyarrow as pa

    from sqe.engine.duckdb.lane import FastStream, Progress
    from sqe.engine.duckdb.plan import Admitted
    from sqe.engine.spark.lane import Stream
    from sqe.statement import Statement


def admit(
    statement: Statement, guard: Guard, binder: Binder, coordinator: Coordinator, query: Query
) -> Admitted | str:
    """The query, ready for the fast lane; or why it cannot enter."""
    settings = coordinator.config.fast
    if not settings.enabled:
        return "engine.fast.enabled is false"
    if guard.restricts:
        # What policies make of a tree was never proven to answer alike.
        return "a row filter, mask or restriction applies"
    from sqe.engine.duckdb.plan import admit

    return admit(
        query,
        binder.tables,
        coordinator.files(statement.session.identity),
        settings,
        session_zone=statement.time_zone,
        statement_id=statement.id,
    )


class FastThenSpark:
    """The batches of the fast lane. Where it fails before the first row, and not by the user's mistake, the
    same statement runs on Spark instead."""

    def __init__(
        self,
        statement: Statement,
        stream: FastStream,
        cancel: Callable[[], None],
        on_spark: Callable[[], tuple[Stream, Callable[[], None]]] | None,
        query: Query,
    ) -> None:
        """`on_spark` is None where the session wants no other lane."""
        self._statement = statement
        self._query = query
        self._stream: FastStream | Stream = stream
        self._cancel = cancel
        self._on_spark = on_spark

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        from sqe.engine.duckdb.errors import FastLaneFailed

        rows = 0
        try:
            for batch in self._stream:
                rows += batch.num_rows
                yield batch
            return
        except FastLaneFailed as failed:
            if rows or self._on_spark is None or self._statement.cancelled:
                raise failed.as_user_error() from failed
            assert self._statement.route is not None
            reason = f"the fast lane failed: {failed.reason}"
        except SqeError as error:
            error.position = error.position or only_place(self._query)
            raise
        self._statement.route = replace(self._statement.route, lane="spark", reason=reason, admitted=None)
        self._stream, self._cancel = self._on_spark()
        yield from self._stream

    def cancel(self) -> None:
        self._cancel()

    def close(self) -> None:
        self._stream.close()


def only_place(query: Query) -> Position | None:
    """The one place in a statement that can fail when it runs; None where there are several. An error must
    have arisen there of which the engine does not say where."""
    failing = (n for n in walk(query) if isinstance(n, ScalarSubquery) or can_fail(n))
    places = {node.position for node in failing}
    return places.pop() if len(places) == 1 else None


def stream_of(
    statement: Statement,
    admitted: Admitted,
    binder: Binder,
    coordinator: Coordinator,
    *,
    mode: str = "rows",
    patient: bool = True,
) -> tuple[FastStream, Callable[[], None]]:
    rendered = admitted.rendered
    statement.engine_sql = rendered.sql
    lane = coordinator.fast
    tables = {}
    if rendered.tables:
        from sqe.commands.system_rows import rows_of

        for name, scan in rendered.tables.items():
            tables[name] = rows_of(scan, statement, binder, coordinator)

    def on_progress(progress: Progress) -> None:
        if progress.share is not None:
            statement.progress = (round(progress.share * 100), 100)

    stream = lane.run(
        rendered.sql,
        statement_id=statement.id,
        identity_key=f"{statement.user}-{coordinator.mark}",
        locations=admitted.locations,
        tables=tables,
        bodies=rendered.bodies,
        extensions=rendered.extensions,
        on_progress=on_progress,
        deadline=statement.deadline,
        mode=mode,
        patient=patient,
    )
    if statement.cancelled:
        lane.cancel(statement.id)
    return stream, lambda: lane.cancel(statement.id)
