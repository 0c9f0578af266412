"""Components that only these tests need: fetched once, and kept between runs."""

from __future__ import annotations

import tarfile
import tempfile
from pathlib import Path

import pytest
from stack.fetch import CACHE

from sqe.engine.spark.jars import Jar, ensure_jars
from sqe.errors import Unavailable
from stack import fetch


def from_pypi(requirement: str) -> Path:
    """A directory with the package; skips the test if it cannot be had."""
    try:
        return fetch.from_pypi(requirement)
    except Unavailable as error:
        pytest.skip(str(error))


def unpacked(archive: Jar) -> Path:
    """The one directory in an archive; skips the test if it cannot be had."""
    target = CACHE / f"{archive.artifact}-{archive.version}"
    if not target.exists():
        try:
            (file,) = ensure_jars(CACHE, [archive])
        except Unavailable as error:
            pytest.skip(str(error))
        with tempfile.TemporaryDirectory(dir=CACHE) as scratch:
            with tarfile.open(file) as content:
                content.extractall(scratch, filter="data")
            Path(scratch, target.name).rename(target)
    return target
