"""A file system of another package, as an object store is: names with slashes, and no directories."""

from __future__ import annotations

import posixpath
import sys
import threading
from pathlib import Path
from typing import ClassVar

import pytest

from sqe.catalog.io.protocol import Entry

SCHEME = "mem-of-tests"


class MemoryFiles:
    """One store in this process, however often it is opened."""

    _files: ClassVar[dict[str, bytes]] = {}
    _lock = threading.Lock()

    def __init__(self, storage: object) -> None:
        """It asks for no keys."""

    def spell(self, location: str) -> str:
        return self.resolve(location)

    def resolve(self, location: str, *, follow: bool = True) -> str:
        scheme, _, path = location.partition("://")
        return f"{scheme.lower()}://{posixpath.normpath('/' + path).lstrip('/')}"

    def engine_path(self, location: str) -> str:
        return location

    def read(self, location: str) -> bytes:
        try:
            return self._files[location]
        except KeyError:
            raise FileNotFoundError(location) from None

    def read_range(self, location: str, start: int, length: int) -> bytes:
        return self.read(location)[start : start + length]

    def size(self, location: str) -> int:
        return len(self.read(location))

    def modified_ms(self, location: str) -> int:
        self.read(location)
        return 0

    def exists(self, location: str) -> bool:
        return location in self._files

    def entries(self, location: str) -> list[Entry]:
        below = [name.removeprefix(f"{location}/") for name in self._files if name.startswith(f"{location}/")]
        return [Entry(name, more) for name, more in {(n.partition("/")[0], "/" in n) for n in below}]

    def write(self, location: str, content: bytes) -> None:
        self._files[location] = content

    def create(self, location: str, content: bytes) -> bool:
        with self._lock:
            return self._files.setdefault(location, content) is content

    def delete(self, location: str, *, root: str | None = None) -> None:
        self._files.pop(location, None)

    def prune(self, location: str, *, root: str) -> None:
        pass


def install(site: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The package that has it, as pip would put it there. Its store is empty."""
    info = site / "sqe_memory_files-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: sqe-memory-files\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        f"[sqe.file_systems]\n{SCHEME} = memory_files:MemoryFiles\n"
        "broken-of-tests = memory_files:absent\nfile = memory_files:MemoryFiles\n"
    )
    monkeypatch.syspath_prepend(str(site))
    monkeypatch.delitem(sys.modules, "memory_files", raising=False)
