"""Our own writers of a table take turns: those that write rows, and those that change its definition."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from sqe.coordinator import Coordinator
from sqe.errors import Cancelled
from sqe.tree.relations import TableName

if TYPE_CHECKING:
    from sqe.statement import Statement

# How often a writer that waits looks whether it still should.
TURN_SECONDS = 0.05


@contextmanager
def turn_to_write(statement: Statement, coordinator: Coordinator, table: TableName) -> Iterator[None]:
    """Our turn to write, unless the statement ends before it comes."""
    lock = coordinator.writing(str(table))
    while not lock.acquire(timeout=TURN_SECONDS):
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
