"""Runs the real commands in processes of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import sqe

SOURCE = Path(sqe.__file__).parent.parent
# Tests have homes of their own, but Spark's jars are fetched once.
CACHE = os.environ.get("SQE_CACHE_DIR") or str(Path.home() / ".cache" / "sqe")


def environment(home: Path, **more: str) -> dict[str, str]:
    return {**os.environ, "HOME": str(home), "PYTHONPATH": str(SOURCE), "SQE_CACHE_DIR": CACHE, **more}


def command(
    home: Path,
    *words: str | bytes,
    name: str = "sqe",
    stdin: bytes = b"",
    largest_file: int | None = None,
    **environ: str,
) -> subprocess.CompletedProcess[str]:
    """`largest_file`: no file grows beyond so many bytes, as on a disk that is full."""
    code = f"import sys; from sqe.cli.main import {name}; sys.exit({name}())"
    if largest_file is not None:
        # Not before the process runs Python: gRPC, which this one uses, does not survive a plain fork.
        limit = f"resource.setrlimit(resource.RLIMIT_FSIZE, ({largest_file}, {largest_file}))"
        code = f"import resource; {limit}; {code}"
    done = subprocess.run(
        [sys.executable, "-c", code, *words],
        input=stdin,
        capture_output=True,
        env=environment(home, **environ),
        timeout=120,
        check=False,
    )
    return subprocess.CompletedProcess(done.args, done.returncode, done.stdout.decode(), done.stderr.decode())
