"""Statements that write rows. Spark writes; how many rows changed is read from the snapshot it made."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from sqe.bind.binder import Binder
from sqe.catalog.iceberg.definition import table_properties
from sqe.catalog.iceberg.table import Snapshot, Table
from sqe.catalog.selectors import is_branch
from sqe.commands.spark import render_for, stream_of
from sqe.commands.write_locks import turn_to_write
from sqe.coordinator import SNAPSHOT_MARK, Coordinator
from sqe.engine.route import Route
from sqe.errors import (
    AlreadyExists,
    Cancelled,
    CommitConflict,
    InternalError,
    LimitExceeded,
    NotFound,
    NotSupported,
)
from sqe.tree.expressions import AggregateCall
from sqe.tree.relations import Aggregate, AsOf, Filter, Relation, Scan, TableName
from sqe.tree.statements import CreateTable, Delete, Insert, Merge, Query, Update
from sqe.tree.statements import Statement as StatementTree
from sqe.types import sql_types as t

if TYPE_CHECKING:
    from sqe.statement import Statement

# Parses and binds the statement once more, as the session was when it came.
PlanAgain = Callable[[Binder], tuple[StatementTree, Binder]]
_MERGED = (
    "spark.merge-into.num-target-rows-inserted",
    "spark.merge-into.num-target-rows-updated",
    "spark.merge-into.num-target-rows-deleted",
)


def execute(
    statement: Statement,
    tree: Insert | Update | Delete | Merge,
    binder: Binder,
    coordinator: Coordinator,
    plan_again: PlanAgain,
) -> None:
    name = tree.target.table
    with turn_to_write(statement, coordinator, name):
        if not coordinator.catalogs.are_current(binder.tables):
            again, binder = plan_again(binder)
            assert isinstance(again, type(tree))
            tree = again
        if tree.target.table != name:
            # The turn that we have is another table's.
            raise CommitConflict(f"table '{name}' was renamed by someone else", hint="try again")
        _refuse_branch(name)
        if isinstance(tree, Delete) and tree.condition is None:
            statement.updated = coordinator.catalogs.get(name.catalog).delete_all(name)
            if statement.updated is not None:
                statement.route = Route("catalog", "deletes whole files: metadata only")
                return
        before = _load(coordinator, name)
        _run(statement, tree, binder, coordinator)
        after = _load(coordinator, name)
        if after.uuid != before.uuid:
            raise CommitConflict(
                f"table '{name}' was replaced by another while the statement ran",
                code="TRANSACTION_STATE_UNKNOWN",
                hint="look at the table before you run the statement again",
            )
        snapshot = _our_snapshot(before, after, coordinator.mark)
    try:
        statement.updated = (
            0 if snapshot is None else _affected(statement, tree, snapshot, binder, coordinator)
        )
    except (Cancelled, LimitExceeded):
        # The change is made; how many rows it changed is not worth an error that says otherwise.
        statement.updated = None


def create_table_as(
    statement: Statement,
    tree: CreateTable,
    binder: Binder,
    coordinator: Coordinator,
    plan_again: PlanAgain,
) -> None:
    name = tree.table
    catalog = coordinator.catalogs.get(name.catalog)
    with turn_to_write(statement, coordinator, name):
        if not coordinator.catalogs.are_current(binder.tables):
            again, binder = plan_again(binder)
            assert isinstance(again, CreateTable)
            tree = again
        before = _existing(coordinator, name)
        if before is not None and not tree.replace:
            if tree.if_not_exists:
                statement.updated = 0
                return
            raise AlreadyExists(f"table '{name}' already exists", hint="use CREATE OR REPLACE TABLE")
        if before is None:
            # Spark would not look.
            catalog.check_name(name)
        if tree.location is not None or before is None:
            place = catalog.table_location(name.namespace, name.name, wanted=tree.location)
            tree = replace(tree, location=place)
        tree = replace(tree, properties=tuple(table_properties(tree).items()), comment=None)
        _run(statement, tree, binder, coordinator)
        snapshot = _load(coordinator, name).current_snapshot
    statement.updated = 0 if snapshot is None else int(snapshot.summary.get("added-records", 0))


def _refuse_branch(name: TableName) -> None:
    """If it went away now, Spark would write to the branch of a table that has the schema's name. A schema
    that is in no other one cannot have a table's name."""
    if len(name.namespace) > 1 and is_branch(name.name):
        raise NotSupported(
            f"rows cannot be written to '{name}': in a nested schema its name means a branch to Iceberg",
            hint="give the table a name that does not begin with branch_",
        )


