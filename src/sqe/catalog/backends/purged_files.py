"""Which files PURGE may delete. A table's metadata is written by whoever writes the table, and what it names
need not be the table's: only what lies in the table's own places goes, and the rest is told."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from sqe.catalog.io.location import to_path
from sqe.errors import SqeError
from sqe.foundation.record import record

# Properties of a table that say where its files go.
_PLACES = ("write.data.path", "write.metadata.path", "write.object-storage.path", "write.folder-storage.path")


@record
class Places:
    """The directories that are a table's own, and those of other tables; all resolved."""

    own: tuple[Path, ...]
    taken: tuple[Path, ...]

    def holds(self, path: Path) -> bool:
        """Whether a file is this table's: in one of its places, with no other table's place as near. A place
        itself is a directory, whatever the metadata says."""
        return _nearest(path, self.own) > _nearest(path, self.taken)


def places_of(
    raw: dict[str, Any], location: str, *, root: Path, others: Iterable[tuple[str, dict[str, Any]]]
) -> Places:
    """`location` is the metadata file that the catalog points to, which the metadata itself cannot choose:
    the directory in which it is `metadata/` is the table's. What the metadata says beside it counts below
    the catalog's `root`, where no other table is. `others` are the metadata files of those, and what is in
    them."""
    own = [_home(location)]
    root = Path(os.path.realpath(root))
    taken = [place for other, said in others for place in (_home(other), *_said(said))]
    for place in _said(raw):
        below = place != root and place.is_relative_to(root)
        if below and not any(place.is_relative_to(x) or x.is_relative_to(place) for x in taken):
            own.append(place)
    return Places(tuple(own), tuple(taken))


def divided(files: Iterable[str], places: Places) -> tuple[list[Path], list[str]]:
    """The files that are the table's, resolved, and the names of those that are not."""
    inside, outside = [], []
    for file in sorted(files):
        try:
            path = _resolved(to_path(file))
        except (SqeError, ValueError):
            outside.append(file)
            continue
        if places.holds(path):
            inside.append(path)
        else:
            outside.append(file)
    return inside, outside


def _nearest(path: Path, places: Iterable[Path]) -> int:
    """How deep the deepest place above the file is."""
    return max((len(x.parts) for x in places if path != x and path.is_relative_to(x)), default=0)


def _said(raw: dict[str, Any]) -> Iterator[Path]:
    """Where the metadata says that the table's files are."""
    properties = raw.get("properties") or {}
    for said in (raw.get("location"), *(properties.get(key) for key in _PLACES)):
        with contextlib.suppress(SqeError, ValueError):
            if isinstance(said, str):
                yield Path(os.path.realpath(to_path(said)))


def _resolved(path: Path) -> Path:
    """Without links and `..` on the way. Not the last part: of a link, the link itself would be deleted."""
    path = Path(os.path.normpath(path)) if path.name == ".." else path
    return Path(os.path.realpath(path.parent), path.name)


def _home(location: str) -> Path:
    """The table's directory, by its metadata file."""
    metadata = _resolved(to_path(location)).parent
    return metadata.parent if metadata.name == "metadata" else metadata
