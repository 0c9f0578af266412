"""Whoever makes a table or a view owns it, and grants go with it when it is renamed or dropped."""

from __future__ import annotations

from sqe.coordinator import Coordinator
from sqe.policy.grants import GrantPolicy
from sqe.session import Identity
from sqe.tree.relations import TableName
from sqe.tree.statements import CreateTable, CreateView, DropSchema, DropTable, DropView, Rename, RenameSchema
from sqe.tree.statements import Statement as StatementTree


def created(table: TableName, identity: Identity, coordinator: Coordinator) -> None:
    if isinstance(coordinator.policy, GrantPolicy):
        coordinator.policy.created(table, identity)


def changed(tree: StatementTree, identity: Identity, coordinator: Coordinator) -> None:
    """After a definition was applied."""
    policy = coordinator.policy
    if not isinstance(policy, GrantPolicy):
        return
    match tree:
        case CreateTable(table=name) | CreateView(view=name):
            policy.created(name, identity)
        case DropTable(table=name) | DropView(view=name) if not tree.absent:
            policy.granted.forget(name)
        case Rename() if not tree.absent:
            policy.granted.move(tree.table, tree.to)
        case DropSchema():
            policy.dropped_schema(tree.catalog, tree.namespace)
        case RenameSchema():
            policy.renamed_schema(tree.catalog, tree.namespace, tree.to)
