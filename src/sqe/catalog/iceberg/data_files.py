"""The live files of a snapshot and what the manifests know of their columns, kept for the next statement.

Manifests never change, so what was read of one is kept by its location: a new snapshot costs the manifests
that it added. Statistics are kept by column and not by file, to be compared in one pass over all files.
"""

from __future__ import annotations

import os
import threading
from array import array
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from sqe.catalog.iceberg.manifests import (
    DATA,
    EQUALITY_DELETES,
    Manifest,
    avro_ordinal,
    live_files,
    manifests_of,
    reading,
)
from sqe.catalog.iceberg.single_values import Ordinal, is_binary, ordinal, value
from sqe.catalog.iceberg.table import PartitionField, Table
from sqe.catalog.io import engine_paths
from sqe.errors import InvalidArgument, NotSupported, SqeError, Unavailable
from sqe.foundation.byte_cache import ByteCache
from sqe.foundation.record import record
from sqe.types import sql_types as t

if TYPE_CHECKING:
    import numpy as np

    Numbers = np.ndarray[Any, np.dtype[Any]]

# For each identity; all of them together get as much as the coordinator gives.
FILES_BYTES = 128 << 20
_UNKNOWN = -1
_T = TypeVar("_T")


@record
class Facts:
    """What is certain of a column in all rows of all files. None is unknown.

    `low` and `high` leave NaN out, are None for a column without values too, and enclose the values
    without being among them: texts are cut short, and rows may be deleted."""

    any_null: bool | None
    any_nan: bool | None
    low: object | None
    high: object | None


@record
class Statistics:
    """Of one column, a place in each array for each file. Where `has_lower` is false, `lower` is
    meaningless; counts are -1 where they are not known."""

    lower: Numbers
    has_lower: Numbers
    upper: Numbers
    has_upper: Numbers
    nulls: Numbers
    nans: Numbers
    all_null: Numbers


@record
class DeleteFile:
    location: str
    format: str
    content: int
    size: int

    @property
    def is_equality(self) -> bool:
        return self.content == EQUALITY_DELETES


@record
class _Bounds:
    """Those of one column, end to end; the length is -1 where a file has none."""

    content: bytes
    lengths: array[int]


@record
class _Chunk:
    """The live files of one manifest, which is at `location`."""

    location: str
    spec_id: int
    fields: tuple[PartitionField, ...]
    locations: list[str]
    formats: frozenset[str]
    encrypted: bool
    records: array[int]
    sizes: array[int]
    partitions: list[Mapping[str, Any]]
    counts: Mapping[str, Mapping[int, array[int]]]
    bounds: Mapping[str, Mapping[int, _Bounds]]
    deletes: tuple[DeleteFile, ...]


