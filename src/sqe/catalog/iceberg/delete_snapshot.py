"""A snapshot that deletes every row of a table, without reading one: new manifests that say of each data file
that it is deleted, and a list of them. Written by Iceberg's specification, versions 1 and 2."""

from __future__ import annotations

import json
import secrets
import time
import uuid
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from sqe.catalog.iceberg.manifest_schemas import avro_file, entry_schema, list_schema
from sqe.catalog.iceberg.manifests import (
    ADDED,
    DATA,
    DELETED,
    PARTITION_ID,
    Manifest,
    entries_of,
    header_of,
    manifests_in,
    reading,
)
from sqe.catalog.iceberg.table import MAIN
from sqe.catalog.io import file_system
from sqe.foundation.record import record
from sqe.tree.relations import TableName

if TYPE_CHECKING:
    from sqe.catalog.io.storage import Storage

Raw = dict[str, Any]
# Each manifest of data files, and its entries that are not deleted.
Live = list[tuple[Manifest, list[Mapping[str, Any]]]]

# Version 3 counts the rows that each snapshot adds.
_NEWEST_WRITTEN = 2
# What version 1 asks for in the place of a block's size.
_BLOCK_BYTES = 64 << 20


@record
class Deletion:
    """The table's metadata with the snapshot that deletes its rows, and the files written for it."""

    raw: Raw
    rows: int
    files: tuple[str, ...]


def delete_every_row(raw: Raw, name: TableName, storage: Storage | None = None) -> Deletion | None:
    """None, and nothing written, where that takes an engine: for a table with delete files or encrypted
    manifests, or of a newer version. An empty table gets no snapshot."""
    if raw["format-version"] > _NEWEST_WRITTEN:
        return None
    before = next(s for s in raw["snapshots"] if s["snapshot-id"] == raw["current-snapshot-id"])
    if "manifest-list" not in before:
        return None
    manifests = manifests_in(before["manifest-list"], name, storage)
    if any(m.stored.get("key_metadata") is not None or (m.holds_deletes and _is_live(m)) for m in manifests):
        return None
    data = [(m, _live_entries(m, name)) for m in manifests if not m.holds_deletes]
    live = [(manifest, entries) for manifest, entries in data if entries]
    if not live:
        return Deletion(raw, 0, ())
    return _written(raw, before, live, name, storage)


def _is_live(manifest: Manifest) -> bool:
    # Version 1 may leave the counts out: unknown is taken as some.
    counts = (manifest.stored.get("added_files_count"), manifest.stored.get("existing_files_count"))
    return any(count is None or count > 0 for count in counts)


def _live_entries(manifest: Manifest, name: TableName) -> list[Mapping[str, Any]]:
    return [entry for entry in entries_of(manifest, name) if entry["status"] != DELETED]


