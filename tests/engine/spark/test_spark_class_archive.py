"""The class archive makes Spark start faster, and can never make it fail."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sqe.config.spark import SparkSettings
from sqe.engine.spark.archive import UNUSED_SECONDS, class_archive, prune
from sqe.engine.spark.jars import default_cache, ensure_jars, spark_jars
from sqe.engine.spark.java import Java, find_java
from sqe.engine.spark.spark import Spark


@pytest.fixture
def java(tmp_path: Path) -> Java:
    """A Java with a base archive, as far as the options go."""
    home = tmp_path / "java"
    (home / "lib" / "server").mkdir(parents=True)
    (home / "lib" / "server" / "classes.jsa").touch()
    return Java(home, "17.0.1")


def test_made_once_and_used_by_later_runs(tmp_path: Path, java: Java) -> None:
    jar = tmp_path / "a.jar"
    jar.write_bytes(b"1")
    first = class_archive(tmp_path, java, [jar])
    assert first.pending is not None and first.final is not None
    assert first.options == (f"-XX:ArchiveClassesAtExit={first.pending}",)
    first.final.touch()
    assert class_archive(tmp_path, java, [jar]).options == (f"-XX:SharedArchiveFile={first.final}",)
    jar.write_bytes(b"22")
    assert class_archive(tmp_path, java, [jar]).pending is not None
    assert class_archive(tmp_path, Java(java.home, "17.0.2"), [jar]).pending is not None


def test_a_cache_that_cannot_be_written_means_no_archive(tmp_path: Path, java: Java) -> None:
    (tmp_path / "file").touch()
    assert class_archive(tmp_path / "file", java, []).options == ()


def test_what_was_not_used_for_long_goes(tmp_path: Path) -> None:
    old, new = tmp_path / "spark-1.jsa", tmp_path / "spark-2.jsa"
    old.touch()
    new.touch()
    os.utime(old, (0, old.stat().st_mtime - UNUSED_SECONDS - 1))
    prune(tmp_path)
    assert list(tmp_path.iterdir()) == [new]


@pytest.mark.spark
@pytest.mark.faults
def test_a_broken_archive_is_passed_over(tmp_path: Path) -> None:
    (tmp_path / "jars").symlink_to(default_cache() / "jars")
    expected = class_archive(tmp_path, find_java(), [*ensure_jars(tmp_path), *spark_jars()]).final
    assert expected is not None
    expected.write_bytes(b"not an archive" * 1000)
    lane = Spark(SparkSettings(driver_memory="512m"), tmp_path)
    assert [b.num_rows for b in lane.session("x", {}).run("SELECT 1", statement_id="a", user="x")] == [1]
    lane.close(wait=60)
