"""What the pages say of servers, on a server: the Python blocks, and the command of the README."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import adbc_driver_flightsql.dbapi as adbc
import pytest
from tests.flight_server import Serve, serve

__all__ = ["serve"]

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "docs" / "flight-sql.md", ROOT / "docs" / "python.md"]
ANYBODY = '[[auth.providers]]\ntype = "anonymous"\nuser = "me"\n'


@pytest.fixture(scope="module")
def port(serve: Serve) -> Iterator[int]:
    """Of a server that has the tables which the pages name."""
    port = serve(ANYBODY).flight.port
    with adbc.connect(f"grpc://127.0.0.1:{port}", autocommit=True) as made, made.cursor() as cursor:
        cursor.execute("CREATE SCHEMA shop")
        cursor.execute(
            "CREATE TABLE shop.orders (id bigint, region varchar, amount decimal(10, 2), day date)"
        )
        cursor.execute("INSERT INTO shop.orders VALUES (1, 'EU', 12.50, DATE '2026-04-01')")
        cursor.execute("CREATE SCHEMA hr")
        cursor.execute("CREATE TABLE hr.people (id bigint)")
    yield port


def blocks() -> list[tuple[str, str]]:
    found = [
        (page.name, block)
        for page in PAGES
        for block in re.findall(r"```py\n(.*?)```", page.read_text(), re.DOTALL)
        if "localhost" in block
    ]
    assert {name for name, _ in found} == {page.name for page in PAGES}
    return found


@pytest.mark.parametrize(("page", "block"), blocks(), ids=lambda text: text[:20].split("\n")[0])
def test_python(page: str, block: str, port: int) -> None:
    exec(block.replace("localhost:50051", f"127.0.0.1:{port}").replace("port=50051", f"port={port}"), {})


def test_the_command_of_the_readme(port: int) -> None:
    [sql] = re.findall(r'\./sqe -H localhost -e "(.*)"', PAGES[0].read_text())
    done = subprocess.run(
        [sys.executable, "-m", "sqe", "-H", "127.0.0.1", "-p", str(port), "-f", "csv", "-e", sql],
        capture_output=True,
        text=True,
        timeout=60,
        env=os.environ,
    )
    assert (done.returncode, done.stdout.splitlines()[1:], done.stderr) == (0, ["1"], "")
