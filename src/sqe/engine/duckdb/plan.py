"""A query on its way into the fast lane: whether it is eligible, which files it needs, and its SQL."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import partial

from sqe.catalog.iceberg.data_files import FileCache, TableFiles, scan_bytes
from sqe.catalog.iceberg.table import Column, Table
from sqe.catalog.io import engine_path
from sqe.catalog.io.location import is_in_s3, scheme_of
from sqe.config.duckdb import FastSettings
from sqe.engine.duckdb.bounds import UNKNOWN, Bounds, Range
from sqe.engine.duckdb.constants import folded
from sqe.engine.duckdb.elide_guards import elide_guards
from sqe.engine.duckdb.eligibility import refusal
from sqe.engine.duckdb.pruning import kept_files
from sqe.engine.duckdb.render import FastRendered, render
from sqe.engine.duckdb.sources import IcebergMetadata, OneFile, ParquetFiles, ScanFiles, Source, totals
from sqe.engine.duckdb.table_kinds import Denied, Plain, kind_of
from sqe.engine.lane import Candidate, Question
from sqe.engine.ranges import narrowed
from sqe.engine.render.scope import references
from sqe.engine.render.signed_zero import normalize_signed_zero
from sqe.engine.render.zones import lower_zones
from sqe.errors import NotSupported
from sqe.foundation.record import record
from sqe.tree.expressions import Expression, conjunction, conjuncts, walk
from sqe.tree.pushdown import conditions_by_scan
from sqe.tree.relations import FileScan, Filter, Join, Scan, TableName
from sqe.tree.statements import Query
from sqe.types.sql_types import APPROXIMATE, Type, holds_floats, is_exact


@record
class FastCandidate(Candidate):
    """`query` has no zones and no casts of constants left. `locations` are the directories and files that it
    may read, `scans` the files that it needs, `stores` the prefixes of tables in object stores."""

    query: Query
    sources: Mapping[Scan | FileScan, Source]
    bounds: Bounds
    locations: tuple[str, ...]
    scans: tuple[ScanFiles, ...]
    stores: Mapping[TableName, str]
    statement_id: str

    @property
    def reason(self) -> str:
        read, total, size = totals(self.scans) or (0, 0, 0)
        if not total:
            return "everything in it is proven"
        shown = f"{size / 1e6:.1f} MB" if size >= 100_000 else f"{size} bytes"
        return f"everything in it is proven; {read} of {total} files, {shown}"


class Ineligible(Exception):
    """Not for this lane; the text is the reason."""


def eligible(question: Question, files: FileCache, settings: FastSettings) -> FastCandidate | str:
    """The query, ready to be rendered; or why Spark has to answer it. Which files a table has, and how many
    bytes of them are needed, is part of the decision."""
    query = question.tree
    assert isinstance(query, Query)
    try:
        lowered = lower_zones(query, question.time_zone)
        assert isinstance(lowered, Query)
        reason = refusal(lowered)
        if reason is not None:
            return reason
        lowered = folded(lowered)
        reading = _Reading(lowered, question.tables, files, settings)
        sources: dict[Scan | FileScan, Source] = {
            scan: reading.source(scan, [part for term in terms for part in conjuncts(narrowed(term))])
            for scan, terms in conditions_by_scan(lowered).items()
            if isinstance(scan, Scan) and scan.metadata is None
        }
        sources |= {n: reading.file(n) for n in walk(lowered) if isinstance(n, FileScan)}
        bounds = Bounds(lowered, reading.range_of, reading.rows_of)
    except (Ineligible, NotSupported) as refused:
        return str(refused)
    except RecursionError:
        return "it is nested too deeply"
    return FastCandidate(
        lowered,
        sources,
        bounds,
        tuple(sorted(reading.locations)),
        tuple(reading.scans),
        reading.stores,
        question.statement_id,
    )


def rendered(candidate: FastCandidate) -> FastRendered:
    """Raises NotSupported where DuckDB cannot say it as Trino means it."""
    cheaper = normalize_signed_zero(elide_guards(candidate.query, candidate.bounds), spark=False)
    try:
        fast = render(cheaper, candidate.sources, statement_id=candidate.statement_id)
    except RecursionError:
        raise NotSupported("it is nested too deeply") from None
    extensions = (*fast.extensions, *(("httpfs",) if candidate.stores else ()))
    return replace(
        fast,
        extensions=extensions,
        locations=candidate.locations,
        scans=candidate.scans,
        stores=candidate.stores,
    )


class _Reading:
    """What one statement reads."""

    def __init__(
        self, query: Query, tables: Mapping[TableName, Table], files: FileCache, settings: FastSettings
    ) -> None:
        self._tables = tables
        conditions = (n.condition for n in walk(query) if isinstance(n, (Filter, Join)) and n.condition)
        self._compared = references(conditions)
        self._files = files
        self._most = settings.max_scan_bytes
        self.locations: set[str] = set()
        self.scans: list[ScanFiles] = []
        self.stores: dict[TableName, str] = {}

    def _files_of(self, scan: Scan) -> TableFiles:
        snapshot_id = None if scan.as_of is None else scan.as_of.snapshot_id
        return self._files.files_of(self._tables[scan.table], snapshot_id)

    def rows_of(self, scan: Scan) -> int:
        return self._files_of(scan).rows

    def range_of(self, scan: Scan, column: str, kind: Type) -> Range:
        """By the statistics of all files, of those too that are not read."""
        field_id = _field_id(scan, self._tables[scan.table], column)
        if kind in APPROXIMATE:
            return Range(nan=self._files_of(scan).facts(field_id, kind).any_nan is not False)
        if not is_exact(kind):
            return UNKNOWN
        facts = self._files_of(scan).facts(field_id, kind)
        if not isinstance(facts.low, (int, Decimal)) or not isinstance(facts.high, (int, Decimal)):
            return UNKNOWN
        return Range(Decimal(facts.low), Decimal(facts.high), False)

    def source(self, scan: Scan, terms: Sequence[Expression]) -> Source:
        table = self._tables[scan.table]
        if scheme_of(table.location) != "file":
            self._check_store(scan.table, table)
        files = self._files_of(scan)
        kind = kind_of(table, files, as_of=scan.as_of)
        if isinstance(kind, Denied):
            raise Ineligible(f"table {scan.table.name}: {kind.reason}")
        condition = conjunction(*terms) if terms else None
        kept = kept_files(scan, table, files, condition)
        reads = ScanFiles(scan.table, files.paths(kept), len(files), scan_bytes(files, kept))
        self._add(reads)
        self._admit(scan.table, engine_path(table.location).rstrip("/"))
        if isinstance(kind, Plain):
            columns = {c.name: c for c in kind.columns}
            rows = sum(files.records[n] for n in kept)
            prefix = _prefix(scan, files) if scan.hidden else None
            return ParquetFiles(reads.paths, columns, partial(_may_be_nan, files), rows, prefix)
        if scan.hidden:
            raise Ineligible(f"table {scan.table.name}: Iceberg's reader does not say in which file a row is")
        self._check_floats(scan, table)
        return IcebergMetadata(kind.metadata_path, kind.snapshot_id)

    def _check_store(self, name: TableName, table: Table) -> None:
        if not is_in_s3(table.location) or table.storage is None:
            raise Ineligible(
                f"table {name.name}: its files are in an object store that DuckDB has no keys for"
            )
        from sqe.engine.duckdb.extensions import is_installed

        if not is_installed("httpfs"):
            raise Ineligible(f"table {name.name}: DuckDB's extension httpfs is not installed")

    def _admit(self, name: TableName, place: str) -> None:
        """The slash says that it is a directory, which nobody can see of a store."""
        if is_in_s3(place):
            place = self.stores[name] = f"{place}/"
        self.locations.add(place)

    def file(self, scan: FileScan) -> Source:
        (path,) = scan.paths
        self._add(ScanFiles(None, [path], 1, os.path.getsize(path)))
        self.locations.add(path)
        return OneFile(path)

    def _add(self, reads: ScanFiles) -> None:
        self.scans.append(reads)
        size = sum(each.bytes for each in self.scans)
        if size > self._most:
            raise Ineligible(f"{size} bytes to read are more than engine.fast.max_scan_bytes = {self._most}")

    def _check_floats(self, scan: Scan, table: Table) -> None:
        """DuckDB chooses files by bounds, and takes -0.0 for less than 0.0 and NaN for no value."""
        for field, column in zip(scan.fields, scan.columns, strict=True):
            if field.id not in self._compared:
                continue
            if field.type not in APPROXIMATE and holds_floats(field.type):
                raise Ineligible(f"table {scan.table.name}: a filter on {field.type}")
            if field.type in APPROXIMATE:
                facts = self._files_of(scan).facts(_field_id(scan, table, column), field.type)
                low, high = facts.low, facts.high
                certain = isinstance(low, float) and isinstance(high, float) and (low > 0 or high < 0)
                if facts.any_nan is not False or not certain:
                    raise Ineligible(f"table {scan.table.name}: a filter on {field.type} with NaN or zeros")


def _prefix(scan: Scan, files: TableFiles) -> str:
    """What stands before the path of each file in the table's metadata."""
    pairs = zip(files.locations, files.paths(), strict=True)
    prefixes = {location.removesuffix(path) if location.endswith(path) else None for location, path in pairs}
    prefix = prefixes.pop() if len(prefixes) == 1 else None
    if prefix is None and files.locations:
        raise Ineligible(f"table {scan.table.name}: paths of its files are written in several ways")
    return prefix or ""


def _may_be_nan(files: TableFiles, column: Column) -> bool:
    """Whether a value of the column, or one inside it, may be NaN: manifests know nothing of the inside."""
    if column.type in APPROXIMATE:
        return files.facts(column.field_id, column.type).any_nan is not False
    return holds_floats(column.type)


def _field_id(scan: Scan, table: Table, column: str) -> int:
    stored = table.columns if scan.as_of is None else table.columns_at(scan.as_of.snapshot_id)
    return next(c.field_id for c in stored if c.name == column)
