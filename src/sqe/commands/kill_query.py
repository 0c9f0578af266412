"""CALL system.runtime.kill_query: ends a statement of the same user."""

from __future__ import annotations

from sqe.commands.running import Statement
from sqe.coordinator import Coordinator
from sqe.engine.plans import Plan
from sqe.errors import NotFound, NotSupported
from sqe.tree.statements import KillQuery


def execute(statement: Statement, plan: Plan, coordinator: Coordinator) -> None:
    assert isinstance(plan.tree, KillQuery)
    target = coordinator.running.get(plan.tree.query_id)
    # Somebody else's is as unknown as one that never was.
    if not isinstance(target, Statement) or target.who != statement.who:
        raise NotFound(f"Target query not found: {plan.tree.query_id}", code="NOT_FOUND")
    if target.ended is not None:
        raise NotSupported(f"Target query is not running: {plan.tree.query_id}")
    message = plan.tree.message or "no message was given"
    target.killed = f"Query killed by {statement.user}. Message: {message}"
    target.cancelled = True
    coordinator.cancel(target.id)
