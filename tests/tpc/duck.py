"""DuckDB as oracle: its answers to the same queries over its own TPC data."""

from __future__ import annotations

from typing import Any

import duckdb

SCALE = 0.01


def answer(connection: duckdb.DuckDBPyConnection, sql: str, types: list[str]) -> list[tuple[Any, ...]]:
    """DuckDB's rows, each column cast to the type that our binder announced."""
    names = [f"c{i}" for i in range(len(types))]
    casts = ", ".join(f"CAST({n} AS {t}) AS {n}" for n, t in zip(names, types, strict=True))
    return connection.execute(f"SELECT {casts} FROM ({sql}) AS q({', '.join(names)})").fetchall()
