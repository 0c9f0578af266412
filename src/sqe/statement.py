"""The life of a statement: the table of contents of the product.

    parse -> bind -> secure -> route -> render -> run -> deliver

Each stage is one function with one job. One `Statement` carries what is known of it; observers hear
its events.
"""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from sqe import commands as statements
from sqe.bind.binder import Binder
from sqe.bind.statement import bind
from sqe.config.session_properties import TimeLimit, time_limit, value_of
from sqe.coordinator import Coordinator
from sqe.engine.plan_cache import Plan
from sqe.engine.route import Route, route
from sqe.errors import Cancelled, InternalError, LimitExceeded, SqeError, SyntaxFault
from sqe.foundation.recursion import make_room
from sqe.observe.events import Event
from sqe.observe.history import Record
from sqe.policy.secure import Guard, secure
from sqe.session import Session
from sqe.sql.parse import parse
from sqe.sql.rows import with_rows
from sqe.system.pushdown import push_down
from sqe.tree import statements as s
from sqe.tree.labels import OTHER, label
from sqe.tree.relations import has_order

if TYPE_CHECKING:
    from sqe.results.result import Result
    from sqe.tree.expressions import Expression


_TOO_LATE = "EXCEEDED_TIME_LIMIT"


@dataclass(slots=True)
class Statement:
    """One statement on its way. `result` has its rows, `updated` the rows it changed. `rows` is how many
    rows of parameters one INSERT writes; `ordered` is whether the order of the result's rows means something.
    `staged` are files of rows that came with it, by the names that stand for them in the text. `bound` is its
    tree before policies changed it, which may be shown to its author.
    """

    text: str
    session: Session
    parameters: tuple[Expression, ...] = ()
    rows: int = 1
    staged: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    id: str = field(default_factory=lambda: time.strftime("%Y%m%d_%H%M%S_") + secrets.token_hex(6))
    state: str = "received"
    kind: str = ""
    label: str = OTHER
    timings: dict[str, float] = field(default_factory=dict)
    route: Route | None = None
    time_zone: str = "UTC"
    bound: s.Statement | None = None
    engine_sql: str | None = None
    result: Result | None = None
    updated: int | None = None
    ordered: bool = True
    progress: tuple[int, int] | None = None
    error: SqeError | None = None
    warnings: list[str] = field(default_factory=list)
    cancelled: bool = False
    time_limit: TimeLimit | None = None
    deadline: float | None = None
    created: float = field(default_factory=time.time)
    first_row_at: float | None = None
    ended: float | None = None

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
    def is_late(self) -> bool:
        return self.deadline is not None and time.monotonic() >= self.deadline

    def too_late(self, what: str = "ran") -> SqeError:
        limit = f"longer than {self.time_limit or 'its time limit'}"
        return LimitExceeded(f"the statement {what} {limit}", code=_TOO_LATE)

    def blamed(self, error: SqeError) -> SqeError:
        """A lane knows that the time was over, and not whose limit it was."""
        unnamed = error.code == _TOO_LATE and str(self.time_limit or "") not in error.message
        return self.too_late() if unnamed else error

    def record(self) -> Record:
        """What may be kept of it when it is over."""
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
        )


def run(statement: Statement, coordinator: Coordinator) -> None:
    """Take a statement from its text to its result. Rows may still be arriving when this returns."""
    coordinator.history.begin(statement.id, statement.record)
    _tell(coordinator, statement, "received", text=statement.text)
    try:
        if coordinator.admission is not None:
            with _stage(statement, "queue"):
                coordinator.admission.enter(statement)
        tree, binder = plan(statement, coordinator)
        statement.kind, statement.label = s.kind(tree), label(tree)
        # Else a limit that is too small for any statement could not be taken back.
        if statement.is_late and not isinstance(tree, s.SetSession):
            raise statement.too_late()
        _tell(
            coordinator,
            statement,
            "started",
            lane=statement.lane,
            kind=statement.kind,
            statement_type=statement.label,
        )
        with _stage(statement, "run"):
            _execute(statement, tree, binder, coordinator)
            if s.writes(tree):
                statements.session_control.wrote(statement.session)
        if statement.result is None:
            _finished(statement, coordinator)
    except SqeError as error:
        raise _failed(statement, coordinator, statement.blamed(error)) from error.__cause__
    except RecursionError:
        raise _failed(
            statement,
            coordinator,
            SyntaxFault("the statement is nested too deeply", code="QUERY_NESTED_TOO_DEEPLY"),
        ) from None
    except MemoryError:
        raise _failed(statement, coordinator, LimitExceeded("out of memory")) from None
    except Exception as bug:
        raise _failed(
            statement, coordinator, InternalError(f"a bug of ours: {type(bug).__name__} while running this")
        ) from bug
    except BaseException:
        _failed(statement, coordinator, Cancelled("the statement was interrupted"))
        raise


def plan(statement: Statement, coordinator: Coordinator) -> tuple[s.Statement, Binder]:
    """Text to a tree that may be run: parsed, bound, secured, and with a lane."""
    make_room()
    # As the session is now: another thread may change it while this statement waits.
    session = replace(statement.session)
    statement.time_zone = session.time_zone
    # Planning counts: it asks catalogs, which may be slow.
    statement.time_limit = time_limit(session, coordinator.config)
    if statement.time_limit is not None:
        statement.deadline = time.monotonic() + statement.time_limit.seconds
    guard = Guard(coordinator.policy, session.identity, statement.staged)
    # A policy may say something else today.
    lasts = not guard.hides and not statement.parameters and not statement.staged
    known = coordinator.plans.find(statement.text, session, coordinator.catalogs) if lasts else None
    if known is None:
        known = _plan(statement, session, guard, coordinator)
        if lasts:
            coordinator.plans.keep(statement.text, session, known)
    statement.route = known.route
    return known.tree, known.binder