class TableFiles:
    """Everything is by position: of the n-th file, `locations[n]`, `sizes[n]`, `records[n]` and so on."""

    def __init__(self, chunks: Sequence[_Chunk]) -> None:
        data = [c for c in chunks if c.locations]
        self._chunks = data
        self._manifests = [c.location for c in chunks]
        self.deletes = tuple(d for c in chunks for d in c.deletes)
        self.locations = [location for c in data for location in c.locations]
        self.formats = frozenset[str]().union(*(c.formats for c in data))
        self.encrypted = any(c.encrypted for c in chunks)
        self.sizes = [size for c in data for size in c.sizes]
        self.records = [records for c in data for records in c.records]
        self._statistics: dict[tuple[int, t.Type, tuple[PartitionField, ...]], Statistics] = {}
        self._facts: dict[tuple[int, t.Type], Facts] = {}
        self._partitions: dict[tuple[PartitionField, t.Type], tuple[Numbers, Numbers, Numbers]] = {}

    def __len__(self) -> int:
        return len(self.locations)

    @cached_property
    def rows(self) -> int:
        """In data files: deleted ones among them, where there are delete files."""
        return sum(self.records)

    @cached_property
    def bytes(self) -> int:
        return sum(self.sizes)

    @cached_property
    def directories(self) -> frozenset[str] | None:
        """Those of all files, deletes too; None where an engine has no name for some."""
        return _directories([*self.locations, *(d.location for d in self.deletes)])

    @cached_property
    def manifest_directories(self) -> frozenset[str] | None:
        """Likewise of the manifests."""
        return _directories(self._manifests)

    @cached_property
    def characters(self) -> frozenset[str]:
        """All that stand in the locations of data files, delete files and manifests."""
        deletes = (d.location for d in self.deletes)
        return frozenset().union(*self.locations, *deletes, *self._manifests)

    def paths(self, positions: Sequence[int] | None = None) -> list[str]:
        """As the fast lane reads them, all files or those at the positions."""
        return self._paths if positions is None else [self._paths[n] for n in positions]

    @cached_property
    def _paths(self) -> list[str]:
        return engine_paths(self.locations)

    def statistics(
        self, field_id: int, kind: t.Type, identities: tuple[PartitionField, ...] = ()
    ) -> Statistics:
        """Of the column with that id, whose type is now `kind`. `identities` are partition fields whose
        values are those of the column, for files that have no bounds of it."""
        key = (field_id, kind, identities)
        statistics = self._statistics.get(key)
        if statistics is None:
            # Two threads may both make it; that is only work.
            statistics = self._statistics[key] = self._combine(field_id, kind, identities)
        return statistics

    def facts(self, field_id: int, kind: t.Type) -> Facts:
        key = (field_id, kind)
        if key not in self._facts:
            statistics = self.statistics(field_id, kind)
            self._facts[key] = Facts(
                any_null=_any(statistics.nulls),
                any_nan=_any(statistics.nans) if kind in t.APPROXIMATE else False,
                low=_extreme(statistics.lower, statistics.has_lower, statistics.all_null, kind, lowest=True),
                high=_extreme(
                    statistics.upper, statistics.has_upper, statistics.all_null, kind, lowest=False
                ),
            )
        return self._facts[key]

    def partition_values(self, field: PartitionField, kind: t.Type) -> tuple[Numbers, Numbers, Numbers]:
        """A place for each file: the ordinals of one partition value, where there is one, and where it
        is NULL. In other files the field is not part of the partitioning."""
        key = (field, kind)
        if key not in self._partitions:
            self._partitions[key] = self._partition(field, kind)
        return self._partitions[key]

    @cached_property
    def spec_ids(self) -> frozenset[int]:
        return frozenset(c.spec_id for c in self._chunks)

    def have_column(self, field_id: int, spec_id: int) -> bool:
        """Whether the column certainly is in each file of a spec: its values were counted."""
        counted = (c.counts["value"].get(field_id) for c in self._chunks if c.spec_id == spec_id)
        return all(counts is not None and _UNKNOWN not in counts for counts in counted)

    def _combine(self, field_id: int, kind: t.Type, identities: tuple[PartitionField, ...]) -> Statistics:
        nulls, nans = (self._counts(name, field_id) for name in ("null", "nan"))
        values = self._counts("value", field_id)
        lower, has_lower = _ordinals(self._bounds("lower", field_id), kind)
        upper, has_upper = _ordinals(self._bounds("upper", field_id), kind)
        all_null = (nulls != _UNKNOWN) & (nulls == values)
        for partition in identities:
            value, has, is_null = self.partition_values(partition, kind)
            lower, has_lower = _filled(lower, has_lower, value, has)
            upper, has_upper = _filled(upper, has_upper, value, has)
            all_null = all_null | is_null
        return Statistics(lower, has_lower, upper, has_upper, nulls, nans, all_null)

    def _partition(self, field: PartitionField, kind: t.Type) -> tuple[Numbers, Numbers, Numbers]:
        import numpy as np

        stored: list[Any] = []
        of_spec: list[bool] = []
        for chunk in self._chunks:
            mine = field in chunk.fields
            of_spec += [mine] * len(chunk.locations)
            stored += [p.get(f"_{field.id}") if mine else None for p in chunk.partitions]
        has = np.array([value is not None for value in stored], bool)
        is_null = np.array(of_spec, bool) & ~has
        ordinals = _array([avro_ordinal(value, kind) for value in stored if value is not None], kind)
        dense: Numbers = np.full(len(stored), b"" if is_binary(kind) else 0, ordinals.dtype)
        dense[has] = ordinals
        return dense, has, is_null

    def _counts(self, name: str, field_id: int) -> Numbers:
        import numpy as np

        counts = ((c.counts[name].get(field_id), len(c.locations)) for c in self._chunks)
        parts = [np.full(size, _UNKNOWN, np.int64) if x is None else np.asarray(x) for x, size in counts]
        return np.concatenate(parts or [np.zeros(0, np.int64)])

    def _bounds(self, name: str, field_id: int) -> _Bounds:
        none = array("q")
        parts = [
            c.bounds[name].get(field_id) or _Bounds(b"", _unknown(len(c.locations))) for c in self._chunks
        ]
        return _Bounds(b"".join(b.content for b in parts), sum((b.lengths for b in parts), none))


