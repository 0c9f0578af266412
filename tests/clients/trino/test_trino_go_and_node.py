"""Trino's clients for Go and Node."""

from __future__ import annotations

import json
import shutil
import subprocess
from typing import Any

import pytest
from tests.clients.trino.client_programs import go_program, node_program
from tests.doors.trino.trino_door import Opened

pytestmark = pytest.mark.trino
MANY = "SELECT sequential_number AS n FROM TABLE(sequence(1, 100000))"


def told(*command: str) -> list[Any]:
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_go(shop: Opened) -> None:
    orders, many, parameters, failed, cancelled = told(
        str(go_program()),
        f"http://joe@127.0.0.1:{shop.port}?catalog=iceberg&schema=shop",
        "SELECT id, region, amount FROM orders ORDER BY id",
        MANY,
        "parameters",
        "SELECT 1/0",
        "cancel",
    )
    assert orders["columns"] == ["id", "region", "amount"]
    assert orders["types"] == ["BIGINT", "VARCHAR", "DECIMAL"]
    assert orders["rows"] == [[1, "EU", "12.50"], [2, "US", "7.25"], [3, "EU", "30.00"]]
    assert [row[0] for row in many["rows"]] == list(range(1, 100001))
    assert parameters["rows"] == [[42, "it's"]]
    assert "Division by zero" in failed["error"]
    assert "deadline" in cancelled["error"] or "cancel" in cancelled["error"].lower()


def test_node(shop: Opened) -> None:
    node = shutil.which("node")
    assert node is not None, "there is no node on PATH: install Node 20 or later"
    orders, many, failed, user = told(
        node,
        str(node_program()),
        f"http://127.0.0.1:{shop.port}",
        "SELECT id, region FROM orders ORDER BY id",
        MANY,
        "SELECT 1/0",
        "SELECT current_user",
    )
    assert orders["columns"] == ["id", "region"]
    assert orders["rows"] == [[1, "EU"], [2, "US"], [3, "EU"]]
    assert [row[0] for row in many["rows"]] == list(range(1, 100001))
    assert failed["error"] == "DIVISION_BY_ZERO" and user["rows"] == [["joe"]]
