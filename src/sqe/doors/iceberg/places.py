"""Where the files of a commit may be. Whoever commits names them, and our server reads them for others with
rights of its own: so they have to be where tables are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sqe.catalog.iceberg import metadata
from sqe.catalog.iceberg.manifests import Manifest, entries_of, manifests_in
from sqe.catalog.iceberg.strict import InvalidCommit
from sqe.catalog.iceberg.table import TableMetadata
from sqe.catalog.io.location import scheme_of
from sqe.errors import AccessDenied, SqeError
from sqe.policy.secure import Guard
from sqe.tree.definitions import PLACE_PROPERTIES
from sqe.tree.relations import TableName

Raw = dict[str, Any]


def check_properties(guard: Guard, location: str | None, properties: Mapping[str, str]) -> None:
    places = [value for name, value in properties.items() if name in PLACE_PROPERTIES]
    _check(guard, places if location is None else [location, *places])


def check_updates(
    guard: Guard, table: TableName, current: TableMetadata | None, updates: Sequence[Raw]
) -> None:
    """`current` is the table as it is; None for one that the updates make."""
    if guard.may_hide and any(update.get("action") == "add-snapshot" for update in updates):
        # Its manifests could name the files of a table that is hidden from whoever sends them.
        raise AccessDenied("rules may hide tables here: rows are written by SQL")
    try:
        _check(guard, _named(table, current, updates))
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise InvalidCommit("the commit is not complete") from error


def check_registered(guard: Guard, table: TableName, location: str) -> None:
    """Of a table whose metadata is at `location` already. No file is opened that may not be there."""
    _check(guard, [location])
    raw = metadata.read(location, table)
    stored = metadata.parse(raw, location, table)
    check_properties(guard, stored.location, stored.properties)
    try:
        _check(guard, _registered_files(table, raw))
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        raise InvalidCommit("the metadata is not complete") from error


def _registered_files(table: TableName, raw: Raw) -> Iterator[str]:
    for entry in raw.get("metadata-log") or ():
        yield str(entry["metadata-file"])
    for kind in ("statistics", "partition-statistics"):
        yield from (str(entry["statistics-path"]) for entry in raw.get(kind) or ())
    for snapshot in raw.get("snapshots") or ():
        yield from _files_of(table, None, snapshot)


def _named(table: TableName, current: TableMetadata | None, updates: Sequence[Raw]) -> Iterator[str]:
    for update in updates:
        match update.get("action"):
            case "set-location":
                yield str(update["location"])
            case "set-properties":
                changes = update["updates" if "updates" in update else "updated"]
                yield from (str(v) for k, v in changes.items() if k in PLACE_PROPERTIES)
            case "add-snapshot":
                yield from _files_of(table, current, update["snapshot"])
            case "set-statistics":
                yield str(update["statistics"]["statistics-path"])
            case "set-partition-statistics":
                yield str(update["partition-statistics"]["statistics-path"])


def _files_of(table: TableName, current: TableMetadata | None, snapshot: Raw) -> Iterator[str]:
    """Of a snapshot, those that the one before it has not."""
    if not snapshot.get("manifest-list"):
        raise InvalidCommit("the snapshot has no manifest list")
    yield str(snapshot["manifest-list"])
    known = {m.location for m in _manifests_before(table, current, snapshot.get("parent-snapshot-id"))}
    storage = None if current is None else current.storage
    for manifest in manifests_in(str(snapshot["manifest-list"]), table, storage):
        if manifest.location not in known:
            yield manifest.location
            yield from (str(entry["data_file"]["file_path"]) for entry in entries_of(manifest, table))


def _manifests_before(
    table: TableName, current: TableMetadata | None, parent: int | None
) -> Sequence[Manifest]:
    snapshots = () if current is None else current.raw.get("snapshots") or ()
    before = next((s for s in snapshots if s["snapshot-id"] == parent), None)
    if before is None or not before.get("manifest-list"):
        return ()
    assert current is not None
    try:
        return manifests_in(str(before["manifest-list"]), table, current.storage)
    except SqeError:
        # Expired meanwhile: then everything is looked at.
        return ()


def _check(guard: Guard, places: Iterator[str] | Sequence[str] | set[str]) -> None:
    for place in places:
        if guard.may_hide:
            # It could be that of a table that is hidden from whoever names it.
            raise AccessDenied("rules may hide tables here: where files are is said by SQL")
        if not place.startswith("/") and scheme_of(place) == "file" and not place.startswith("file:"):
            raise AccessDenied(f"'{place}' is in no directory", hint="name files by their whole path")
        if not guard.may_place(place):
            raise AccessDenied(
                f"files of a table cannot be at '{place}', which is in no warehouse",
                hint="leave the location to the catalog",
            )
