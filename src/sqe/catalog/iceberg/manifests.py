"""A table's manifest lists and manifests, which are Avro files, and what they say of each file.

Read with fastavro: PyIceberg would cost a first read most of a second to import.
"""

from __future__ import annotations

import base64
import contextlib
import datetime as dt
import io
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any

from sqe.catalog.iceberg.single_values import Ordinal, ordinal, value
from sqe.catalog.iceberg.table import PartitionField, Snapshot, Table
from sqe.catalog.io import file_system
from sqe.errors import Unavailable
from sqe.foundation.record import record
from sqe.tree.relations import TableName
from sqe.types import sql_types as t
from sqe.types.iceberg import leaf_types

if TYPE_CHECKING:
    from sqe.catalog.io.storage import Storage

DATA, POSITION_DELETES, EQUALITY_DELETES = 0, 1, 2
# The status of an entry.
ADDED, DELETED = 1, 2
PARTITION_ID = 102
# Iceberg knows the fields of its records by ids; their names have changed in the past.
_NAMES = {
    0: "status",
    1: "snapshot_id",
    2: "data_file",
    3: "sequence_number",
    4: "file_sequence_number",
    100: "file_path",
    101: "file_format",
    PARTITION_ID: "partition",
    103: "record_count",
    104: "file_size_in_bytes",
    108: "column_sizes",
    109: "value_counts",
    110: "null_value_counts",
    125: "lower_bounds",
    128: "upper_bounds",
    131: "key_metadata",
    132: "split_offsets",
    134: "content",
    135: "equality_ids",
    137: "nan_value_counts",
    140: "sort_order_id",
    500: "manifest_path",
    501: "manifest_length",
    502: "partition_spec_id",
    503: "added_snapshot_id",
    504: "added_files_count",
    505: "existing_files_count",
    506: "deleted_files_count",
    507: "partitions",
    509: "contains_null",
    510: "lower_bound",
    511: "upper_bound",
    512: "added_rows_count",
    513: "existing_rows_count",
    514: "deleted_rows_count",
    515: "sequence_number",
    516: "min_sequence_number",
    517: "manifest_content",
    518: "contains_nan",
    519: "key_metadata",
}

Pairs = Sequence[Mapping[str, Any]]


@record
class Manifest:
    """A line of a manifest list. `holds_deletes`: its files are delete files, not data."""

    location: str
    length: int
    spec_id: int
    holds_deletes: bool
    stored: Mapping[str, Any]
    # What its file is read with.
    storage: Storage | None = field(default=None, repr=False, compare=False)


@record
class DataFile:
    """content: 0 data, 1 position deletes, 2 equality deletes. Maps are by field id."""

    content: int
    location: str
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


def manifests_of(snapshot: Snapshot | None, table: Table) -> list[Manifest]:
    if snapshot is None:
        return []
    with reading(table.name):
        if snapshot.manifest_list is None:
            raise ValueError("a snapshot of Iceberg's first days, without a manifest list")
    return manifests_in(snapshot.manifest_list, table.name, table.storage)


def manifests_in(manifest_list: str, name: TableName, storage: Storage | None = None) -> list[Manifest]:
    with reading(name):
        return [
            Manifest(
                location=str(m["manifest_path"]),
                length=int(m["manifest_length"]),
                spec_id=int(m["partition_spec_id"]),
                holds_deletes=m.get("manifest_content") == 1,
                stored=m,
                storage=storage,
            )
            for m in _records(_blocks(_read(manifest_list, storage)))
        ]


def live_files(manifest: Manifest, name: TableName) -> Iterator[Mapping[str, Any]]:
    """What the manifest says of each file that is not deleted, by Iceberg's names; the values of
    `partition` by the ids of its fields, as text."""
    for entry in entries_of(manifest, name):
        if entry["status"] != DELETED:
            yield entry["data_file"]


def entries_of(manifest: Manifest, name: TableName) -> Iterator[Mapping[str, Any]]:
    """Those of deleted files too, with their `data_file` as in `live_files`."""
    with reading(name):
        yield from _records(_manifest_blocks(manifest))


