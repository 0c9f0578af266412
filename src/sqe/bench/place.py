"""The directory that benchmarks keep: generated files in `data`, tables in `warehouse`."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from sqe.api.connection import Connection, connect
from sqe.bench.engines import Place
from sqe.bench.generators import generate
from sqe.bench.load import load, schema_of
from sqe.bench.suites import SUITES
from sqe.catalog.io import engine_path
from sqe.errors import InvalidArgument
from sqe.foundation.record import record

Tell = Callable[[str], None]


@record
class Kept:
    directory: Path
    tell: Tell

    @property
    def warehouse(self) -> Path:
        return self.directory / "warehouse"

    def connect(self) -> Connection:
        self.directory.mkdir(parents=True, exist_ok=True)
        return connect(warehouse=self.warehouse)

    def files(self, suite: str, scale: float) -> dict[str, Path]:
        """The suite's Parquet files, generated if need be."""
        if suite not in SUITES:
            raise InvalidArgument(f"there is no suite '{suite}'", hint=f"one of {', '.join(SUITES)}")
        directory = self.directory / "data" / schema_of(suite, scale)
        if not directory.exists():
            self.tell(f"generating {suite} at scale {scale:g}")
        return generate(suite, scale, directory)

    def tables(self, connection: Connection, suite: str, scale: float) -> dict[str, str]:
        """The suite's tables, loaded if need be, and each one's current metadata file."""
        schema = schema_of(suite, scale)
        files = self.files(suite, scale)
        load(connection, schema, files, self.tell)
        return {table: metadata_file(connection, schema, table) for table in files}

    def place(self, suite: str, scale: float) -> Place:
        with self.connect() as connection:
            tables = self.tables(connection, suite, scale)
        return self.place_of(tables, schema_of(suite, scale))

    def place_of(self, tables: dict[str, str], schema: str) -> Place:
        """With the memory and the threads that SQE's fast lane has, for each engine alike."""
        from sqe.config.duckdb import FastSettings

        fast = FastSettings()
        return Place(
            self.warehouse,
            schema,
            tables,
            memory=fast.memory_limit,
            threads=fast.threads_each,
        )


def metadata_file(connection: Connection, schema: str, table: str) -> str:
    """As a path."""
    catalogs = connection.coordinator.catalogs
    stored = catalogs.get(catalogs.default).find_table((schema,), table)
    return engine_path(stored.metadata_location)
