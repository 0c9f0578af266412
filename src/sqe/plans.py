"""Plans of queries that were asked before: a dashboard asks the same again and again.

A plan is used again for the same text of the same identity in the same session settings, while every table
that it reads is at the metadata file that it was planned with.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from typing import TYPE_CHECKING

from sqe.record import record
from sqe.session import Session
from sqe.tree.expressions import walk
from sqe.tree.relations import FileScan, Scan
from sqe.tree.statements import Query, Statement

if TYPE_CHECKING:
    from sqe.bind.binder import Binder
    from sqe.catalog.catalogs import Catalogs
    from sqe.engine.route import Route

_KEPT = 256
Key = tuple[object, ...]


@record
class Plan:
    tree: Statement
    binder: Binder
    route: Route


class Plans:
    """The plans that were used last."""

    def __init__(self) -> None:
        self._plans: OrderedDict[Key, Plan] = OrderedDict()
        self._lock = threading.Lock()
        self.used = 0
        self.missed = 0

    def find(self, text: str, session: Session, catalogs: Catalogs) -> Plan | None:
        key = _key(text, session)
        with self._lock:
            plan = self._plans.get(key)
        if plan is None or not catalogs.are_current(plan.binder.tables):
            with self._lock:
                self.missed += 1
            return None
        with self._lock:
            if key in self._plans:
                self._plans.move_to_end(key)
            self.used += 1
        return plan

    def keep(self, text: str, session: Session, plan: Plan) -> None:
        if not _is_lasting(plan):
            return
        with self._lock:
            self._plans[_key(text, session)] = plan
            while len(self._plans) > _KEPT:
                self._plans.popitem(last=False)


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
