"""A JDBC driver in a Java of its own, asked line by line."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from sqe.engine.spark.jars import Jar, default_cache, ensure_jars
from sqe.engine.spark.java import find_java

DRIVER = Jar(
    "org.apache.arrow",
    "flight-sql-jdbc-driver",
    "18.3.0",
    sha256="3f418b46c880e263558c5de669bdbede2c5d4375527ced116fb29f795b03704c",
    size=44798040,
)
SOURCE = Path(__file__).with_name("JdbcRunner.java")
# Arrow's memory is outside Java's own.
_OPENED = "--add-opens=java.base/java.nio=ALL-UNNAMED"


class Jdbc:
    """`ask` sends one command of JdbcRunner.java. The driver is Flight SQL's unless another is given."""

    def __init__(self, url: str, *, driver: Path | None = None, **properties: str) -> None:
        given = [f"{name}={value}" for name, value in properties.items()]
        path = f"{driver or ensure_jars(default_cache(), [DRIVER])[0]}:{_compiled()}"
        self._said = tempfile.TemporaryFile("w+")  # noqa: SIM115
        self._process = subprocess.Popen(
            [
                find_java().executable,
                _OPENED,
                "-Xmx512m",
                "-Duser.timezone=UTC",
                "-cp",
                path,
                "JdbcRunner",
                url,
                *given,
            ],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._said,
            text=True,
            encoding="utf-8",
        )
        self.connected = self._answer()

    def ask(self, *parts: str | None) -> Any:
        assert self._process.stdin is not None
        print("\t".join(map(_escaped, parts)), file=self._process.stdin, flush=True)
        return self._answer()

    def query(self, sql: str) -> list[list[Any]]:
        answer = self.ask("query", sql)
        assert "rows" in answer, answer
        rows: list[list[Any]] = answer["rows"]
        return rows

    def metadata(self, method: str, *arguments: str | None) -> list[dict[str, Any]]:
        """The rows of a call of DatabaseMetaData, by the names of their columns."""
        answer = self.ask("metadata", method, *arguments)
        assert "rows" in answer, answer
        names = [column["label"] for column in answer["columns"]]
        return [dict(zip(names, row, strict=True)) for row in answer["rows"]]

    def close(self) -> None:
        try:
            self._process.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.communicate()
        self._said.close()

    def _answer(self) -> Any:
        assert self._process.stdout is not None
        # Loggers and Avatica write to where answers are, too.
        for line in self._process.stdout:
            if line.startswith(("{", "[", "null", "true", "false", '"')) or line[:1].isdigit():
                return json.loads(line)
        self._said.seek(0)
        raise AssertionError(f"Java has ended: {self._said.read()[-2000:]}")


def _escaped(part: str | None) -> str:
    if part is None:
        return "\\0"
    return part.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n")


def _compiled() -> Path:
    """A directory with the runner's classes, made once for each of its versions."""
    java = find_java()
    text = SOURCE.read_bytes() + java.version.encode()
    directory = default_cache() / "clients" / f"jdbc-{hashlib.sha256(text).hexdigest()[:16]}"
    if directory.exists():
        return directory
    beside = java.home / "bin" / "javac"
    compiler = str(beside) if beside.exists() else shutil.which("javac")
    assert compiler is not None, (
        f"{java.home} has no compiler, and there is no javac on PATH:"
        " install a JDK 17 or 21 (not only a JRE) and set JAVA_HOME to it"
    )
    made = directory.with_suffix(".new")
    shutil.rmtree(made, ignore_errors=True)
    made.mkdir(parents=True)
    # What another JDK compiles, this Java must be able to load.
    release = ["--release", "17"]
    done = subprocess.run(
        [compiler, *release, "-d", str(made), str(SOURCE)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    made.rename(directory)
    return directory
