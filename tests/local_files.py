"""Files of local tables, as paths that a test reads and breaks."""

from __future__ import annotations

from pathlib import Path

from sqe.catalog.io.local import local_path


def to_path(location: str) -> Path:
    return Path(local_path(location))
