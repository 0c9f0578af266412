"""Iceberg's own REST server side, in a JVM that the test run starts. It is compiled as it starts, which
takes a JDK."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

from tests.plain_spark import class_path

from sqe.engine.spark.jars import default_cache, ensure_jars, spark_jars
from sqe.engine.spark.java import find_java

SOURCE = Path(__file__).with_name("IcebergRestServer.java")


@contextlib.contextmanager
def java_rest_server(directory: Path) -> Iterator[str]:
    """Its address."""
    jars = os.pathsep.join([*map(str, [*ensure_jars(default_cache()), *spark_jars()]), class_path()])
    command = [str(find_java().executable), "-Xmx512m", "-cp", jars, str(SOURCE), str(directory)]
    with open(directory / "log", "wb") as log:
        server = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log)
    assert server.stdin is not None and server.stdout is not None
    try:
        port = server.stdout.readline().decode().strip()
        assert port.isdigit(), (directory / "log").read_text()
        yield f"http://127.0.0.1:{port}"
    finally:
        server.stdin.close()
        server.wait(60)
