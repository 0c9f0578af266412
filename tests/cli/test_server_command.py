"""`sqe server` as an operator runs it: a process, its ports, and its end."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import adbc_driver_flightsql.dbapi as adbc
import pytest

# A server warms its Spark up.
pytestmark = pytest.mark.spark

ROOT = Path(__file__).parents[2]
EXAMPLE = ROOT / "examples" / "server.toml"
COMMANDS = [["server", "--config"], ["sqe-server", "--config"], ["sqe-coordinator"]]


def command(words: list[str]) -> list[str]:
    """As the scripts of the package do it."""
    name = words[0].replace("-", "_")
    if name == "server":
        return [sys.executable, "-m", "sqe", *words]
    return [
        sys.executable,
        "-c",
        f"import sys; from sqe.cli.main import {name}; sys.exit({name}())",
        *words[1:],
    ]


@contextmanager
def running(words: list[str], home: Path) -> Iterator[tuple[subprocess.Popen[str], dict[str, Any]]]:
    environ = {
        **os.environ,
        "HOME": str(home),
        "SQE_COORDINATOR__FLIGHT_SQL_PORT": "0",
        "SQE_COORDINATOR__TRINO_HTTP_PORT": "0",
        # Not 0, which switches them off.
        "SQE_METRICS__HEALTH_PORT": str(free_port()),
        "SQE_METRICS__PROMETHEUS_PORT": str(free_port()),
    }
    process = subprocess.Popen(command(words), env=environ, stderr=subprocess.PIPE, text=True)
    try:
        assert process.stderr is not None
        said = json.loads(process.stderr.readline())
        assert said["message"] == "listening for statements", said
        yield process, said
    finally:
        process.kill()
        process.communicate()


def free_port() -> int:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        return int(taken.getsockname()[1])


def page(port: int, path: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(f"http://127.0.0.1:{port}{path}", timeout=30) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_the_example_serves(tmp_path: Path, words: list[str]) -> None:
    with running([*words, str(EXAMPLE)], tmp_path) as (process, said):
        address = f"grpc://127.0.0.1:{said['port']}"
        with adbc.connect(address, autocommit=True) as connection, connection.cursor() as cursor:
            cursor.execute("CREATE TABLE served (a bigint)")
            cursor.execute("SELECT count(*) FROM served")
            assert cursor.fetchall() == [(0,)]
            cursor.execute("SELECT current_user")
            assert cursor.fetchall() == [("me",)]
        assert page(said["health_port"], "/healthz")[0] == 200
        status, parts = page(said["health_port"], "/readyz")
        assert status == 200, parts
        assert (
            'sqe_query_count_total{statement_type="query",status="success"}'
            in page(said["prometheus_port"], "/metrics")[1]
        )
        process.send_signal(signal.SIGTERM)
        _, rest = process.communicate(timeout=60)
        assert process.returncode == 0
        lines = [json.loads(line) for line in rest.splitlines()]
        # Drivers also ask what a statement returns before they run it, and what the server can do.
        questions = ("describe", "metadata")
        messages = [line["message"] for line in lines if line.get("statement_type") not in questions]
        # Events are told a moment after what they tell of.
        assert messages.count("statement finished") == 3
        assert [m for m in messages if m != "statement finished"][-2:] == ["draining", "ended"], lines[-1]


def test_a_second_signal_ends_the_wait(tmp_path: Path) -> None:
    numbers = "TABLE(sequence(1, 3000000))"
    with running(["server", "--config", str(EXAMPLE)], tmp_path) as (process, said):
        sql = f"SELECT count(*) FROM {numbers} AS a CROSS JOIN {numbers} AS b"
        words = ["-m", "sqe", "-H", "127.0.0.1", "-p", str(said["port"]), "-e", sql]
        client = subprocess.Popen([sys.executable, *words], stderr=subprocess.DEVNULL)
        while json.loads(page(said["health_port"], "/api/v1/status")[1])["active_queries"] != 1:
            assert client.poll() is None
        process.send_signal(signal.SIGTERM)
        assert process.stderr is not None
        while json.loads(process.stderr.readline())["message"] != "draining":
            pass
        for _ in range(3):
            process.send_signal(signal.SIGTERM)
        _, rest = process.communicate(timeout=60)
        assert client.wait(60) == 1
        assert process.returncode == 1
        assert json.loads(rest.splitlines()[-1])["message"] == "ended"
        assert "Traceback" not in rest


ANYBODY = '[[auth.providers]]\ntype = "anonymous"\n'


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("", "no authentication provider is configured"),
        (ANYBODY + '[coordinator.tls]\ncert_file = "no.pem"\nkey_file = "no.pem"', "no.pem"),
        (ANYBODY + "[coordinator]\nflight_sql_port = {taken}", "cannot be listened on"),
        ('[[auth.providers]]\ntype = "mtls"', "not built yet"),
    ],
)
def test_faults_stop_the_start_in_a_line(tmp_path: Path, text: str, fault: str) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        config = tmp_path / "sqe.toml"
        config.write_text(text.replace("{taken}", str(taken.getsockname()[1])))
        environ = {
            **os.environ,
            "HOME": str(tmp_path),
            "SQE_METRICS__HEALTH_PORT": "0",
            "SQE_METRICS__PROMETHEUS_PORT": "0",
        }
        done = subprocess.run(
            command(["server", "--config", str(config)]),
            env=environ,
            capture_output=True,
            text=True,
            timeout=60,
        )
    assert done.returncode == 2
    assert fault in done.stderr
    assert "Traceback" not in done.stderr
