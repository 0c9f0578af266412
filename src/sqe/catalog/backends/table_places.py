"""Whether a table's metadata names places that its catalog may name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqe.catalog.iceberg.stored_files import every_file
from sqe.catalog.io.location import scheme_of
from sqe.catalog.io.places import TablePlaces
from sqe.tree.definitions import PLACE_PROPERTIES
from sqe.tree.relations import TableName

if TYPE_CHECKING:
    from sqe.catalog.backends.vended import VendedStorage

Raw = dict[str, Any]


def check_places(raw: Raw, location: str, places: TablePlaces) -> None:
    """AccessDenied if the table, its metadata file at `location`, or what is written next, is elsewhere.
    Files that it names further are checked when they are opened."""
    given = raw.get("properties")
    properties = given if isinstance(given, dict) else {}
    # Some servers have an address of their own for a metadata file, which nobody but them opens.
    opened = "" if scheme_of(location) in ("http", "https") else location
    for place in (raw.get("location"), opened, *(properties.get(key) for key in PLACE_PROPERTIES)):
        if place:
            places.check(str(place))


def check_every_file(raw: Raw, location: str, name: TableName, storage: VendedStorage) -> None:
    """Of a table on local disks, before Spark reads it: there are no keys that would keep it from other files
    of the account."""
    for file in every_file(raw, location, name, storage):
        storage.places.check(file)
