"""TPC data from DuckDB's generators (the `test` extra), loaded by our own SQL."""

from __future__ import annotations

import importlib
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from sqe.errors import Unavailable

if TYPE_CHECKING:
    import duckdb

    from sqe.connection import Connection

_GENERATORS = {"tpch": "dbgen", "tpcds": "dsdgen"}


def database(suite: str, scale: float) -> duckdb.DuckDBPyConnection:
    """An in-memory DuckDB with a suite's tables; at scale 0 they are empty."""
    try:
        import duckdb

        package = importlib.import_module(f"duckdb_extension_{suite}")
    except ImportError as error:
        raise Unavailable(f"{error.name} is not installed", hint="pip install 'sqe[test]'") from None
    assert package.__file__ is not None
    extension = Path(package.__file__).parent / f"extensions/v{duckdb.__version__}/{suite}.duckdb_extension"
    # The file comes from a hash-pinned package; DuckDB's own check of its signature takes a second.
    connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    connection.load_extension(str(extension))
    connection.execute(f"CALL {_GENERATORS[suite]}(sf={scale})")
    return connection


def export(connection: duckdb.DuckDBPyConnection, directory: Path) -> dict[str, Path]:
    """Every table as a Parquet file."""
    files = {}
    for (table,) in connection.execute("SELECT table_name FROM duckdb_tables() ORDER BY 1").fetchall():
        files[table] = directory / f"{table}.parquet"
        connection.table(table).write_parquet(os.fspath(files[table]))
    return files


def load(connection: Connection, suite: str, scale: float) -> None:
    """The suite's tables in a schema of its name, which becomes the session's."""
    connection.execute(f"CREATE SCHEMA {suite}")
    connection.execute(f"USE {suite}")
    with tempfile.TemporaryDirectory() as directory:
        for table, file in export(database(suite, scale), Path(directory)).items():
            connection.execute(f"CREATE TABLE {table} AS SELECT * FROM '{file}'")


def create_empty(connection: Connection, suite: str) -> None:
    """The suite's tables without rows: no engine is needed for that."""
    connection.execute(f"CREATE SCHEMA {suite}")
    connection.execute(f"USE {suite}")
    source = database(suite, 0)
    columns = source.execute(
        "SELECT table_name, string_agg(column_name || ' ' || data_type, ', ' ORDER BY column_index)"
        " FROM duckdb_columns() WHERE NOT internal GROUP BY table_name"
    ).fetchall()
    for table, definition in columns:
        connection.execute(f"CREATE TABLE {table} ({definition})")
