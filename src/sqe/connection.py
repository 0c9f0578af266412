"""The Python door: connections, embedded in the caller's process."""

from __future__ import annotations

import contextlib
import getpass
import os
import threading
import weakref
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

from sqe import dbapi
from sqe.coordinator import Coordinator
from sqe.cursor import Cursor
from sqe.errors import InterfaceError, NotSupported
from sqe.policy.decision import Policy
from sqe.session import Identity

if TYPE_CHECKING:
    from sqe.config import Config
    from sqe.engine.spark.lane import SparkLane
    from sqe.results import Result

__all__ = ["Connection", "Cursor", "connect"]


def connect(
    *,
    warehouse: str | Path | None = None,
    catalogs: Mapping[str, str | Path] | None = None,
    memory: bool = False,
    memory_limit: str | None = None,
    config: Config | str | Path | None = None,
    policy: Policy | None = None,
    spark: SparkLane | None = None,
) -> Connection:
    """An embedded engine. Without arguments its tables are in ~/.sqe/warehouse. `spark` is a lane to
    share with other connections; its owner closes it."""
    from sqe.catalog.catalogs import embedded
    from sqe.config import Config, load, usual_path

    if not isinstance(config, Config):
        overrides = {"spark.driver_memory": memory_limit} if memory_limit else {}
        path = Path(config) if config is not None else usual_path(os.environ)
        config = load(path, os.environ, overrides)
    if warehouse is None and catalogs is None and not memory and config.catalogs:
        from sqe.catalog.mount import from_config

        mounted = from_config(config)
    else:
        mounted = embedded(
            warehouse=warehouse, catalogs=catalogs, memory=memory, default=config.query.default_catalog
        )
    return Connection(
        Coordinator(config, mounted, policy=policy, spark=spark), Identity(_operating_system_user())
    )


def _operating_system_user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):
        return "sqe"


class Connection:
    """One session. Threads may share it, each with cursors of its own; closing it ends its Spark server."""

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

    def __init__(self, coordinator: Coordinator, identity: Identity) -> None:
        self.coordinator = coordinator
        self.session = coordinator.session(identity)
        self._abandoned: deque[Result] = deque()
        # For a connection that nobody closes. When the process ends, its Spark server sees it by itself.
        self._end = weakref.finalize(self, _close_later, coordinator)
        self._end.atexit = False

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
        """Of a cursor that is no longer used. Python may collect it at any place, in the middle of
        anything, so that its rows are freed a little later."""
        self._abandoned.append(result)

    def close(self) -> None:
        if self._end.detach() is not None:
            self.coordinator.close()

    def __enter__(self) -> Connection:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"<sqe.Connection{', closed' if self.closed else ''}>"


def _close_later(coordinator: Coordinator) -> None:
    # The collector that calls this may have interrupted a thread that holds one of the locks.
    threading.Thread(target=coordinator.close, name="sqe-close", daemon=True).start()
