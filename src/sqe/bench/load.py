"""A suite's tables in a warehouse, written by our own SQL."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from sqe.bench.generators import database, export, tables

if TYPE_CHECKING:
    from sqe.api.connection import Connection

Tell = Callable[[str], None]


def schema_of(suite: str, scale: float) -> str:
    """tpch_sf1, tpch_sf0_01"""
    return f"{suite}_sf{f'{scale:g}'.replace('.', '_')}"


def load(connection: Connection, schema: str, files: dict[str, Path], tell: Tell = lambda _: None) -> None:
    """Tables that are there already stay as they are. The schema becomes the session's."""
    connection.execute(f"CREATE SCHEMA IF NOT EXISTS {schema}")
    connection.execute(f"USE {schema}")
    there = {name for (name,) in connection.execute("SHOW TABLES").fetchall()}
    for table, file in files.items():
        if table not in there:
            loaded = connection.execute(f"CREATE TABLE {table} AS SELECT * FROM '{file}'")
            tell(f"{schema}.{table}: {loaded.rowcount} rows")


def load_generated(connection: Connection, suite: str, scale: float) -> None:
    """Generated and loaded, in a schema of the suite's name; nothing else is left of it."""
    with tempfile.TemporaryDirectory() as directory, database(suite, scale) as source:
        load(connection, suite, export(source, Path(directory)))


def create_empty(connection: Connection, suite: str, *, schema: str | None = None) -> None:
    """The suite's tables without rows: no engine is needed for that."""
    connection.execute(f"CREATE SCHEMA {schema or suite}")
    connection.execute(f"USE {schema or suite}")
    with database(suite, 0) as source:
        for table in tables(source):
            columns = source.execute(
                "SELECT column_name, data_type FROM duckdb_columns()"
                " WHERE schema_name = current_schema() AND table_name = ? ORDER BY column_index",
                [table],
            ).fetchall()
            definition = ", ".join(f"{name} {type_}" for name, type_ in columns)
            connection.execute(f"CREATE TABLE {table} ({definition})")
