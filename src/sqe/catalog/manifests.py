"""A table's manifests, read through PyIceberg. Import it where it is used: PyIceberg takes its time."""

from __future__ import annotations

import base64
import datetime as dt
import math
import uuid
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from pyiceberg.conversions import from_bytes
from pyiceberg.io.pyarrow import PyArrowFileIO
from pyiceberg.manifest import ManifestFile, read_manifest_list
from pyiceberg.schema import Schema
from pyiceberg.transforms import TimeTransform, Transform, parse_transform
from pyiceberg.types import DateType, PrimitiveType, TimestampType, TimestamptzType, TimeType, UUIDType

from sqe.catalog import metadata
from sqe.catalog.table import Table
from sqe.errors import Unavailable

_EPOCH = dt.datetime(1970, 1, 1)


@dataclass(frozen=True, slots=True)
class DataFile:
    """content: 0 data, 1 position deletes, 2 equality deletes. Maps are by field id."""

    content: int
    path: str
    format: str
    spec_id: int
    partition: Mapping[int, object]
    record_count: int
    size: int
    column_sizes: Mapping[int, int] | None
    value_counts: Mapping[int, int] | None
    null_counts: Mapping[int, int] | None
    nan_counts: Mapping[int, int] | None
    lower: Mapping[int, object] | None
    upper: Mapping[int, object] | None
    key_metadata: bytes | None
    split_offsets: list[int] | None
    equality_ids: list[int] | None
    sort_order_id: int | None

    def bound(self, bounds: Mapping[int, object] | None, field_id: int) -> object | None:
        return None if bounds is None else bounds.get(field_id)

    def is_null(self, field_id: int) -> bool:
        """Whether the column is certainly NULL in every row."""
        values = (self.value_counts or {}).get(field_id)
        return values is not None and values == (self.null_counts or {}).get(field_id)


def data_files(table: Table) -> Iterator[DataFile]:
    """The live files of the current snapshot, deletes too."""
    raw = metadata.read(table.metadata_location, table.name)
    types = {
        f.field_id: f.field_type for schema in raw.get("schemas") or [raw["schema"]] for f in _fields(schema)
    }
    io = PyArrowFileIO()
    specs = {int(s["spec-id"]): s["fields"] for s in raw.get("partition-specs") or ()}
    specs.setdefault(0, raw.get("partition-spec") or [])
    try:
        for manifest in _manifests(table, io):
            fields = specs.get(manifest.partition_spec_id, [])
            for entry in manifest.fetch_manifest_entry(io, discard_deleted=True):
                yield _data_file(entry.data_file, manifest.partition_spec_id, fields, types)
    except (OSError, ValueError, KeyError, EOFError) as error:
        raise _unreadable(table) from error


def manifests(table: Table) -> Iterator[tuple[object, ...]]:
    """As "t$manifests" has them."""
    raw = metadata.read(table.metadata_location, table.name)
    try:
        for m in _manifests(table, PyArrowFileIO()):
            transforms = _transforms(raw, m.partition_spec_id)
            summaries = [
                {
                    "contains_null": s.contains_null,
                    "contains_nan": s.contains_nan,
                    "lower_bound": _summary_bound(s.lower_bound, transform, source),
                    "upper_bound": _summary_bound(s.upper_bound, transform, source),
                }
                for s, (transform, source) in zip(m.partitions or [], transforms, strict=True)
            ]
            yield (
                m.manifest_path,
                m.manifest_length,
                m.partition_spec_id,
                m.added_snapshot_id,
                m.added_files_count,
                m.added_rows_count,
                m.existing_files_count,
                m.existing_rows_count,
                m.deleted_files_count,
                m.deleted_rows_count,
                summaries,
            )
    except (OSError, ValueError, KeyError, EOFError) as error:
        raise _unreadable(table) from error


def human(value: object) -> str:
    """A bound as Iceberg prints it for people."""
    if isinstance(value, dt.datetime):
        return value.isoformat()
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    return str(value)


