"""Trino's clients: fetched once, and kept between runs."""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

from stack.fetch import from_pypi

from sqe.engine.spark.jars import Jar, default_cache
from sqe.engine.spark.java import find_java

CLI = Jar(
    "io.trino",
    "trino-cli",
    "476",
    sha256="fe4e9c7fb569cd67673afa1622945f6308e1e59bdb825419352b80887661757b",
    size=18634579,
    classifier="executable",
)
JDBC = Jar(
    "io.trino",
    "trino-jdbc",
    "484",
    sha256="46476af2968e6f3234e8b22d7e29c26e6d7213ce88ab546a29c4c318c921cd34",
    size=10586075,
)
OLD_JDBC = Jar(
    "io.trino",
    "trino-jdbc",
    "352",
    sha256="ba5737581c0acbfe836fe826627370a2d7043bc17473bb34c111cde99e70b468",
    size=6815793,
)
PYTHON = "trino[sqlalchemy]==0.340.0"
# Newer versions of dbt-core fetch a part of themselves from elsewhere.
DBT = ("dbt-core==1.10.23", "dbt-trino==1.10.6")
# With what it forgets to ask for, and a cache as it was when it was made.
SUPERSET = (
    "apache-superset==6.1.0",
    "flask-caching==2.3.1",
    "cachetools==8.0.0",
    "boto3==1.44.3",
    "trino==0.340.0",
)
HERE = Path(__file__).parent


def python_client() -> Any:
    """The module `trino`."""
    place = str(from_pypi(PYTHON, with_dependencies=True))
    if place not in sys.path:
        # Last: what is installed here comes first.
        sys.path.append(place)
    import trino
    import trino.sqlalchemy

    client: ModuleType = trino
    return client


def fetched(jar: Jar) -> Path:
    """By Maven: Ivy cannot read how newer ones describe themselves."""
    file = default_cache() / "clients" / jar.file_name
    if not file.exists():
        maven = shutil.which("mvn")
        assert maven is not None, "there is no mvn on PATH: install Maven 3"
        kind = f":jar:{jar.classifier}" if jar.classifier else ""
        artifact = f"-Dartifact={jar.group}:{jar.artifact}:{jar.version}{kind}"
        with tempfile.TemporaryDirectory(dir=file.parent) as scratch:
            run([maven, "-q", "dependency:copy", artifact, f"-DoutputDirectory={scratch}"], Path(scratch))
            download = Path(scratch, jar.file_name)
            assert hashlib.sha256(download.read_bytes()).hexdigest() == jar.sha256
            download.rename(file)
    return file


def cli(port: int, *words: str) -> list[str]:
    """The command that runs the CLI."""
    java = str(find_java().executable)
    return [java, "-Xmx256m", "-jar", str(fetched(CLI)), "--server", f"http://127.0.0.1:{port}", *words]


def go_program() -> Path:
    """Built once for each version of its sources."""
    source = HERE / "go"
    text = b"".join((source / name).read_bytes() for name in ("go.mod", "go.sum", "main.go"))
    built = default_cache() / "clients" / f"trino-go-{hashlib.sha256(text).hexdigest()[:16]}"
    if not built.exists():
        compiler = shutil.which("go")
        assert compiler is not None, "there is no go on PATH: install Go 1.25 or later"
        run([compiler, "build", "-buildvcs=false", "-o", str(built), "."], source)
    return built


def node_program() -> Path:
    """A program in a directory in which Node finds trino-client."""
    source = HERE / "node"
    text = (source / "package.json").read_bytes()
    directory = default_cache() / "clients" / f"trino-node-{hashlib.sha256(text).hexdigest()[:16]}"
    if not (directory / "node_modules").exists():
        npm = shutil.which("npm")
        assert npm is not None, "there is no npm on PATH: install Node 20 or later"
        directory.mkdir(parents=True, exist_ok=True)
        shutil.copy(source / "package.json", directory)
        run([npm, "install", "--silent", "--no-audit", "--no-fund"], directory)
    return Path(shutil.copy(source / "main.mjs", directory))


def dbt_packages() -> Path:
    """A directory for PYTHONPATH."""
    directory = default_cache() / "clients" / "-".join(DBT).replace("==", "-")
    if not directory.exists():
        with tempfile.TemporaryDirectory(dir=directory.parent) as scratch:
            target = Path(scratch, "packages")
            run([sys.executable, "-m", "pip", "install", "--quiet", "--target", str(target), *DBT], HERE)
            target.rename(directory)
    return directory


def superset_python() -> Path:
    """The Python of an environment that has Superset, which wants other versions of much that is here."""
    directory = default_cache() / "clients" / SUPERSET[0].replace("==", "-")
    python = directory / "bin" / "python"
    if not (directory / "complete").exists():
        shutil.rmtree(directory, ignore_errors=True)
        run([sys.executable, "-m", "venv", str(directory)], HERE)
        run([str(python), "-m", "pip", "install", "--quiet", *SUPERSET], HERE)
        (directory / "complete").touch()
    return python


def run(command: list[str], directory: Path) -> str:
    done = subprocess.run(command, cwd=directory, capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout
