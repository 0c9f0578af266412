"""dbt with its adapter for Trino: seeds, models of every kind, snapshots, tests and documents."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from tests.clients.trino.client_programs import HERE, dbt_packages
from tests.doors.trino.trino_door import Opened, Wire

pytestmark = pytest.mark.trino


def test_a_project(shop: Opened, tmp_path: Path) -> None:
    project = Path(shutil.copytree(HERE / "dbt", tmp_path / "project"))
    environ = {
        **os.environ,
        "PYTHONPATH": str(dbt_packages()),
        "TRINO_PORT": str(shop.port),
        "DBT_PROFILES_DIR": str(project),
        "DBT_SEND_ANONYMOUS_USAGE_STATS": "false",
    }

    def dbt(*words: str) -> str:
        command = [sys.executable, "-m", "dbt.cli.main", "--no-use-colors", *words]
        done = subprocess.run(
            command, cwd=project, env=environ, capture_output=True, text=True, timeout=300, check=False
        )
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-2000:]
        return done.stdout

    assert "All checks passed" in dbt("debug")
    assert "PASS=1" in dbt("seed")
    first, second = dbt("run"), dbt("run")
    assert "PASS=5" in first and "CREATE VIEW" in first
    assert all(f"{change} (2 rows)" in second for change in ("CREATE TABLE", "INSERT", "MERGE"))
    assert "PASS=1" in dbt("snapshot") and "MERGE (0 rows)" in dbt("snapshot")
    assert "PASS=2" in dbt("test")
    dbt("docs", "generate")
    catalog = json.loads((project / "target" / "catalog.json").read_text())
    table = catalog["nodes"]["model.shop.a_table"]
    assert table["metadata"]["comment"] == "a table" and table["columns"]["id"]["comment"] == "the id"
    wire = Wire(shop.url, **{"X-Trino-Catalog": "iceberg", "X-Trino-Schema": "dbt"})
    counts = {"a_table": 2, "a_view": 2, "appended": 4, "merged": 2, "replaced": 2, "regions_history": 2}
    for name, count in counts.items():
        assert wire.run(f"SELECT count(*) FROM {name}").rows == [[count]]
