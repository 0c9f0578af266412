"""The write lock of a table: our own writers, of rows and of definitions, wait instead of losing a race."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from sqe.commands.running import Statement
from sqe.coordinator import Coordinator
from sqe.engine.plans import Plan
from sqe.errors import Cancelled
from sqe.tree.relations import TableName

# How often a writer that waits looks whether it still should.
LOOK_SECONDS = 0.05


@contextmanager
def write_lock(statement: Statement, coordinator: Coordinator, table: TableName) -> Iterator[None]:
    """Held for the block, unless the statement ends before it is had."""
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
    """The plan, made again if a table that it was made with has changed while it waited for its lock."""
    if coordinator.catalogs_of(statement.session).are_current(plan.tables):
        return plan
    assert statement.plan_again is not None
    again = statement.plan_again()
    assert type(again.tree) is type(plan.tree)
    return again
