"""How the fast lane reads a table."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from typing import Protocol

from sqe.catalog.iceberg.table import Column
from sqe.engine.duckdb.literals import string
from sqe.engine.duckdb.types import QUOTE, duck_type, quote_name
from sqe.engine.render.quoting import spelled
from sqe.foundation.record import record
from sqe.tree.relations import PATH, FileScan, Scan, TableName
from sqe.types.sql_types import holds_floats


class Source(Protocol):
    def text(self, scan: Scan | FileScan, needed: Collection[int]) -> str:
        """What stands in FROM, with at least the needed columns, under their stored names."""


@record
class ScanFiles:
    """What one scan reads: files, of how many that the table has, and the bytes of those that it reads.
    A file that the user names belongs to no table."""

    table: TableName | None
    paths: Sequence[str]
    total: int
    bytes: int


@record
class ParquetFiles:
    """The files of a plain table that a statement needs. Columns are found by Iceberg's field ids."""

    paths: Sequence[str]
    # By their stored names.
    columns: Mapping[str, Column]
    may_be_nan: Callable[[Column], bool]
    rows: int
    # What the table's metadata writes before each path; None where it is not the same for all.
    prefix: str | None = None
    more: str = ""

    def text(self, scan: Scan | FileScan, needed: Collection[int]) -> str:
        names = [c for f, c in zip(scan.fields, scan.columns, strict=True) if f.id in needed]
        names = names or [scan.columns[0]]
        if isinstance(scan, Scan) and PATH in names and PATH in scan.hidden:
            return self._with_path(scan, needed)
        columns = [self.columns[name] for name in names]
        if not self.paths:
            nulls = (f"CAST(NULL AS {duck_type(c.type)}) AS {quote_name(c.name)}" for c in columns)
            return f"(SELECT {', '.join(nulls)} WHERE false)"
        schema = ", ".join(_column(c) for c in columns)
        files = ", ".join(map(string, self.paths))
        # Statistics of Parquet leave NaN out, and DuckDB skips by them what has to be read.
        nan = ", can_have_nan = true" if any(map(self.may_be_nan, columns)) else ""
        # With a schema, DuckDB counts no rows itself, and would join in any order.
        rows = f"explicit_cardinality = {max(1, self.rows)}"
        return f"read_parquet([{files}], {rows}, schema = MAP {{{schema}}}{nan}{self.more})"

    def _with_path(self, scan: Scan, needed: Collection[int]) -> str:
        """As the table's metadata has it, which is what Spark says too."""
        path = quote_name(PATH)
        stored = replace(scan, fields=scan.fields[:-1], columns=scan.columns[:-1], hidden=())
        if not self.paths:
            return f"(SELECT *, CAST(NULL AS VARCHAR) AS {path} FROM {self.text(stored, needed)})"
        files = replace(self, more=f", filename = {string(PATH)}").text(stored, needed)
        return f"(SELECT * REPLACE ({string(self.prefix or '')} || {path} AS {path}) FROM {files})"


def _column(column: Column) -> str:
    # The type is a text here, and so are the names in it.
    name, kind = string(column.name), string(spelled(duck_type(column.type), QUOTE))
    return f"{column.field_id}: {{name: {name}, type: {kind}, default_value: NULL}}"


@record
class IcebergMetadata:
    """A table that Iceberg's own reader has to read: it has deletes, or files of several shapes."""

    metadata: str
    snapshot_id: int | None

    def text(self, scan: Scan | FileScan, needed: Collection[int]) -> str:
        snapshot = "" if self.snapshot_id is None else f", snapshot_from_id = {int(self.snapshot_id)}"
        return f"iceberg_scan({string(self.metadata)}{snapshot})"


@record
class OneFile:
    """A Parquet file that the user names. Its columns are of the types that binding found in it."""

    path: str

    def text(self, scan: Scan | FileScan, needed: Collection[int]) -> str:
        pairs = [(f, quote_name(c)) for f, c in zip(scan.fields, scan.columns, strict=True) if f.id in needed]
        columns = ", ".join(f"CAST({c} AS {duck_type(f.type)}) AS {c}" for f, c in pairs) or "1"
        nan = ", can_have_nan = true" if any(holds_floats(f.type) for f, _ in pairs) else ""
        file = f"read_parquet([{string(self.path)}], hive_partitioning = false{nan})"
        return f"(SELECT {columns} FROM {file})"


def totals(scans: Sequence[ScanFiles]) -> tuple[int, int, int] | None:
    """Files to read, files there are, and bytes."""
    if not scans:
        return None
    read = sum(len(scan.paths) for scan in scans)
    return read, sum(scan.total for scan in scans), sum(scan.bytes for scan in scans)
