"""A coordinator that is killed with -9 while it commits for Spark: before it has written the metadata,
between that and the pointer to it, and after both. The table is as before or as after, and Spark goes on."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.faults.test_killed_writers import KINDS, Warehouse, Writer
from tests.one_spark import SharedServer

pytestmark = [pytest.mark.spark, pytest.mark.faults]


@pytest.mark.parametrize(
    ("moment", "state"),
    [
        pytest.param("before", "before", marks=pytest.mark.long),
        pytest.param("between", "before", marks=pytest.mark.long),
        ("after", "after"),
    ],
)
def test_a_commit_is_made_or_not(spark_server: SharedServer, tmp_path: Path, moment: str, state: str) -> None:
    environ = {"SQE__spark__remote": spark_server.remote}
    warehouse = Warehouse(tmp_path / "warehouse")
    for kind in KINDS:
        killed = Writer(warehouse.path, **environ, KILLED_AT=moment).ready()
        killed.order(kind, warehouse.next(kind))
        # Nothing more is heard of it.
        assert killed.answer() == ""
        killed.kill()
        assert f"{kind} {state}" in warehouse.check()
    other = Writer(warehouse.path, **environ).ready()
    for kind in KINDS:
        number = warehouse.next(kind)
        other.order(kind, number)
        assert other.answer() == f"done {kind} {number}"
        warehouse.done[kind].append(number)
    other.kill()
    warehouse.check()
