"""Memory and spill of a statement on the fast lane are limited, and a limit that is reached is named."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from sqe.config.duckdb import FastSettings
from sqe.engine.duckdb.errors import FastLaneFailed, translate
from sqe.engine.duckdb.processes import Processes
from sqe.errors import LimitExceeded

_ids = itertools.count(1)
MIB = 1 << 20
Limited = Callable[..., Processes]
# What the sort has to keep is several times as large as the memory.
SORTED = "SELECT hash(range) AS n, range AS r FROM range({rows}) ORDER BY n"


@pytest.fixture
def limited(tmp_path: Path) -> Iterator[Limited]:
    made: list[Processes] = []

    def make(**limits: Any) -> Processes:
        made.append(Processes(FastSettings(processes=1, threads=2, spill_dir=tmp_path, **limits)))
        return made[-1]

    yield make
    for lane in made:
        lane.close()
    assert list(tmp_path.iterdir()) == []


def test_a_sort_of_ten_million_rows_in_100_mb(limited: Limited, tmp_path: Path) -> None:
    lane = limited(memory_limit=100 * MIB, max_spill=4096 * MIB)
    before = None
    rows = 0
    spilled = False
    answer = lane.run(SORTED.format(rows=10_000_000), statement_id="s", identity_key="joe")
    for batch in answer:
        spilled = spilled or any(file.suffix == ".tmp" for file in tmp_path.rglob("*"))
        column = batch.column(0)
        assert before is None or before <= column[0].as_py()
        before = column[-1].as_py()
        rows += batch.num_rows
    assert rows == 10_000_000
    assert spilled
    [pid] = lane.children()
    # DuckDB counts its buffers; the libraries, and batches on their way, come on top.
    assert _peak(pid) < 100 * MIB + 400 * MIB


def test_more_than_may_be_spilled(limited: Limited, tmp_path: Path) -> None:
    lane = limited(memory_limit=100 * MIB, max_spill=50 * MIB)
    with pytest.raises(FastLaneFailed) as caught:
        list(lane.run(SORTED.format(rows=10_000_000), statement_id="s", identity_key="joe"))
    error = caught.value.as_user_error()
    assert isinstance(error, LimitExceeded)
    assert error.code == "EXCEEDED_SPILL_LIMIT"
    assert "engine.fast.max_spill" in str(error)
    assert str(tmp_path) not in str(error)
    # The same child answers the next one.
    assert list(lane.run("SELECT 1", statement_id="t", identity_key="joe"))


def test_what_cannot_spill_needs_memory(limited: Limited) -> None:
    lane = limited(memory_limit=64 * MIB, max_spill=0)
    with pytest.raises(FastLaneFailed) as caught:
        list(
            lane.run("SELECT list(range::VARCHAR) FROM range(5000000)", statement_id="s", identity_key="joe")
        )
    error = caught.value.as_user_error()
    assert isinstance(error, LimitExceeded)
    assert error.code in ("EXCEEDED_LOCAL_MEMORY_LIMIT", "EXCEEDED_SPILL_LIMIT")
    assert "engine.fast." in str(error)


def test_a_full_disk_is_named() -> None:
    error = translate('IO Error: Could not write file "/a/b": No space left on device')
    assert isinstance(error, FastLaneFailed)
    shown = error.as_user_error()
    assert isinstance(shown, LimitExceeded)
    assert "engine.fast.spill_dir" in str(shown)
    assert "/a/b" not in str(shown)


def test_a_spill_directory_that_cannot_be_used() -> None:
    lane = Processes(FastSettings(processes=1, spill_dir=Path("/proc/nowhere")))
    try:
        with pytest.raises(FastLaneFailed, match="could not be started"):
            list(lane.run("SELECT 1", statement_id="s", identity_key="joe"))
        assert lane.children() == []
    finally:
        lane.close()


def test_instances_of_many_identities_do_not_add_up(limited: Limited) -> None:
    """Idle instances keep what they cached; together it stays within what one statement may use."""
    lane = limited(memory_limit=200 * MIB, max_spill=1024 * MIB)
    for i in range(8):
        answer = lane.run(SORTED.format(rows=300_000), statement_id=f"s{next(_ids)}", identity_key=f"user{i}")
        for _ in answer:
            pass
    [pid] = lane.children()
    assert _resident(pid) < 200 * MIB + 600 * MIB


def _peak(pid: int) -> int:
    return _status(pid, "VmHWM")


def _resident(pid: int) -> int:
    return _status(pid, "VmRSS")


def _status(pid: int, name: str) -> int:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(name):
            return int(line.split()[1]) * 1024
    raise AssertionError(os.listdir("/proc/self"))
