"""What a cursor asks of its connection and of a statement, wherever that runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, TypeVar

if TYPE_CHECKING:
    from sqe.errors import SqeError
    from sqe.results.result import Result
    from sqe.tree.expressions import Expression


class RunningStatement(Protocol):
    """A statement of this process or of a server: what is known of it by now."""

    updated: int | None

    @property
    def id(self) -> str | None: ...

    @property
    def kind(self) -> str: ...

    @property
    def lane(self) -> str | None: ...

    @property
    def lane_reason(self) -> str | None: ...

    @property
    def engine_sql(self) -> str | None: ...

    @property
    def timings(self) -> Mapping[str, float]: ...

    @property
    def warnings(self) -> Sequence[str]: ...

    @property
    def result(self) -> Result | None: ...

    @property
    def progress(self) -> tuple[int, int] | None: ...

    @property
    def error(self) -> SqeError | None: ...

    @property
    def cancelled(self) -> bool: ...


S = TypeVar("S", bound=RunningStatement)


class StatementRunner(Protocol[S]):
    """A connection, as its cursors see it."""

    @property
    def closed(self) -> bool: ...

    def check_open(self) -> None: ...

    def statement(
        self, sql: str, parameters: tuple[Expression, ...], values: Sequence[object], *, rows: int = 1
    ) -> S: ...

    def run(self, statement: S) -> None: ...

    def cancel(self, statement: S) -> None: ...

    def stage(self, statement: S) -> str: ...

    def abandon(self, result: Result) -> None: ...
