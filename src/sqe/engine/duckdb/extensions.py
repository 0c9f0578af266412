"""DuckDB's extensions: files of packages whose wheels are pinned by hash, checked once per process.

The lock file vouches for the wheel, the wheel's RECORD for the file. That is why DuckDB need not check the
signature of each file in each instance, which takes most of a second.
"""

from __future__ import annotations

import base64
import csv
import hashlib
import threading
from functools import cache
from importlib.util import find_spec
from pathlib import Path

from sqe.engine.duckdb.errors import FastLaneFailed

VERSION = "1.5.5"
# Iceberg needs avro, and before itself.
ORDER = ("avro", "httpfs", "iceberg")
_lock = threading.Lock()


def verified(names: tuple[str, ...]) -> list[str]:
    """The files to load, in the order in which they have to be."""
    unknown = set(names) - set(ORDER)
    assert not unknown, f"extensions that nobody pinned: {unknown}"
    with _lock:
        return [str(_verified(name)) for name in ORDER if name in names]


def is_installed(name: str) -> bool:
    return _home(name) is not None


@cache
def _home(name: str) -> Path | None:
    spec = find_spec(f"duckdb_extension_{name}")
    return None if spec is None or spec.origin is None else Path(spec.origin).parent


@cache
def _verified(name: str) -> Path:
    home = _home(name)
    if home is None:
        raise FastLaneFailed(f"DuckDB's extension {name} is not installed")
    return check(home, f"extensions/v{VERSION}/{name}.duckdb_extension")


def check(package: Path, file: str) -> Path:
    """A file of an installed package, if it is the one that was installed."""
    expected = _recorded(package, file)
    path = package / file
    try:
        with open(path, "rb") as content:
            digest = hashlib.file_digest(content, "sha256").digest()
    except OSError:
        raise FastLaneFailed(f"DuckDB's extension {path.stem} cannot be read") from None
    if digest != expected:
        raise FastLaneFailed(f"DuckDB's extension {path.stem} is not the file that was installed")
    return path


def _recorded(package: Path, file: str) -> bytes | None:
    """The digest of a file in its wheel's RECORD; None without one, which equals no digest."""
    for record in package.parent.glob(f"{package.name}-{VERSION}.dist-info/RECORD"):
        with open(record, newline="") as lines:
            for row in csv.reader(lines):
                if row and row[0] == f"{package.name}/{file}" and row[1].startswith("sha256="):
                    text = row[1].removeprefix("sha256=")
                    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))
    return None
