"""How the fast lane may read a table: its Parquet files alone, through Iceberg's metadata, or not at all.

Known from the manifests and the schemas that there have been, before anything is read. What is not known
to be right is denied: DuckDB gives wrong rows without an error where this is not watched.
"""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import field
from functools import lru_cache
from typing import Any
from unicodedata import category

from sqe.catalog.iceberg.data_files import TableFiles
from sqe.catalog.iceberg.table import Column, Table
from sqe.catalog.io import engine_path
from sqe.catalog.io.location import is_in_s3
from sqe.errors import InvalidArgument, NotSupported
from sqe.foundation.record import record
from sqe.tree.names import unspeakable
from sqe.tree.relations import AsOf
from sqe.types import sql_types as t
from sqe.types.iceberg import from_iceberg, leaf_types, unsupported

_PARQUET = "PARQUET"
_DELETES = {_PARQUET, "PUFFIN"}
_MICROSECONDS = 6
_NAME_MAPPING = "schema.name-mapping.default"
_METADATA_CODEC = "write.metadata.compression-codec"
_BLOOM_FILTER = "write.parquet.bloom-filter-enabled.column."
# DuckDB takes such a path for a pattern, and what follows a `?` in a store for the address of another one.
_PATTERN = frozenset("*?[")
# As catalogs of directories call them, also those of a table that is made anew.
_REUSED_NAME = re.compile(r"v\d+\..*")
_WORD = frozenset({"Lu", "Ll", "Lt", "Lm", "Lo", "Nd"})
_PARTS = ("element", "key", "value")


@record
class Plain:
    """`read_parquet` of the data files, columns by field id. `columns` are those of the schema to read."""

    columns: tuple[Column, ...]


@record
class IcebergScan:
    """`iceberg_scan` of the metadata file; the reason is why the files alone do not do."""

    metadata_path: str
    snapshot_id: int | None
    reason: str


@record
class Denied:
    reason: str


def kind_of(
    table: Table, files: TableFiles, as_of: AsOf | None = None, *, column_names: Collection[str] | None = None
) -> Plain | IcebergScan | Denied:
    """`files` are those of the snapshot that is read, `column_names` the columns that are; None is all."""
    columns = table.columns if as_of is None else table.columns_at(as_of.snapshot_id)
    columns_read = [c for c in columns if column_names is None or c.name in column_names]
    past = _past(_Version(table.metadata_location, table.uuid, table.schema_id, table.stored_schemas))
    reason = (
        _denied(table, files, as_of)
        or _denied_columns(past, columns_read)
        or _bloom_filter(table, columns_read)
    )
    if reason is not None:
        return Denied(reason)
    reason = _not_plain(table, files, past, columns_read)
    if reason is None:
        return Plain(tuple(columns_read))
    # `iceberg_scan` opens every column.
    failure = _denied_columns(past, columns) or _not_by_metadata(table, files, as_of)
    if failure is not None:
        return Denied(f"{reason}, and {failure}")
    snapshot_id = None if as_of is None else as_of.snapshot_id
    return IcebergScan(engine_path(table.metadata_location), snapshot_id, reason)


def _denied(table: Table, files: TableFiles, as_of: AsOf | None) -> str | None:
    """Why DuckDB cannot read the files in any way."""
    ref = None if as_of is None or as_of.ref is None else table.refs.get(as_of.ref)
    # Spark reads a branch with the table's columns, and DuckDB with those of its snapshot.
    if ref is not None and ref.kind == "branch" and table.columns_at(ref.snapshot_id) != table.columns:
        return f"branch '{ref.name}' has other columns than the table"
    others = files.formats - {_PARQUET}
    if others:
        return f"it has {' and '.join(sorted(others))} files"
    if any(d.is_equality for d in files.deletes):
        return "it has equality deletes"
    if any(d.format not in _DELETES for d in files.deletes):
        return "its delete files are not Parquet"
    if files.encrypted:
        return "its files are encrypted"
    root = _path(table.location)
    if root is None or files.directories is None:
        return "its files are where DuckDB cannot read them"
    if not all(_is_within(directory, root) for directory in files.directories):
        return "some of its files are outside its directory"
    if files.characters & _PATTERN:
        return "the path of a file has '*', '?' or '['"
    return None


