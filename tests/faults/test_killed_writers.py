"""A process that is killed with -9 while it writes leaves each table as before or as after, and nobody
behind. What the tables hold is read by plain PyIceberg."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import threading
import time
from collections import defaultdict
from pathlib import Path

import pytest
from pyiceberg.catalog import Catalog
from pyiceberg.catalog.sql import SqlCatalog
from tests.faults import writer
from tests.one_spark import SharedServer

import sqe
from sqe.engine.spark.jars import default_cache

pytestmark = [pytest.mark.spark, pytest.mark.faults]

SOURCE = Path(sqe.__file__).parent.parent
KINDS = ("insert", "merge", "ctas")
MINUTE = 60
# A test that hangs fails instead.
PATIENCE = 150


class Writer:
    """A process of its own that does as it is told, until it is killed."""

    def __init__(self, warehouse: Path, **environ: str) -> None:
        self._process = subprocess.Popen(
            [sys.executable, writer.__file__, str(warehouse)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={
                **os.environ,
                "PYTHONPATH": str(SOURCE),
                "SQE_CACHE_DIR": str(default_cache()),
                "HOME": str(warehouse),
                **environ,
            },
        )
        self._end = threading.Timer(PATIENCE, self._process.kill)
        self._end.start()

    def ready(self) -> Writer:
        assert self.answer() == "ready"
        return self

    def order(self, kind: str, number: int) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{kind} {number}\n")
        self._process.stdin.flush()

    def answer(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()

    def kill(self) -> str:
        """What it still answered."""
        self._process.kill()
        answered, _ = self._process.communicate(timeout=MINUTE)
        self._end.cancel()
        return answered.strip()


class Warehouse:
    """What was asked of the writers, and whether the tables are in a state that this explains."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.asked: dict[str, list[int]] = defaultdict(list)
        self.done: dict[str, list[int]] = defaultdict(list)
        self._numbers = {kind: 0 for kind in KINDS}
        path.mkdir()
        with sqe.connect(warehouse=path) as connection:
            for statement in writer.SETUP:
                connection.execute(statement)

    def next(self, kind: str) -> int:
        number = self._numbers[kind]
        self._numbers[kind] += 1
        self.asked[kind].append(number)
        return number

    def check(self) -> str:
        """Also returns what the last order of each kind came to."""
        uri = f"sqlite:///{self.path}/sqe.db"
        with SqlCatalog("iceberg", uri=uri, warehouse=f"file:{self.path}/iceberg") as catalog:
            present = {
                "insert": self._batches(catalog),
                "merge": self._levels(catalog),
                "ctas": self._made(catalog),
            }
        for kind, numbers in present.items():
            # What was committed stays, and what nobody asked for is not there.
            assert set(self.done[kind]) <= numbers <= set(self.asked[kind]), (kind, numbers)
        return ", ".join(
            f"{kind} {'after' if asked[-1] in present[kind] else 'before'}"
            for kind, asked in self.asked.items()
            if asked
        )

    def _batches(self, catalog: Catalog) -> set[int]:
        rows = catalog.load_table("default.entries").scan().to_arrow()
        batches = rows.group_by("batch").aggregate([("n", "count"), ("n", "sum")]).to_pylist()
        for batch in batches:
            assert (batch["n_count"], batch["n_sum"]) == (writer.ROWS, _sum(writer.ROWS)), batch
        return {batch["batch"] for batch in batches}

    def _levels(self, catalog: Catalog) -> set[int]:
        rows = catalog.load_table("default.levels").scan().to_arrow()
        levels = set(rows["level"].to_pylist())
        assert len(levels) <= 1, levels
        if not levels:
            return set()
        (level,) = levels
        count = writer.ROWS + writer.STEP * level
        ids = rows["id"].to_pylist()
        assert (len(ids), sum(ids)) == (count, _sum(count))
        # A level stands for those that were reached before it.
        return {level, *(number for number in self.done["merge"] if number < level)}

    def _made(self, catalog: Catalog) -> set[int]:
        made = {name for _, name in catalog.list_tables("default")} - {"entries", "levels"}
        for name in made:
            values = catalog.load_table(f"default.{name}").scan().to_arrow()["n"].to_pylist()
            assert (len(values), sum(values)) == (writer.ROWS, _sum(writer.ROWS)), name
        return {int(name.removeprefix("made_")) for name in made}


def _sum(count: int) -> int:
    return count * (count + 1) // 2


def _measure(warehouse: Warehouse, process: Writer) -> dict[str, float]:
    """How long a write of each kind takes when nobody is killed and it is not the first."""
    seconds = {}
    for kind in KINDS * 2:
        number = warehouse.next(kind)
        begin = time.monotonic()
        process.order(kind, number)
        assert process.answer() == f"done {kind} {number}"
        seconds[kind] = time.monotonic() - begin
        warehouse.done[kind].append(number)
    return seconds


