"""Whoever makes a table or a view owns it, and grants go with it when it is renamed or dropped."""

from __future__ import annotations

from sqe.coordinator import Coordinator
from sqe.policy.grants import GrantPolicy
from sqe.session import Identity
from sqe.tree.relations import TableName
from sqe.tree.statements import CreateTable, CreateView, DropSchema, DropTable, DropView, Rename, RenameSchema
from sqe.tree.statements import Statement as StatementTree


class Owners:
    """What one user does to tables and views is told here after it was done, by whichever door. Without
    grants nothing is kept."""

    def __init__(self, coordinator: Coordinator, identity: Identity) -> None:
        policy = coordinator.policy
        self._policy = policy if isinstance(policy, GrantPolicy) else None
        self._identity = identity

    def created(self, table: TableName) -> None:
        if self._policy is not None:
            self._policy.created(table, self._identity)

    def dropped(self, table: TableName) -> None:
        if self._policy is not None:
            self._policy.granted.forget(table)

    def renamed(self, table: TableName, to: TableName) -> None:
        if self._policy is not None:
            self._policy.granted.move(table, to)

    def dropped_schema(self, catalog: str, namespace: tuple[str, ...]) -> None:
        if self._policy is not None:
            self._policy.dropped_schema(catalog, namespace)

    def renamed_schema(self, catalog: str, namespace: tuple[str, ...], to: tuple[str, ...]) -> None:
        if self._policy is not None:
            self._policy.renamed_schema(catalog, namespace, to)


def created(table: TableName, identity: Identity, coordinator: Coordinator) -> None:
    Owners(coordinator, identity).created(table)


def changed(tree: StatementTree, identity: Identity, coordinator: Coordinator) -> None:
    """After a definition was applied."""
    owners = Owners(coordinator, identity)
    match tree:
        case CreateTable(table=name) | CreateView(view=name):
            owners.created(name)
        case DropTable(table=name) | DropView(view=name) if not tree.absent:
            owners.dropped(name)
        case Rename() if not tree.absent:
            owners.renamed(tree.table, tree.to)
        case DropSchema():
            owners.dropped_schema(tree.catalog, tree.namespace)
        case RenameSchema():
            owners.renamed_schema(tree.catalog, tree.namespace, tree.to)