def _bloom_filter(table: Table, columns: Sequence[Column]) -> str | None:
    """DuckDB asks a Bloom filter for 0.0 and misses -0.0, which equals it."""
    for key, value in table.properties.items():
        if key.startswith(_BLOOM_FILTER) and value.lower() == "true":
            name = key.removeprefix(_BLOOM_FILTER)
            for column in columns:
                named = name == column.name or name.startswith(column.name + ".")
                if named and any(kind in t.APPROXIMATE for kind in _parts(column.type)):
                    return f"column '{column.name}' has Bloom filters of floating-point numbers"
    return None


def _denied_columns(past: _Past, columns: Sequence[Column]) -> str | None:
    if not _differ([c.name for c in columns]):
        return "names of columns differ in case alone"
    for column in columns:
        reason = _denied_column(past, column)
        if reason is not None:
            return f"column '{column.name}' {reason}"
    return None


def _denied_column(past: _Past, column: Column) -> str | None:
    if unspeakable(column.name, column.type):
        return "has a control character in its name"
    odd = unsupported(column.type)
    if odd is not None or t.UNKNOWN in _parts(column.type):
        return f"is of type {odd or t.UNKNOWN}"
    for kind in _parts(column.type):
        if isinstance(kind, (t.Timestamp, t.TimestampTz)) and kind.precision > _MICROSECONDS:
            return "has nanoseconds"
        if isinstance(kind, t.Row) and not _differ([f.name or "" for f in kind.fields]):
            return "has fields whose names differ in case alone"
        if isinstance(kind, t.Row) and not all(_is_kept(f.name or "") for f in kind.fields):
            return "has fields whose names are other ones in its files"
        if not past.is_known and _may_be_widened(kind):
            return "may have been widened: not all former schemas are known"
    return past.wrong_changes.get(column.field_id)


def _is_kept(name: str) -> bool:
    """Whether writers put a name into a file as it is: Avro's rule, which Iceberg's writers follow. DuckDB
    finds columns by their ids, and the fields of rows by their names."""
    letters = (c == "_" or (ord(c) < 0x10000 and category(c) in _WORD) for c in name)
    return bool(name) and category(name[0]) != "Nd" and all(letters)


def _not_plain(table: Table, files: TableFiles, past: _Past, columns: Sequence[Column]) -> str | None:
    """Why the data files alone are not what the table is."""
    if files.deletes:
        return "it has deleted rows"
    if _NAME_MAPPING in table.properties:
        return "it has files without field ids"
    for column in columns:
        if column.field_id in past.defaults:
            return f"column '{column.name}' has an initial default"
        nested = isinstance(column.type, (t.Row, t.Array, t.Map))
        if nested and (column.field_id in past.reshaped or not past.is_known):
            return f"the fields of column '{column.name}' have changed"
    names = {c.field_id: c.name for c in columns}
    for spec_id in files.spec_ids:
        for partition in table.specs.get(spec_id, ()):
            source = partition.source_id
            identity = partition.transform == "identity" and source in names
            if identity and not files.have_column(source, spec_id):
                return f"column '{names[source]}' may stand in the partitions and not in the files"
    return None


def _not_by_metadata(table: Table, files: TableFiles, as_of: AsOf | None) -> str | None:
    snapshot = table.current_snapshot if as_of is None else table.snapshots.get(as_of.snapshot_id)
    lists = "" if snapshot is None else snapshot.manifest_list or ""
    if _PATTERN & {*table.metadata_location, *lists}:
        return "the path of its metadata has '*', '?' or '['"
    root, *places = map(_path, (table.location, table.metadata_location, lists or table.metadata_location))
    directories = files.manifest_directories
    if root is None or directories is None or None in places:
        return "its metadata is where DuckDB cannot read it"
    above = {*directories, *(os.path.dirname(place) for place in places if place is not None)}
    if not all(_is_within(directory, root) for directory in above):
        return "its metadata is outside its directory"
    if is_in_s3(table.location) and _REUSED_NAME.fullmatch(table.metadata_location.rpartition("/")[2]):
        # DuckDB keeps what it has read of a file in a store, and does not look whether it is another one.
        return "its metadata file may be another one under the same name"
    if ".gz" in table.metadata_location or table.properties.get(_METADATA_CODEC, "none").lower() != "none":
        return "its metadata file is compressed"
    return None


