"""Components by coordinate, fetched or built once into a cache that outlives the checkout."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from sqe.engine.spark.jars import Jar, ensure_jars
from sqe.errors import Unavailable

CACHE = Path.home() / ".cache" / "sqe-stack"
BUILD_SECONDS = 3600.0


def unzipped(archive: Jar, *, directory: str, prepare: Callable[[Path], None]) -> Path:
    """The one directory in a zip file, after `prepare` was run on it once. Unavailable, if there is none."""
    target = CACHE / f"{archive.artifact}-{archive.version}"
    with _missing(target) as scratch:
        if scratch is not None:
            (file,) = ensure_jars(CACHE, [archive])
            with zipfile.ZipFile(file) as content:
                content.extractall(scratch)
            prepare(scratch / directory)
            (scratch / directory).rename(target)
    return target


def from_pypi(requirement: str, *, with_dependencies: bool = False) -> Path:
    """A directory with the package, for PYTHONPATH. Unavailable, if it cannot be had."""
    target = CACHE / "pypi" / requirement.replace("==", "-").replace("[", "-").replace("]", "")
    with _missing(target) as scratch:
        if scratch is not None:
            command = [sys.executable, "-m", "pip", "install", "--quiet", "--target", str(scratch / "new")]
            command += [*(() if with_dependencies else ("--no-deps",)), requirement]
            _run(command, what=requirement)
            (scratch / "new").rename(target)
    return target


def built_with_go(module: str, version: str) -> Path:
    """The program of a Go module. Unavailable, if there is no go, or it cannot be built."""
    name = module.rsplit("/", 1)[-1]
    target = CACHE / f"{name}-{version}"
    with _missing(target) as scratch:
        if scratch is not None:
            go = shutil.which("go")
            if go is None:
                raise Unavailable(f"{name} is built with go, which is not on the PATH")
            _run([go, "install", f"{module}@{version}"], what=name, environment={"GOBIN": str(scratch)})
            (scratch / name).rename(target)
    return target


@contextmanager
def _missing(target: Path) -> Iterator[Path | None]:
    """An empty directory on the same disk if there is no target yet. Others wait until it is there."""
    if target.exists():
        yield None
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    with open(target.parent / f".{target.name}.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if target.exists():
            yield None
            return
        with tempfile.TemporaryDirectory(dir=target.parent) as scratch:
            yield Path(scratch)


def _run(command: Sequence[str], *, what: str, environment: dict[str, str] | None = None) -> None:
    done = subprocess.run(
        command,
        env={**os.environ, **(environment or {})},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        timeout=BUILD_SECONDS,
        check=False,
    )
    if done.returncode != 0:
        raise Unavailable(f"{what} cannot be had: {done.stdout.strip()[-500:]}")
