"""Queries: runs one on its lane, and drains the rows into a result."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from sqe.commands.on_lane import start
from sqe.commands.running import Statement, ended
from sqe.config.session_properties import value_of
from sqe.coordinator import Coordinator
from sqe.engine.lane import Batches, Lane, LaneFailed, Rendered
from sqe.engine.plans import Plan
from sqe.engine.route import Choice, Route, render, route
from sqe.engine.row_limit import limited
from sqe.errors import Cancelled, LimitExceeded, Position, SqeError
from sqe.foundation.recursion import deep_recursion
from sqe.functions.registry import can_fail
from sqe.tree.expressions import ScalarSubquery, walk
from sqe.tree.relations import has_order
from sqe.tree.statements import Query

if TYPE_CHECKING:
    import pyarrow as pa

T = TypeVar("T")


def execute(statement: Statement, plan: Plan, coordinator: Coordinator) -> None:
    """Returns while rows still arrive."""
    assert isinstance(plan.tree, Query)
    statement.ordered = has_order(plan.tree.relation)
    statement.arriving = True
    answer = Answer(statement, plan, coordinator)
    statement.result = coordinator.spools.collect(
        Limited(answer, coordinator.config.query.max_result_rows, statement),
        plan.tree.relation.fields,
        user=statement.charged,
        cancel=answer.cancel,
        ended=partial(ended, statement, coordinator),
    )


class Fallback:
    """The lane of a query, and those that may answer it if that one fails through no fault of the user."""

    def __init__(self, statement: Statement, plan: Plan, coordinator: Coordinator) -> None:
        assert statement.route is not None and plan.rendered is not None
        self._statement, self._plan, self._coordinator = statement, plan, coordinator
        self.lane: Lane = coordinator.lane(statement.route.lane)
        self.rendered: Rendered = plan.rendered
        lane_property = value_of(statement.session, "lane", coordinator.config)
        names = [lane.name for lane in coordinator.lanes]
        after = coordinator.lanes[names.index(self.lane.name) + 1 :]
        self._others = [] if lane_property == self.lane.name else list(after)

    @property
    def is_last(self) -> bool:
        return not self._others

    @deep_recursion()
    def move(self, failure: LaneFailed) -> None:
        """Moves to the next lane; raises the user's error where there is none."""
        statement = self._statement
        if self.is_last or statement.cancelled:
            raise failure.as_user_error() from failure
        if self._coordinator.closed:
            # Its processes were ended too, and nobody waits for the answer of another lane.
            raise Cancelled("the statement was ended with its connection")
        question = self._plan.question_of(statement.id)
        choice = route(question, "auto", self._others)
        assert isinstance(choice, Choice)
        next_route, self.rendered = render(choice, question)
        reason = f"the {self.lane.name} lane failed: {failure.reason}"
        statement.route = Route(next_route.lane, reason)
        self.lane = self._coordinator.lane(next_route.lane)
        self._others = list(choice.others)


class Answer:
    """The batches of a query's lane, or of the next one where that fails before the first row."""

    def __init__(self, statement: Statement, plan: Plan, coordinator: Coordinator) -> None:
        self._statement, self._plan, self._coordinator = statement, plan, coordinator
        self._fallback = Fallback(statement, plan, coordinator)
        self._stream = self._start()

    def _start(self) -> Batches:
        rendered, lane, is_last = self._fallback.rendered, self._fallback.lane, self._fallback.is_last
        return start(self._statement, self._plan, rendered, lane, self._coordinator, patient=is_last)

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        while True:
            rows = 0
            try:
                for batch in self._stream:
                    rows += batch.num_rows
                    yield batch
                return
            except LaneFailed as failure:
                if rows:
                    raise failure.as_user_error() from failure
                self._fallback.move(failure)
            except SqeError as error:
                if not self._fallback.lane.tells_places:
                    error.position = error.position or only_place(self._plan.tree)
                raise
            self._stream = self._start()

    def cancel(self) -> None:
        self._fallback.lane.cancel(self._statement.id)

    def close(self) -> None:
        self._stream.close()


def only_place(query: object) -> Position | None:
    """The one place in a statement that can fail when it runs, so an error without a position arose there;
    None where there are several."""
    assert isinstance(query, Query)
    failing = (n for n in walk(query) if isinstance(n, ScalarSubquery) or can_fail(n))
    places = {node.position for node in failing}
    return places.pop() if len(places) == 1 else None


class Limited:
    """The batches of an answer, up to query.max_result_rows; beyond it an error, not a shorter result."""

    def __init__(self, answer: Answer, most: int, statement: Statement) -> None:
        self._answer = answer
        self._most = most
        self._statement = statement

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        try:
            for batch in limited(self._answer, self._most):
                if batch.num_rows and self._statement.first_row_at is None:
                    self._statement.first_row_at = time.time()
                yield batch
        except (LimitExceeded, Cancelled) as error:
            raise self._statement.blamed(error) from error.__cause__

    def close(self) -> None:
        self._answer.close()


def on_some_lane(
    statement: Statement, plan: Plan, coordinator: Coordinator, use: Callable[[Lane, Rendered], T]
) -> T:
    """What `use` makes of the query on its lane, or on the next one where that fails."""
    fallback = Fallback(statement, plan, coordinator)
    while True:
        statement.engine_sql = fallback.rendered.sql
        try:
            return use(fallback.lane, fallback.rendered)
        except LaneFailed as failure:
            fallback.move(failure)
