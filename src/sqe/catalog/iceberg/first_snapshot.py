"""The first snapshot of a table without partitions, by Iceberg's version 2: data files that were made before,
one manifest, and a list with it alone."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from sqe.catalog.iceberg.manifest_schemas import avro_file, entry_schema, list_schema
from sqe.catalog.iceberg.manifests import ADDED, DATA
from sqe.catalog.iceberg.table import MAIN
from sqe.catalog.io import file_system
from sqe.foundation.record import record

Raw = dict[str, Any]
SNAPSHOT_ID = 1


@record
class NewFile:
    """A Parquet file of the table."""

    location: str
    rows: int
    size: int


def with_first_snapshot(raw: Raw) -> Raw:
    """The metadata of an empty table with a snapshot whose files are yet to be written."""
    snapshot = {
        "snapshot-id": SNAPSHOT_ID,
        "sequence-number": 1,
        "timestamp-ms": raw["last-updated-ms"],
        "manifest-list": _manifest_list(raw),
        "summary": {"operation": "append"},
        "schema-id": raw["current-schema-id"],
    }
    return {
        **raw,
        "last-sequence-number": 1,
        "current-snapshot-id": SNAPSHOT_ID,
        "snapshots": [snapshot],
        "snapshot-log": [{"timestamp-ms": raw["last-updated-ms"], "snapshot-id": SNAPSHOT_ID}],
        "refs": {MAIN: {"type": "branch", "snapshot-id": SNAPSHOT_ID}},
    }


def write_first_snapshot(raw: Raw, files: Sequence[NewFile]) -> None:
    """The manifest and the list that `with_first_snapshot` speaks of."""
    entries = [
        {
            "status": ADDED,
            "snapshot_id": SNAPSHOT_ID,
            "sequence_number": None,
            "file_sequence_number": None,
            "data_file": {
                "content": DATA,
                "file_path": file.location,
                "file_format": "PARQUET",
                "partition": {},
                "record_count": file.rows,
                "file_size_in_bytes": file.size,
            },
        }
        for file in files
    ]
    partition: Raw = {"type": "record", "name": "r102", "fields": []}
    header = {
        "schema": json.dumps(raw["schemas"][0]),
        "schema-id": "0",
        "partition-spec": "[]",
        "partition-spec-id": "0",
        "format-version": "2",
        "content": "data",
    }
    content = avro_file(entry_schema(2, partition), entries, header)
    location = f"{raw['location']}/metadata/m0.avro"
    file_system(location).write(location, content)
    line = {
        "manifest_path": location,
        "manifest_length": len(content),
        "partition_spec_id": 0,
        "content": DATA,
        "sequence_number": 1,
        "min_sequence_number": 1,
        "added_snapshot_id": SNAPSHOT_ID,
        "added_files_count": len(files),
        "existing_files_count": 0,
        "deleted_files_count": 0,
        "added_rows_count": sum(file.rows for file in files),
        "existing_rows_count": 0,
        "deleted_rows_count": 0,
        "partitions": [],
        "key_metadata": None,
    }
    list_header = {"snapshot-id": str(SNAPSHOT_ID), "sequence-number": "1", "format-version": "2"}
    lines = avro_file(list_schema(2), [line], list_header)
    file_system(_manifest_list(raw)).write(_manifest_list(raw), lines)


def _manifest_list(raw: Raw) -> str:
    return f"{raw['location']}/metadata/snap-{SNAPSHOT_ID}.avro"