def _written(raw: Raw, before: Raw, live: Live, name: TableName, storage: Storage | None) -> Deletion:
    version = int(raw["format-version"])
    snapshot_id = _new_snapshot_id(raw)
    sequence = int(raw.get("last-sequence-number") or 0) + 1 if version > 1 else 0
    mark = uuid.uuid4()
    directory = f"{raw['location']}/metadata"
    lines: list[Raw] = []
    files: list[str] = []
    try:
        for number, (manifest, entries) in enumerate(live):
            location = f"{directory}/{mark}-m{number}.avro"
            with reading(name):
                content = _manifest(manifest, entries, header_of(manifest, name), snapshot_id, version)
            files.append(location)
            file_system(location, storage).write(location, content)
            lines.append(_line(manifest, entries, location, len(content), snapshot_id, sequence))
        manifest_list = f"{directory}/snap-{snapshot_id}-0-{mark}.avro"
        files.append(manifest_list)
        header = {
            "snapshot-id": str(snapshot_id),
            "parent-snapshot-id": str(before["snapshot-id"]),
            **({"sequence-number": str(sequence)} if version > 1 else {}),
            "format-version": str(version),
        }
        content = avro_file(list_schema(version), lines, header)
        file_system(manifest_list, storage).write(manifest_list, content)
    except BaseException:
        discard(files, storage)
        raise
    snapshot = {
        "snapshot-id": snapshot_id,
        "parent-snapshot-id": before["snapshot-id"],
        **({"sequence-number": sequence} if version > 1 else {}),
        "timestamp-ms": max(time.time_ns() // 1_000_000, int(raw["last-updated-ms"])),
        "manifest-list": manifest_list,
        "summary": _summary(live),
        **({"schema-id": raw["current-schema-id"]} if "current-schema-id" in raw else {}),
    }
    rows = sum(line["deleted_rows_count"] for line in lines)
    return Deletion(_with_snapshot(raw, snapshot), rows, tuple(files))


def discard(files: Iterable[str], storage: Storage | None = None) -> None:
    """Removes what was written for a deletion that was not committed."""
    for location in files:
        try:
            file_system(location, storage).delete(location)
        except OSError:
            # It stays, and nothing points to it.
            continue


def _new_snapshot_id(raw: Raw) -> int:
    used = {snapshot["snapshot-id"] for snapshot in raw["snapshots"]}
    while (snapshot_id := secrets.randbits(63)) in used:
        pass
    return snapshot_id


def _with_snapshot(raw: Raw, snapshot: Raw) -> Raw:
    snapshot_id = snapshot["snapshot-id"]
    refs = raw.get("refs") or {}
    main = {"type": "branch", **refs.get(MAIN, {}), "snapshot-id": snapshot_id}
    log = {"timestamp-ms": snapshot["timestamp-ms"], "snapshot-id": snapshot_id}
    sequence = snapshot.get("sequence-number")
    return {
        **raw,
        **({} if sequence is None else {"last-sequence-number": sequence}),
        "current-snapshot-id": snapshot_id,
        "snapshots": [*raw["snapshots"], snapshot],
        "snapshot-log": [*(raw.get("snapshot-log") or ()), log],
        "refs": {**refs, MAIN: main},
    }


def _summary(live: Live) -> dict[str, str]:
    files = [(m.spec_id, e["data_file"]) for m, entries in live for e in entries]
    partitions = {(spec, json.dumps(file["partition"], default=repr)) for spec, file in files}
    totals = ("data-files", "delete-files", "records", "files-size", "position-deletes", "equality-deletes")
    return {
        "operation": "delete",
        "deleted-data-files": str(len(files)),
        "deleted-records": str(sum(file["record_count"] for _, file in files)),
        "removed-files-size": str(sum(file["file_size_in_bytes"] for _, file in files)),
        "changed-partition-count": str(len(partitions)),
        **{f"total-{what}": "0" for what in totals},
    }


def _line(
    manifest: Manifest,
    entries: list[Mapping[str, Any]],
    location: str,
    length: int,
    snapshot_id: int,
    sequence: int,
) -> Raw:
    """Of the manifest list. Its bounds are those of the manifest whose files it deletes."""
    summaries = manifest.stored.get("partitions")
    return {
        "manifest_path": location,
        "manifest_length": length,
        "partition_spec_id": manifest.spec_id,
        "content": DATA,
        "sequence_number": sequence,
        "min_sequence_number": sequence,
        "added_snapshot_id": snapshot_id,
        "added_files_count": 0,
        "existing_files_count": 0,
        "deleted_files_count": len(entries),
        "added_rows_count": 0,
        "existing_rows_count": 0,
        "deleted_rows_count": sum(entry["data_file"]["record_count"] for entry in entries),
        "partitions": None if summaries is None else [{"contains_nan": None, **s} for s in summaries],
        "key_metadata": None,
    }


def _manifest(
    source: Manifest,
    entries: list[Mapping[str, Any]],
    header: Mapping[str, str],
    snapshot_id: int,
    version: int,
) -> bytes:
    partition = _partition_type(json.loads(header["avro.schema"]))
    names = [field["name"] for field in partition["fields"]]
    inherited = int(source.stored.get("sequence_number") or 0)
    records = [
        {
            "status": DELETED,
            "snapshot_id": snapshot_id,
            "sequence_number": _sequence(entry, "sequence_number", inherited),
            "file_sequence_number": _sequence(entry, "file_sequence_number", inherited),
            "data_file": {
                "content": DATA,
                "block_size_in_bytes": _BLOCK_BYTES,
                **entry["data_file"],
                # Read by the ids of its fields, in their order.
                "partition": dict(zip(names, entry["data_file"]["partition"].values(), strict=True)),
            },
        }
        for entry in entries
    ]
    copied = {key: header[key] for key in ("schema", "schema-id", "partition-spec") if key in header}
    new_header = {**copied, "partition-spec-id": str(source.spec_id), "format-version": str(version)}
    if version > 1:
        new_header["content"] = "data"
    return avro_file(entry_schema(version, partition), records, new_header)


def _sequence(entry: Mapping[str, Any], key: str, inherited: int) -> int | None:
    """A number that is not written is the manifest's, where the file was added with it."""
    number: int | None = entry.get(key)
    if number is None and (inherited == 0 or entry["status"] == ADDED):
        return inherited
    return number


def _partition_type(schema: Raw) -> Raw:
    """As the manifest has it, which knows the types of its time."""
    file = next(f["type"] for f in schema["fields"] if f.get("field-id") == 2 or f["name"] == "data_file")
    fields = file["fields"]
    partition: Raw = next(
        f["type"] for f in fields if f.get("field-id") == PARTITION_ID or f["name"] == "partition"
    )
    return partition
