"""The Python door: connections and cursors, embedded in the caller's process."""

from __future__ import annotations

import getpass
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any

from sqe.coordinator import Coordinator
from sqe.errors import Cancelled
from sqe.policy.decision import Policy
from sqe.session import Identity
from sqe.statement import Statement, run

if TYPE_CHECKING:
    import pyarrow as pa

    from sqe.config import Config
    from sqe.engine.spark.lane import SparkLane
    from sqe.tree.types import Type


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
        catalogs = {c.name: c.warehouse for c in config.catalogs.values() if c.warehouse is not None}
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
    """One session. Closing it ends its Spark server."""

    def __init__(self, coordinator: Coordinator, identity: Identity) -> None:
        self.coordinator = coordinator
        self.session = coordinator.session(identity)

    def cursor(self) -> Cursor:
        return Cursor(self)

    def execute(self, sql: str) -> Cursor:
        return self.cursor().execute(sql)

    def close(self) -> None:
        self.coordinator.close()

    def __enter__(self) -> Connection:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class Cursor:
    """One statement at a time, and its rows."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self.statement: Statement | None = None

    def execute(self, sql: str) -> Cursor:
        self.close()
        self.statement = Statement(sql, self._connection.session)
        run(self.statement, self._connection.coordinator)
        return self

    @property
    def columns(self) -> list[tuple[str, Type]] | None:
        result = self._statement.result
        return None if result is None else [(f.name, f.type) for f in result.fields]

    @property
    def rowcount(self) -> int:
        updated = self._statement.updated
        return -1 if updated is None else updated

    @property
    def update_type(self) -> str:
        return self._statement.kind

    def fetch_record_batches(self) -> Iterator[pa.RecordBatch]:
        """The rows as they arrive."""
        statement = self._statement
        if statement.result is None:
            return
        yield from statement.result.batches()

    def fetch_arrow_table(self) -> pa.Table:
        import pyarrow as pa

        batches = list(self.fetch_record_batches())
        result = self._statement.result
        return pa.Table.from_batches(batches, result.schema if result is not None else pa.schema([]))

    def fetchall(self) -> list[tuple[Any, ...]]:
        rows: list[tuple[Any, ...]] = []
        for batch in self.fetch_record_batches():
            rows.extend(zip(*(column.to_pylist() for column in batch.columns), strict=True))
        return rows

    def progress(self) -> tuple[int, int, int] | None:
        """Tasks done, tasks in all, and rows so far; None until the engine reports."""
        statement = self.statement
        if statement is None or statement.progress is None:
            return None
        rows = statement.result.rows if statement.result is not None else 0
        return (*statement.progress, rows)

    def cancel(self) -> None:
        """End the running statement; safe to call from another thread."""
        statement = self.statement
        if statement is None:
            return
        statement.cancelled = True
        identity = statement.session.identity
        self._connection.coordinator.spark_session(identity).cancel(statement.id)

    def close(self) -> None:
        if self.statement is not None and self.statement.result is not None:
            self.statement.result.close()

    @property
    def _statement(self) -> Statement:
        if self.statement is None:
            raise Cancelled("nothing was executed")
        return self.statement
