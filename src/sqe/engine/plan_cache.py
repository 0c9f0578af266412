"""Plans of queries that were asked before: a dashboard asks the same again and again.

A plan is used again for the same text of the same identity in the same session settings, while every table
that it reads is at the metadata file that it was planned with.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from sqe.foundation.byte_cache import Kept
from sqe.foundation.record import record
from sqe.session import Session
from sqe.tree.expressions import walk
from sqe.tree.relations import FileScan, Scan
from sqe.tree.statements import Query, Statement

if TYPE_CHECKING:
    from sqe.bind.binder import Binder
    from sqe.catalog.catalogs import Catalogs
    from sqe.engine.route import Route

PLANS_BYTES = 32 << 20
_MOST_READERS = 1000
Key = tuple[object, ...]


@record
class Plan:
    tree: Statement
    binder: Binder
    route: Route


class Plans:
    """The plans that were used last. One of a table that has changed since goes with the next that is kept:
    with it goes the version of the table that it holds."""

    def __init__(self, *, most_bytes: int = PLANS_BYTES) -> None:
        self._plans: Kept[Plan] = Kept(most_bytes, _bytes)
        self._readers: dict[str, tuple[str, set[Key]]] = {}
        self._lock = threading.Lock()
        self.used = 0
        self.missed = 0

    @property
    def bytes(self) -> int:
        return self._plans.bytes

    def __len__(self) -> int:
        return len(self._plans)

    def find(self, text: str, session: Session, catalogs: Catalogs) -> Plan | None:
        key = _key(text, session)
        plan = self._plans.get(key)
        current = plan is not None and catalogs.are_current(plan.binder.tables)
        if not current:
            self._plans.remove([key])
        with self._lock:
            self.used += current
            self.missed += not current
        return plan if current else None

    def keep(self, text: str, session: Session, plan: Plan) -> None:
        if not _is_lasting(plan):
            return
        key = _key(text, session)
        with self._lock:
            for table in plan.binder.tables.values():
                version, readers = self._readers.get(table.uuid, ("", set()))
                if version != table.metadata_location:
                    self._plans.remove(readers)
                    readers = set()
                if len(readers) > _MOST_READERS:
                    # Those that were evicted meanwhile are not worth a look at each.
                    readers = {reader for reader in readers if self._plans.get(reader) is not None}
                self._readers[table.uuid] = (table.metadata_location, {*readers, key})
            while len(self._readers) > _MOST_READERS:
                self._plans.remove(self._readers.pop(next(iter(self._readers)))[1])
        self._plans.put(key, plan)


def _bytes(plan: Plan) -> int:
    """What the plan itself takes, and the names of the files in its text. Its tables are those of the
    catalog, as long as they are current."""
    admitted = plan.route.admitted
    text = 0 if admitted is None else len(admitted.rendered.sql)
    return 30_000 + 20 * len(plan.binder.text) + 4 * text


def _key(text: str, session: Session) -> Key:
    settings = tuple(sorted(session.properties.items()))
    prepared = tuple(sorted(session.prepared.items()))
    where = (session.catalog, session.namespace, session.time_zone)
    return (text, session.identity, *where, settings, prepared)


def _is_lasting(plan: Plan) -> bool:
    """Whether it depends on nothing but tables: no moment, no user, no view, no rows of our own."""
    if not isinstance(plan.tree, Query) or plan.route.admitted is None:
        return False
    binder = plan.binder
    passing = binder.session_values or binder.inlined or binder.parameters or binder.warnings
    if passing or plan.route.admitted.rendered.tables:
        return False
    return not any(
        isinstance(node, FileScan) or (isinstance(node, Scan) and node.metadata is not None)
        for node in walk(plan.tree)
    )
