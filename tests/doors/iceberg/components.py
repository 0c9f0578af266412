"""Components that only these tests need: fetched once, and kept between runs."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import pytest
from stack.fetch import CACHE

from sqe.engine.spark.jars import Jar, ensure_jars
from sqe.errors import Unavailable


def from_pypi(requirement: str) -> Path:
    """A directory with the package; skips the test if it cannot be had."""
    target = CACHE / "pypi" / requirement.replace("==", "-")
    if not target.exists():
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
            command = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps"]
            command += ["--target", f"{scratch}/new", requirement]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode != 0:
                pytest.skip(f"{requirement} cannot be had: {done.stderr.strip()[-200:]}")
            Path(scratch, "new").rename(target)
    return target


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
