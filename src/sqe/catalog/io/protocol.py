"""What a file system does for tables. Metadata, manifests, data files and commits reach files by it alone.

A file is known by its location, `scheme:...`, and a directory is the part of it before a `/`. What goes wrong
is an OSError, FileNotFoundError where there is no such file; a location that the file system cannot hold is
an SqeError.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, runtime_checkable

from sqe.catalog.io.storage import Storage
from sqe.foundation.record import record


@record
class Entry:
    """What stands directly in a directory."""

    name: str
    is_directory: bool


class FileSystem(Protocol):
    """The files of one scheme, for any number of threads."""

    def spell(self, location: str) -> str:
        """The one spelling of a location that is new; InvalidArgument where other programs would misread
        it. Two spellings of one file would be two files to whoever removes orphans."""

    def resolve(self, location: str, *, follow: bool = True) -> str:
        """Where that really is: without links and `..` on the way, to be compared with other resolved
        locations. Without `follow` the last part stays as it is, since of a link the link is deleted."""

    def engine_path(self, location: str) -> str:
        """As DuckDB is told of it, and as people write it."""

    def read(self, location: str) -> bytes: ...

    def read_range(self, location: str, start: int, length: int) -> bytes:
        """Fewer bytes where the file ends before that."""

    def size(self, location: str) -> int: ...

    def modified_ms(self, location: str) -> int:
        """When it was written last, in milliseconds since 1970."""

    def exists(self, location: str) -> bool:
        """Whether there is a file; of a directory, false."""

    def entries(self, location: str) -> list[Entry]:
        """What is in a directory, in no order; nothing where there is none."""

    def write(self, location: str, content: bytes) -> None:
        """Whole or not at all, in the place of a former one, and kept when the machine stops the moment
        after. Directories above it are made."""

    def create(self, location: str, content: bytes) -> bool:
        """As `write`, but only one of all who try succeeds: False where there is such a file."""

    def delete(self, location: str, *, root: str | None = None) -> None:
        """One that is not there is fine. Directories below `root` that this leaves empty go too."""

    def prune(self, location: str, *, root: str) -> None:
        """Removes the empty directories in a directory below `root`, and itself if nothing stays."""


@runtime_checkable
class DirectoryTree(FileSystem, Protocol):
    """A file system in which directories exist by themselves and move at once: object stores are none."""

    def has_directory(self, location: str) -> bool: ...

    def make_directory(self, location: str) -> bool:
        """With those above it. False where there is one."""

    def remove_directory(self, location: str) -> None:
        """An empty one; OSError for others."""

    def remove_tree(self, location: str) -> None:
        """With all that is in it: at once gone under its name, then deleted. FileNotFoundError."""


MakeFileSystem = Callable[[Storage | None], FileSystem | None]
"""What an entry point names. It gets the keys of the table whose files are meant, if any; None if it can do
nothing without."""