def _directories(locations: Sequence[str]) -> frozenset[str] | None:
    try:
        paths = engine_paths(locations)
    except (NotSupported, InvalidArgument):
        return None
    return frozenset(map(os.path.normpath, set(map(os.path.dirname, paths))))


def scan_bytes(files: TableFiles, positions: Sequence[int] | None = None) -> int:
    """How much a scan of all files, or of those at the positions, reads at most, delete files included."""
    deletes = sum(d.size for d in files.deletes)
    if positions is None or len(positions) == len(files):
        return files.bytes + deletes
    return deletes + sum(files.sizes[n] for n in positions)


class FileCache:
    """What one identity has read of manifests, for any number of threads. `manifests_read` counts them. Of
    each table's current snapshot one version is kept, with the manifests that it has."""

    def __init__(self, *, most_bytes: int = FILES_BYTES) -> None:
        self._chunks: ByteCache[_Chunk] = ByteCache(most_bytes // 2, _chunk_bytes)
        self._tables: ByteCache[TableFiles] = ByteCache(most_bytes // 2, _files_bytes)
        self._manifests: ByteCache[frozenset[str]] = ByteCache(most_bytes // 16, lambda m: 100 + 250 * len(m))
        self._making: dict[str, Future[Any]] = {}
        self._lock = threading.Lock()
        self.manifests_read = 0

    @property
    def bytes(self) -> int:
        return self._chunks.bytes + self._tables.bytes + self._manifests.bytes

    def files_of(self, table: Table, snapshot_id: int | None = None) -> TableFiles:
        """Those of the current snapshot, or of the one that is named."""
        snapshot = table.current_snapshot if snapshot_id is None else table.snapshots.get(snapshot_id)
        if snapshot is None:
            if snapshot_id is None and table.current_snapshot_id is None:
                return TableFiles(())
            raise Unavailable(
                f"table '{table.name}' has lost its snapshot {snapshot_id or table.current_snapshot_id}",
                code="ICEBERG_INVALID_METADATA",
            )
        key = str(snapshot.manifest_list)
        # The past does not take the place of the present.
        of = table.uuid or str(table.name) if snapshot.id == table.current_snapshot_id else None

        def load() -> TableFiles:
            manifests = manifests_of(snapshot, table)
            if of is not None:
                self._forget_others(of, frozenset(m.location for m in manifests))
            return TableFiles([self._chunk(m, table) for m in manifests])

        return self._get(self._tables, key, load, of=of)

    def _chunk(self, manifest: Manifest, table: Table) -> _Chunk:
        def load() -> _Chunk:
            self.manifests_read += 1
            return _read(manifest, table)

        return self._get(self._chunks, manifest.location, load)

    def _forget_others(self, of: str, manifests: frozenset[str]) -> None:
        """Manifests that were merged into others, or whose files are gone, are not read again."""
        before = self._manifests.get(of)
        if before is not None:
            self._chunks.remove(before - manifests)
        self._manifests.put(of, manifests)

    def _get(self, cache: ByteCache[_T], key: str, make: Callable[[], _T], *, of: str | None = None) -> _T:
        """Whoever asks for one that another thread makes waits for it."""
        with self._lock:
            cached = cache.get(key)
            if cached is not None:
                return cached
            pending: Future[_T] | None = self._making.get(key)
            if pending is None:
                mine = self._making[key] = Future[_T]()
        if pending is not None:
            return pending.result()
        try:
            result = make()
        except BaseException as error:
            with self._lock:
                del self._making[key]
            # Each that waited raises it; an interruption of this thread is not theirs.
            interrupted = Unavailable("reading manifests was interrupted")
            mine.set_exception(error if isinstance(error, SqeError) else interrupted)
            raise
        with self._lock:
            del self._making[key]
            cache.put(key, result, of=of)
        mine.set_result(result)
        return result


def _chunk_bytes(chunk: _Chunk) -> int:
    """Measured; the bounds are the part that differs most."""
    bounds = sum(len(b.content) for columns in chunk.bounds.values() for b in columns.values())
    columns = sum(len(c) for c in (*chunk.counts.values(), *chunk.bounds.values()))
    files = len(chunk.locations)
    return 2000 + bounds + columns * (150 + 8 * files) + 600 * files + 400 * len(chunk.deletes)


def _files_bytes(files: TableFiles) -> int:
    """Including the paths and statistics that a few queries will ask it for."""
    return 1500 + 500 * len(files) + 50 * len(files.deletes)


@dataclass(slots=True)
class _Sparse:
    """Values of some of the files: which, and what."""

    files: list[int] = field(default_factory=list)
    values: list[Any] = field(default_factory=list)


_COUNTS = {"value": "value_counts", "null": "null_value_counts", "nan": "nan_value_counts"}
_BOUNDS = {"lower": "lower_bounds", "upper": "upper_bounds"}


def _read(manifest: Manifest, table: Table) -> _Chunk:
    name = table.name
    locations: list[str] = []
    formats: set[str] = set()
    encrypted = False
    records: list[int] = []
    sizes: list[int] = []
    partitions: list[Mapping[str, Any]] = []
    metrics: dict[str, defaultdict[int, _Sparse]] = {s: defaultdict(_Sparse) for s in (*_COUNTS, *_BOUNDS)}
    sources = [(metrics[short], long) for short, long in (*_COUNTS.items(), *_BOUNDS.items())]
    deletes: list[DeleteFile] = []
    for f in live_files(manifest, name):
        content, kind = f.get("content") or DATA, f["file_format"].upper()
        encrypted = encrypted or f.get("key_metadata") is not None
        if manifest.holds_deletes or content != DATA:
            deletes.append(DeleteFile(f["file_path"], kind, content, f["file_size_in_bytes"]))
            continue
        position = len(locations)
        locations.append(f["file_path"])
        formats.add(kind)
        records.append(f["record_count"])
        sizes.append(f["file_size_in_bytes"])
        partitions.append(f["partition"])
        for columns, long in sources:
            for pair in f.get(long) or ():
                column = columns[pair["key"]]
                column.files.append(position)
                column.values.append(pair["value"])
    with reading(name):
        size = len(locations)
        return _Chunk(
            location=manifest.location,
            spec_id=manifest.spec_id,
            fields=table.specs[manifest.spec_id],
            locations=locations,
            formats=frozenset(formats),
            encrypted=encrypted,
            records=array("q", records),
            sizes=array("q", sizes),
            partitions=partitions,
            counts={s: {i: _dense(v, size) for i, v in metrics[s].items()} for s in _COUNTS},
            bounds={s: {i: _joined(v, size) for i, v in metrics[s].items()} for s in _BOUNDS},
            deletes=tuple(deletes),
        )


def _unknown(size: int) -> array[int]:
    return array("q", [_UNKNOWN]) * size


def _dense(sparse: _Sparse, size: int) -> array[int]:
    if len(sparse.files) == size:
        return array("q", sparse.values)
    dense = _unknown(size)
    for position, number in zip(sparse.files, sparse.values, strict=True):
        dense[position] = number
    return dense


def _joined(sparse: _Sparse, size: int) -> _Bounds:
    lengths = _dense(_Sparse(sparse.files, [len(v) for v in sparse.values]), size)
    return _Bounds(b"".join(sparse.values), lengths)


# Stored in one width, these are read at once.
_WIDE: dict[type[t.Type] | t.Type, str] = {t.DOUBLE: "<f8", t.BIGINT: "<i8", t.INTEGER: "<i8"}
_NARROW: dict[type[t.Type] | t.Type, str] = {
    t.REAL: "<f4", t.DOUBLE: "<f4", t.INTEGER: "<i4", t.BIGINT: "<i4", t.DATE: "<i4",
}  # fmt: skip


def _ordinals(bounds: _Bounds, kind: t.Type) -> tuple[Numbers, Numbers]:
    """And where there are any."""
    import numpy as np

    every = np.asarray(bounds.lengths)
    has = every != _UNKNOWN
    lengths = every[has]
    width = int(lengths[0]) if len(lengths) and bool((lengths == lengths[0]).all()) else 0
    stored = _NARROW.get(kind) if width == 4 else _WIDE.get(_family(kind)) if width == 8 else None
    if stored is not None:
        ordinals = np.frombuffer(bounds.content, stored)
        dense: Numbers = np.zeros(len(has), np.float64 if kind in t.APPROXIMATE else np.int64)
    else:
        ends = np.cumsum(lengths).tolist()
        starts = [0, *ends][: len(ends)]
        values = [_ordinal_or_none(bounds.content[a:b], kind) for a, b in zip(starts, ends, strict=True)]
        has[has] = [v is not None for v in values]
        ordinals = _array([v for v in values if v is not None], kind)
        dense = np.full(len(has), b"" if is_binary(kind) else 0, ordinals.dtype)
    dense[has] = ordinals
    return dense, has


def _ordinal_or_none(stored: bytes, kind: t.Type) -> Ordinal | None:
    try:
        return ordinal(stored, kind)
    except ValueError:
        return None


def _family(kind: t.Type) -> t.Type:
    micros = isinstance(kind, (t.Time, t.Timestamp, t.TimestampTz))
    return t.BIGINT if micros else kind


def _array(values: list[Ordinal], kind: t.Type) -> Numbers:
    import numpy as np

    if kind in t.APPROXIMATE:
        return np.array(values, np.float64)
    if not is_binary(kind) and all(-(2**63) <= v < 2**63 for v in values if isinstance(v, int)):
        return np.array(values, np.int64)
    objects: Numbers = np.empty(len(values), object)
    objects[:] = values
    return objects


def _filled(bounds: Numbers, has: Numbers, others: Numbers, have: Numbers) -> tuple[Numbers, Numbers]:
    import numpy as np

    missing = ~has & have
    return (np.where(missing, others, bounds), has | have) if missing.any() else (bounds, has)


def _any(counts: Numbers) -> bool | None:
    if bool((counts > 0).any()):
        return True
    return None if bool((counts == _UNKNOWN).any()) else False


def _extreme(
    bounds: Numbers, has: Numbers, all_null: Numbers, kind: t.Type, *, lowest: bool
) -> object | None:
    if not bool((has | all_null).all()) or not bool(has.any()):
        return None
    values = bounds[has]
    if kind in t.APPROXIMATE and bool((values != values).any()):
        return None
    extreme = values.min() if lowest else values.max()
    plain = extreme if isinstance(extreme, (int, bytes)) else extreme.item()
    try:
        return value(plain, kind)
    except OverflowError:
        return None
