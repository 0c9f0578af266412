"""The file system of this machine, scheme `file`.

A location is `file://` followed by the absolute path as it is, with no percent-encoding: PyIceberg does not
decode it, Hadoop's Path reads unencoded text. Not all read a `?` or `#` as part of a path, so such paths are
refused for new tables. Hadoop spells the files that it writes `file:/x`; compare resolved locations.
"""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import uuid
from collections.abc import Iterator
from typing import TYPE_CHECKING

from sqe.catalog.io.location import SCHEME
from sqe.errors import InvalidArgument, NotSupported

if TYPE_CHECKING:
    from sqe.catalog.io.protocol import Entry
    from sqe.catalog.io.storage import Storage

_UNUSABLE = re.compile(r"[?#\x00-\x1f\x7f]")


def file_system(storage: Storage | None) -> LocalFiles:
    """The account of this process has all keys that there are; a storage says for which places."""
    return _FILES if storage is None else _PlacedFiles(storage)


class LocalFiles:
    """A DirectoryTree."""

    def _path(self, location: str) -> str:
        """Of a file or directory that is opened or changed."""
        return local_path(location)

    def spell(self, location: str) -> str:
        path = os.path.normpath(local_path(location))
        unusable = _UNUSABLE.search(path)
        if unusable:
            raise InvalidArgument(
                f"the path {path!r} contains {unusable.group()!r}, which a location cannot hold",
                hint="choose a directory without '?', '#' and control characters",
            )
        return _location(re.sub(r"^/+", "/", path))

    def resolve(self, location: str, *, follow: bool = True) -> str:
        path = local_path(location)
        if follow:
            return _location(os.path.realpath(path))
        path = path.rstrip("/") or "/"
        if os.path.basename(path) in ("..", "."):
            path = os.path.normpath(path)
        above, name = os.path.split(path)
        return _location(os.path.join(os.path.realpath(above), name))

    def engine_path(self, location: str) -> str:
        return local_path(location)

    def read(self, location: str) -> bytes:
        with open(self._path(location), "rb") as file:
            return file.read()

    def read_range(self, location: str, start: int, length: int) -> bytes:
        with open(self._path(location), "rb") as file:
            file.seek(start)
            return file.read(length)

    def size(self, location: str) -> int:
        return os.stat(self._path(location)).st_size

    def modified_ms(self, location: str) -> int:
        return os.stat(self._path(location)).st_mtime_ns // 1_000_000

    def exists(self, location: str) -> bool:
        return os.path.isfile(self._path(location))

    def entries(self, location: str) -> list[Entry]:
        # Here, since defining protocols takes time and most commands list nothing.
        from sqe.catalog.io.protocol import Entry

        try:
            with os.scandir(self._path(location)) as entries:
                return [Entry(entry.name, entry.is_dir()) for entry in entries]
        except FileNotFoundError:
            return []

    def write(self, location: str, content: bytes) -> None:
        path = self._path(location)
        with _unfinished(path, content) as unfinished:
            _forget_checksum(path)
            os.replace(unfinished, path)

    def create(self, location: str, content: bytes) -> bool:
        path = self._path(location)
        with _unfinished(path, content) as unfinished:
            try:
                # Renaming would replace a file that is there.
                os.link(unfinished, path)
            except FileExistsError:
                return False
        return True

    def delete(self, location: str, *, root: str | None = None) -> None:
        path = self._path(location if root is None else self.resolve(location, follow=False))
        with contextlib.suppress(FileNotFoundError):
            os.unlink(path)
        _forget_checksum(path)
        if root is not None:
            _remove_empty(os.path.dirname(path), local_path(self.resolve(root)))

    def prune(self, location: str, *, root: str) -> None:
        directory, above = local_path(self.resolve(location)), local_path(self.resolve(root))
        if _is_below(directory, above):
            for place, _, _ in os.walk(directory, topdown=False):
                with contextlib.suppress(OSError):
                    os.rmdir(place)

    def has_directory(self, location: str) -> bool:
        return os.path.isdir(self._path(location))

    def make_directory(self, location: str) -> bool:
        path = self._path(location)
        os.makedirs(os.path.dirname(path), exist_ok=True)
        try:
            os.mkdir(path)
        except FileExistsError:
            if os.path.isdir(path):
                return False
            raise
        return True

    def remove_directory(self, location: str) -> None:
        os.rmdir(self._path(location))

    def remove_tree(self, location: str) -> None:
        above, name = os.path.split(self._path(location).rstrip("/"))
        hidden = os.path.join(above, f".{name}.{uuid.uuid4().hex}.dropped")
        os.rename(os.path.join(above, name), hidden)
        shutil.rmtree(hidden, ignore_errors=True)


_FILES = LocalFiles()


class _PlacedFiles(LocalFiles):
    """Of a table whose storage says where its files may be."""

    def __init__(self, storage: Storage) -> None:
        self._storage = storage

    def _path(self, location: str) -> str:
        self._storage.properties(location)
        return local_path(location)


def local_path(location: str) -> str:
    """The path of a location: `file:/x`, `file:///x` and `/x` are the same."""
    text = location
    scheme = SCHEME.match(text)
    if scheme:
        if scheme.group(1).lower() != "file":
            raise NotSupported(
                f"the location '{text}' is not a local path",
                hint="this catalog keeps its tables on the local disk",
            )
        rest = text[scheme.end() :]
        if rest.startswith("//") and not rest.startswith("///"):
            raise InvalidArgument(f"the location '{text}' names a host", hint="write file:///path")
        text = "/" + rest.lstrip("/")
    if not os.path.isabs(text):
        raise InvalidArgument(f"the location '{text}' is not absolute", hint="write the whole path")
    return text


@contextlib.contextmanager
def _unfinished(path: str, content: bytes) -> Iterator[str]:
    """A file beside `path` that is on the disk, to be given its name; what was done with it is too."""
    directory, name = os.path.split(path)
    os.makedirs(directory, exist_ok=True)
    unfinished = os.path.join(directory, f".{name}.{uuid.uuid4().hex}.unfinished")
    try:
        with open(unfinished, "xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        yield unfinished
    finally:
        with contextlib.suppress(OSError):
            os.unlink(unfinished)
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _forget_checksum(path: str) -> None:
    """Hadoop keeps one beside each local file that it writes, and would find our file wrong by it."""
    directory, name = os.path.split(path)
    with contextlib.suppress(FileNotFoundError):
        os.unlink(os.path.join(directory, f".{name}.crc"))


def _remove_empty(directory: str, root: str) -> None:
    with contextlib.suppress(OSError):
        while _is_below(directory, root):
            os.rmdir(directory)
            directory = os.path.dirname(directory)


def _is_below(path: str, root: str) -> bool:
    return path != root and path.startswith(root.rstrip("/") + "/")


def _location(path: str) -> str:
    return "file://" + path
