"""EXPLAIN: our tree, the lane and its reason, the engine's SQL, and the engine's plan where it has one."""

from __future__ import annotations

from sqe.catalog.io.location import scheme_of
from sqe.commands.answer import answer
from sqe.commands.running import Statement
from sqe.coordinator import Coordinator
from sqe.engine.explain import describe
from sqe.engine.lane import Order
from sqe.engine.plans import Plan
from sqe.tree.expressions import walk
from sqe.tree.relations import Scan
from sqe.tree.statements import Explain, Target
from sqe.tree.statements import Statement as Tree
from sqe.types import sql_types as t

COLUMNS: list[tuple[str, t.Type]] = [("Query Plan", t.VARCHAR)]


def columns(tree: Explain) -> list[tuple[str, t.Type]]:
    return [("Valid", t.BOOLEAN)] if tree.validate else COLUMNS


def execute(statement: Statement, plan: Plan, coordinator: Coordinator) -> None:
    assert isinstance(plan.tree, Explain) and isinstance(plan.bound, Explain)
    if plan.tree.analyze:
        from sqe.commands import analyze

        return analyze.execute(statement, plan, coordinator)
    if plan.tree.validate:
        return answer(statement, columns(plan.tree), [(True,)], plan, coordinator)
    # Users must not read the rules that restrict them, and engines' plans name what is hidden.
    restricted = plan.question.restricted
    shown = plan.bound.statement if restricted else plan.tree.statement
    lines = [*describe(shown), "", f"Lane: {statement.lane} ({statement.lane_reason})"]
    lines += _keys(shown, plan, statement.user)
    if plan.rendered is not None and not restricted:
        statement.engine_sql = plan.rendered.sql
        lane = coordinator.lane(plan.route.lane)
        catalogs = coordinator.catalogs_of(statement.session)
        order = Order(statement.session.identity, statement.id, catalogs, deadline=statement.deadline)
        lines += ["", *lane.explain(plan.rendered, order)]
    answer(statement, COLUMNS, [("\n".join(lines),)], plan, coordinator)


def _keys(shown: Tree, plan: Plan, user: str) -> list[str]:
    """With whose keys each table in an object store is opened. None of the keys."""
    names = dict.fromkeys(node.table for node in walk(shown) if isinstance(node, (Scan, Target)))
    tables = [(name, plan.tables[name]) for name in names if name in plan.tables]
    stored = [(name, table) for name, table in tables if scheme_of(table.location) != "file"]
    return [
        f"Keys of {name}: {'none' if table.storage is None else table.storage.owner}, for {user}"
        for name, table in stored
    ]
