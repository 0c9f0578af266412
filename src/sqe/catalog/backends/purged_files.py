"""Which files PURGE may delete. A table's metadata is written by whoever writes the table, and what it names
need not be the table's: only what lies in the table's own places goes, and the rest is told."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sqe.catalog.location import to_path
from sqe.errors import SqeError

# Properties of a table that say where its files go.
_PLACES = ("write.data.path", "write.metadata.path", "write.object-storage.path", "write.folder-storage.path")


def own_places(raw: dict[str, Any], location: str, *, root: Path, others: Iterable[str]) -> list[Path]:
    """The directories that are a table's own, resolved. `location` is the metadata file that the catalog
    points to, which the metadata itself cannot choose: the directory in which it is `metadata/` is the
    table's. What the metadata says beside it counts within that directory; elsewhere only below the
    catalog's `root`, and where no other table is. `others` are the metadata files of those."""
    metadata = _resolved(to_path(location)).parent
    places = [metadata.parent] if metadata.name == "metadata" else [metadata]
    root = Path(os.path.realpath(root))
    taken = [_table_of(other) for other in others if other]
    properties = raw.get("properties") or {}
    for said in (raw.get("location"), *(properties.get(key) for key in _PLACES)):
        try:
            place = Path(os.path.realpath(to_path(str(said))))
        except (SqeError, ValueError):
            continue
        below = place != root and place.is_relative_to(root)
        if below and not any(place.is_relative_to(x) or x.is_relative_to(place) for x in taken):
            places.append(place)
    return places


def divided(files: Iterable[str], places: list[Path]) -> tuple[list[Path], list[str]]:
    """The files that lie in one of the places, resolved, and the names of those that do not."""
    inside, outside = [], []
    for file in sorted(files):
        try:
            path = _resolved(to_path(file))
        except (SqeError, ValueError):
            outside.append(file)
            continue
        # A place itself is a directory, whatever the metadata says.
        if any(path != place and path.is_relative_to(place) for place in places):
            inside.append(path)
        else:
            outside.append(file)
    return inside, outside


def _resolved(path: Path) -> Path:
    """Without links and `..` on the way. Not the last part: of a link, the link itself would be deleted."""
    path = Path(os.path.normpath(path)) if path.name == ".." else path
    return Path(os.path.realpath(path.parent), path.name)


def _table_of(location: str) -> Path:
    metadata = _resolved(to_path(location)).parent
    return metadata.parent if metadata.name == "metadata" else metadata
