"""How many statements one user may have, whether their results were fetched or not."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING

from sqe.errors import LimitExceeded
from sqe.session import Identity

if TYPE_CHECKING:
    from sqe.server.running_statements import RunningStatement

MOST_PER_USER = 1000


def evictable(statements: Collection[RunningStatement], owner: Identity) -> RunningStatement | None:
    """The oldest result of somebody who fetches none, if there is no room for another; LimitExceeded if all
    of theirs still run or are being read."""
    if len(statements) < MOST_PER_USER:
        return None
    theirs = [statement for statement in statements if statement.owner == owner]
    if len(theirs) < MOST_PER_USER:
        return None
    for statement in theirs:
        if statement.done and not statement.readers:
            return statement
    raise LimitExceeded(f"one user has at most {MOST_PER_USER} statements", code="TOO_MANY_STATEMENTS")
