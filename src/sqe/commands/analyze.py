"""EXPLAIN ANALYZE: the query runs, its rows are thrown away, and what each step did is the answer."""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING

from sqe.bind.binder import Binder
from sqe.commands.query import Limited, batches_of, too_many_rows
from sqe.commands.show import answer
from sqe.coordinator import Coordinator
from sqe.engine.duckdb import profile
from sqe.engine.spark import metrics
from sqe.engine.steps import Step, in_order
from sqe.tree.expressions import walk
from sqe.tree.relations import Scan
from sqe.tree.statements import Explain, Query
from sqe.types import sql_types as t

if TYPE_CHECKING:
    from sqe.engine.duckdb.plan import Admitted
    from sqe.statement import Statement

COLUMNS: list[tuple[str, t.Type]] = [
    ("step", t.INTEGER),
    ("operation", t.VARCHAR),
    ("rows", t.BIGINT),
    ("milliseconds", t.DOUBLE),
    ("files_read", t.BIGINT),
    ("files_total", t.BIGINT),
    ("bytes", t.BIGINT),
]
INDENT = "  "


def execute(statement: Statement, tree: Explain, binder: Binder, coordinator: Coordinator) -> None:
    assert isinstance(tree.statement, Query)
    begin = time.perf_counter()
    rows, steps = _run(statement, tree.statement, binder, coordinator)
    spent = 1000 * (time.perf_counter() - begin)
    admitted = None if statement.route is None else statement.route.admitted
    if any(binder.decide(name).restricts for name in binder.tables):
        # Counts, sizes and times below a row filter tell of rows that are hidden.
        reason = "steps are not shown: a row filter, mask or restriction applies"
        total, steps = Step(_lane(statement), rows, spent), (Step(reason),)
    else:
        total = Step(_lane(statement), rows, spent, *_files(admitted, steps))
    shown = [(0, total), *in_order(steps, all_of_them=tree.verbose)]
    answer(
        statement,
        COLUMNS,
        [(number, *_row(step, depth, tree.verbose)) for number, (depth, step) in enumerate(shown)],
        binder,
        coordinator,
    )


def _run(
    statement: Statement, query: Query, binder: Binder, coordinator: Coordinator
) -> tuple[int | None, tuple[Step, ...]]:
    """How many rows it has, and its steps."""
    operators: list[metrics.Operator] = []
    measured: list[str] = []
    rows = 0
    most = coordinator.config.query.max_result_rows

    def drain(mode: str) -> None:
        nonlocal rows
        batches, _ = batches_of(statement, query, binder, coordinator, mode=mode, on_metrics=operators.extend)
        with contextlib.closing(Limited(batches, most, statement)) as limited:
            for batch in limited:
                # The fast lane may have failed, and Spark have taken over.
                if mode == "profile" and statement.lane == "fast":
                    measured.extend(batch.column(0).to_pylist())
                else:
                    rows += batch.num_rows

    drain("profile")
    admitted = None if statement.route is None else statement.route.admitted
    if admitted is None:
        return rows, metrics.steps_of(operators, _total_files(query, binder).get)
    steps = profile.steps_of("".join(measured), admitted.scans)
    if not steps:
        drain("rows")
        return rows, (Step("Values", rows),)
    if most and (steps[0].rows or 0) > most:
        raise too_many_rows(most)
    return steps[0].rows, steps


def _total_files(query: Query, binder: Binder) -> dict[str, int]:
    """The data files of each table, where its snapshot says so and all scans of it read the same one."""
    found: dict[str, set[int | None]] = {}
    for scan in walk(query):
        if isinstance(scan, Scan):
            table = binder.tables[scan.table]
            snapshot = table.current_snapshot
            if scan.as_of is not None:
                snapshot = table.snapshots.get(scan.as_of.snapshot_id)
            files = None if snapshot is None else snapshot.summary.get("total-data-files")
            found.setdefault(str(scan.table), set()).add(None if files is None else int(files))
    certain = {name: next(iter(counts)) for name, counts in found.items() if len(counts) == 1}
    return {name: count for name, count in certain.items() if count is not None}


def _lane(statement: Statement) -> str:
    return f"{statement.lane} lane: {statement.lane_reason}"


def _files(admitted: Admitted | None, steps: tuple[Step, ...]) -> tuple[int | None, int | None, int | None]:
    """Of the whole query: files read, files there are, bytes."""
    if admitted is not None and admitted.scans:
        return admitted.files_read, admitted.files_total, admitted.bytes
    scans = [step for _, step in in_order(steps, all_of_them=True) if step.files_read is not None]

    def total(numbers: list[int | None]) -> int | None:
        known = [number for number in numbers if number is not None]
        return sum(known) if known and len(known) == len(numbers) else None

    return (
        total([step.files_read for step in scans]),
        total([step.files_total for step in scans]),
        total([step.bytes for step in scans]),
    )


def _row(step: Step, depth: int, verbose: bool) -> tuple[object, ...]:
    operation = INDENT * depth + step.operation
    if verbose and step.details:
        operation += f" [{step.details}]"
    spent = None if step.milliseconds is None else round(step.milliseconds, 3)
    return operation, step.rows, spent, step.files_read, step.files_total, step.bytes
