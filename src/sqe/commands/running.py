"""A statement while it runs: its state, and the events that it sends as it begins and ends."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from weakref import ref

from sqe.config.session_properties import TimeLimit, time_limit
from sqe.coordinator import Coordinator
from sqe.engine.route import Route
from sqe.errors import Cancelled, InternalError, LimitExceeded, SqeError, SyntaxFault
from sqe.foundation.store_requests import RequestCount
from sqe.observe.events import (
    Bound,
    Origin,
    StatementFailed,
    StatementFinished,
    StatementReceived,
    StatementStarted,
)
from sqe.observe.request_ids import NO_IDS, RequestIds
from sqe.observe.statement_record import Record
from sqe.session import Session
from sqe.tree.labels import OTHER

if TYPE_CHECKING:
    from sqe.engine.plans import Plan
    from sqe.foundation.scanned import Scanned
    from sqe.results.result import Result
    from sqe.tree.expressions import Expression

_TOO_LATE = "EXCEEDED_TIME_LIMIT"


@dataclass(slots=True, weakref_slot=True)
class Statement:
    """A statement and its state.

    `result` has its rows, which may still be `arriving`; `updated` is how many rows it changed. `rows` is how
    many rows of parameters one INSERT writes; `ordered` is whether the order of the result's rows means
    something. `staged` are files of rows that came with it, by the names that stand for them in the text.
    `store_requests` counts what the coordinator asks of object stores for it.
    `request` is what the client's own systems call it; `bound` is its tree, once it is bound. `plan_again` is
    for a writer that waited, where the tables that it was planned with have changed meanwhile. `killed` is
    why another statement has ended it.
    """

    text: str
    session: Session
    parameters: tuple[Expression, ...] = ()
    rows: int = 1
    staged: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    request: RequestIds = NO_IDS
    id: str = field(default_factory=lambda: time.strftime("%Y%m%d_%H%M%S_") + secrets.token_hex(6))
    state: str = "received"
    kind: str = ""
    label: str = OTHER
    timings: dict[str, float] = field(default_factory=dict)
    route: Route | None = None
    time_zone: str = "UTC"
    plan_again: Callable[[], Plan] | None = None
    bound: Bound | None = None
    engine_sql: str | None = None
    result: Result | None = None
    arriving: bool = False
    updated: int | None = None
    ordered: bool = True
    progress: tuple[int, int] | None = None
    error: SqeError | None = None
    warnings: list[str] = field(default_factory=list)
    cancelled: bool = False
    killed: str | None = None
    time_limit: TimeLimit | None = None
    deadline: float | None = None
    created: float = field(default_factory=time.time)
    first_row_at: float | None = None
    ended: float | None = None
    scans: Callable[[], Scanned | None] | None = None
    store_requests: RequestCount = field(default_factory=RequestCount)

    @property
    def lane(self) -> str | None:
        return None if self.route is None else self.route.lane

    @property
    def lane_reason(self) -> str | None:
        return None if self.route is None else self.route.reason

    @property
    def user(self) -> str:
        return self.session.identity.user

    @property
    def scanned(self) -> Scanned | None:
        """What was read of tables, so far; None where that is not known, or not for its user."""
        return None if self.scans is None else self.scans()

    @property
    def who(self) -> str:
        return self.session.identity.who

    @property
    def charged(self) -> str:
        """Whom limits for one user count it for."""
        return self.session.charged or self.who

    @property
    def is_late(self) -> bool:
        return self.deadline is not None and time.monotonic() >= self.deadline

    def too_late(self, what: str = "ran") -> SqeError:
        limit = f"longer than {self.time_limit or 'its time limit'}"
        return LimitExceeded(f"the statement {what} {limit}", code=_TOO_LATE)

    def check(self) -> None:
        """Raises if it was cancelled, or its time is over."""
        if self.cancelled:
            raise Cancelled("the statement was cancelled")
        if self.is_late:
            raise self.too_late()

    def blamed(self, error: SqeError) -> SqeError:
        """The error, with what a lane does not know: the name of the time limit, and who has ended it."""
        if self.killed is not None and isinstance(error, Cancelled):
            return Cancelled(self.killed, code="ADMINISTRATIVELY_KILLED")
        unnamed = error.code == _TOO_LATE and str(self.time_limit or "") not in error.message
        return self.too_late() if unnamed else error

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """One stage of its life, with its time."""
        if self.cancelled:
            raise Cancelled("the statement was cancelled")
        begin = time.perf_counter()
        self.state = name
        try:
            yield
        finally:
            self.timings[name] = self.timings.get(name, 0.0) + time.perf_counter() - begin

    @property
    def origin(self) -> Origin:
        return Origin(self.id, self.user, self.session.id, self.text, self.request)

    def record(self) -> Record:
        """What may be kept of it after its end."""
        return Record(
            self.id,
            self.user,
            self.text,
            self.state,
            self.created,
            self.ended,
            dict(self.timings),
            None if self.result is None else self.result.rows,
            self.updated,
            self.lane,
            self.lane_reason,
            None if self.error is None else self.error.kind.value,
            None if self.error is None else self.error.code,
            self.who,
            self.scanned,
            self.request.source,
        )


@contextmanager
def life(statement: Statement, coordinator: Coordinator) -> Iterator[None]:
    """From its arrival to its end, or until its rows begin to arrive: it is admitted, gets its time limit,
    and sends its events to the history and other observers, however it ends."""
    received(statement, coordinator)
    try:
        if coordinator.admission is not None:
            with statement.stage("queue"):
                coordinator.admission.enter(statement)
        # Planning counts: it asks catalogs, which may be slow.
        statement.time_limit = time_limit(statement.session, coordinator.config)
        if statement.time_limit is not None:
            statement.deadline = time.monotonic() + statement.time_limit.seconds
        yield
        if not statement.arriving:
            finished(statement, coordinator)
    except SqeError as error:
        raise failed(statement, coordinator, statement.blamed(error)) from error.__cause__
    except RecursionError:
        deep = SyntaxFault("the statement is nested too deeply", code="QUERY_NESTED_TOO_DEEPLY")
        raise failed(statement, coordinator, deep) from None
    except MemoryError:
        raise failed(statement, coordinator, LimitExceeded("out of memory")) from None
    except Exception as bug:
        ours = InternalError(f"a bug of ours: {type(bug).__name__} while running this")
        raise failed(statement, coordinator, ours) from bug
    except BaseException:
        failed(statement, coordinator, Cancelled("the statement was interrupted"))
        raise


def received(statement: Statement, coordinator: Coordinator) -> None:
    coordinator.running[statement.id] = statement
    # Events wait for their observers; a statement and its result must not wait with them.
    alive = ref(statement)

    def current() -> Record | None:
        live = alive()
        return None if live is None else live.record()

    coordinator.events.emit(StatementReceived(statement.origin, current))


def started(statement: Statement, coordinator: Coordinator) -> None:
    coordinator.events.emit(
        StatementStarted(statement.origin, statement.kind, statement.label, statement.lane, statement.bound)
    )


def ended(statement: Statement, coordinator: Coordinator, rows: int, error: SqeError | None) -> None:
    """The last row of a query has arrived, or an error instead of it."""
    if error is None:
        finished(statement, coordinator, rows)
    else:
        failed(statement, coordinator, error)


def finished(statement: Statement, coordinator: Coordinator, rows: int | None = None) -> None:
    statement.state, statement.ended = "finished", time.time()
    _leave(statement, coordinator)
    seconds, first_row_seconds = _seconds(statement)
    coordinator.events.emit(
        StatementFinished(
            statement.origin,
            statement.label,
            statement.lane,
            seconds,
            first_row_seconds,
            rows,
            statement.updated,
            dict(statement.timings),
            statement.bound,
            statement.scanned,
        )
    )


def failed(statement: Statement, coordinator: Coordinator, error: SqeError) -> SqeError:
    statement.state, statement.error, statement.ended = "failed", error, time.time()
    _leave(statement, coordinator)
    seconds, first_row_seconds = _seconds(statement)
    coordinator.events.emit(
        StatementFailed(
            statement.origin,
            statement.label,
            statement.lane,
            seconds,
            error.code,
            error.kind.value,
            str(error),
            first_row_seconds,
            statement.bound,
        )
    )
    return error


def _seconds(statement: Statement) -> tuple[float, float | None]:
    """From its arrival to its end, and to its first row."""
    end, first = statement.ended or statement.created, statement.first_row_at
    until_first = None if first is None else max(0.0, first - statement.created)
    return max(0.0, end - statement.created), until_first


def _leave(statement: Statement, coordinator: Coordinator) -> None:
    if coordinator.admission is not None:
        coordinator.admission.leave(statement)
