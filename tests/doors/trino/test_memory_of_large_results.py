"""A large result is delivered page by page, and the server never holds it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from tests.doors.trino.trino_door import Wire, opened_door

pytestmark = pytest.mark.trino
ROWS = 3_000_000
LARGE = (
    "SELECT x.n, y.m, rpad('', 100, 'x') FROM UNNEST(sequence(1, 1000)) AS x(n)"
    f" CROSS JOIN UNNEST(sequence(1, {ROWS // 1000})) AS y(m)"
)


def peak() -> int:
    return int(Path("/proc/self/status").read_text().split("VmHWM:")[1].split()[0]) << 10


def test_the_peak_is_a_part_of_the_result(tmp_path: Path) -> None:
    with opened_door(tmp_path, '[engine]\nlane = "fast"\n') as door:
        wire = Wire(door.url)
        assert wire.run("SELECT 1").rows == [[1]]
        page = wire.post(LARGE)
        # The client is in this process too, and holds one page.
        Path("/proc/self/clear_refs").write_text("5")
        before, size, rows = peak(), 0, 0
        while "nextUri" in page:
            content = wire.send("GET", page["nextUri"]).data
            page = json.loads(content)
            size += len(content)
            rows += len(page.get("data", ()))
        grown = peak() - before
        assert rows == ROWS and "error" not in page
        print(f"{size >> 20} MiB of JSON; the peak of server and client grew by {grown >> 20} MiB")
        assert size > 300 << 20 and grown < size * 2 // 3
