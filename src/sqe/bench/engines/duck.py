"""DuckDB without SQE, over the same Iceberg files: given plain SQL, or the SQL that SQE renders for it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqe.bench.engines import Answer, Place
from sqe.bench.engines.ours import Fast
from sqe.engine.duckdb.extensions import verified
from sqe.engine.duckdb.render import FastRendered
from sqe.errors import NotSupported
from sqe.statement import Statement, plan

if TYPE_CHECKING:
    import duckdb


class Plain:
    dialect: str | None = "duckdb"

    def open(self, place: Place) -> None:
        self.connection = bare(memory=place.memory, threads=place.threads)
        for table, metadata in place.tables.items():
            self.connection.execute(f"CREATE VIEW \"{table}\" AS SELECT * FROM iceberg_scan('{metadata}')")

    def prepare(self, sql: str) -> None:
        pass

    def answer(self, sql: str) -> Answer:
        return Answer(self.connection.execute(sql).to_arrow_table())

    def close(self) -> None:
        self.connection.close()


class Rendered:
    """What SQE adds to the statement is then what remains between its own time and this."""

    dialect = None

    def open(self, place: Place) -> None:
        self.connection = bare(memory=place.memory, threads=place.threads)
        # As the fast lane's own instances have it.
        self.connection.execute("SET parquet_metadata_cache = true")
        self.sqe = Fast()
        self.sqe.open(place)
        self.rendered: dict[str, str] = {}

    def prepare(self, sql: str) -> None:
        statement = Statement(sql, self.sqe.connection.session)
        rendered = plan(statement, self.sqe.connection.coordinator).rendered
        assert isinstance(rendered, FastRendered)
        if rendered.bodies or rendered.tables:
            raise NotSupported("the rendered SQL needs functions or rows of SQE")
        self.rendered[sql] = rendered.sql

    def answer(self, sql: str) -> Answer:
        return Answer(self.connection.execute(self.rendered[sql]).to_arrow_table())

    def close(self) -> None:
        self.connection.close()
        self.sqe.close()


def bare(*, memory: int, threads: int) -> duckdb.DuckDBPyConnection:
    """An instance that reads Iceberg."""
    import duckdb

    connection = duckdb.connect(
        config={
            "allow_unsigned_extensions": "true",
            "memory_limit": f"{memory // 2**20}MiB",
            "threads": str(threads),
        }
    )
    connection.execute("SET TimeZone = 'UTC'; SET enable_progress_bar = false")
    for file in verified(("avro", "iceberg")):
        connection.load_extension(file)
    return connection
