"""The life of a statement: the table of contents of the product.

    parse -> bind -> secure -> route -> render -> run -> deliver

Each stage is one function with one job, and is timed. One `Statement` carries its state; observers hear its
events. What a kind of statement does is in `commands/`.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from sqe.bind.binder import Binder
from sqe.bind.statement import bind
from sqe.bind.views.reader import ViewReader
from sqe.commands.command import command_for
from sqe.commands.running import Statement, life, started
from sqe.config.session_properties import value_of
from sqe.coordinator import Coordinator
from sqe.engine.lane import Question
from sqe.engine.plans import Plan
from sqe.engine.route import METADATA_ALONE, render, route
from sqe.foundation.recursion import deep_recursion
from sqe.foundation.store_requests import counting
from sqe.observe.events import Bound
from sqe.policy.secure import Guard, secure
from sqe.session import Session
from sqe.sql.parse import parse
from sqe.sql.rows import with_rows
from sqe.system.pushdown import push_down
from sqe.tree.statements import Explain, SetSession

__all__ = ["Statement", "plan", "run"]


@deep_recursion()
def run(statement: Statement, coordinator: Coordinator) -> None:
    """Take a statement from its text to its result. Rows may still be arriving when this returns."""
    with life(statement, coordinator), counting(statement.store_requests):
        planned = plan(statement, coordinator)
        tree = planned.tree
        statement.kind, statement.label = tree.kind, tree.label
        statement.bound = Bound(planned.bound, planned.inlined)
        # Else a limit that is too small for any statement could not be taken back.
        if statement.is_late and not isinstance(tree, SetSession):
            raise statement.too_late()
        started(statement, coordinator)
        with statement.stage("run"):
            command_for(tree)(statement, planned, coordinator)
            if tree.writes:
                statement.session.wrote()


@deep_recursion()
def plan(statement: Statement, coordinator: Coordinator) -> Plan:
    """Text to what a lane can run: parsed, bound, secured, routed and rendered."""
    # As the session is now: another thread may change it while this statement waits.
    session = replace(statement.session)
    statement.time_zone = session.time_zone
    statement.plan_again = partial(_plan_again, statement, session, coordinator)
    guard = Guard(coordinator.policy, session.identity, statement.staged)
    # Asked before anything is decided: what is planned now is found again only while nothing has changed.
    version = guard.version
    reusable = version is not None and not statement.parameters and not statement.staged
    unchanged = coordinator.catalogs_of(session).unchanged
    planned = coordinator.plans.find(statement.text, session, version, unchanged) if reusable else None
    if planned is None:
        planned = _plan(statement, session, guard, coordinator)
        if reusable:
            coordinator.plans.keep(statement.text, session, version, planned)
    statement.route = planned.route
    return planned


def _plan(statement: Statement, session: Session, guard: Guard, coordinator: Coordinator) -> Plan:
    with statement.stage("parse"):
        syntax = parse(statement.text, max_bytes=coordinator.config.query.max_sql_bytes)
        if statement.rows > 1:
            syntax = with_rows(syntax, statement.rows)
    with statement.stage("bind"):
        binder = Binder(
            statement.text,
            session,
            coordinator.catalogs_of(session),
            guard,
            staged=statement.staged,
            parameters=statement.parameters,
            warnings=statement.warnings,
        )
        bound = bind(binder, syntax)
    with statement.stage("secure"):
        tree = push_down(secure(bound, guard, binder.tables, binder.fresh, binder.bind_rule))
    with statement.stage("route"):
        question = Question(
            tree.statement if isinstance(tree, Explain) else tree,
            binder.tables,
            session.identity,
            session.time_zone,
            statement.id,
            guard.restricts_statement,
        )
        if question.tree.lanes:
            coordinator.catalogs_of(session).prepare(binder.tables, statement.check)
        choice = route(question, value_of(session, "lane", coordinator.config), coordinator.lanes)
    chosen_route, rendered = METADATA_ALONE, None
    if choice is not None:
        with statement.stage("render"):
            chosen_route, rendered = render(choice, question)
    passing = bool(binder.session_values or binder.parameters or binder.warnings)
    return Plan(
        bound,
        tree,
        question,
        tuple(binder.inlined),
        guard,
        ViewReader(binder),
        binder.fresh,
        binder.bind_rule,
        chosen_route,
        rendered,
        passing,
    )


def _plan_again(statement: Statement, session: Session, coordinator: Coordinator) -> Plan:
    """For a writer that waited for its lock, where the tables that it was planned with have changed."""
    statement.warnings.clear()
    guard = Guard(coordinator.policy, session.identity, statement.staged)
    planned = _plan(statement, session, guard, coordinator)
    statement.route, statement.state = planned.route, "run"
    return planned
