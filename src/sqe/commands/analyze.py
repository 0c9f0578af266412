"""EXPLAIN ANALYZE: the query runs, its rows are thrown away, and what each step did is the answer."""

from __future__ import annotations

import time
from dataclasses import replace

from sqe.catalog.io.location import scheme_of
from sqe.commands.answer import answer
from sqe.commands.on_lane import known_scan, order_for
from sqe.commands.query import on_some_lane
from sqe.commands.running import Statement
from sqe.coordinator import Coordinator
from sqe.engine.lane import Lane, Measured, Rendered
from sqe.engine.plans import Plan
from sqe.engine.steps import Step, in_order
from sqe.errors import LimitExceeded
from sqe.foundation.scanned import Scanned
from sqe.tree.statements import Explain
from sqe.types import sql_types as t

COLUMNS: list[tuple[str, t.Type]] = [
    ("step", t.INTEGER),
    ("operation", t.VARCHAR),
    ("rows", t.BIGINT),
    ("milliseconds", t.DOUBLE),
    ("files_read", t.BIGINT),
    ("files_total", t.BIGINT),
    ("bytes", t.BIGINT),
    ("requests", t.BIGINT),
]
INDENT = "  "


def execute(statement: Statement, plan: Plan, coordinator: Coordinator) -> None:
    assert isinstance(plan.tree, Explain)
    begin = time.perf_counter()
    files: tuple[int, int, int] | None = None

    def measure(lane: Lane, rendered: Rendered) -> Measured:
        nonlocal files
        files = rendered.files
        order = order_for(statement, plan, rendered, coordinator)
        measured = lane.measure(rendered, order, most_rows=coordinator.config.query.max_result_rows)
        return replace(measured, scanned=known_scan(rendered) or measured.scanned)

    try:
        measured = on_some_lane(statement, plan, coordinator, measure)
    except LimitExceeded as error:
        raise statement.blamed(error) from error.__cause__
    milliseconds = 1000 * (time.perf_counter() - begin)
    steps = measured.steps
    if plan.question.restricted:
        # Counts, sizes and times below a row filter tell of rows that are hidden.
        reason = "steps are not shown: a row filter, mask or restriction applies"
        total, steps = Step(_lane(statement), measured.rows, milliseconds), (Step(reason),)
    else:
        scanned = measured.scanned
        statement.scans = lambda: scanned
        details = [] if scanned is None else _manifests(scanned)
        requests = None
        if any(scheme_of(table.location) != "file" for table in plan.tables.values()):
            own = statement.store_requests.requests
            details.append(f"requests of the coordinator: {own}")
            requests = None if measured.store_requests is None else own + measured.store_requests
        total = Step(
            _lane(statement),
            measured.rows,
            milliseconds,
            *(files or _files(steps)),
            requests=requests,
            details="; ".join(details),
        )
    shown = [(0, total), *in_order(steps, all_of_them=plan.tree.verbose)]
    rows = [(number, *_row(step, depth, plan.tree.verbose)) for number, (depth, step) in enumerate(shown)]
    answer(statement, COLUMNS, rows, plan, coordinator)


def _lane(statement: Statement) -> str:
    return f"{statement.lane} lane: {statement.lane_reason}"


def _manifests(scanned: Scanned) -> list[str]:
    counts = {"manifests read": scanned.manifests, "manifests skipped": scanned.skipped_manifests}
    return [f"{label}: {count}" for label, count in counts.items() if count]


def _files(steps: tuple[Step, ...]) -> tuple[int | None, int | None, int | None]:
    """Totals of the whole query: files read, files that there are, bytes. None where a scan does not say."""
    scans = [step for _, step in in_order(steps, all_of_them=True) if step.files_read is not None]

    def total(numbers: list[int | None]) -> int | None:
        counts = [number for number in numbers if number is not None]
        return sum(counts) if counts and len(counts) == len(numbers) else None

    return (
        total([step.files_read for step in scans]),
        total([step.files_total for step in scans]),
        total([step.bytes for step in scans]),
    )


def _row(step: Step, depth: int, verbose: bool) -> tuple[object, ...]:
    operation = INDENT * depth + step.operation
    if verbose and step.details:
        operation += f" [{step.details}]"
    milliseconds = None if step.milliseconds is None else round(step.milliseconds, 3)
    sizes = (step.files_read, step.files_total, step.bytes, step.requests)
    return operation, step.rows, milliseconds, *sizes