def _manifests(table: Table, io: PyArrowFileIO) -> list[ManifestFile]:
    snapshot = table.current_snapshot
    if snapshot is None or snapshot.manifest_list is None:
        return []
    return list(read_manifest_list(io.new_input(snapshot.manifest_list)))


def _fields(schema: Mapping[str, Any]) -> list[Any]:
    parsed = Schema.model_validate({"type": "struct", **schema})
    return [
        f for f in (parsed.find_field(i) for i in parsed.field_ids) if isinstance(f.field_type, PrimitiveType)
    ]


def _data_file(file: Any, spec_id: int, fields: list[Any], types: Mapping[int, Any]) -> DataFile:
    partition = {
        int(f.get("field-id", 1000 + i)): _partition_value(file.partition[i], f, types)
        for i, f in enumerate(fields)
    }
    return DataFile(
        content=int(file.content),
        path=file.file_path,
        format=str(getattr(file.file_format, "value", file.file_format)),
        spec_id=spec_id,
        partition=partition,
        record_count=file.record_count,
        size=file.file_size_in_bytes,
        column_sizes=file.column_sizes,
        value_counts=file.value_counts,
        null_counts=file.null_value_counts,
        nan_counts=file.nan_value_counts,
        lower=_bounds(file.lower_bounds, types),
        upper=_bounds(file.upper_bounds, types),
        key_metadata=file.key_metadata,
        split_offsets=file.split_offsets,
        equality_ids=file.equality_ids,
        sort_order_id=file.sort_order_id,
    )


def _bounds(stored: Mapping[int, bytes] | None, types: Mapping[int, Any]) -> dict[int, object] | None:
    if stored is None:
        return None
    return {i: _python(from_bytes(types[i], b), types[i]) for i, b in stored.items() if i in types}


def _partition_value(value: Any, field: Mapping[str, Any], types: Mapping[int, Any]) -> object:
    transform = str(field["transform"])
    if value is None or transform == "void":
        return None
    if transform == "day":
        return _python(value, DateType())
    if transform == "identity" or transform.startswith("truncate"):
        return _python(value, types.get(int(field["source-id"])))
    return int(value)


def _python(value: Any, kind: Any) -> object:
    """A stored value, some of which are counted from 1970, as Python has it."""
    if value != value:
        return math.nan  # one object, so that it is one key of a partition
    if isinstance(value, int):
        if isinstance(kind, DateType):
            return (_EPOCH + dt.timedelta(days=value)).date()
        if isinstance(kind, TimestampType):
            return _EPOCH + dt.timedelta(microseconds=value)
        if isinstance(kind, TimestamptzType):
            return (_EPOCH + dt.timedelta(microseconds=value)).replace(tzinfo=dt.UTC)
        if isinstance(kind, TimeType):
            return (_EPOCH + dt.timedelta(microseconds=value)).time()
    if isinstance(kind, UUIDType) and isinstance(value, (bytes, uuid.UUID)):
        return str(uuid.UUID(bytes=value) if isinstance(value, bytes) else value)
    return value


def _transforms(raw: Mapping[str, Any], spec_id: int) -> list[tuple[Transform[Any, Any], Any]]:
    """The fields of a spec: each transform, and the type of what it is of, None where that is gone."""
    specs = {int(s["spec-id"]): s["fields"] for s in raw.get("partition-specs") or ()}
    specs.setdefault(0, raw.get("partition-spec") or [])
    schemas = raw.get("schemas") or [raw["schema"]]
    types = {f.field_id: f.field_type for schema in schemas for f in _fields(schema)}
    return [(parse_transform(f["transform"]), types.get(int(f["source-id"]))) for f in specs.get(spec_id, [])]


def _summary_bound(stored: bytes | None, transform: Transform[Any, Any], source: Any) -> str | None:
    if stored is None or source is None:
        return None
    kind: Any = transform.result_type(source)
    value = from_bytes(kind, stored)
    if isinstance(transform, TimeTransform):
        return transform.to_human_string(source, value)
    return human(_python(value, kind))


def _unreadable(table: Table) -> Unavailable:
    return Unavailable(
        f"the manifests of table '{table.name}' cannot be read", code="ICEBERG_INVALID_METADATA"
    )
