"""Children of the fast lane die, stop, or talk nonsense: a statement is right or fails clearly, and nothing
is left behind."""

from __future__ import annotations

import contextlib
import os
import random
import resource
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from pathlib import Path

import pytest

from sqe.config.duckdb import FastSettings
from sqe.engine.duckdb import processes as lanes
from sqe.engine.duckdb import spawn
from sqe.engine.duckdb.errors import FastLaneFailed
from sqe.engine.duckdb.processes import Processes
from sqe.errors import Cancelled

pytestmark = pytest.mark.faults
KILLS = 100
SESSIONS = 8


def gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] == "Z"
    except FileNotFoundError:
        return True


def wait_until_gone(*pids: int, seconds: float = 10) -> None:
    until = time.monotonic() + seconds
    while not all(map(gone, pids)):
        assert time.monotonic() < until, [pid for pid in pids if not gone(pid)]
        time.sleep(0.02)


def total(lane: Processes, rows: int, statement: str, identity: str) -> int:
    """A sum that takes a few batches, so that a kill may come in the middle of an answer."""
    found = 0
    sql = f"SELECT range AS n FROM range({rows})"
    for batch in lane.run(sql, statement_id=statement, identity_key=identity):
        found += sum(batch.column(0).to_pylist())
    return found


def test_a_hundred_random_kills_under_eight_sessions(tmp_path: Path) -> None:
    descriptors = len(os.listdir("/proc/self/fd"))
    lane = Processes(FastSettings(processes=4, threads=1, spill_dir=tmp_path))
    outcomes: Counter[str] = Counter()
    wrong: list[object] = []
    seen: set[int] = set()
    over = threading.Event()

    def session(number: int) -> None:
        dice = random.Random(number)
        for turn in range(100_000):
            if over.is_set():
                return
            rows = dice.randrange(1, 250_000)
            try:
                found = total(lane, rows, f"{number}-{turn}", f"user{number % 3}")
            except FastLaneFailed as error:
                outcomes[error.reason] += 1
            except BaseException as error:
                wrong.append(error)
            else:
                outcomes["right"] += 1
                if found != rows * (rows - 1) // 2:
                    wrong.append((rows, found))

    threads = [threading.Thread(target=session, args=(n,)) for n in range(SESSIONS)]
    for thread in threads:
        thread.start()
    dice = random.Random(1)
    kills = 0
    while kills < KILLS:
        time.sleep(dice.random() * 0.06)
        children = lane.children()
        seen.update(children)
        if children:
            with contextlib.suppress(ProcessLookupError):
                os.kill(dice.choice(children), dice.choice([signal.SIGKILL, signal.SIGSEGV, signal.SIGTERM]))
                kills += 1
    over.set()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    assert wrong == []
    assert set(outcomes) <= {"right", "the fast lane's process ended"}
    assert outcomes["right"] > 0
    # It has recovered: nothing fails any more.
    assert total(lane, 200_000, "last", "joe") == 200_000 * 199_999 // 2
    seen.update(lane.children())
    lane.close()
    wait_until_gone(*seen)
    assert list(tmp_path.iterdir()) == []
    # Fewer where the collector has closed what an earlier test left.
    assert len(os.listdir("/proc/self/fd")) <= descriptors


def test_a_child_that_died_idle_is_replaced_unnoticed(tmp_path: Path) -> None:
    lane = Processes(FastSettings(processes=2, spill_dir=tmp_path))
    try:
        for turn in range(3):
            assert total(lane, 10, f"t{turn}", "joe") == 45
            for pid in lane.children():
                os.kill(pid, signal.SIGKILL)
                wait_until_gone(pid)
    finally:
        lane.close()


def test_the_kill_of_one_child_spares_the_others(tmp_path: Path) -> None:
    lane = Processes(FastSettings(processes=2, spill_dir=tmp_path))
    try:
        endless = lane.run("SELECT range FROM range(100000000000)", statement_id="a", identity_key="joe")
        batches = iter(endless)
        next(batches)
        [victim] = lane.children()
        other = lane.run("SELECT range AS n FROM range(1000000)", statement_id="b", identity_key="ann")
        rows = iter(other)
        count = next(rows).num_rows
        os.kill(victim, signal.SIGKILL)
        with pytest.raises(FastLaneFailed, match="process ended"):
            for _ in batches:
                pass
        assert count + sum(batch.num_rows for batch in rows) == 1_000_000
        assert victim not in lane.children()
    finally:
        lane.close()
    assert list(tmp_path.iterdir()) == []


