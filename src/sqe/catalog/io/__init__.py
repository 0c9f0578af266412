"""How table files are reached. No other module opens a table's file or makes a path of its location.

The scheme of a location says which file system has it; each is imported with the first location that it has.
Other packages add schemes by entry points of the group `sqe.file_systems`, each a function that makes a
FileSystem with the keys of a Storage.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, cast

from sqe.catalog.io.location import scheme_of
from sqe.errors import ConfigError, NotSupported, SqeError

if TYPE_CHECKING:
    from sqe.catalog.io.protocol import FileSystem, MakeFileSystem
    from sqe.catalog.io.storage import Storage

_BUILT_IN = {"file": "sqe.catalog.io.local", "s3": "sqe.catalog.io.s3", "s3a": "sqe.catalog.io.s3"}

_makers: dict[str, MakeFileSystem | None] = {}


def file_system(location: str, storage: Storage | None = None) -> FileSystem:
    """With the keys of `storage`, where it asks for some. NotSupported for a scheme that nobody has."""
    scheme = scheme_of(location)
    if scheme not in _makers:
        # Two threads may both find it.
        _makers[scheme] = _maker(scheme)
    make = _makers[scheme]
    files = None if make is None else make(storage)
    if files is None:
        raise NotSupported(
            f"the location '{location}' is not a local path",
            hint="this catalog keeps its tables on the local disk",
        )
    return files


def spell(location: str | os.PathLike[str], storage: Storage | None = None) -> str:
    """The one spelling of a new location, where `storage` has the keys of its store."""
    text = os.fspath(location)
    return file_system(text, storage).spell(text)


def engine_path(location: str) -> str:
    return _unopened(location).engine_path(location)


def engine_paths(locations: Sequence[str]) -> list[str]:
    """Of files that are all in the file system of the first."""
    if not locations:
        return []
    path = _unopened(locations[0]).engine_path
    return [path(location) for location in locations]


def resolve(location: str, *, follow: bool = True) -> str:
    """Where that really is, to be compared with other resolved locations."""
    return _unopened(location).resolve(location, follow=follow)


def _unopened(location: str) -> FileSystem:
    """For names alone, which need no keys."""
    if scheme_of(location) == "file":
        return file_system(location)
    from sqe.catalog.io.storage import NO_KEYS

    return file_system(location, NO_KEYS)


def shown(location: str) -> str:
    """For messages: as people write it, or as it stands where nobody could read it."""
    try:
        return engine_path(location)
    except SqeError:
        return location


def configured(place: str, storage: Storage | None = None) -> str:
    """The location that a configuration means: a relative path is below the working directory."""
    if "://" in place or place.lower().startswith("file:"):
        return spell(place, storage)
    return spell(os.path.abspath(os.path.expanduser(place)))


def _maker(scheme: str) -> MakeFileSystem | None:
    # Ours first: no package may stand in for them.
    if scheme in _BUILT_IN:
        return cast("MakeFileSystem", import_module(_BUILT_IN[scheme]).file_system)
    from importlib.metadata import entry_points

    from sqe.config.catalogs import FILE_SYSTEM_GROUP

    entries = list(entry_points(group=FILE_SYSTEM_GROUP, name=scheme))
    if not entries:
        return None
    if len(entries) > 1:
        raise ConfigError(f'two packages have a file system for "{scheme}:"')
    try:
        return cast("MakeFileSystem", entries[0].load())
    except (ImportError, AttributeError) as error:
        raise ConfigError(f'the file system for "{scheme}:" cannot be loaded: {error}') from None
