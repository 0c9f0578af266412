"""Components by coordinate, fetched once into a cache that outlives the checkout."""

from __future__ import annotations

import tempfile
import zipfile
from collections.abc import Callable
from pathlib import Path

from sqe.engine.spark.jars import Jar, ensure_jars

CACHE = Path.home() / ".cache" / "sqe-stack"


def unzipped(archive: Jar, *, directory: str, prepare: Callable[[Path], None]) -> Path:
    """The one directory in a zip file, after `prepare` was run on it once. Unavailable, if there is none."""
    target = CACHE / f"{archive.artifact}-{archive.version}"
    if not target.exists():
        (file,) = ensure_jars(CACHE, [archive])
        with tempfile.TemporaryDirectory(dir=CACHE) as scratch:
            with zipfile.ZipFile(file) as content:
                content.extractall(scratch)
            prepare(Path(scratch, directory))
            Path(scratch, directory).rename(target)
    return target
