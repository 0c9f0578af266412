"""What all manifests of a table say: every file that belongs to it, and whether a column is NULL anywhere."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqe.catalog.iceberg.manifests import entries_of, live_files, manifests_in
from sqe.errors import SqeError, Unavailable
from sqe.tree.relations import TableName

if TYPE_CHECKING:
    from sqe.catalog.io.storage import Storage


def every_file(
    raw: dict[str, Any], location: str, name: TableName, storage: Storage | None = None
) -> set[str]:
    """The locations of all files that belong to a table: data, deletes, manifests, statistics, metadata."""
    files = {location}
    files.update(entry["metadata-file"] for entry in raw.get("metadata-log") or ())
    for kind in ("statistics", "partition-statistics"):
        files.update(entry["statistics-path"] for entry in raw.get(kind) or ())
    lists = [s["manifest-list"] for s in raw.get("snapshots") or () if "manifest-list" in s]
    files.update(lists)
    try:
        for manifest_list in lists:
            for manifest in manifests_in(manifest_list, name, storage):
                if manifest.location not in files:
                    files.add(manifest.location)
                    files.update(entry["data_file"]["file_path"] for entry in entries_of(manifest, name))
    except Unavailable as error:
        raise Unavailable(
            f"the files of table '{name}' cannot be listed: a manifest cannot be read",
            code="ICEBERG_INVALID_METADATA",
            hint="DROP TABLE without PURGE forgets the table and leaves its files",
        ) from error
    return files


def has_no_null(raw: dict[str, Any], field_id: int, name: TableName, storage: Storage | None = None) -> bool:
    """Whether the statistics of every data file, of all branches and tags, say that none of its rows is
    NULL in the column. False where they do not say it."""
    heads = {raw.get("current-snapshot-id")} | {r["snapshot-id"] for r in (raw.get("refs") or {}).values()}
    try:
        return not any(
            _nulls(file, field_id) != 0
            for snapshot in raw.get("snapshots") or ()
            if snapshot["snapshot-id"] in heads
            for manifest in manifests_in(snapshot["manifest-list"], name, storage)
            if not manifest.holds_deletes
            for file in live_files(manifest, name)
        )
    except (SqeError, KeyError):
        return False


def _nulls(file: Any, field_id: int) -> int | None:
    counts = file.get("null_value_counts") or ()
    return next((pair["value"] for pair in counts if pair["key"] == field_id), None)