def test_a_child_that_does_not_answer_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(lanes, "OBEY_SECONDS", 0.5)
    lane = Processes(FastSettings(processes=1, spill_dir=tmp_path))
    try:
        assert total(lane, 10, "first", "joe") == 45
        [pid] = lane.children()
        os.kill(pid, signal.SIGSTOP)
        stuck = lane.run("SELECT 1", statement_id="stuck", identity_key="joe")
        threading.Timer(0.2, lane.cancel, ("stuck",)).start()
        with pytest.raises(Cancelled):
            list(stuck)
        wait_until_gone(pid)
        assert total(lane, 10, "next", "joe") == 45
    finally:
        lane.close()


@pytest.mark.parametrize(
    "nonsense",
    [
        "sock.send(b'x' * 100)",
        "sock.send(b'sqB' + (1 << 60).to_bytes(8, 'little'))",
        "sock.send(b'sqB' + (5).to_bytes(8, 'little') + b'abcde')",
        "sock.send(b'sqS' + (5).to_bytes(8, 'little') + b'abcde')",
        "sock.send(b'sqF' + (5).to_bytes(8, 'little') + b'abcde')",
        "sock.send(b'sqE' + (5).to_bytes(8, 'little') + b'ab')",
        "pass",
    ],
)
def test_a_child_that_talks_nonsense(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, nonsense: str) -> None:
    fake = f"import socket; sock = socket.socket(fileno=3); sock.recv(100000); {nonsense}"
    lane = Processes(FastSettings(processes=1, spill_dir=tmp_path))
    try:
        with monkeypatch.context() as patch:
            patch.setattr(spawn, "BOOT", fake)
            with pytest.raises(FastLaneFailed, match="process ended"):
                total(lane, 10, "fake", "joe")
        assert total(lane, 10, "real", "joe") == 45
    finally:
        lane.close()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("how", ["idle", "busy", "exit"])
def test_children_end_with_their_owner(tmp_path: Path, how: str) -> None:
    script = Path(__file__).with_name("fast_owner.py")
    owner = subprocess.Popen(
        [sys.executable, str(script), str(tmp_path), how],
        stdout=subprocess.PIPE,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    try:
        assert owner.stdout is not None
        children = [int(pid) for pid in owner.stdout.readline().split()]
        assert len(children) >= 1
        if how != "exit":
            assert not any(map(gone, children))
            owner.kill()
        owner.wait(30)
        wait_until_gone(*children)
        until = time.monotonic() + 10
        while list(tmp_path.iterdir()) and time.monotonic() < until:
            time.sleep(0.02)
        assert list(tmp_path.iterdir()) == []
    finally:
        owner.kill()
        owner.wait()
        assert owner.stdout is not None
        owner.stdout.close()


def test_a_body_that_never_lets_go_is_ended() -> None:
    """A pattern that backtracks forever keeps Python's lock: no thread of the child could end it."""
    code = (
        "import re; from sqe.engine.duckdb import child; child.STUCK_SECONDS = 1\n"
        "with child._guard([{'name': 'body'}]): re.match('(a+)+$', 'a' * 60 + 'b')"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        stderr=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        timeout=60,
    )
    assert done.returncode == 1


def test_what_a_dead_owner_left_is_removed(tmp_path: Path) -> None:
    """Should everything have been killed at once, as when a machine runs out of memory."""
    left = tmp_path / "sqe-fast-1-dead"
    (left / "child-1").mkdir(parents=True)
    (left / "lock").touch()
    (left / "child-1" / "duckdb_temp_storage_DEFAULT-0.tmp").write_bytes(b"rows")
    lane = Processes(FastSettings(processes=1, spill_dir=tmp_path))
    try:
        assert total(lane, 10, "first", "joe") == 45
        assert not left.exists()
    finally:
        lane.close()
    assert list(tmp_path.iterdir()) == []


def test_a_child_that_nobody_took_ends_with_the_process() -> None:
    code = "from sqe.engine.duckdb import spawn; spawn.start_ahead(); print(spawn._waiting[0][1])"
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    wait_until_gone(int(done.stdout))


def test_a_disk_that_takes_no_more(tmp_path: Path) -> None:
    """The system refuses to let the spill grow, as a full disk does; what comes next is well."""
    lane = Processes(FastSettings(processes=1, threads=1, spill_dir=tmp_path, memory_limit=64 << 20))
    try:
        assert total(lane, 10, "first", "joe") == 45
        [pid] = lane.children()
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (1 << 20, resource.RLIM_INFINITY))
        with pytest.raises(FastLaneFailed) as caught:
            sort = "SELECT hash(range) AS n, range FROM range(30000000) ORDER BY n"
            list(lane.run(sql=sort, statement_id="sort", identity_key="joe"))
        error = caught.value.as_user_error()
        assert (error.code, "spill_dir" in error.message) == ("EXCEEDED_SPILL_LIMIT", True)
        assert str(tmp_path) not in str(error)
        assert total(lane, 10, "next", "joe") == 45
    finally:
        lane.close()
    assert list(tmp_path.iterdir()) == []
