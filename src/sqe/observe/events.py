"""What observers hear: one class for each kind of event, and each is sent."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import field
from typing import TYPE_CHECKING, Protocol

from sqe.foundation.record import record
from sqe.observe.request_ids import NO_IDS, RequestIds
from sqe.observe.statement_record import Record

if TYPE_CHECKING:
    from sqe.foundation.scanned import Scanned
    from sqe.tree.relations import TableName
    from sqe.tree.statements import Statement as Tree


@record
class Origin:
    """Which statement it is, and where it comes from."""

    statement_id: str
    user: str
    session_id: str
    text: str
    request: RequestIds = NO_IDS


@record
class Bound:
    """What a statement means, before policies changed it: its tree, and the views that are part of it."""

    tree: Tree
    views: tuple[TableName, ...] = ()


@record
class StatementReceived:
    """`current` is the statement as it is now; None once nobody has it any more."""

    origin: Origin
    current: Callable[[], Record | None]
    at: float = field(default_factory=time.time)


@record
class StatementStarted:
    """It is admitted and planned. `bound` is None for what is not SQL, such as a listing of tables."""

    origin: Origin
    kind: str
    statement_type: str
    lane: str | None
    bound: Bound | None = None
    at: float = field(default_factory=time.time)


@record
class StatementFinished:
    """Its last row has arrived. `rows` are those of a query, `updated` those that it wrote, `scanned` is what
    it read of tables."""

    origin: Origin
    statement_type: str
    lane: str | None
    seconds: float
    first_row_seconds: float | None = None
    rows: int | None = None
    updated: int | None = None
    timings: Mapping[str, float] = field(default_factory=dict)
    bound: Bound | None = None
    scanned: Scanned | None = None
    at: float = field(default_factory=time.time)

    status = "success"


@record
class StatementFailed:
    """`error_type` says who has to act; `message` repeats what was asked, and is not for logs."""

    origin: Origin
    statement_type: str
    lane: str | None
    seconds: float
    code: str
    error_type: str
    message: str
    first_row_seconds: float | None = None
    bound: Bound | None = None
    at: float = field(default_factory=time.time)

    @property
    def status(self) -> str:
        return "cancelled" if self.code == "USER_CANCELED" else "error"


@record
class LogIn:
    """Somebody who was let in, or not. `user` is None where none was named; `provider` is the one that
    decided, and `result` one of `sqe.auth.chain.RESULTS`."""

    user: str | None
    provider: str
    result: str
    peer: str
    seconds: float
    at: float = field(default_factory=time.time)


Event = StatementReceived | StatementStarted | StatementFinished | StatementFailed | LogIn


class Observer(Protocol):
    def hear(self, event: Event) -> None: ...
