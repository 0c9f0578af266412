"""The gate: each base relation of a statement becomes what this user may see of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from sqe.catalog.iceberg.table import Column, Table
from sqe.errors import AccessDenied, InternalError
from sqe.policy.columns import masks_by_id, visible_columns
from sqe.policy.decision import AllowAll, Decision, Policy, write_denied
from sqe.policy.leakproof import may_leak
from sqe.session import Identity
from sqe.tree import statements as s
from sqe.tree.expressions import Expression, Field, Ref, conjunction, transform, walk
from sqe.tree.privileges import Need, Privilege
from sqe.tree.relations import Barrier, FileScan, Filter, Project, Relation, Scan, TableName
from sqe.tree.rules import Rule
from sqe.types.sql_types import BOOLEAN, Type

Fresh = Callable[[str, Type], Field]
# What a rule on a table is over its raw columns, by their ids, and of the type that it has to be. A rule that
# cannot be bound denies.
BindRule = Callable[[Rule, Table, Mapping[int, Expression], Type], Expression]
S = TypeVar("S", bound=s.Statement)


_WORDS = {
    Privilege.SELECT: "read",
    Privilege.INSERT: "insert into",
    Privilege.UPDATE: "update",
    Privilege.DELETE: "delete from",
    Privilege.TRUNCATE: "truncate",
    Privilege.CREATE: "create in",
    Privilege.ALTER: "change",
    Privilege.DROP: "drop",
}


class Guard:
    """One statement's view of the policy, and the only way to ask it: each table is decided once. `staged`
    are files of its own. Whatever is not a clear answer of the policy denies."""

    def __init__(
        self, policy: Policy, identity: Identity, staged: Mapping[str, tuple[str, ...]] | None = None
    ) -> None:
        self._policy = policy
        self._staged = frozenset(path for paths in (staged or {}).values() for path in paths)
        self._identity = identity
        self._decisions: dict[TableName, Decision] = {}

    def decide(self, table: TableName) -> Decision:
        """For `policy/` alone; others ask the questions below."""
        decision = self._decisions.get(table)
        if decision is None:
            decision = self._policy.table(self._identity, table)
            if not isinstance(decision, Decision):
                raise InternalError("the policy gave no decision")
            self._decisions[table] = decision
        return decision

    def exists(self, table: TableName) -> bool:
        """Whether a table or view exists for this user: what is hidden looks absent."""
        return self.decide(table).visible

    def may(self, privilege: Privilege, table: TableName) -> bool:
        return privilege in self.decide(table).privileges

    def require(self, need: Need) -> None:
        if not self.may(need.privilege, need.table):
            raise AccessDenied(f"cannot {_WORDS[need.privilege]} '{need.table}'")

    def sees_all_of(self, table: TableName) -> bool:
        """Whether nothing of it is hidden, filtered or masked."""
        return not self.decide(table).restricts

    def may_change(self, table: TableName) -> bool:
        """Whether nothing of it is hidden. What does not exist for them may be made by who may create it."""
        decision = self.decide(table)
        makes = not decision.visible and Privilege.CREATE in decision.privileges
        return makes or not decision.restricts

    def sees_all_columns_of(self, table: TableName) -> bool:
        """Whether no name of a column is hidden; values may be."""
        decision = self.decide(table)
        return decision.visible and not decision.hides_columns

    def administers(self, on: TableName) -> bool:
        """Whether they may write rules on it."""
        ask = getattr(self._policy, "administers", None)
        return not self.may_hide or (ask is not None and ask(self._identity, on) is True)

    @property
    def is_administrator(self) -> bool:
        """Whether they may see everything, also by what they let a rule read."""
        ask = getattr(self._policy, "is_admin", None)
        return not self.may_hide or (ask is not None and ask(self._identity) is True)

    def columns(self, table: Table, columns: Sequence[Column]) -> tuple[Column, ...]:
        """Those of `columns`, of the table now or in its past, that exist for this user."""
        return visible_columns(self.decide(table.name), table, columns)

    @property
    def version(self) -> int | None:
        """The same number as long as it decides the same; None where that is not known."""
        version = getattr(self._policy, "version", None)
        return version if isinstance(version, int) else None

    @property
    def may_hide(self) -> bool:
        """Whether something may be hidden from this user, whatever it is. Only the policy without rules is
        sure to hide nothing."""
        return type(self._policy) is not AllowAll

    @property
    def restricts_statement(self) -> bool:
        """Whether some table that the statement asked about is seen in part only."""
        return any(decision.restricts for decision in self._decisions.values())

    def may_read_files(self, paths: tuple[str, ...]) -> bool:
        own = self._staged.issuperset(paths)
        return own or self._policy.may_read_files(self._identity, paths) is True

    def may_place(self, location: str) -> bool:
        return self._policy.may_place(self._identity, location) is True


def secure(
    statement: S, guard: Guard, tables: Mapping[TableName, Table], fresh: Fresh, bind_rule: BindRule
) -> S:
    """The statement with every base relation secured. `tables` are those that binding found."""

    leaks = may_leak(statement)

    def change(node: Any) -> Any:
        if isinstance(node, Scan):
            decision = guard.decide(node.table)
            guard.require(Need(Privilege.SELECT, node.table))
            return _secure_scan(node, decision, tables[node.table], fresh, bind_rule, leaks)
        if isinstance(node, FileScan):
            if not guard.may_read_files(node.paths):
                raise AccessDenied("reading files is not allowed")
            return replace(node, secured=True)
        return node

    for location in statement.places:
        if not guard.may_place(location):
            raise AccessDenied(
                "files of a table cannot be put there", hint="leave the location to the catalog"
            )
    for need in statement.needs:
        guard.require(need)
    for table in statement.changes:
        if not guard.may_change(table):
            raise write_denied(table)
    secured = transform(statement, change)
    check_secured(secured)
    assert isinstance(secured, type(statement))
    return secured


def without_rules(relation: Relation) -> Relation:
    """For a text that is stored and that we never run, by an author whom no rules restrict: whoever reads it
    is under rules of their own."""

    def change(node: Any) -> Any:
        return replace(node, secured=True) if isinstance(node, (Scan, FileScan)) else node

    stored = transform(relation, change)
    assert isinstance(stored, Relation)
    return stored


def check_secured(statement: s.Statement) -> None:
    """No base relation may be left that did not pass the gate."""
    for node in walk(statement):
        if isinstance(node, (Scan, FileScan)) and not node.secured:
            raise InternalError("a relation was not secured")


def _secure_scan(
    scan: Scan, decision: Decision, table: Table, fresh: Fresh, bind_rule: BindRule, leaks: bool
) -> Relation:
    """`leaks` if the statement may fail for some row."""
    if not decision.restricts:
        secured = replace(scan, secured=True)
        if not scan.hidden:
            return secured
        from sqe.tree.file_columns import with_file_columns

        return with_file_columns(secured, fresh)
    if scan.metadata is not None:
        # Counts, bounds and file names tell of rows and values that are hidden.
        raise AccessDenied(
            f"cannot read '{scan.table}${scan.metadata}': a row filter, mask or restriction applies"
        )
    stored: tuple[Column, ...] = (
        table.columns if scan.as_of is None else table.columns_at(scan.as_of.snapshot_id)
    )
    fields = {c.name: fresh(c.name, c.type) for c in stored}
    ids = {c.name: c.field_id for c in stored}
    raw: dict[int, Expression] = {ids[name]: Ref(field.type, field) for name, field in fields.items()}
    masks = masks_by_id(decision, table)
    visible = {c.field_id for c in visible_columns(decision, table, stored)}
    if not {ids[name] for name in scan.columns} <= visible:
        raise InternalError("a restricted column was bound")
    filters = [bind_rule(rule, table, raw, BOOLEAN) for rule in decision.row_filters]
    values = [
        bind_rule(masks[ids[name]], table, raw, fields[name].type) if ids[name] in masks else raw[ids[name]]
        for name in scan.columns
    ]
    used = {node.field.id for x in (*filters, *values) for node in walk(x) if isinstance(node, Ref)}
    needed = [c.name for c in stored if fields[c.name].id in used]
    relation: Relation = replace(
        scan, fields=tuple(fields[name] for name in needed), columns=tuple(needed), secured=True
    )
    if filters:
        relation = Filter(relation.fields, relation, conjunction(*filters))
        if leaks:
            relation = Barrier(relation.fields, relation)
    return Project(scan.fields, relation, tuple(values))
