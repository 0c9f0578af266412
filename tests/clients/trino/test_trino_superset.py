"""Superset with its engine spec for Trino, by its own API: schemas, tables, columns, a preview, a cancel."""

from __future__ import annotations

import json
import os
import subprocess
import time
from pathlib import Path

import pytest
from tests.clients.trino.client_programs import HERE, superset_python
from tests.doors.trino.trino_door import Wire, opened_door

pytestmark = pytest.mark.trino


def test_what_its_users_do(tmp_path: Path) -> None:
    with opened_door(tmp_path, '[catalogs.tpch]\ntype = "tpch"\n') as door:
        # Made before Superset's own time limits count.
        assert Wire(door.url).run("SELECT count(*) FROM tpch.tiny.lineitem").rows == [[60175]]
        command = [str(superset_python()), str(HERE / "superset_program.py"), str(tmp_path)]
        done = subprocess.run(
            [*command, f"trino://admin@127.0.0.1:{door.port}/tpch"],
            cwd=tmp_path,
            env={"PATH": os.environ["PATH"], "HOME": str(tmp_path)},
            capture_output=True,
            text=True,
            timeout=500,
            check=False,
        )
        assert done.stdout, done.stderr[-3000:]
        told = json.loads(done.stdout.splitlines()[-1])
        assert sorted(told["schemas"]) == ["information_schema", "sf1", "sf10", "sf100", "tiny"]
        assert [table["value"] for table in told["tables"]][:3] == ["customer", "lineitem", "nation"]
        assert [(c["name"], c["longType"]) for c in told["columns"]][:2] == [
            ("nationkey", "BIGINT"),
            ("name", "VARCHAR(25)"),
        ]
        preview = told["preview"]
        assert preview["status"] == "success" and len(preview["data"]) == 10
        assert preview["data"][0] == {"nationkey": 0, "name": "ALGERIA"}
        assert told["stop"] == "OK" and told["stopped"] == "stopped"
        as_admin = Wire(door.url, **{"X-Trino-User": "admin"})
        ended = (
            "SELECT state FROM system.runtime.queries"
            " WHERE query LIKE '%totalprice%' AND query NOT LIKE '%runtime%'"
        )
        deadline = time.monotonic() + 60
        while as_admin.run(ended).rows != [["FAILED"]] and time.monotonic() < deadline:
            time.sleep(0.2)
        assert as_admin.run(ended).rows == [["FAILED"]]
        assert door.server.admission.running == 0
