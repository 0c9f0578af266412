"""What all connections have, wherever their statements run."""

from __future__ import annotations

import contextlib
import threading
import weakref
from abc import ABC, abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from types import TracebackType
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar

from sqe.api import dbapi
from sqe.api.cursor import Cursor
from sqe.errors import InterfaceError, NotSupported

if TYPE_CHECKING:
    from sqe.api.protocols import RunningStatement
    from sqe.results.result import Result
    from sqe.tree.expressions import Expression

S = TypeVar("S", bound="RunningStatement")


class BaseConnection(ABC, Generic[S]):
    """One session. Threads may share it, each with cursors of its own."""

    Warning = dbapi.Warning
    Error = dbapi.Error
    InterfaceError = dbapi.InterfaceError
    DatabaseError = dbapi.DatabaseError
    DataError = dbapi.DataError
    OperationalError = dbapi.OperationalError
    IntegrityError = dbapi.IntegrityError
    InternalError = dbapi.InternalError
    ProgrammingError = dbapi.ProgrammingError
    NotSupportedError = dbapi.NotSupportedError

    def __init__(self, end: Callable[[], None]) -> None:
        """`end` frees everything, and knows nothing of the connection."""
        self._abandoned: deque[Result] = deque()
        self._close = end
        # For a connection that nobody closes. When the process ends, what it started sees it by itself.
        self._end = weakref.finalize(self, _later, end)
        self._end.atexit = False

    @abstractmethod
    def statement(
        self, sql: str, parameters: tuple[Expression, ...], values: Sequence[object], *, rows: int = 1
    ) -> S:
        """A statement to be run. `values` are those of its `?`, `parameters` the same as constants."""

    @abstractmethod
    def run(self, statement: S) -> None:
        """Rows may still arrive when this returns."""

    @abstractmethod
    def cancel(self, statement: S) -> None:
        """May come from another thread than the one that runs it."""

    @abstractmethod
    def stage(self, statement: S) -> str:
        """What a statement is waiting for, in a word or two."""

    def warm_up(self) -> None:
        """Starts the engine for writes in the background: a statement is coming that needs it."""

    def cursor(self) -> Cursor:
        self.check_open()
        for _ in range(len(self._abandoned)):
            with contextlib.suppress(IndexError):  # another thread was here first
                self._abandoned.popleft().close()
        return Cursor(self)

    def execute(self, sql: str, parameters: Sequence[object] | None = None) -> Cursor:
        return self.cursor().execute(sql, parameters)

    def executemany(self, sql: str, rows: Iterable[Sequence[object]]) -> Cursor:
        return self.cursor().executemany(sql, rows)

    @property
    def autocommit(self) -> bool:
        """Each statement commits by itself."""
        return True

    def commit(self) -> None:
        """Does nothing: what has run is committed."""
        self.check_open()

    def rollback(self) -> None:
        """Refused, rather than pretended: what has run is committed."""
        self.check_open()
        raise NotSupported(
            "a statement that has run cannot be rolled back", hint="each statement commits by itself"
        )

    @property
    def closed(self) -> bool:
        return not self._end.alive

    def check_open(self) -> None:
        if self.closed:
            raise InterfaceError("the connection is closed")

    def abandon(self, result: Result) -> None:
        """Takes the rows of a cursor that was collected. That may happen in the middle of anything, so they
        are freed by the next call of `cursor`."""
        self._abandoned.append(result)

    def close(self) -> None:
        if self._end.detach() is not None:
            self._close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<sqe.Connection{', closed' if self.closed else ''}>"


def _later(end: Callable[[], Any]) -> None:
    # The collector that calls this may have interrupted a thread that holds one of the locks.
    threading.Thread(target=end, name="sqe-close", daemon=True).start()
