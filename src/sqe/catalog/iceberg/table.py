"""A table as its metadata file describes it. Immutable: a change of the table is another file."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any

from sqe.foundation.record import record
from sqe.tree.relations import TableName
from sqe.types.sql_types import Type

if TYPE_CHECKING:
    from sqe.catalog.io.storage import Storage

Raw = dict[str, Any]
"""Metadata as its JSON says it."""
MAIN = "main"


@record
class Column:
    """A stored column. `type` may be one that no statement can use yet: see `iceberg_types.unsupported`."""

    name: str
    type: Type
    nullable: bool
    comment: str | None
    field_id: int


@record
class Snapshot:
    id: int
    parent_id: int | None
    timestamp_ms: int
    operation: str | None
    summary: Mapping[str, str]
    schema_id: int | None
    manifest_list: str | None


@record
class Ref:
    """A branch or a tag."""

    name: str
    kind: str
    snapshot_id: int


@record
class Partition:
    """A field of a partition spec: `transform` as Iceberg spells it (`bucket[16]`), `column` its source,
    a field of a row as `column.field`."""

    name: str
    transform: str
    column: str | None


@record
class PartitionField:
    """A field of a partition spec of any age, void ones too, by ids."""

    id: int
    source_id: int
    name: str
    transform: str


@record
class SortField:
    """A field of a sort order, as Partition."""

    transform: str
    column: str | None
    descending: bool
    nulls_first: bool


# Measured: what one of each takes beside the texts in it.
_SNAPSHOT_BYTES, _SUMMARY_BYTES, _LOG_BYTES, _COLUMN_BYTES, _TABLE_BYTES = 600, 130, 150, 1500, 4000


@record
class Table:
    name: TableName
    metadata_location: str
    uuid: str
    format_version: int
    location: str
    columns: tuple[Column, ...]
    partitioning: tuple[Partition, ...]
    properties: Mapping[str, str]
    current_snapshot_id: int | None
    snapshots: Mapping[int, Snapshot] = field(repr=False)
    refs: Mapping[str, Ref] = field(repr=False)
    # (time in ms, snapshot id): what `main` pointed to, and since when.
    history: tuple[tuple[int, int], ...] = field(repr=False)
    schemas: Mapping[int, tuple[Column, ...]] = field(repr=False)
    sort_order: tuple[SortField, ...] = ()
    # Every spec and schema that there has been, by id; schemas as they stand in the file, with all ids.
    specs: Mapping[int, tuple[PartitionField, ...]] = field(default_factory=dict, repr=False)
    stored_schemas: Mapping[int, Mapping[str, Any]] = field(default_factory=dict, repr=False)
    schema_id: int = 0
    # The whole, of a table whose metadata file only a server can read.
    raw: Mapping[str, Any] | None = field(default=None, repr=False, compare=False)
    # What its files are read and written with, where they are in an object store.
    storage: Storage | None = field(default=None, repr=False, compare=False)

    @property
    def comment(self) -> str | None:
        return self.properties.get("comment")

    @property
    def current_snapshot(self) -> Snapshot | None:
        return None if self.current_snapshot_id is None else self.snapshots.get(self.current_snapshot_id)

    def snapshot_at(self, timestamp_ms: int) -> int | None:
        """The snapshot that was current at that time; None before the first."""
        then = [snapshot_id for since, snapshot_id in self.history if since <= timestamp_ms]
        return then[-1] if then else None

    def snapshot_of_ref(self, name: str) -> int | None:
        ref = self.refs.get(name)
        return None if ref is None else ref.snapshot_id

    def columns_at(self, snapshot_id: int) -> tuple[Column, ...]:
        """The columns as they were when the snapshot was written."""
        schema_id = self.snapshots[snapshot_id].schema_id
        return self.columns if schema_id is None else self.schemas.get(schema_id, self.columns)


@record
class TableMetadata:
    """A table as an engine is told of it. `location` is the metadata file, or empty where none is yet;
    `config` is what the catalog has answered to its user; `storage` is what its files are read and written
    with; `text` is the metadata as JSON, where that is at hand."""

    raw: Raw
    location: str
    config: Mapping[str, str] = field(default_factory=dict)
    text: bytes | None = field(default=None, repr=False, compare=False)
    storage: Storage | None = field(default=None, repr=False, compare=False)


@record
class MetadataText:
    """As TableMetadata, for whoever only hands it on. `place` is where the table's files are."""

    text: bytes = field(repr=False)
    location: str
    place: str = ""
    storage: Storage | None = field(default=None, repr=False, compare=False)


def tag_of(uuid: str, location: str) -> str:
    """An ETag. By the uuid too: what is made anew in a catalog of directories may be at the same place."""
    return f'"{hashlib.sha256(f"{uuid} {location}".encode(errors="surrogatepass")).hexdigest()[:32]}"'


@record
class TableCommit:
    """A commit of the REST protocol to one table."""

    table: TableName
    requirements: Sequence[Raw]
    updates: Sequence[Raw]


def table_bytes(table: Table) -> int:
    """About how much memory it takes: most of it is its history."""
    snapshots = sum(
        _SNAPSHOT_BYTES + _SUMMARY_BYTES * len(s.summary) + len(s.manifest_list or "")
        for s in table.snapshots.values()
    )
    columns = sum(len(columns) for columns in table.schemas.values())
    texts = sum(len(key) + len(value) for key, value in table.properties.items())
    if table.raw is not None:
        # The same once more, as JSON.
        snapshots *= 2
    return _TABLE_BYTES + snapshots + _LOG_BYTES * len(table.history) + _COLUMN_BYTES * columns + texts
