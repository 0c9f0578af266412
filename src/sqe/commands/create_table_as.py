"""CREATE TABLE AS: Spark creates a table and writes the rows of a query to it."""

from __future__ import annotations

from dataclasses import replace

from sqe.catalog.iceberg.definition import table_properties
from sqe.catalog.iceberg.table import Table
from sqe.catalog.protocol import Catalog
from sqe.commands import owners
from sqe.commands.dml import run
from sqe.commands.running import Statement
from sqe.commands.write_locks import current_plan, write_lock
from sqe.coordinator import Coordinator
from sqe.engine.lane import Candidate
from sqe.engine.plans import Plan
from sqe.errors import AlreadyExists, NotFound
from sqe.tree.relations import TableName
from sqe.tree.statements import CreateTable


def execute(statement: Statement, plan: Plan, coordinator: Coordinator) -> None:
    assert isinstance(plan.tree, CreateTable)
    name = plan.tree.table
    catalog = coordinator.catalogs_of(statement.session).get(name.catalog)
    with write_lock(statement, coordinator, name):
        plan = current_plan(statement, plan, coordinator)
        tree = plan.tree
        assert isinstance(tree, CreateTable)
        before = _existing(catalog, name)
        if before is not None and not tree.replace:
            if tree.if_not_exists:
                statement.updated = 0
                return
            raise AlreadyExists(f"table '{name}' already exists", hint="use CREATE OR REPLACE TABLE")
        if before is None:
            # Spark would not check it.
            catalog.check_name(name)
        if tree.location is not None:
            catalog.check_location(name, tree.location)
        tree = replace(tree, properties=tuple(table_properties(tree).items()), comment=None)
        snapshot = run(statement, _render_again(statement, plan, tree, coordinator), coordinator)
        if before is None:
            owners.created(name, statement.session.identity, coordinator)
    statement.updated = (
        0 if snapshot is None else int((snapshot.get("summary") or {}).get("added-records", 0))
    )


def _render_again(statement: Statement, plan: Plan, tree: CreateTable, coordinator: Coordinator) -> Plan:
    """With the location and the properties, which only the catalog knows, now that we hold the lock."""
    lane = coordinator.lane(plan.route.lane)
    candidate = lane.eligible(plan.question_of(statement.id, tree))
    assert isinstance(candidate, Candidate), candidate
    return replace(plan, tree=tree, rendered=lane.render(candidate))


def _existing(catalog: Catalog, name: TableName) -> Table | None:
    try:
        table = catalog.find_table(name.namespace, name.name)
    except NotFound:
        view = catalog.find_view(name.namespace, name.name)
        if view is not None and view.name == name:
            raise AlreadyExists(f"view '{name}' already exists") from None
        return None
    # Lookups forgive case; a new table's name is exact.
    return table if table.name == name else None
