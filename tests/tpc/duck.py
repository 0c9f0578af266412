"""DuckDB as generator and as oracle: its own TPC data, and its answers to the same queries."""

from __future__ import annotations

import importlib
import os
from pathlib import Path
from typing import Any

import duckdb

SCALE = 0.01


def database(suite: str) -> duckdb.DuckDBPyConnection:
    """An in-memory DuckDB with a suite's tables."""
    connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    package = importlib.import_module(f"duckdb_extension_{suite}")
    assert package.__file__ is not None
    pattern = f"extensions/v{duckdb.__version__}/{suite}.duckdb_extension"
    extension = Path(package.__file__).parent / pattern
    connection.execute(f"LOAD '{extension}'")
    connection.execute({"tpch": f"CALL dbgen(sf={SCALE})", "tpcds": f"CALL dsdgen(sf={SCALE})"}[suite])
    return connection


def export(connection: duckdb.DuckDBPyConnection, directory: Path) -> dict[str, Path]:
    """Every table as a Parquet file."""
    files = {}
    for (table,) in connection.execute("SELECT table_name FROM duckdb_tables() ORDER BY 1").fetchall():
        files[table] = directory / f"{table}.parquet"
        connection.execute(f"COPY {table} TO '{os.fspath(files[table])}' (FORMAT parquet)")
    return files


def answer(connection: duckdb.DuckDBPyConnection, sql: str, types: list[str]) -> list[tuple[Any, ...]]:
    """DuckDB's rows, each column cast to the type that our binder announced."""
    names = [f"c{i}" for i in range(len(types))]
    casts = ", ".join(f"CAST({n} AS {t}) AS {n}" for n, t in zip(names, types, strict=True))
    return connection.execute(f"SELECT {casts} FROM ({sql}) AS q({', '.join(names)})").fetchall()
