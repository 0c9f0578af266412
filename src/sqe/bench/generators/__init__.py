"""Rows for the suites, made by DuckDB: TPC's by its generators (the `test` extra), the others by SQL beside
this file. The same scale gives the same rows, always."""

from __future__ import annotations

import os
import shutil
from importlib import resources
from pathlib import Path
from typing import TYPE_CHECKING

from sqe.bench.extensions import extension
from sqe.errors import InvalidArgument

if TYPE_CHECKING:
    import duckdb

CLICKBENCH_ROWS = 10_000_000


def database(suite: str, scale: float) -> duckdb.DuckDBPyConnection:
    """An in-memory DuckDB whose current schema has a suite's tables; at scale 0 they are empty."""
    import duckdb

    if scale < 0:
        raise InvalidArgument(f"a scale is 0 or more, not {scale:g}")
    connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
    match suite:
        case "tpch":
            _generate(connection, "tpch", f"CALL dbgen(sf={scale})")
        case "tpcds":
            _generate(connection, "tpcds", f"CALL dsdgen(sf={scale})")
        case "ssb":
            connection.execute("CREATE SCHEMA tpch; CREATE SCHEMA ssb")
            _generate(connection, "tpch", f"CALL dbgen(sf={scale}, schema='tpch')")
            connection.execute(_sql("ssb"))
            connection.execute("USE ssb; DROP SCHEMA tpch CASCADE")
        case "clickbench":
            rows = round(scale * CLICKBENCH_ROWS)
            connection.execute(_sql("clickbench").replace("{rows}", str(rows)))
        case _:
            raise InvalidArgument(f"there is no suite '{suite}'")
    return connection


def tables(connection: duckdb.DuckDBPyConnection) -> list[str]:
    found = connection.execute(
        "SELECT table_name FROM information_schema.tables WHERE table_schema = current_schema() ORDER BY 1"
    ).fetchall()
    return [name for (name,) in found]


def export(connection: duckdb.DuckDBPyConnection, directory: Path) -> dict[str, Path]:
    """Every table as a Parquet file."""
    files = {table: directory / f"{table}.parquet" for table in tables(connection)}
    for table, file in files.items():
        connection.table(table).write_parquet(os.fspath(file), compression="zstd")
    return files


def generate(suite: str, scale: float, directory: Path) -> dict[str, Path]:
    """The suite's Parquet files in the directory, made if they are not there yet."""
    if not directory.exists():
        unfinished = directory.with_name(directory.name + ".unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        unfinished.mkdir(parents=True)
        with database(suite, scale) as connection:
            export(connection, unfinished)
        unfinished.rename(directory)
    return {file.stem: file for file in sorted(directory.glob("*.parquet"))}


def _generate(connection: duckdb.DuckDBPyConnection, name: str, call: str) -> None:
    connection.load_extension(extension(name))
    connection.execute(call)


def _sql(suite: str) -> str:
    return (resources.files(__package__) / f"{suite}.sql").read_text(encoding="utf-8")
