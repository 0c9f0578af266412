"""Which files PURGE may delete. A table's metadata is written by whoever writes the table, and what it names
need not be the table's: only what lies in the table's own places goes, and the rest is reported."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from typing import Any

from sqe.catalog.io import resolve
from sqe.catalog.io.location import is_within, parent
from sqe.errors import SqeError
from sqe.foundation.record import record

# Properties of a table that say where its files go.
_PLACES = ("write.data.path", "write.metadata.path", "write.object-storage.path", "write.folder-storage.path")


@record
class Places:
    """The directories that are a table's own, and those of other tables; all resolved."""

    own: tuple[str, ...]
    others: tuple[str, ...]

    def holds(self, location: str) -> bool:
        """Whether a file is this table's: in one of its places, with no other table's place as near. A place
        itself is a directory, whatever the metadata says."""
        return _nearest(location, self.own) > _nearest(location, self.others)


def places_of(
    raw: dict[str, Any], location: str, *, root: str, others: Iterable[tuple[str, dict[str, Any]]]
) -> Places:
    """`location` is the metadata file that the catalog points to, which the metadata itself cannot choose:
    the directory in which it is `metadata/` is the table's. What the metadata says beside it counts below
    the catalog's `root`, where no other table is. `others` are the metadata files of those, and what is in
    them."""
    own = [_home(location)]
    root = resolve(root)
    other_places = [place for other, metadata in others for place in (_home(other), *_declared(metadata))]
    for place in _declared(raw):
        below = place != root and is_within(place, root)
        if below and not any(is_within(place, x) or is_within(x, place) for x in other_places):
            own.append(place)
    return Places(tuple(own), tuple(other_places))


def divided(files: Iterable[str], places: Places) -> tuple[list[str], list[str]]:
    """The files that are the table's, resolved, and those that are not, as they are named."""
    inside, outside = [], []
    for file in sorted(files):
        try:
            location = resolve(file, follow=False)
        except (SqeError, ValueError):
            outside.append(file)
            continue
        if places.holds(location):
            inside.append(location)
        else:
            outside.append(file)
    return inside, outside


def _nearest(location: str, places: Iterable[str]) -> int:
    """How long the name of the nearest place above the file is: the longer, the nearer."""
    return max((len(x.rstrip("/")) for x in places if location != x and is_within(location, x)), default=0)


def _declared(raw: dict[str, Any]) -> Iterator[str]:
    """Where the metadata says that the table's files are."""
    properties = raw.get("properties") or {}
    for location in (raw.get("location"), *(properties.get(key) for key in _PLACES)):
        with contextlib.suppress(SqeError, ValueError):
            if isinstance(location, str):
                yield resolve(location)


def _home(location: str) -> str:
    """The table's directory, by its metadata file."""
    directory = parent(resolve(location, follow=False))
    return parent(directory) if directory.endswith("/metadata") else directory