def header_of(manifest: Manifest, name: TableName) -> Mapping[str, str]:
    """What its file says of itself: the Avro schema, and the schema and partition spec of the table."""
    with reading(name):
        return {key: str(text) for key, text in _manifest_blocks(manifest).metadata.items()}


@contextlib.contextmanager
def reading(name: TableName) -> Iterator[None]:
    """What a file that is damaged, or not what it should be, can end in."""
    try:
        yield
    except (OSError, ValueError, LookupError, TypeError, ArithmeticError, EOFError, zlib.error) as error:
        raise Unavailable(
            f"the manifests of table '{name}' cannot be read", code="ICEBERG_INVALID_METADATA"
        ) from error


def _read(location: str, storage: Storage | None) -> bytes:
    return file_system(location, storage).read(location)


def _manifest_blocks(manifest: Manifest) -> Any:
    content = _read(manifest.location, manifest.storage)
    if len(content) != manifest.length:
        # Cut off between two blocks, it would be a good file of fewer rows.
        raise ValueError("the manifest has not the length that its list says")
    return _blocks(content)


def _blocks(content: bytes) -> Any:
    import fastavro

    return fastavro.block_reader(io.BytesIO(content))


def _records(blocks: Any) -> Iterator[Any]:
    import fastavro

    # Our own reading of the schema: fastavro makes dates and the like of what is marked so, and fails
    # for those outside Python's years.
    schema: Any = fastavro.parse_schema(_plain(json.loads(blocks.metadata["avro.schema"])))
    for block in blocks:
        for _ in range(block.num_records):
            yield fastavro.schemaless_reader(block.bytes_, schema, None)


def _plain(schema: Any, *, ids_for_names: bool = False) -> Any:
    """An Avro schema with Iceberg's names for its fields and without logical types."""
    if isinstance(schema, list):
        return [_plain(choice, ids_for_names=ids_for_names) for choice in schema]
    if not isinstance(schema, dict):
        return schema
    plain = {k: v for k, v in schema.items() if k != "logicalType"}
    if "items" in plain:
        plain["items"] = _plain(plain["items"])
    if isinstance(plain.get("type"), (dict, list)):
        plain["type"] = _plain(plain["type"], ids_for_names=ids_for_names)
    if "fields" in plain:
        plain["fields"] = [_field(f, position, ids_for_names) for position, f in enumerate(plain["fields"])]
    return plain


def _field(field: Mapping[str, Any], position: int, id_for_name: bool) -> dict[str, Any]:
    field_id = field.get("field-id")
    name = _NAMES.get(field_id, field["name"]) if isinstance(field_id, int) else field["name"]
    if id_for_name:
        name = f"_{1000 + position if field_id is None else field_id}"
    kind = _plain(field["type"], ids_for_names=field_id == PARTITION_ID)
    return {"name": name, "type": kind, **({"default": field["default"]} if "default" in field else {})}


def data_files(table: Table) -> Iterator[DataFile]:
    """The live files of the current snapshot, deletes too, with all that is known of each."""
    types = known_types(table)
    for manifest in manifests_of(table.current_snapshot, table):
        fields = table.specs.get(manifest.spec_id, ())
        for stored in live_files(manifest, table.name):
            with reading(table.name):
                yield _data_file(stored, manifest.spec_id, fields, types)


def known_types(table: Table) -> dict[int, t.Type]:
    """By field id, of all columns that there have ever been."""
    ordered = sorted(table.stored_schemas.items(), key=lambda s: (s[0] == table.schema_id, s[0]))
    return {i: kind for _, schema in ordered for i, kind in leaf_types(schema["fields"])}


def manifest_rows(table: Table) -> Iterator[tuple[object, ...]]:
    """As "t$manifests" has them."""
    types = known_types(table)
    for manifest in manifests_of(table.current_snapshot, table):
        m = manifest.stored
        fields = table.specs.get(manifest.spec_id, ())
        with reading(table.name):
            summaries = [
                {
                    "contains_null": s["contains_null"],
                    "contains_nan": s.get("contains_nan"),
                    "lower_bound": _summary_bound(s["lower_bound"], field, types),
                    "upper_bound": _summary_bound(s["upper_bound"], field, types),
                }
                for s, field in zip(m.get("partitions") or [], fields, strict=True)
            ]
        yield (
            manifest.location,
            manifest.length,
            manifest.spec_id,
            m.get("added_snapshot_id"),
            m.get("added_files_count"),
            m.get("added_rows_count"),
            m.get("existing_files_count"),
            m.get("existing_rows_count"),
            m.get("deleted_files_count"),
            m.get("deleted_rows_count"),
            summaries,
        )


