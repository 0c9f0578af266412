"""A server of its own process on free ports, as an operator starts it."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
import tempfile
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqe.bench import processes
from sqe.errors import Unavailable

if TYPE_CHECKING:
    from collections.abc import Callable

USER = "bench"
KEY = "sqe_bench_0123456789abcdef0123456789abcdef"
START_SECONDS = 60.0
SPARK_SECONDS = 180.0
# A JVM compiles for some seconds after its first statement. Quiet is less than this share of a core.
QUIET_SECONDS = 30.0
QUIET_SHARE = 0.1
END_SECONDS = 60.0

# As many statements at once as the largest measurement has sessions; a limit would be what is measured.
_CONFIG = """\
[coordinator]
flight_sql_port = 0
{trino}[metrics]
prometheus_port = 0
health_port = {health}
[query]
max_concurrent_queries = 1000
max_concurrent_per_user = 1000
[[auth.providers]]
type = "api_key"
[[auth.providers.keys]]
user = "{user}"
hash = "sha256:{hash}"
[catalogs.iceberg.backend]
type = "sqlite"
warehouse = {warehouse}
"""


class Served:
    """A server that listens. `listened` is how many seconds after its start it said so."""

    def __init__(self, process: subprocess.Popen[str], port: int, health: int, listened: float) -> None:
        self.process = process
        self.uri = f"grpc://127.0.0.1:{port}"
        self.listened = listened
        self._health = f"http://127.0.0.1:{health}/readyz"

    @property
    def pids(self) -> list[int]:
        """The server and its fast lane; not Spark."""
        return [pid for pid in processes.tree(self.process.pid) if processes.name(pid) != "java"]

    def wait_until_ready(self) -> None:
        self._wait("the server is not ready", START_SECONDS, lambda answer: bool(answer["ready"]))

    def wait_for_spark(self) -> None:
        """Until Spark has come up, and has nothing left to do: until then it has all cores."""
        self._wait("Spark is not ready", SPARK_SECONDS, lambda answer: _part(answer, "spark"))
        deadline = time.monotonic() + QUIET_SECONDS
        busy = 1.0
        while busy > QUIET_SHARE and time.monotonic() < deadline:
            before = processes.cpu_seconds(self.process.pid)
            time.sleep(1)
            after = processes.cpu_seconds(self.process.pid)
            busy = 0.0 if before is None or after is None else after - before

    def cpu_seconds(self) -> float:
        """Of the server and its fast lane; not of Spark."""
        return sum(processes.cpu_seconds(pid) or 0.0 for pid in self.pids)

    def connect(self) -> Any:
        """A connection of ADBC's own driver, logged in by a handshake: a session of its own."""
        from adbc_driver_flightsql import dbapi

        return dbapi.connect(self.uri, db_kwargs={"username": USER, "password": KEY}, autocommit=True)

    def _wait(self, failed: str, seconds: float, good: Callable[[Any], bool]) -> None:
        deadline = time.monotonic() + seconds
        while not good(self._ready_page()):
            if time.monotonic() > deadline or self.process.poll() is not None:
                raise Unavailable(failed, code="NOT_STARTED")
            time.sleep(0.01)

    def _ready_page(self) -> Any:
        try:
            with urllib.request.urlopen(self._health, timeout=5) as page:
                return json.load(page)
        except urllib.error.HTTPError as not_yet:
            with not_yet:
                return json.load(not_yet)


@contextmanager
def served(
    warehouse: Path, environment: Mapping[str, str] | None = None, *, trino: bool = True
) -> Iterator[Served]:
    """A commit before the Trino door refuses a setting for it: `trino` is whether this one has it."""
    with tempfile.TemporaryDirectory(prefix="sqe-bench-") as home:
        config = Path(home) / "sqe.toml"
        health = _free_port()
        key_hash = sha256(KEY.encode()).hexdigest()
        config.write_text(
            _CONFIG.format(
                trino="trino_http_port = 0\n" if trino else "",
                health=health,
                user=USER,
                hash=key_hash,
                warehouse=json.dumps(str(warehouse)),
            ),
            encoding="utf-8",
        )
        begin = time.perf_counter()
        process = subprocess.Popen(
            [sys.executable, "-m", "sqe", "server", "--config", str(config)],
            stderr=subprocess.PIPE,
            text=True,
            cwd=home,
            env=environment,
        )
        try:
            port = _port(process)
            yield Served(process, port, health, time.perf_counter() - begin)
        finally:
            _end(process)


def _port(process: subprocess.Popen[str]) -> int:
    """What its log says, which is read on to the end so that the server never waits for us."""
    assert process.stderr is not None
    lines = []
    for line in process.stderr:
        lines.append(line)
        with suppress(ValueError):
            port = json.loads(line).get("port")
            if port is not None:
                threading.Thread(target=process.stderr.read, name="sqe-bench-log", daemon=True).start()
                return int(port)
    raise Unavailable("the server did not start", code="NOT_STARTED", hint="".join(lines[-3:]).strip())


def _end(process: subprocess.Popen[str]) -> None:
    process.terminate()
    try:
        process.wait(END_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()


def _part(answer: Any, name: str) -> bool:
    return any(part == name and state.get("ready") for part, state in answer["parts"].items())


def _free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])
