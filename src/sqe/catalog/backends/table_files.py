"""What needs a look into a table's manifests, through PyIceberg: deleting all rows, and listing all files.

The one place that imports PyIceberg; import it where it is used.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from pyiceberg.catalog import Catalog
from pyiceberg.catalog.sql import SqlCatalog
from pyiceberg.exceptions import CommitFailedException, NoSuchTableError
from pyiceberg.expressions import AlwaysTrue
from pyiceberg.io.pyarrow import PyArrowFileIO
from pyiceberg.manifest import ManifestContent, ManifestFile, read_manifest_list
from sqlalchemy.exc import DBAPIError

from sqe.catalog.io import file_system
from sqe.errors import CommitConflict, NotFound, SqeError, Unavailable
from sqe.tree.relations import TableName

# PyIceberg reads version 3 but does not write it.
_NEWEST_WRITTEN = 2
# Classes that PyIceberg would import because a table says so.
_CODE = ("py-io-impl", "write.py-location-provider.impl")


def delete_every_row(
    name: TableName, *, raw: dict[str, Any], uri: str, warehouse: str, fault: Callable[[Exception], SqeError]
) -> int | None:
    """A snapshot without data files. None, and nothing done, for a table that PyIceberg cannot rewrite
    exactly: with delete files, of a newer format, or with metadata that it does not know."""
    if raw["format-version"] > _NEWEST_WRITTEN or any(key in raw.get("properties", {}) for key in _CODE):
        return None
    try:
        with SqlCatalog(name.catalog, uri=uri, warehouse=warehouse) as catalog:
            return _delete_every_row(catalog, name, raw)
    except CommitFailedException as error:
        raise CommitConflict(
            f"table '{name}' was changed by others at the same time", hint="try again"
        ) from error
    except NoSuchTableError as error:
        raise NotFound(f"table '{name}' does not exist") from error
    except DBAPIError as error:
        raise fault(error.orig if isinstance(error.orig, Exception) else error) from error
    except OSError as error:
        raise fault(error) from error


def _delete_every_row(catalog: Catalog, name: TableName, raw: dict[str, Any]) -> int | None:
    try:
        table = catalog.load_table((*name.namespace, name.name))
    except ValueError:
        # A type that PyIceberg has no class for.
        return None
    if not _survives(raw, json.loads(table.metadata.model_dump_json())):
        return None
    snapshot = table.current_snapshot()
    if snapshot is None:
        return 0
    manifests = snapshot.manifests(table.io)
    if any(m.content == ManifestContent.DELETES and _is_live(m) for m in manifests):
        return None
    if not any(_is_live(m) for m in manifests):
        return 0
    transaction = table.transaction()
    with transaction.update_snapshot().delete() as delete:
        delete.delete_by_predicate(AlwaysTrue())
    if delete.rewrites_needed:
        return None
    committed = transaction.commit_transaction().current_snapshot()
    if committed is None or committed.summary is None:
        raise Unavailable(f"the commit of the deletion from '{name}' did not say what it did")
    return int(committed.summary["deleted-records"] or 0)


def _is_live(manifest: ManifestFile) -> bool:
    # Version 1 may leave the counts out: unknown is taken as some.
    counts = (manifest.added_files_count, manifest.existing_files_count)
    return any(count is None or count > 0 for count in counts)


def _survives(raw: Any, written: Any) -> bool:
    """Whether everything that the metadata says is still there after PyIceberg has read and written it."""
    if isinstance(raw, dict):
        return isinstance(written, dict) and all(
            _survives(value, written.get(key)) for key, value in raw.items()
        )
    if isinstance(raw, list):
        return not raw or (
            isinstance(written, list)
            and len(raw) == len(written)
            and all(_survives(a, b) for a, b in zip(raw, written, strict=True))
        )
    return raw is None or written is not None


def has_no_null(raw: dict[str, Any], field_id: int) -> bool:
    """Whether the statistics of every data file, of all branches and tags, say that none of its rows is
    NULL in the column. False where they do not say it."""
    heads = {raw.get("current-snapshot-id")} | {r["snapshot-id"] for r in (raw.get("refs") or {}).values()}
    io = PyArrowFileIO()
    try:
        for snapshot in raw.get("snapshots") or ():
            if snapshot["snapshot-id"] not in heads:
                continue
            for manifest in read_manifest_list(io.new_input(snapshot["manifest-list"])):
                if manifest.content == ManifestContent.DELETES:
                    continue
                for entry in manifest.fetch_manifest_entry(io, discard_deleted=True):
                    if (entry.data_file.null_value_counts or {}).get(field_id) != 0:
                        return False
    except (OSError, ValueError, KeyError, EOFError):
        return False
    return True


def every_file(raw: dict[str, Any], location: str, name: TableName) -> set[str]:
    """The locations of all files that belong to a table: data, deletes, manifests, statistics, metadata."""
    files = {location}
    files.update(entry["metadata-file"] for entry in raw.get("metadata-log") or ())
    for kind in ("statistics", "partition-statistics"):
        files.update(entry["statistics-path"] for entry in raw.get(kind) or ())
    io = PyArrowFileIO()
    try:
        for snapshot in raw.get("snapshots") or ():
            if "manifest-list" not in snapshot:
                continue
            files.add(snapshot["manifest-list"])
            # PyIceberg would fetch it from anywhere.
            file_system(snapshot["manifest-list"])
            for manifest in read_manifest_list(io.new_input(snapshot["manifest-list"])):
                if manifest.manifest_path in files:
                    continue
                files.add(manifest.manifest_path)
                file_system(manifest.manifest_path)
                entries = manifest.fetch_manifest_entry(io, discard_deleted=False)
                files.update(entry.data_file.file_path for entry in entries)
    except (OSError, ValueError, KeyError, EOFError) as error:
        raise _unreadable(name) from error
    return files


def _unreadable(name: TableName) -> SqeError:
    return Unavailable(
        f"the files of table '{name}' cannot be listed: a manifest cannot be read",
        code="ICEBERG_INVALID_METADATA",
        hint="DROP TABLE without PURGE forgets the table and leaves its files",
    )
