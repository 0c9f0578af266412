"""The write lock of a table: our own writers, of rows and of definitions, wait instead of losing a race."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqe.commands.running import Statement
from sqe.coordinator import Coordinator
from sqe.engine.plans import Plan
from sqe.errors import Cancelled
from sqe.tree.relations import TableName

# How often a waiting writer checks whether its statement has ended.
LOOK_SECONDS = 0.05


@contextmanager
def write_lock(statement: Statement, coordinator: Coordinator, table: TableName) -> Iterator[None]:
    """Holds the lock for the block; raises if the statement is cancelled or late before that."""
    lock = coordinator.write_lock(str(table))
    while not lock.acquire(timeout=LOOK_SECONDS):
        if statement.cancelled:
            raise Cancelled("the statement was cancelled")
        if statement.is_late:
            raise statement.too_late("waited for another writer")
    try:
        if statement.cancelled:
            raise Cancelled("the statement was cancelled")
        yield
    finally:
        lock.release()


def current_plan(statement: Statement, plan: Plan, coordinator: Coordinator) -> Plan:
    """The plan, or a new one if a table that it reads has changed while the statement waited for its lock."""
    if coordinator.catalogs_of(statement.session).are_current(plan.tables):
        return plan
    assert statement.plan_again is not None
    new_plan = statement.plan_again()
    assert type(new_plan.tree) is type(plan.tree)
    return new_plan