def human(bound: object) -> str:
    """A bound as Iceberg prints it for people."""
    if isinstance(bound, dt.datetime):
        return bound.isoformat()
    if isinstance(bound, bool):
        return str(bound).lower()
    if isinstance(bound, bytes):
        return base64.b64encode(bound).decode()
    return str(bound)


def _data_file(
    f: Mapping[str, Any], spec_id: int, fields: Sequence[PartitionField], types: Mapping[int, t.Type]
) -> DataFile:
    return DataFile(
        content=f.get("content") or DATA,
        location=f["file_path"],
        format=f["file_format"].upper(),
        spec_id=spec_id,
        partition={p.id: partition_value(f["partition"], p, types) for p in fields},
        record_count=f["record_count"],
        size=f["file_size_in_bytes"],
        column_sizes=_map(f.get("column_sizes")),
        value_counts=_map(f.get("value_counts")),
        null_counts=_map(f.get("null_value_counts")),
        nan_counts=_map(f.get("nan_value_counts")),
        lower=_bounds(f.get("lower_bounds"), types),
        upper=_bounds(f.get("upper_bounds"), types),
        key_metadata=f.get("key_metadata"),
        split_offsets=f.get("split_offsets"),
        equality_ids=f.get("equality_ids"),
        sort_order_id=f.get("sort_order_id"),
    )


def _map(pairs: Pairs | None) -> dict[int, Any] | None:
    return None if pairs is None else {pair["key"]: pair["value"] for pair in pairs}


def _bounds(pairs: Pairs | None, types: Mapping[int, t.Type]) -> dict[int, object] | None:
    if pairs is None:
        return None
    kinds = ((pair["value"], pair["key"], types.get(pair["key"])) for pair in pairs)
    return {i: value(ordinal(stored, kind), kind) for stored, i, kind in kinds if kind is not None}


def partition_value(
    partition: Mapping[str, Any], field: PartitionField, types: Mapping[int, t.Type]
) -> object:
    stored = partition.get(f"_{field.id}")
    kind = partition_type(field, types)
    if stored is None or kind is None:
        return None
    return value(avro_ordinal(stored, kind), kind)


def partition_type(field: PartitionField, types: Mapping[int, t.Type]) -> t.Type | None:
    """The type of a partition's values; None where there are none, or what they are of is gone."""
    source = types.get(field.source_id)
    if field.transform == "void" or source is None:
        return None
    if field.transform == "day":
        return t.DATE
    if field.transform in ("year", "month", "hour") or field.transform.startswith("bucket"):
        return t.INTEGER
    return source


def avro_ordinal(stored: Any, kind: t.Type) -> Ordinal:
    """Avro has its own form of decimals, the bytes of bounds, and knows numbers and texts."""
    if isinstance(stored, str):
        return stored.encode()
    if isinstance(stored, bytes):
        return ordinal(stored, kind)
    if isinstance(stored, int) and kind in t.APPROXIMATE:
        return float(stored)
    number: Ordinal = stored
    return number


def _summary_bound(stored: bytes | None, field: PartitionField, types: Mapping[int, t.Type]) -> str | None:
    kind = partition_type(field, types)
    if stored is None or kind is None:
        return None
    bound = ordinal(stored, kind)
    if isinstance(bound, int):
        match field.transform:
            case "year":
                return f"{1970 + bound:04d}"
            case "month":
                return f"{1970 + bound // 12:04d}-{bound % 12 + 1:02d}"
            case "hour":
                return (dt.datetime(1970, 1, 1) + dt.timedelta(hours=bound)).strftime("%Y-%m-%d-%H")
    return human(value(bound, kind))