def _plan(statement: Statement, session: Session, guard: Guard, coordinator: Coordinator) -> Plan:
    with _stage(statement, "parse"):
        syntax = parse(statement.text, max_bytes=coordinator.config.query.max_sql_bytes)
        if statement.rows > 1:
            syntax = with_rows(syntax, statement.rows)
    with _stage(statement, "bind"):
        binder = Binder(
            statement.text,
            session,
            coordinator.catalogs,
            guard.decide,
            guard.may_read_files,
            hides=guard.hides,
            staged=statement.staged,
            parameters=statement.parameters,
            warnings=statement.warnings,
        )
        statement.bound = bind(binder, syntax)
    with _stage(statement, "secure"):
        tree = push_down(secure(statement.bound, guard, binder.tables, binder.fresh))
    with _stage(statement, "route"):
        asked = value_of(session, "lane", coordinator.config)
        admit = partial(statements.fast.admit, statement, guard, binder, coordinator)
        return Plan(tree, binder, route(tree, asked, admit))


def _plan_again(statement: Statement, coordinator: Coordinator, binder: Binder) -> tuple[s.Statement, Binder]:
    """For a writer that waited for its turn: what it was planned with has changed meanwhile."""
    statement.warnings.clear()
    guard = Guard(coordinator.policy, binder.session.identity, statement.staged)
    known = _plan(statement, binder.session, guard, coordinator)
    statement.route, statement.state = known.route, "run"
    return known.tree, known.binder


def _execute(statement: Statement, tree: s.Statement, binder: Binder, coordinator: Coordinator) -> None:
    match tree:
        case s.Query():
            statement.ordered = has_order(tree.relation)
            ended = partial(_ended, statement, coordinator)
            statements.query.execute(statement, tree, binder, coordinator, ended=ended)
        case s.Show() | s.ShowColumns() | s.ShowCreate() | s.DescribeInput() | s.DescribeOutput():
            statements.show.execute(statement, tree, binder, coordinator)
            _finished(statement, coordinator)
        case s.ShowStats():
            statements.stats.execute(statement, tree, binder, coordinator)
            _finished(statement, coordinator)
        case s.Explain(analyze=True):
            statements.analyze.execute(statement, tree, binder, coordinator)
            _finished(statement, coordinator)
        case s.Explain():
            statements.explain.execute(statement, tree, binder, coordinator)
            _finished(statement, coordinator)
        case s.Insert() | s.Update() | s.Delete() | s.Merge():
            again = partial(_plan_again, statement, coordinator)
            statements.dml.execute(statement, tree, binder, coordinator, again)
        case s.CreateTable() if tree.source is not None:
            again = partial(_plan_again, statement, coordinator)
            statements.dml.create_table_as(statement, tree, binder, coordinator, again)
        case s.Use() | s.SetSession() | s.SetTimeZone() | s.Prepare() | s.Deallocate() | s.Transaction():
            statements.session_control.execute(tree, statement.session)
        case s.Alter() | s.Rename() | s.DropTable():
            # A row that is being written must not meet a column that became NOT NULL meanwhile.
            with statements.turns.turn_to_write(statement, coordinator, tree.table):
                statements.ddl.execute(tree, coordinator.catalogs, statement.warnings)
        case _:
            statements.ddl.execute(tree, coordinator.catalogs, statement.warnings)


@contextmanager
def _stage(statement: Statement, name: str) -> Iterator[None]:
    if statement.cancelled:
        raise Cancelled("the statement was cancelled")
    begin = time.perf_counter()
    statement.state = name
    try:
        yield
    finally:
        statement.timings[name] = time.perf_counter() - begin


def _tell(coordinator: Coordinator, statement: Statement, event: str, **details: object) -> None:
    coordinator.events.emit(Event(event, statement.id, statement.user, details=details))


def _ended(statement: Statement, coordinator: Coordinator, rows: int, error: SqeError | None) -> None:
    """The last row of a query has arrived, or an error instead of it."""
    if error is None:
        _finished(statement, coordinator, rows)
    else:
        _failed(statement, coordinator, error)


def _finished(statement: Statement, coordinator: Coordinator, rows: int | None = None) -> None:
    statement.state, statement.ended = "finished", time.time()
    _leave(statement, coordinator)
    coordinator.history.end(statement.id, rows=rows)
    _tell(
        coordinator,
        statement,
        "finished",
        rows=rows,
        updated=statement.updated,
        timings=statement.timings,
        **_account(statement),
    )


def _failed(statement: Statement, coordinator: Coordinator, error: SqeError) -> SqeError:
    statement.state, statement.error, statement.ended = "failed", error, time.time()
    _leave(statement, coordinator)
    coordinator.history.end(statement.id)
    _tell(
        coordinator,
        statement,
        "failed",
        code=error.code,
        error_type=error.kind.value,
        message=str(error),
        **_account(statement),
    )
    return error


def _account(statement: Statement) -> dict[str, object]:
    """What observers of an ended statement want to know of it."""
    ended, first = statement.ended or statement.created, statement.first_row_at
    return {
        "session_id": statement.session.id,
        "statement_type": statement.label,
        "lane": statement.lane,
        "seconds": max(0.0, ended - statement.created),
        "first_row_seconds": None if first is None else max(0.0, first - statement.created),
    }


def _leave(statement: Statement, coordinator: Coordinator) -> None:
    if coordinator.admission is not None:
        coordinator.admission.leave(statement)