@record
class _Version:
    """Metadata files never change: what is found in one is known by its location. It does not hold the
    table, whose history may be long."""

    location: str
    uuid: str
    schema_id: int
    schemas: Mapping[int, Mapping[str, Any]] = field(compare=False)


@record
class _Past:
    """What became of the columns, by id. `is_known`: there is no schema that is not known any more."""

    is_known: bool
    wrong_changes: Mapping[int, str]
    reshaped: frozenset[int]
    defaults: frozenset[int]


@lru_cache(maxsize=256)
def _past(version: _Version) -> _Past:
    ordered = sorted(version.schemas.items(), key=lambda s: (s[0] == version.schema_id, s[0]))
    latest = {i: kind for _, schema in ordered for i, kind in leaf_types(schema["fields"])}
    shapes: dict[int, set[object]] = defaultdict(set)
    wrong: dict[int, str] = {}
    defaults: set[int] = set()
    for _, schema in ordered:
        for f in schema["fields"]:
            column = int(f["id"])
            shapes[column].add(_shape(f["type"]))
            if any("initial-default" in part for part in _fields([f])):
                defaults.add(column)
            for leaf, before in leaf_types([f]):
                if not _is_right_change(before, latest[leaf]):
                    wrong[column] = f"was {before} and is {latest[leaf]}"
    # Schemas are numbered from 0. Maintenance removes those that no snapshot names, though files that were
    # written with them live on; and old tables kept only the last.
    numbers = sorted(version.schemas)
    is_known = numbers == list(range(len(numbers))) and all("schema-id" in s for _, s in ordered)
    reshaped = frozenset(i for i, versions in shapes.items() if len(versions) > 1)
    return _Past(is_known, wrong, reshaped, frozenset(defaults))


def _is_right_change(before: t.Type, now: t.Type) -> bool:
    """DuckDB filters in the type of the file: a condition on a real that was widened is compared with 0.1
    as a real has it."""
    if isinstance(before, t.Decimal) and isinstance(now, t.Decimal):
        return before.scale == now.scale and before.precision <= now.precision
    return before == now or (before == t.INTEGER and now == t.BIGINT)


def _may_be_widened(kind: t.Type) -> bool:
    return kind == t.DOUBLE or isinstance(kind, (t.Timestamp, t.TimestampTz))


def _shape(stored: Any) -> object:
    """A stored type with the names of nested fields, by which DuckDB finds them, and with their ids."""
    if not isinstance(stored, Mapping):
        return str(from_iceberg(stored))
    if stored["type"] == "struct":
        return tuple((f["id"], f["name"], _shape(f["type"])) for f in stored["fields"])
    ids = tuple(stored.get(f"{part}-id") for part in _PARTS)
    return ids, *(_shape(stored[part]) for part in _PARTS if part in stored)


def _fields(fields: Collection[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    """Those of rows within, too."""
    for f in fields:
        yield f
        kind = f["type"]
        if isinstance(kind, Mapping):
            parts = [{"type": kind[part]} for part in _PARTS if part in kind]
            yield from _fields([*kind.get("fields", ()), *parts])


def _parts(kind: t.Type) -> Iterator[t.Type]:
    """The type and those that it is made of."""
    yield kind
    match kind:
        case t.Array(element):
            yield from _parts(element)
        case t.Map(key, value):
            yield from _parts(key)
            yield from _parts(value)
        case t.Row(fields):
            for f in fields:
                yield from _parts(f.type)


def _differ(names: list[str]) -> bool:
    return len({name.lower() for name in names}) == len(names)


def _path(location: str) -> str | None:
    try:
        return os.path.normpath(engine_path(location))
    except (NotSupported, InvalidArgument):
        return None


def _is_within(directory: str, root: str) -> bool:
    return directory == root or directory.startswith(root.rstrip("/") + "/")
