"""What a lane is: an engine that may answer statements. Spark is one, DuckDB another; a third would be one
more class."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Protocol

from sqe.errors import SqeError, Unavailable
from sqe.foundation.record import record
from sqe.session import Identity
from sqe.tree.relations import Scan, SystemScan, TableName, Values
from sqe.tree.statements import Statement

if TYPE_CHECKING:
    import pyarrow as pa

    from sqe.catalog.catalogs import Catalogs
    from sqe.catalog.gateway.bindings import Commit
    from sqe.catalog.iceberg.table import Table
    from sqe.catalog.io.storage import Storage
    from sqe.engine.steps import Step
    from sqe.foundation.scanned import Scanned


@record
class Question:
    """A secured statement, and what it was bound with. `restricted` if a rule of the policy is in it."""

    tree: Statement
    tables: Mapping[TableName, Table]
    identity: Identity
    time_zone: str
    statement_id: str
    restricted: bool


class Candidate(ABC):
    """A statement that a lane may answer. Each lane has a class of its own for what it keeps until it
    renders."""

    __slots__ = ()

    @property
    @abstractmethod
    def reason(self) -> str:
        """Why this lane, as EXPLAIN tells it."""


class Rendered:
    """The text for an engine. `tables` are views of rows that the coordinator makes."""

    __slots__ = ()

    sql: str
    tables: Mapping[str, SystemScan | Scan | Values]

    @property
    def files(self) -> tuple[int, int, int] | None:
        """Files to read, files there are, and bytes, where that is known before it runs."""
        return None


OnProgress = Callable[[int, int], None]
"""Called with the work that is done and the work in all."""


@record
class Order:
    """Who runs a rendered statement, with which catalogs and rows of ours, and until when (of
    time.monotonic()). A `patient` one waits for an engine that is busy, however long. `storages` are what the
    files of its tables are opened with, where they are in object stores."""

    identity: Identity
    statement_id: str
    catalogs: Catalogs
    tables: Mapping[str, pa.Table] = field(default_factory=dict)
    on_progress: OnProgress | None = None
    deadline: float | None = None
    patient: bool = True
    storages: Mapping[TableName, Storage] = field(default_factory=dict, repr=False)


class Batches(Protocol):
    """An answer: Arrow batches, iterated once and in one thread."""

    @property
    def commits(self) -> Sequence[Commit]:
        """What the statement has changed so far, whatever becomes of its answer."""

    @property
    def scanned(self) -> Scanned | None:
        """What it has read so far, as far as the engine has told."""

    def __iter__(self) -> Iterator[pa.RecordBatch]: ...

    def close(self) -> None:
        """Ends the statement if it still runs."""


@record
class Measured:
    """What EXPLAIN ANALYZE tells: how many rows there were, the engine's steps, what was read of tables, and
    with how many requests to object stores, as far as the engine has told."""

    rows: int | None
    steps: tuple[Step, ...]
    scanned: Scanned | None = None
    store_requests: int | None = None


class LaneFailed(Unavailable):
    """Not the user's mistake, as far as the lane can tell: the same statement may run on another one, if no
    row was delivered yet. `reason` is one line for EXPLAIN and people."""

    def __init__(self, reason: str, *, hint: str = "") -> None:
        super().__init__(reason, hint=hint)
        self.reason = reason

    def as_user_error(self) -> SqeError:
        """What a user sees who asked for this lane and no other."""
        return self


class Lane(Protocol):
    @property
    def name(self) -> str:
        """What SET SESSION lane and EXPLAIN call it."""

    @property
    def tells_places(self) -> bool:
        """Whether its errors say where in the statement they arose."""

    def eligible(self, question: Question) -> Candidate | str:
        """The statement, if this lane may answer it; else why not."""

    def render(self, candidate: Candidate) -> Rendered:
        """The engine's text. Raises NotSupported where the engine has no way to say it."""

    def run(self, rendered: Rendered, order: Order) -> Batches:
        """Returns at once. The answer has to be drained without a pause."""

    def measure(self, rendered: Rendered, order: Order, *, most_rows: int) -> Measured:
        """Runs a query, and throws its rows away. Raises where there are more than `most_rows`, unless
        that is 0."""

    def explain(self, rendered: Rendered, order: Order) -> list[str]:
        """What the engine is asked, and its plan, line by line. Nothing runs."""

    def cancel(self, statement_id: str) -> None:
        """Ends a statement; its answer raises Cancelled. Nothing happens if it has ended."""

    def close(self) -> None: ...