def _kill_at_some_moment(warehouse: Warehouse, process: Writer, kind: str, delay: float) -> bool:
    """Whether it was killed before it was done."""
    number = warehouse.next(kind)
    process.order(kind, number)
    time.sleep(delay)
    answer = process.kill()
    if answer == f"done {kind} {number}":
        warehouse.done[kind].append(number)
    return answer == ""


@pytest.mark.parametrize("kills", [6, pytest.param(21, marks=pytest.mark.long)])
def test_killed_at_many_moments(spark_server: SharedServer, tmp_path: Path, kills: int) -> None:
    """The writers use the run's Spark, which goes on with what a killed writer asked for: its commit may
    come before the look at the table, after it, or meet the next writer."""
    environ = {"SQE__spark__remote": spark_server.remote}
    seed = random.randrange(1 << 32)
    chance = random.Random(seed)
    warehouse = Warehouse(tmp_path / "warehouse")
    measured = Writer(warehouse.path, **environ).ready()
    longest = _measure(warehouse, measured)
    measured.kill()
    print(f"seed {seed}, seconds {longest}")
    killed: dict[str, int] = defaultdict(int)
    for round_ in range(4 * kills):
        kind = min(KINDS, key=lambda k: killed[k])
        process = Writer(warehouse.path, **environ).ready()
        delay = chance.uniform(0, longest[kind])
        in_time = _kill_at_some_moment(warehouse, process, kind, delay)
        killed[kind] += in_time
        # Spark gets faster while it runs, and slower while others do.
        longest[kind] = 1.1 * longest[kind] if in_time else delay
        print(f"{round_}: {kind} killed after {delay:.2f} s, in time: {in_time}; {warehouse.check()}")
        if sum(killed.values()) >= kills:
            break
    assert sum(killed.values()) >= kills, killed
    # And it is still a warehouse that can be written to.
    last = Writer(warehouse.path, **environ).ready()
    for kind in ("insert", "ctas"):
        number = warehouse.next(kind)
        last.order(kind, number)
        assert last.answer() == f"done {kind} {number}"
        warehouse.done[kind].append(number)
    last.kill()
    print(warehouse.check())


@pytest.mark.long
@pytest.mark.parametrize("kills", [2, 21])
def test_killed_with_its_own_spark(tmp_path: Path, kills: int) -> None:
    """The Spark server ends with the process that owns it, in whatever it was doing."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    environ = {"TMPDIR": str(temporary), "SQE__spark__driver_memory": "512m"}
    seed = random.randrange(1 << 32)
    chance = random.Random(seed)
    warehouse = Warehouse(tmp_path / "warehouse")
    print(f"seed {seed}")
    killed = 0
    for _ in range(3 * kills):
        if killed == kills:
            break
        process = Writer(warehouse.path, **environ).ready()
        kind = KINDS[killed % len(KINDS)]
        delay = chance.uniform(0, _measure(warehouse, process)[kind])
        assert _processes(temporary)
        in_time = _kill_at_some_moment(warehouse, process, kind, delay)
        seconds = _wait_until_nobody_is_left(temporary)
        killed += in_time
        print(f"{kind} killed after {delay:.2f} s, in time: {in_time}; {warehouse.check()}")
        print(f"nobody left after {seconds:.1f} s")
    assert killed == kills


def test_killed_while_its_spark_starts(tmp_path: Path) -> None:
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    warehouse = Warehouse(tmp_path / "warehouse")
    process = Writer(warehouse.path, TMPDIR=str(temporary), SQE__spark__driver_memory="512m")
    deadline = time.monotonic() + MINUTE
    while len(_processes(temporary)) < 2:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    assert process.kill() == ""
    print(f"gone in {_wait_until_nobody_is_left(temporary):.1f} s")


def _wait_until_nobody_is_left(directory: Path) -> float:
    begin = time.monotonic()
    while True:
        left = _processes(directory)
        seconds = time.monotonic() - begin
        if not left and not list(directory.glob("sqe-spark-*")):
            return seconds
        assert seconds < MINUTE, f"left after a minute: {left or list(directory.iterdir())}"
        time.sleep(0.1)


def _processes(directory: Path) -> list[str]:
    """The command lines of processes that name a directory: a Spark server and its watchdog name theirs."""
    if Path("/proc/self/cmdline").exists():
        lines = []
        for file in Path("/proc").glob("[0-9]*/cmdline"):
            try:
                # Empty for those that have ended and wait for their parent.
                lines.append(file.read_bytes().replace(b"\0", b" ").decode(errors="replace"))
            except OSError:
                continue
    else:
        listed = subprocess.run(["ps", "-axww", "-o", "command="], capture_output=True, text=True, check=True)
        lines = listed.stdout.splitlines()
    return [line for line in lines if str(directory) in line]
