"""Which tests need Spark, and a run without them that shows that no Java starts.

A test needs Spark if its fixtures do. One that starts a Spark by itself, or a command that does, is marked.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

OPTION = "--without-spark"
# What finds a Java takes this one; what starts it is written down, and fails.
_JAVA = """#!/bin/sh
echo "$PYTEST_CURRENT_TEST" >> "{starts}"
echo 'a test that is not marked with spark starts Java' >&2
exit 1
"""
_starts = pytest.StashKey[Path]()


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(OPTION, action="store_true", help="no test that needs Spark; fails what starts Java")


def pytest_configure(config: pytest.Config) -> None:
    if not config.getoption(OPTION):
        return
    home = Path(tempfile.mkdtemp(prefix="sqe-no-java-"))
    config.add_cleanup(lambda: shutil.rmtree(home, ignore_errors=True))
    config.stash[_starts] = starts = home / "starts"
    executable = home / "bin" / "java"
    executable.parent.mkdir()
    executable.write_text(_JAVA.format(starts=starts))
    executable.chmod(0o755)
    (home / "release").write_text('JAVA_VERSION="21.0.1"\n')
    os.environ["JAVA_HOME"] = str(home)


# Before pytest chooses by marks.
@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        if "spark_lane" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.spark)
    if config.getoption(OPTION):
        left_out = [item for item in items if item.get_closest_marker("spark") is not None]
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if item.get_closest_marker("spark") is None]


@pytest.fixture(autouse=True)
def no_java(request: pytest.FixtureRequest) -> Iterator[None]:
    """In a run without Spark: fails the test that starts a Java, also in a process of its own."""
    yield
    starts = request.config.stash.get(_starts, None)
    if starts is not None and starts.exists():
        tests = starts.read_text()
        starts.unlink()
        pytest.fail(f"Java was started: mark the test with spark\n{tests}", pytrace=False)
