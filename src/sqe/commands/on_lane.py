"""Runs a rendered statement on a lane, with the rows that the coordinator makes for it."""

from __future__ import annotations

from sqe.commands.running import Statement
from sqe.coordinator import Coordinator
from sqe.engine.lane import Batches, Lane, Order, Rendered
from sqe.engine.plans import Plan
from sqe.foundation.scanned import Scanned


def start(
    statement: Statement,
    plan: Plan,
    rendered: Rendered,
    lane: Lane,
    coordinator: Coordinator,
    *,
    patient: bool = True,
) -> Batches:
    """Returns at once."""
    statement.engine_sql = rendered.sql
    order = order_for(statement, plan, rendered, coordinator, patient=patient)
    stream = lane.run(rendered, order)
    if not plan.question.restricted:
        # Else it would tell of rows that are hidden.
        known = known_scan(rendered)
        statement.scans = lambda: stream.scanned if known is None else known
    if statement.cancelled:
        # Cancelled before there was anything to cancel.
        lane.cancel(statement.id)
    return stream


def known_scan(rendered: Rendered) -> Scanned | None:
    """What is going to be read, where that is known before."""
    if rendered.files is None:
        return None
    read, total, size = rendered.files
    return Scanned(files=read, skipped_files=total - read, bytes=size)


def order_for(
    statement: Statement, plan: Plan, rendered: Rendered, coordinator: Coordinator, *, patient: bool = True
) -> Order:
    def on_progress(done: int, total: int) -> None:
        statement.progress = (done, total)

    tables = {}
    if rendered.tables:
        from sqe.commands.system_rows import rows_of

        for name, scan in rendered.tables.items():
            tables[name] = rows_of(scan, statement, plan, coordinator)
    return Order(
        statement.session.identity,
        statement.id,
        coordinator.catalogs_of(statement.session),
        tables,
        on_progress,
        statement.deadline,
        patient,
        {name: table.storage for name, table in plan.tables.items() if table.storage is not None},
    )
