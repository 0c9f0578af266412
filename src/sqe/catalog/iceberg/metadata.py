"""Iceberg's metadata files: read (plain JSON or gzip), understood as a Table or a View, and written.

Reading needs `json` alone. Importing PyIceberg would cost most of a second, and its models drop the
fields that they do not know, so changes are made on the JSON too.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from sqe.catalog.iceberg.table import MAIN, Column, Partition, PartitionField, Ref, Snapshot, SortField, Table
from sqe.catalog.iceberg.view import DIALECT, View
from sqe.catalog.io import file_system, shown
from sqe.errors import NotSupported, SqeError, Unavailable
from sqe.tree.relations import TableName
from sqe.types.iceberg import from_iceberg

if TYPE_CHECKING:
    from sqe.catalog.io.storage import Storage

NEWEST_VERSION = 3
NEWEST_VIEW_VERSION = 1
# What a compressed metadata file may become.
LARGEST_METADATA = 256 << 20


def read(
    location: str, name: TableName, *, kind: str = "table", storage: Storage | None = None
) -> dict[str, Any]:
    """The JSON of a metadata file, `name` being whose it is, and `storage` what it is opened with."""
    content = read_text(location, name, kind=kind, storage=storage)
    try:
        raw = json.loads(content)
    except (ValueError, RecursionError) as error:
        raise broken(name, f"its metadata file {shown(location)} is not JSON", kind=kind) from error
    if not isinstance(raw, dict):
        raise broken(name, f"its metadata file {shown(location)} is not Iceberg metadata", kind=kind)
    return raw


def read_text(
    location: str, name: TableName, *, kind: str = "table", storage: Storage | None = None
) -> bytes:
    """A metadata file, uncompressed."""
    path = shown(location)
    try:
        content = file_system(location, storage).read(location)
    except FileNotFoundError:
        reason = broken(name, f"its metadata file {path} does not exist", kind=kind)
        missing = MissingFile(reason.message, code=reason.code, hint=reason.hint)
        missing.location = location
        raise missing from None
    except OSError as error:
        raise broken(name, f"its metadata file {path} cannot be read: {error.strerror}", kind=kind) from error
    try:
        # By content: writers disagree about where .gz stands in the name.
        return _inflated(content) if content[:2] == b"\x1f\x8b" else content
    except (ValueError, EOFError, OSError, zlib.error) as error:
        raise broken(name, f"its metadata file {path} is not JSON", kind=kind) from error


def _inflated(content: bytes) -> bytes:
    inflate = zlib.decompressobj(wbits=16 + zlib.MAX_WBITS)
    text = inflate.decompress(content, LARGEST_METADATA)
    if not inflate.eof or inflate.unused_data:
        raise ValueError("it is cut, or larger than metadata can be")
    return text


def parse(raw: dict[str, Any], location: str, name: TableName) -> Table:
    try:
        return _parse(raw, location, name)
    except (KeyError, TypeError, ValueError, AttributeError, StopIteration) as error:
        raise broken(name, f"its metadata file {shown(location)} is not Iceberg metadata") from error


def parse_view(raw: dict[str, Any], location: str, name: TableName) -> View:
    try:
        return _parse_view(raw, name)
    except (KeyError, TypeError, ValueError, AttributeError, StopIteration) as error:
        raise broken(
            name, f"its metadata file {shown(location)} is not that of an Iceberg view", kind="view"
        ) from error


def write(raw: dict[str, Any], location: str, storage: Storage | None = None) -> bytes:
    """Writes a new metadata file: whole or not at all, and kept before anything points to it. What is in
    it."""
    text = encode(raw)
    file_system(location, storage).write(location, text)
    return text


def encode(raw: Mapping[str, Any]) -> bytes:
    # At once: json.dump to a file takes almost three times as long.
    return json.dumps(raw, ensure_ascii=False).encode()


def _parse(raw: dict[str, Any], location: str, name: TableName) -> Table:
    version = raw["format-version"]
    if version > NEWEST_VERSION:
        raise NotSupported(
            f"table '{name}' has Iceberg format version {version}",
            hint=f"versions up to {NEWEST_VERSION} can be read",
        )
    # Version 1 may have only `schema` and `partition-spec`.
    stored = {int(s.get("schema-id", 0)): s for s in raw.get("schemas") or [raw["schema"]]}
    schemas = {schema_id: _columns(s) for schema_id, s in stored.items()}
    current_schema = int(raw.get("current-schema-id", next(iter(schemas))))
    columns = schemas[current_schema]
    names = dict(_names(stored[current_schema]["fields"]))
    current = raw.get("current-snapshot-id")
    current = None if current in (None, -1) else int(current)
    refs = {
        ref: Ref(ref, str(value["type"]), int(value["snapshot-id"]))
        for ref, value in (raw.get("refs") or {}).items()
    }
    if current is not None and MAIN not in refs:
        refs[MAIN] = Ref(MAIN, "branch", current)
    return Table(
        name=name,
        metadata_location=location,
        uuid=str(raw.get("table-uuid", "")),
        format_version=int(version),
        location=str(raw["location"]),
        columns=columns,
        partitioning=_partitioning(raw, names),
        properties=dict(raw.get("properties") or {}),
        current_snapshot_id=current,
        snapshots={int(s["snapshot-id"]): _snapshot(s) for s in raw.get("snapshots") or ()},
        refs=refs,
        history=tuple((int(e["timestamp-ms"]), int(e["snapshot-id"])) for e in raw.get("snapshot-log") or ()),
        schemas=schemas,
        sort_order=_sort_order(raw, names),
        specs=_specs(raw),
        stored_schemas=stored,
        schema_id=current_schema,
    )


def _parse_view(raw: dict[str, Any], name: TableName) -> View:
    if raw["format-version"] > NEWEST_VIEW_VERSION:
        raise NotSupported(
            f"view '{name}' has Iceberg view format version {raw['format-version']}",
            hint=f"versions up to {NEWEST_VIEW_VERSION} can be read",
        )
    version = next(v for v in raw["versions"] if v["version-id"] == raw["current-version-id"])
    schema = next(s for s in raw["schemas"] if s["schema-id"] == version["schema-id"])
    texts = {
        str(text["dialect"]).lower(): str(text["sql"])
        for text in version["representations"]
        if text["type"] == "sql"
    }
    if DIALECT not in texts:
        others = " and ".join(f"'{dialect}'" for dialect in sorted(texts)) or "nothing"
        raise NotSupported(
            f"view '{name}' has no text of the dialect '{DIALECT}', only of {others}",
            hint=f"give the view a text of the dialect '{DIALECT}' too",
        )
    return View(
        name=name,
        sql=texts[DIALECT],
        default_catalog=str(version.get("default-catalog") or name.catalog),
        default_namespace=tuple(str(part) for part in version["default-namespace"]),
        columns=_columns(schema),
        properties={str(k): str(v) for k, v in (raw.get("properties") or {}).items()},
    )


def _columns(schema: dict[str, Any]) -> tuple[Column, ...]:
    return tuple(
        Column(
            name=str(f["name"]),
            type=from_iceberg(f["type"]),
            nullable=not f["required"],
            comment=f.get("doc"),
            field_id=int(f["id"]),
        )
        for f in schema["fields"]
    )


def _snapshot(raw: dict[str, Any]) -> Snapshot:
    summary = {str(k): str(v) for k, v in (raw.get("summary") or {}).items()}
    return Snapshot(
        id=int(raw["snapshot-id"]),
        parent_id=raw.get("parent-snapshot-id"),
        timestamp_ms=int(raw["timestamp-ms"]),
        operation=summary.pop("operation", None),
        summary=summary,
        schema_id=raw.get("schema-id"),
        manifest_list=raw.get("manifest-list"),
    )


def _names(fields: list[dict[str, Any]], above: str = "") -> Iterator[tuple[int, str]]:
    """The ids of columns and of the fields of rows, with their names."""
    for f in fields:
        yield f["id"], above + f["name"]
        if isinstance(f["type"], dict) and f["type"].get("type") == "struct":
            yield from _names(f["type"]["fields"], f"{above}{f['name']}.")


def _sort_order(raw: dict[str, Any], names: dict[int, str]) -> tuple[SortField, ...]:
    default = raw.get("default-sort-order-id", 0)
    fields = next((o["fields"] for o in raw.get("sort-orders") or () if o["order-id"] == default), ())
    return tuple(
        SortField(
            str(f["transform"]),
            names.get(f.get("source-id")),
            str(f["direction"]).lower() == "desc",
            str(f["null-order"]).lower() == "nulls-first",
        )
        for f in fields
    )


def _specs(raw: dict[str, Any]) -> dict[int, tuple[PartitionField, ...]]:
    specs = {int(s["spec-id"]): s["fields"] for s in raw.get("partition-specs") or ()}
    specs.setdefault(0, raw.get("partition-spec") or [])
    return {
        spec_id: tuple(
            PartitionField(
                # Version 1 may leave the ids out, and counts them from 1000.
                int(f.get("field-id", 1000 + position)),
                # A transform of several columns has `source-ids`.
                int(f.get("source-id", (f.get("source-ids") or [-1])[0])),
                str(f["name"]),
                str(f["transform"]),
            )
            for position, f in enumerate(fields)
        )
        for spec_id, fields in specs.items()
    }


def _partitioning(raw: dict[str, Any], names: dict[int, str]) -> tuple[Partition, ...]:
    if "partition-specs" in raw:
        default = raw.get("default-spec-id", 0)
        spec = next(s["fields"] for s in raw["partition-specs"] if s["spec-id"] == default)
    else:
        spec = raw.get("partition-spec") or ()
    return tuple(
        Partition(str(f["name"]), str(f["transform"]), names.get(f.get("source-id")))
        for f in spec
        if f["transform"] != "void"
    )


class MissingFile(Unavailable):
    """A catalog names a metadata file, at `location`, that is not there."""

    location = ""


def broken(name: TableName, why: str, *, kind: str = "table") -> SqeError:
    return Unavailable(
        f"{kind} '{name}' cannot be loaded: {why}",
        code="ICEBERG_INVALID_METADATA",
        hint=f"restore the file from a backup, or forget the {kind} with DROP {kind.upper()}",
    )
