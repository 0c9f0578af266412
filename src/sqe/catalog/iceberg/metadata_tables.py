"""The metadata tables of a table: "t$snapshots", "t$files" and so on, with the columns of Trino.

Those of the metadata file are made from it; "t$files", "t$manifests" and "t$partitions" from the manifests.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from sqe.catalog.iceberg import metadata
from sqe.catalog.iceberg.table import Table
from sqe.foundation.record import record
from sqe.types import sql_types as t
from sqe.types.iceberg import unsupported

if TYPE_CHECKING:
    from sqe.catalog.iceberg.manifests import DataFile

Columns = tuple[tuple[str, t.Type], ...]
Row = tuple[object, ...]

_MICROSECONDS = 6
_INSTANT = t.TimestampTz(3)
_TEXTS = t.Map(t.VARCHAR, t.VARCHAR)
_COUNTS = t.Map(t.INTEGER, t.BIGINT)
_BOUNDS = t.Map(t.INTEGER, t.VARCHAR)


@record
class PartitionColumn:
    """A field of the partitioning, of any spec that the table has had."""

    name: str
    field_id: int
    type: t.Type


NAMES = ("snapshots", "history", "refs", "properties", "files", "manifests", "partitions")

_FIXED: dict[str, Columns] = {
    "snapshots": (
        ("committed_at", _INSTANT),
        ("snapshot_id", t.BIGINT),
        ("parent_id", t.BIGINT),
        ("operation", t.VARCHAR),
        ("manifest_list", t.VARCHAR),
        ("summary", _TEXTS),
    ),
    "history": (
        ("made_current_at", _INSTANT),
        ("snapshot_id", t.BIGINT),
        ("parent_id", t.BIGINT),
        ("is_current_ancestor", t.BOOLEAN),
    ),
    "refs": (
        ("name", t.VARCHAR),
        ("type", t.VARCHAR),
        ("snapshot_id", t.BIGINT),
        ("max_reference_age_in_ms", t.BIGINT),
        ("min_snapshots_to_keep", t.INTEGER),
        ("max_snapshot_age_in_ms", t.BIGINT),
    ),
    "properties": (("key", t.VARCHAR), ("value", t.VARCHAR)),
    "manifests": (
        ("path", t.VARCHAR),
        ("length", t.BIGINT),
        ("partition_spec_id", t.INTEGER),
        ("added_snapshot_id", t.BIGINT),
        ("added_data_files_count", t.INTEGER),
        ("added_rows_count", t.BIGINT),
        ("existing_data_files_count", t.INTEGER),
        ("existing_rows_count", t.BIGINT),
        ("deleted_data_files_count", t.INTEGER),
        ("deleted_rows_count", t.BIGINT),
        (
            "partition_summaries",
            t.Array(
                t.Row(
                    (
                        t.RowField("contains_null", t.BOOLEAN),
                        t.RowField("contains_nan", t.BOOLEAN),
                        t.RowField("lower_bound", t.VARCHAR),
                        t.RowField("upper_bound", t.VARCHAR),
                    )
                )
            ),
        ),
    ),
}


def columns(table: Table, suffix: str) -> Columns | None:
    """None where there is no such metadata table."""
    if suffix in _FIXED:
        return _FIXED[suffix]
    if suffix not in NAMES:
        return None
    partition = partition_columns(table)
    row: Columns = (("partition", _row((p.name, p.type) for p in partition)),) if partition else ()
    if suffix == "partitions":
        data = _row((c.name, _statistics(c.type)) for c in _measured(table))
        counts: Columns = (("record_count", t.BIGINT), ("file_count", t.BIGINT), ("total_size", t.BIGINT))
        return (*row, *counts, *((("data", data),) if data.fields else ()))
    return (
        ("content", t.INTEGER),
        ("file_path", t.VARCHAR),
        ("file_format", t.VARCHAR),
        ("spec_id", t.INTEGER),
        *row,
        ("record_count", t.BIGINT),
        ("file_size_in_bytes", t.BIGINT),
        ("column_sizes", _COUNTS),
        ("value_counts", _COUNTS),
        ("null_value_counts", _COUNTS),
        ("nan_value_counts", _COUNTS),
        ("lower_bounds", _BOUNDS),
        ("upper_bounds", _BOUNDS),
        ("key_metadata", t.VARBINARY),
        ("split_offsets", t.Array(t.BIGINT)),
        ("equality_ids", t.Array(t.INTEGER)),
        ("sort_order_id", t.INTEGER),
    )


def rows(table: Table, suffix: str) -> Iterator[Row]:
    """All of them, with a value for each of `columns`."""
    return _MAKERS[suffix](table)


def partition_columns(table: Table) -> list[PartitionColumn]:
    """Those of all specs, the oldest first, once each."""
    from sqe.catalog.iceberg.manifests import known_types, partition_type

    types = known_types(table)
    columns: dict[int, PartitionColumn] = {}
    for spec in table.specs.values():
        for f in spec:
            kind = partition_type(f, types)
            if kind is not None:
                columns.setdefault(f.id, PartitionColumn(f.name, f.id, kind))
    return list(columns.values())


def _raw(table: Table) -> dict[str, Any]:
    if table.raw is not None:
        return dict(table.raw)
    return metadata.read(table.metadata_location, table.name, storage=table.storage)


def _row(fields: Iterable[tuple[str, t.Type]]) -> t.Row:
    return t.Row(tuple(t.RowField(name, kind) for name, kind in fields))


def _measured(table: Table) -> list[Any]:
    """The columns that files have bounds and counts of, and whose bounds an engine can hold."""
    identities = {p.column for p in table.partitioning if p.transform == "identity"}
    return [c for c in table.columns if c.name not in identities and _is_held(c.type)]


def _is_held(kind: t.Type) -> bool:
    if isinstance(kind, (t.Timestamp, t.TimestampTz)):
        return kind.precision <= _MICROSECONDS
    return not isinstance(kind, (t.Array, t.Map, t.Row, t.Time)) and unsupported(kind) is None


def _statistics(kind: t.Type) -> t.Row:
    counts = (("null_count", t.BIGINT), ("nan_count", t.BIGINT))
    return _row((("min", kind), ("max", kind), *counts))


def _snapshots(table: Table) -> Iterator[Row]:
    for s in table.snapshots.values():
        yield (
            _instant(s.timestamp_ms),
            s.id,
            s.parent_id,
            s.operation,
            s.manifest_list,
            list(s.summary.items()),
        )


def _history(table: Table) -> Iterator[Row]:
    ancestors = set()
    current = table.current_snapshot
    while current is not None:
        ancestors.add(current.id)
        current = table.snapshots.get(current.parent_id) if current.parent_id is not None else None
    for since, snapshot_id in table.history:
        snapshot = table.snapshots.get(snapshot_id)
        parent = None if snapshot is None else snapshot.parent_id
        yield _instant(since), snapshot_id, parent, snapshot_id in ancestors


def _refs(table: Table) -> Iterator[Row]:
    stored = _raw(table).get("refs") or {}
    for ref in table.refs.values():
        retention = stored.get(ref.name) or {}
        ages = (
            retention.get("max-ref-age-ms"),
            retention.get("min-snapshots-to-keep"),
            retention.get("max-snapshot-age-ms"),
        )
        yield ref.name, ref.kind.upper(), ref.snapshot_id, *ages


def _properties(table: Table) -> Iterator[Row]:
    yield from sorted(table.properties.items())


def _files(table: Table) -> Iterator[Row]:
    from sqe.catalog.iceberg.manifests import data_files, human

    partition = partition_columns(table)
    for file in data_files(table):
        row = (_partition(file, partition),) if partition else ()
        yield (
            file.content,
            file.location,
            file.format,
            file.spec_id,
            *row,
            file.record_count,
            file.size,
            _pairs(file.column_sizes),
            _pairs(file.value_counts),
            _pairs(file.null_counts),
            _pairs(file.nan_counts),
            None if file.lower is None else [(i, human(v)) for i, v in sorted(file.lower.items())],
            None if file.upper is None else [(i, human(v)) for i, v in sorted(file.upper.items())],
            file.key_metadata,
            file.split_offsets,
            file.equality_ids,
            file.sort_order_id,
        )


def _manifests(table: Table) -> Iterator[Row]:
    from sqe.catalog.iceberg.manifests import manifest_rows

    yield from manifest_rows(table)


def _partitions(table: Table) -> Iterator[Row]:
    from sqe.catalog.iceberg.manifests import data_files

    partition, measured = partition_columns(table), _measured(table)
    groups: dict[tuple[object, ...], list[DataFile]] = {}
    for file in data_files(table):
        if file.content == 0:
            key = tuple(file.partition.get(p.field_id) for p in partition)
            groups.setdefault(key, []).append(file)
    for key, files in groups.items():
        row = ({p.name: value for p, value in zip(partition, key, strict=True)},) if partition else ()
        data = {c.name: measure(files, c.field_id) for c in measured}
        counts = (sum(f.record_count for f in files), len(files), sum(f.size for f in files))
        yield *row, *counts, *((data,) if measured else ())


def measure(files: list[DataFile], field_id: int) -> dict[str, object]:
    """Of one column in some files. A bound that a file does not have is known only if all is NULL there."""
    lowers = [f.bound(f.lower, field_id) for f in files if not f.is_null(field_id)]
    uppers = [f.bound(f.upper, field_id) for f in files if not f.is_null(field_id)]
    nulls = [(f.null_counts or {}).get(field_id) for f in files]
    nans = [(f.nan_counts or {}).get(field_id) for f in files]
    return {
        "min": min(lowers) if lowers and None not in lowers else None,  # type: ignore[type-var]
        "max": max(uppers) if uppers and None not in uppers else None,  # type: ignore[type-var]
        "null_count": None if None in nulls else sum(n for n in nulls if n is not None),
        "nan_count": None if None in nans else sum(n for n in nans if n is not None),
    }


def _partition(file: DataFile, partition: list[PartitionColumn]) -> dict[str, object]:
    return {p.name: file.partition.get(p.field_id) for p in partition}


def _pairs(counts: Mapping[int, int] | None) -> list[tuple[int, int]] | None:
    return None if counts is None else sorted(counts.items())


def _instant(milliseconds: int) -> dt.datetime:
    return dt.datetime(1970, 1, 1, tzinfo=dt.UTC) + dt.timedelta(milliseconds=milliseconds)


_MAKERS: dict[str, Callable[[Table], Iterator[Row]]] = {
    "snapshots": _snapshots,
    "history": _history,
    "refs": _refs,
    "properties": _properties,
    "files": _files,
    "manifests": _manifests,
    "partitions": _partitions,
}
