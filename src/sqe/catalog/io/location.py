"""How the places of files are spelled: one way, for SQLite, PyIceberg and Spark alike.

A location is `file://` followed by the absolute path as it is, with no percent-encoding: PyIceberg does
not decode it, Hadoop's Path reads unencoded text, and two spellings of one file would be two files to
orphan removal. Not all read a `?` or `#` as part of a path, so such paths are refused. Hadoop spells the
files that it writes `file:/x`; compare locations by their paths.
"""

from __future__ import annotations

import hashlib
import os
import re
import uuid
from pathlib import Path

from sqe.errors import InvalidArgument, NotSupported

_SCHEME = re.compile(r"([A-Za-z][A-Za-z0-9+.-]*):")
_UNUSABLE = re.compile(r"[?#\x00-\x1f\x7f]")
# What all file systems and both engines take in one name of a path.
_UNSAFE_IN_NAME = re.compile(r"[^\w.+=@ -]")


def spell(place: str | os.PathLike[str]) -> str:
    """The location of a local path, or of a location that is spelled in another way."""
    path = os.path.normpath(to_path(place))
    unusable = _UNUSABLE.search(path)
    if unusable:
        raise InvalidArgument(
            f"the path {path!r} contains {unusable.group()!r}, which a location cannot hold",
            hint="choose a directory without '?', '#' and control characters",
        )
    return "file://" + re.sub(r"^/+", "/", path)


def to_path(location: str | os.PathLike[str]) -> Path:
    """The local file of a location: `file:/x`, `file:///x` and `/x` are the same."""
    return Path(local_path(location))


def local_path(location: str | os.PathLike[str]) -> str:
    """As `to_path`, the text alone."""
    text = os.fspath(location)
    scheme = _SCHEME.match(text)
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
