"""INSERT, UPDATE, DELETE and MERGE. Spark writes; how many rows changed is told by its commit."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from sqe.commands.on_lane import start
from sqe.commands.running import Statement
from sqe.commands.write_locks import current_plan, write_lock
from sqe.coordinator import Coordinator
from sqe.engine.lane import Candidate
from sqe.engine.plans import Plan
from sqe.engine.route import Route
from sqe.errors import CommitConflict, InternalError, SqeError
from sqe.policy.secure import secure
from sqe.tree.expressions import AggregateCall
from sqe.tree.relations import Aggregate, AsOf, Filter, Relation, Scan
from sqe.tree.statements import Delete, Insert, Merge, Query, RowChange, Update
from sqe.types import sql_types as t

log = logging.getLogger(__name__)

Raw = dict[str, Any]
_MERGED = (
    "spark.merge-into.num-target-rows-inserted",
    "spark.merge-into.num-target-rows-updated",
    "spark.merge-into.num-target-rows-deleted",
)


def execute(statement: Statement, plan: Plan, coordinator: Coordinator) -> None:
    assert isinstance(plan.tree, RowChange)
    name = plan.tree.target.table
    catalogs = coordinator.catalogs_of(statement.session)
    catalogs.get(name.catalog).check_writable(name)
    with write_lock(statement, coordinator, name):
        plan = current_plan(statement, plan, coordinator)
        tree = plan.tree
        assert isinstance(tree, RowChange)
        if tree.target.table != name:
            # We hold another table's lock.
            raise CommitConflict(f"table '{name}' was renamed by someone else", hint="try again")
        if isinstance(tree, Delete) and tree.condition is None:
            statement.updated = catalogs.get(name.catalog).delete_all(name)
            if statement.updated is not None:
                statement.route = Route("catalog", "deletes whole files: metadata only")
                return
        snapshot = run(statement, plan, coordinator)
    try:
        statement.updated = 0 if snapshot is None else _affected(statement, plan, snapshot, coordinator)
    except InternalError:
        raise
    except SqeError as error:
        # The change is made; how many rows it changed is not worth an error that says otherwise.
        log.warning("rows were not counted: %s", error.message, extra={"statement": statement.id})
        statement.updated = None


def run(statement: Statement, plan: Plan, coordinator: Coordinator) -> Raw | None:
    """To its end, on the lane that it was rendered for. The last snapshot that it has committed; None if it
    changed nothing."""
    assert plan.rendered is not None
    stream = start(statement, plan, plan.rendered, coordinator.lane(plan.route.lane), coordinator)
    try:
        for _ in stream:
            pass
    except SqeError:
        # What was committed is done, whatever happened to the engine afterwards.
        if not stream.commits:
            raise
        log.warning("a statement ended with an error after its commit", extra={"statement": statement.id})
    snapshots = [snapshot for commit in stream.commits for snapshot in commit.snapshots]
    return snapshots[-1] if snapshots else None


def _affected(statement: Statement, plan: Plan, snapshot: Raw, coordinator: Coordinator) -> int:
    summary, tree = snapshot.get("summary") or {}, plan.tree
    if isinstance(tree, Insert):
        return _number(summary, "added-records")
    if isinstance(tree, Merge):
        counts = [int(summary[key]) for key in _MERGED if key in summary]
        if len(counts) == len(_MERGED) and min(counts) >= 0:
            return sum(counts)
        raise InternalError("Spark did not say how many rows MERGE changed")
    assert isinstance(tree, (Update, Delete))
    deletes = _number(summary, "total-delete-files") + _number(summary, "removed-delete-files")
    if isinstance(tree, Delete) and deletes == 0:
        # Copy-on-write, or whole files: rows removed less rows written again.
        return _number(summary, "deleted-records") - _number(summary, "added-records")
    if _number(summary, "deleted-records") == 0 and _number(summary, "added-equality-deletes") == 0:
        # Merge-on-read: a position for each row. Those of files that were written anew are counted twice.
        return _number(summary, "added-position-deletes") - _number(summary, "removed-position-deletes")
    return _count_matching(statement, tree, snapshot, plan, coordinator)


def _number(summary: Mapping[str, str], key: str) -> int:
    return int(summary.get(key, 0))


def _count_matching(
    statement: Statement, tree: Update | Delete, snapshot: Raw, plan: Plan, coordinator: Coordinator
) -> int:
    """How many rows of the snapshot before ours matched: a rewritten file's summary does not tell an
    updated row from one that was copied."""
    parent_id = snapshot.get("parent-snapshot-id")
    if parent_id is None:
        return 0
    target = tree.target
    relation: Relation = Scan(target.fields, target.table, target.columns, as_of=AsOf(int(parent_id)))
    if tree.condition is not None:
        relation = Filter(relation.fields, relation, tree.condition)
    count = plan.fresh("count", t.BIGINT)
    query = Query(Aggregate((count,), relation, (), (AggregateCall(t.BIGINT, "count", ()),)))
    secured = secure(query, plan.guard, plan.tables, plan.fresh, plan.bind_rule)
    lane = coordinator.lane(plan.route.lane)
    question = plan.question_of(statement.id, secured)
    # The snapshot before ours may be one that another has made since the statement was bound.
    catalog = coordinator.catalogs_of(statement.session).get(target.table.catalog)
    current = catalog.find_table(target.table.namespace, target.table.name)
    # Some catalogs keep the last snapshot alone.
    known = current if int(parent_id) in current.snapshots else plan.tables[target.table]
    candidate = lane.eligible(replace(question, tables={**question.tables, target.table: known}))
    assert isinstance(candidate, Candidate), candidate
    sql = statement.engine_sql
    batches = list(start(statement, plan, lane.render(candidate), lane, coordinator))
    statement.engine_sql = sql
    return int(next(batch for batch in batches if batch.num_rows).column(0)[0].as_py())
