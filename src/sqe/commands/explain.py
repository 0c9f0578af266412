"""EXPLAIN: our tree, the lane and its reason, the engine's SQL, and the engine's plan where it has one."""

from __future__ import annotations

from sqe.commands.answer import answer
from sqe.commands.running import Statement
from sqe.coordinator import Coordinator
from sqe.engine.explain import describe
from sqe.engine.lane import Order
from sqe.engine.plans import Plan
from sqe.tree.statements import Explain
from sqe.types import sql_types as t

COLUMNS: list[tuple[str, t.Type]] = [("Query Plan", t.VARCHAR)]


def execute(statement: Statement, plan: Plan, coordinator: Coordinator) -> None:
    assert isinstance(plan.tree, Explain) and isinstance(plan.bound, Explain)
    if plan.tree.analyze:
        from sqe.commands import analyze

        return analyze.execute(statement, plan, coordinator)
    # Users must not read the rules that restrict them, and engines' plans name what is hidden.
    restricted = plan.question.restricted
    lines = describe(plan.bound.statement if restricted else plan.tree.statement)
    lines = [*lines, "", f"Lane: {statement.lane} ({statement.lane_reason})"]
    if plan.rendered is not None and not restricted:
        statement.engine_sql = plan.rendered.sql
        lane = coordinator.lane(plan.route.lane)
        catalogs = coordinator.catalogs_of(statement.session)
        order = Order(statement.session.identity, statement.id, catalogs, deadline=statement.deadline)
        lines += ["", *lane.explain(plan.rendered, order)]
    answer(statement, COLUMNS, [("\n".join(lines),)], plan, coordinator)
