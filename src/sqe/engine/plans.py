"""A cache of plans: a dashboard asks the same queries again and again.

A plan is reused for the same text, identity, version of the policy and session settings, as long as every
table that it reads is still at the metadata file that it was planned with.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from sqe.catalog.iceberg.table import Column, Table
from sqe.catalog.iceberg.view import View
from sqe.engine.lane import Question, Rendered
from sqe.engine.route import Route
from sqe.foundation.byte_cache import ByteCache
from sqe.foundation.record import record
from sqe.policy.secure import BindRule, Fresh, Guard
from sqe.session import Session
from sqe.tree.expressions import walk
from sqe.tree.relations import FileScan, Scan, TableName
from sqe.tree.statements import Query, Statement

PLANS_BYTES = 32 << 20
_MOST_READERS = 1000
Key = tuple[object, ...]
Unchanged = Callable[[Mapping[TableName, Table]], Mapping[TableName, Table] | None]
"""The tables as they are now; None where one of them has changed."""


class Views(Protocol):
    """Views as the user of a statement reads them."""

    def columns(self, view: View) -> Sequence[Column]:
        """Those of its text that are not hidden from the user."""

    def shows_text(self, view: View) -> bool: ...


@record
class Plan:
    """A statement that was bound, secured, routed and rendered.

    `bound` is its tree before policies changed it, which may be shown to its author; `question` is what lanes
    were asked, with the tables that it was bound with; `inlined` are its views. `passing` if it depends on
    more than tables: a moment, a user, a parameter. `fresh` numbers fields that are added to it, and
    `bind_rule` binds rules on tables to them.
    """

    bound: Statement
    tree: Statement
    question: Question
    inlined: tuple[TableName, ...]
    guard: Guard
    views: Views
    fresh: Fresh
    bind_rule: BindRule
    route: Route
    rendered: Rendered | None
    passing: bool

    @property
    def tables(self) -> Mapping[TableName, Table]:
        return self.question.tables

    def with_keys_of(self, tables: Mapping[TableName, Table]) -> Plan:
        """The same over the same tables, whose files are opened as they are in `tables`: the session that it
        was planned in may have ended, and its keys too."""
        if all(table.storage is None for table in tables.values()):
            return self
        return replace(self, question=replace(self.question, tables=tables))

    def question_of(self, statement_id: str, tree: Statement | None = None) -> Question:
        """What a lane is asked when the statement runs, which may be another one than was planned; or of
        another tree over the same tables."""
        return replace(self.question, statement_id=statement_id, tree=tree or self.question.tree)


class Plans:
    """The most recently used plans. Keeping a plan evicts those of older versions of its tables, and with
    them the versions that they hold."""

    def __init__(self, *, most_bytes: int = PLANS_BYTES) -> None:
        self._plans: ByteCache[Plan] = ByteCache(most_bytes, _bytes)
        self._readers: dict[str, tuple[str, set[Key]]] = {}
        self._lock = threading.Lock()
        self.used = 0
        self.missed = 0

    @property
    def bytes(self) -> int:
        return self._plans.bytes

    def __len__(self) -> int:
        return len(self._plans)

    def find(
        self, text: str, session: Session, policy_version: int | None, unchanged: Unchanged
    ) -> Plan | None:
        key = _key(text, session, policy_version)
        plan = self._plans.get(key)
        tables = None if plan is None else unchanged(plan.tables)
        if tables is None:
            self._plans.remove([key])
        with self._lock:
            self.used += tables is not None
            self.missed += tables is None
        return None if plan is None or tables is None else plan.with_keys_of(tables)

    def keep(self, text: str, session: Session, policy_version: int | None, plan: Plan) -> None:
        if not _is_cacheable(plan):
            return
        key = _key(text, session, policy_version)
        with self._lock:
            for table in plan.tables.values():
                version, readers = self._readers.get(table.uuid, ("", set()))
                if version != table.metadata_location:
                    self._plans.remove(readers)
                    readers = set()
                if len(readers) > _MOST_READERS:
                    # Forgets plans that were evicted. Rarely, as it looks at each.
                    readers = {reader for reader in readers if self._plans.get(reader) is not None}
                self._readers[table.uuid] = (table.metadata_location, {*readers, key})
            while len(self._readers) > _MOST_READERS:
                self._plans.remove(self._readers.pop(next(iter(self._readers)))[1])
        self._plans.put(key, plan)


def _bytes(plan: Plan) -> int:
    """What the plan itself takes, and the names of the files in its text. Its tables are those of the
    catalog, as long as they are current."""
    return 30_000 + 4 * len(plan.rendered.sql if plan.rendered is not None else "")


def _key(text: str, session: Session, policy_version: int | None) -> Key:
    settings = tuple(sorted(session.properties.items()))
    prepared = tuple(sorted(session.prepared.items()))
    where = (session.catalog, session.namespace, session.time_zone)
    return (text, session.identity, policy_version, *where, settings, prepared)


def _is_cacheable(plan: Plan) -> bool:
    """Whether it depends on tables alone: not on the time, the user, a view or rows of ours. Spark's SQL
    names things that belong to one statement."""
    if not isinstance(plan.tree, Query) or plan.route.lane != "fast" or plan.rendered is None:
        return False
    if plan.passing or plan.inlined or plan.rendered.tables:
        return False
    return not any(
        isinstance(node, FileScan) or (isinstance(node, Scan) and node.metadata is not None)
        for node in walk(plan.tree)
    )
