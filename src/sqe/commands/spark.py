"""Statements on Spark."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from sqe.bind.binder import Binder
from sqe.commands.pinned import pinned
from sqe.commands.system_rows import rows_of
from sqe.coordinator import Coordinator
from sqe.engine.spark.render import Rendered, render
from sqe.tree.statements import CreateTable, Delete, Insert, Merge, Query, Update

if TYPE_CHECKING:
    from sqe.engine.spark.connect import Progress
    from sqe.engine.spark.lane import Stream
    from sqe.engine.spark.metrics import Operator
    from sqe.statement import Statement

OnMetrics = Callable[[list["Operator"]], None]


def render_for(
    statement: Statement, tree: Query | Insert | Update | Delete | Merge | CreateTable, binder: Binder
) -> Rendered:
    tree = pinned(tree, binder.tables)
    rendered = render(tree, session_zone=statement.time_zone, statement_id=statement.id)
    statement.engine_sql = rendered.sql
    return rendered


def stream_of(
    statement: Statement,
    rendered: Rendered,
    binder: Binder,
    coordinator: Coordinator,
    *,
    on_metrics: OnMetrics | None = None,
) -> Stream:
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
        pins=rendered.pins,
        bodies=rendered.bodies,
        on_progress=on_progress,
        on_metrics=on_metrics,
        deadline=statement.deadline,
    )
    if statement.cancelled:
        # Asked for before there was anything to cancel.
        session.cancel(statement.id)
    return stream
