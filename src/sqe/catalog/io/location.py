"""What is said of locations without asking a file system, and the names that directories get."""

from __future__ import annotations

import hashlib
import re
import uuid

SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
# What all file systems and both engines take in one name of a path.
_UNSAFE_IN_NAME = re.compile(r"[^\w.+=@ -]")


def scheme_of(location: str) -> str:
    """In lower case; `file` for a path."""
    scheme = SCHEME.match(location)
    return "file" if scheme is None else scheme.group(1).lower()


def is_in_s3(location: str) -> bool:
    return scheme_of(location) in ("s3", "s3a")


def parent(location: str) -> str:
    return location.rstrip("/").rpartition("/")[0]


def is_within(location: str, directory: str) -> bool:
    """Whether it is that directory or in it; both resolved, or both spelled."""
    return location == directory or location.startswith(directory.rstrip("/") + "/")


def schema_directory(name: str) -> str:
    """The name of a schema's directory: its own where every file system takes that."""
    readable = _readable(name)
    return readable if readable == name else f"{readable}-{hashlib.sha256(name.encode()).hexdigest()[:8]}"


def table_directory(name: str) -> str:
    """A new name for a table's directory. Never one that was used before: an earlier table of the same
    name may have left its files, or live on under another name."""
    return f"{_readable(name)}-{uuid.uuid4().hex}"


def _readable(name: str) -> str:
    return _UNSAFE_IN_NAME.sub("_", name)[:60].strip(". ") or "_"