def _run(
    statement: Statement,
    tree: Insert | Update | Delete | Merge | CreateTable,
    binder: Binder,
    coordinator: Coordinator,
) -> None:
    for _ in stream_of(statement, render_for(statement, tree, binder), binder, coordinator):
        pass


def _load(coordinator: Coordinator, name: TableName) -> Table:
    return coordinator.catalogs.get(name.catalog).find_table(name.namespace, name.name)


def _existing(coordinator: Coordinator, name: TableName) -> Table | None:
    try:
        table = _load(coordinator, name)
    except NotFound:
        view = coordinator.catalogs.get(name.catalog).find_view(name.namespace, name.name)
        if view is not None and view.name == name:
            raise AlreadyExists(f"view '{name}' already exists") from None
        return None
    # Lookups forgive case; a new table's name is exact.
    return table if table.name == name else None


def _our_snapshot(before: Table, after: Table, mark: str) -> Snapshot | None:
    """The snapshot that this statement made. None if it changed nothing."""
    new = [snapshot for id_, snapshot in after.snapshots.items() if id_ not in before.snapshots]
    ours = [snapshot for snapshot in new if snapshot.summary.get(SNAPSHOT_MARK) == mark]
    if not ours:
        # A delete of whole files is the one commit of Iceberg's that does not carry our mark.
        ours = [x for x in new if x.operation == "delete" and SNAPSHOT_MARK not in x.summary]
    return ours[-1] if ours else None


def _affected(
    statement: Statement,
    tree: Insert | Update | Delete | Merge,
    snapshot: Snapshot,
    binder: Binder,
    coordinator: Coordinator,
) -> int:
    summary = snapshot.summary
    if isinstance(tree, Insert):
        return _number(summary, "added-records")
    if isinstance(tree, Merge):
        counts = [int(summary[key]) for key in _MERGED if key in summary]
        if len(counts) == len(_MERGED) and min(counts) >= 0:
            return sum(counts)
        raise InternalError("Spark did not say how many rows MERGE changed")
    deletes = _number(summary, "total-delete-files") + _number(summary, "removed-delete-files")
    if isinstance(tree, Delete) and deletes == 0:
        # Copy-on-write, or whole files: what went less what was written again.
        return _number(summary, "deleted-records") - _number(summary, "added-records")
    return _count_matching(statement, tree, snapshot, binder, coordinator)


def _number(summary: Mapping[str, str], key: str) -> int:
    return int(summary.get(key, 0))


def _count_matching(
    statement: Statement, tree: Update | Delete, snapshot: Snapshot, binder: Binder, coordinator: Coordinator
) -> int:
    """How many rows of the snapshot before ours matched: a rewritten file's summary does not tell an
    updated row from one that was copied."""
    if snapshot.parent_id is None:
        return 0
    target = tree.target
    relation: Relation = Scan(
        target.fields, target.table, target.columns, as_of=AsOf(snapshot.parent_id), secured=True
    )
    if tree.condition is not None:
        relation = Filter(relation.fields, relation, tree.condition)
    count = binder.fresh("count", t.BIGINT)
    counted = Aggregate((count,), relation, (), (AggregateCall(t.BIGINT, "count", ()),))
    written = statement.engine_sql
    rendered = render_for(statement, Query(counted), binder)
    statement.engine_sql = written
    rows = [batch for batch in stream_of(statement, rendered, binder, coordinator) if batch.num_rows]
    return int(rows[0].column(0)[0].as_py())
