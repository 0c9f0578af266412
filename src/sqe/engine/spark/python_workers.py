"""Where Spark and its Python workers meet."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

# A Unix socket's path has at most 104 bytes (macOS) or 108, and Spark's Python daemon adds 43.
DIRECTORY_BYTES = 60


def python_workers(directory: Path) -> Mapping[str, str]:
    """Python workers get a socket in our directory, where its path fits, instead of a port."""
    if len(str(directory).encode()) > DIRECTORY_BYTES:
        return {}
    return {
        "spark.python.unix.domain.socket.enabled": "true",
        "spark.python.unix.domain.socket.dir": str(directory),
    }
