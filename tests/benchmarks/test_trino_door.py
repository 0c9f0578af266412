"""What is measured of Trino's protocol is measured: small, and against a server of ours."""

from __future__ import annotations

from pathlib import Path

from tests.doors.trino.trino_door import Wire, opened_door

from benchmarks import trino


def test_every_figure_is_there(tmp_path: Path) -> None:
    with opened_door(tmp_path) as door:
        Wire(door.url).run("CREATE TABLE lake.default.t (a bigint)")
        [figures] = trino.measure({"sqe": door.url}, "lake.default.t", 1, 32)
    assert figures["small"]["per_second"] > 0 and figures["all_rows"]["seconds"] >= 0
    assert figures["small"]["p50_ms"] <= figures["small"]["p95_ms"]
