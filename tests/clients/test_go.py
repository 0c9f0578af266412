"""A client in Go, built from its sources here: ADBC's driver for Go, and Arrow's own client."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
from tests.flight_server import KEYS

import sqe
from sqe.doors.open import OpenServer
from sqe.engine.spark.jars import default_cache

pytestmark = pytest.mark.flight
SOURCE = Path(__file__).with_name("go")


@pytest.fixture(scope="module")
def program() -> Path:
    """Built once for each version of its sources."""
    text = b"".join((SOURCE / name).read_bytes() for name in ("go.mod", "go.sum", "main.go"))
    built = default_cache() / "clients" / f"go-{hashlib.sha256(text).hexdigest()[:16]}"
    if not built.exists():
        compiler = shutil.which("go")
        assert compiler is not None, "there is no go on PATH: install Go 1.25 or later"
        done = subprocess.run(
            [compiler, "build", "-buildvcs=false", "-o", str(built), "."],
            cwd=SOURCE,
            capture_output=True,
            text=True,
            timeout=900,
            check=False,
        )
        assert done.returncode == 0, f"set GOPROXY to a module proxy that can be reached: {done.stderr}"
    return built


@pytest.fixture(scope="module")
def told(program: Path, server: OpenServer) -> Any:
    done = subprocess.run(
        [program, f"127.0.0.1:{server.flight.port}", "ann", KEYS["ann"]],
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_metadata_of_the_driver(told: Any) -> None:
    adbc = told["adbc"]
    assert "SQE" in json.dumps(adbc["info"]) and sqe.__version__
    assert [row["table_type"] for row in adbc["table_types"]] == ["TABLE", "VIEW"]
    assert "from_go" in json.dumps(adbc["objects"])
    assert "decimal(38, 2)" in adbc["table_schema"]


def test_statements_of_the_driver(told: Any) -> None:
    adbc = told["adbc"]
    assert adbc["inserted"] == 2
    first, second = adbc["selected"]["rows"]
    assert (first["id"], first["name"], first["tags"]) == (1, "a", ["x", None])
    assert float(first["price"]) == 1.25
    assert second == {"id": 2, "name": None, "price": None, "tags": None}
    assert adbc["empty"]["rows"] == [] and len(adbc["empty"]["schema"]) == 4
    assert adbc["bound"]["rows"] == [{"a": 8, "b": "bound"}]
    assert adbc["ingested"] == 2 and adbc["count"]["rows"] == [{"n": 4}]
    assert "nothing_like_it" in adbc["error"]["text"]


def test_schemas_are_exactly_those_of_the_protocol(told: Any) -> None:
    assert told["arrow"]["wrong_schemas"] == {}


def test_sessions_and_cancelling(told: Any) -> None:
    arrow = told["arrow"]
    assert (arrow["refused_options"], arrow["catalog"]) == (1, "system")
    assert "CANCELLED" in arrow["cancelled"].upper() and "CLOSED" in arrow["closed"].upper()
