"""INSERT, UPDATE, DELETE and MERGE. Spark writes; how many rows changed is read from the snapshot it made."""

from __future__ import annotations

from collections.abc import Mapping

from sqe.catalog.catalogs import Catalogs
from sqe.catalog.iceberg.table import Snapshot, Table
from sqe.catalog.selectors import is_branch
from sqe.commands.on_lane import start
from sqe.commands.running import Statement
from sqe.commands.write_locks import current_plan, write_lock
from sqe.coordinator import SNAPSHOT_MARK, Coordinator
from sqe.engine.lane import Candidate
from sqe.engine.plans import Plan
from sqe.engine.route import Route
from sqe.errors import Cancelled, CommitConflict, InternalError, LimitExceeded, NotSupported
from sqe.policy.secure import secure
from sqe.tree.expressions import AggregateCall
from sqe.tree.relations import Aggregate, AsOf, Filter, Relation, Scan, TableName
from sqe.tree.statements import Delete, Insert, Merge, Query, RowChange, Update
from sqe.types import sql_types as t

_MERGED = (
    "spark.merge-into.num-target-rows-inserted",
    "spark.merge-into.num-target-rows-updated",
    "spark.merge-into.num-target-rows-deleted",
)


def execute(statement: Statement, plan: Plan, coordinator: Coordinator) -> None:
    assert isinstance(plan.tree, RowChange)
    name = plan.tree.target.table
    catalogs = coordinator.catalogs_of(statement.session)
    with write_lock(statement, coordinator, name):
        plan = current_plan(statement, plan, coordinator)
        tree = plan.tree
        assert isinstance(tree, RowChange)
        if tree.target.table != name:
            # We hold another table's lock.
            raise CommitConflict(f"table '{name}' was renamed by someone else", hint="try again")
        _refuse_branch(name)
        if isinstance(tree, Delete) and tree.condition is None:
            statement.updated = catalogs.get(name.catalog).delete_all(name)
            if statement.updated is not None:
                statement.route = Route("catalog", "deletes whole files: metadata only")
                return
        before = _load(catalogs, name)
        run(statement, plan, coordinator)
        after = _load(catalogs, name)
        if after.uuid != before.uuid:
            raise CommitConflict(
                f"table '{name}' was replaced by another while the statement ran",
                code="TRANSACTION_STATE_UNKNOWN",
                hint="look at the table before you run the statement again",
            )
        snapshot = _our_snapshot(before, after, coordinator.instance_id)
    try:
        statement.updated = 0 if snapshot is None else _affected(statement, plan, snapshot, coordinator)
    except (Cancelled, LimitExceeded):
        # The change is made; how many rows it changed is not worth an error that says otherwise.
        statement.updated = None


def run(statement: Statement, plan: Plan, coordinator: Coordinator) -> None:
    """Runs it to its end, on the lane that it was rendered for."""
    assert plan.rendered is not None
    for _ in start(statement, plan, plan.rendered, coordinator.lane(plan.route.lane), coordinator):
        pass


def _refuse_branch(name: TableName) -> None:
    """If the table were dropped now, Spark would write to a branch of the table that has the schema's name.
    Only a nested schema can have the name of a table."""
    if len(name.namespace) > 1 and is_branch(name.name):
        raise NotSupported(
            f"rows cannot be written to '{name}': in a nested schema its name means a branch to Iceberg",
            hint="give the table a name that does not begin with branch_",
        )


def _load(catalogs: Catalogs, name: TableName) -> Table:
    return catalogs.get(name.catalog).find_table(name.namespace, name.name)


def _our_snapshot(before: Table, after: Table, instance_id: str) -> Snapshot | None:
    """The snapshot that this statement made. None if it changed nothing."""
    new = [snapshot for id_, snapshot in after.snapshots.items() if id_ not in before.snapshots]
    ours = [snapshot for snapshot in new if snapshot.summary.get(SNAPSHOT_MARK) == instance_id]
    if not ours:
        # A delete of whole files is the one commit of Iceberg's that does not carry our mark.
        ours = [x for x in new if x.operation == "delete" and SNAPSHOT_MARK not in x.summary]
    return ours[-1] if ours else None


def _affected(statement: Statement, plan: Plan, snapshot: Snapshot, coordinator: Coordinator) -> int:
    summary, tree = snapshot.summary, plan.tree
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
    return _count_matching(statement, tree, snapshot, plan, coordinator)


def _number(summary: Mapping[str, str], key: str) -> int:
    return int(summary.get(key, 0))


def _count_matching(
    statement: Statement, tree: Update | Delete, snapshot: Snapshot, plan: Plan, coordinator: Coordinator
) -> int:
    """How many rows of the snapshot before ours matched: a rewritten file's summary does not tell an
    updated row from one that was copied."""
    if snapshot.parent_id is None:
        return 0
    target = tree.target
    relation: Relation = Scan(target.fields, target.table, target.columns, as_of=AsOf(snapshot.parent_id))
    if tree.condition is not None:
        relation = Filter(relation.fields, relation, tree.condition)
    count = plan.fresh("count", t.BIGINT)
    query = Query(Aggregate((count,), relation, (), (AggregateCall(t.BIGINT, "count", ()),)))
    secured = secure(query, plan.guard, plan.tables, plan.fresh)
    lane = coordinator.lane(plan.route.lane)
    candidate = lane.eligible(plan.question_of(statement.id, secured))
    assert isinstance(candidate, Candidate), candidate
    sql = statement.engine_sql
    batches = list(start(statement, plan, lane.render(candidate), lane, coordinator))
    statement.engine_sql = sql
    return int(next(batch for batch in batches if batch.num_rows).column(0)[0].as_py())
