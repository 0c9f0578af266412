"""Statements in children of the fast lane: rows, tables of ours, bodies in Python, cancel, deadlines."""

from __future__ import annotations

import contextlib
import itertools
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest

from sqe.config.duckdb import FastSettings
from sqe.engine.duckdb import spawn
from sqe.engine.duckdb.errors import FastLaneFailed
from sqe.engine.duckdb.processes import Processes, ProcessStream, Progress
from sqe.errors import Cancelled, LimitExceeded, SqeError

_ids = itertools.count(1)
# Hours of work in a line, which spills nothing.
ENDLESS = "SELECT sum(a.range * b.range % 7) FROM range(100000000) a, range(1000000) b"


@pytest.fixture(scope="module")
def lane() -> Iterator[Processes]:
    lane = Processes(FastSettings(processes=2, threads=2))
    yield lane
    lane.close()


def stream(lane: Processes, sql: str, **more: Any) -> ProcessStream:
    return lane.run(sql, statement_id=f"s{next(_ids)}", identity_key=more.pop("identity_key", "joe"), **more)


def rows(lane: Processes, sql: str, **more: Any) -> list[tuple[Any, ...]]:
    table = pa.Table.from_batches(list(answer := stream(lane, sql, **more)), answer.schema)
    return list(zip(*(column.to_pylist() for column in table.columns), strict=True))


@pytest.fixture(scope="module")
def numbers(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("numbers")
    file = directory / "numbers.parquet"
    duckdb.execute(f"COPY (SELECT range AS n, 'v' || range AS v FROM range(300000)) TO '{file}'")
    return file


def test_rows_come_in_batches_with_names_and_types(lane: Processes, numbers: Path) -> None:
    answer = stream(lane, f"SELECT n, v FROM read_parquet('{numbers}') ORDER BY n", locations=[str(numbers)])
    assert answer.schema == pa.schema([("n", pa.int64()), ("v", pa.string())])
    batches = list(answer)
    assert len(batches) > 1
    assert [n for batch in batches for n in batch.column(0).to_pylist()] == list(range(300000))
    assert answer.rows == 300000
    assert answer.bytes >= sum(batch.nbytes for batch in batches)


def test_an_answer_without_rows_has_a_schema(lane: Processes) -> None:
    answer = stream(lane, "SELECT 1 AS a, 'x' AS b WHERE false")
    assert answer.schema.names == ["a", "b"]
    assert sum(batch.num_rows for batch in answer) == 0


def test_a_directory_admits_the_files_in_it(lane: Processes, numbers: Path) -> None:
    found = rows(lane, f"SELECT count(*) FROM read_parquet('{numbers}')", locations=[str(numbers.parent)])
    assert found == [(300000,)]


def test_tables_of_ours_are_views_of_one_statement(lane: Processes) -> None:
    table = pa.table({"a": [1, 2, None], "b": ["x", "y", "z"]})
    sql = 'SELECT l.a, r.b FROM "sqe$1" l JOIN "sqe$1" r ON l.a = r.a ORDER BY 1'
    assert rows(lane, sql, tables={"sqe$1": table}) == [(1, "x"), (2, "y")]
    with pytest.raises(FastLaneFailed):
        rows(lane, sql)
    assert rows(lane, 'SELECT count(*) FROM "sqe$1"', tables={"sqe$1": table.slice(1)}) == [(2,)]


def test_an_empty_table_of_ours_has_its_columns(lane: Processes) -> None:
    empty = pa.table({"a": pa.array([], pa.int64())})
    assert rows(lane, "SELECT count(a) FROM t", tables={"t": empty}) == [(0,)]


def test_bodies_in_python_are_called(lane: Processes) -> None:
    table = pa.table({"t": ['{"a": [1, 2]}', None]})
    sql = "SELECT sqe_json_text_extract(t, '$.a') FROM t"
    for identity in ("joe", "ann"):
        found = rows(lane, sql, tables={"t": table}, bodies=["sqe_json_text_extract"], identity_key=identity)
        assert found == [("[1,2]",), (None,)]


def test_every_body_can_be_registered(lane: Processes) -> None:
    from sqe.functions.bodies import bodies

    assert rows(lane, "SELECT 1", bodies=sorted(bodies())) == [(1,)]


def test_times_are_in_utc(lane: Processes, monkeypatch: pytest.MonkeyPatch) -> None:
    sql = "SELECT current_setting('TimeZone'), TIMESTAMPTZ '2024-07-01 12:00:00+00'::VARCHAR"
    assert rows(lane, sql) == [("UTC", "2024-07-01 12:00:00+00")]


def test_a_stream_that_is_not_read_holds_the_child_back(lane: Processes) -> None:
    answer = stream(lane, "SELECT range AS n, range || 'abc' AS v FROM range(500000000)")
    batches = iter(answer)
    first = next(batches)
    assert first.num_rows > 0
    time.sleep(0.5)
    taken = answer.rows
    next(batches)
    # Whatever waits in the socket: a few batches, not the millions that half a second could make.
    assert answer.rows - taken < 1_000_000
    answer.close()
    assert rows(lane, "SELECT 42") == [(42,)]


def test_children_are_used_again_after_an_abandoned_answer() -> None:
    lane = Processes(FastSettings(processes=1))
    try:
        seen = set()
        for _ in range(3):
            answer = stream(lane, "SELECT range FROM range(100000000)")
            next(iter(answer))
            seen.add(_pid(lane))
            answer.close()
        assert len(seen) == 1
    finally:
        lane.close()


@pytest.mark.parametrize("sql", [ENDLESS, "SELECT range FROM range(1000000000000)"])
def test_cancel_ends_a_statement(lane: Processes, sql: str) -> None:
    answer = stream(lane, sql)
    threading.Timer(0.3, lane.cancel, (answer.statement_id,)).start()
    with pytest.raises(Cancelled):
        for _ in answer:
            pass
    lane.cancel(answer.statement_id)
    assert rows(lane, "SELECT 1") == [(1,)]


def test_cancel_before_it_began(lane: Processes) -> None:
    answer = stream(lane, ENDLESS)
    lane.cancel(answer.statement_id)
    with pytest.raises(Cancelled):
        list(answer)


def test_a_cancel_that_comes_late_spares_the_next_statement() -> None:
    lane = Processes(FastSettings(processes=1))
    try:
        for _ in range(30):
            answer = stream(lane, "SELECT count(*) FROM range(100000)")
            threading.Timer(0.003, lane.cancel, (answer.statement_id,)).start()
            with contextlib.suppress(Cancelled):
                list(answer)
            assert rows(lane, "SELECT count(*) FROM range(1000)") == [(1000,)]
    finally:
        lane.close()


@pytest.mark.parametrize("sql", [ENDLESS, "SELECT range FROM range(1000000000000)"])
def test_a_deadline_ends_a_statement(lane: Processes, sql: str) -> None:
    answer = stream(lane, sql, deadline=time.monotonic() + 0.5)
    with pytest.raises(LimitExceeded) as caught:
        for _ in answer:
            # Slower than the child, so that there is always something to read.
            time.sleep(0.02)
    assert caught.value.code == "EXCEEDED_TIME_LIMIT"
    assert rows(lane, "SELECT 1", deadline=time.monotonic() + 60) == [(1,)]


def test_waiting_for_a_child_ends_with_cancel_and_deadline() -> None:
    lane = Processes(FastSettings(processes=1))
    try:
        holder = stream(lane, "SELECT range FROM range(1000000000)")
        next(iter(holder))
        with pytest.raises(LimitExceeded) as caught:
            rows(lane, "SELECT 1", deadline=time.monotonic() + 0.2)
        assert caught.value.code == "EXCEEDED_TIME_LIMIT"
        waiting = stream(lane, "SELECT 1")
        threading.Timer(0.2, lane.cancel, (waiting.statement_id,)).start()
        with pytest.raises(Cancelled):
            list(waiting)
        freed = stream(lane, "SELECT 7")
        threading.Timer(0.2, holder.close).start()
        assert [batch.to_pylist() for batch in freed] == [[{"7": 7}]]
    finally:
        lane.close()


def test_whoever_may_run_elsewhere_does_not_wait_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sqe.engine.duckdb.processes.STANDSTILL_SECONDS", 0.5)
    lane = Processes(FastSettings(processes=1))
    try:
        holder = stream(lane, "SELECT range FROM range(1000000000)")
        next(iter(holder))
        with pytest.raises(FastLaneFailed, match=r"engine\.fast\.processes"):
            rows(lane, "SELECT 1", patient=False)
        patient = stream(lane, "SELECT 7")
        threading.Timer(2, holder.close).start()
        assert [batch.to_pylist() for batch in patient] == [[{"7": 7}]]
    finally:
        lane.close()


def test_one_that_gave_up_leaves_the_child_to_another() -> None:
    """Whoever is woken for a child may have been cancelled in the same moment."""
    lane = Processes(FastSettings(processes=1))
    try:
        for _ in range(20):
            holder = stream(lane, "SELECT range FROM range(1000000000)")
            next(iter(holder))
            given_up, waiting = stream(lane, "SELECT 1"), stream(lane, "SELECT 7")
            answers: list[object] = []
            threads = [threading.Thread(target=_collect, args=(s, answers)) for s in (given_up, waiting)]
            for thread in threads:
                thread.start()
            lane.cancel(given_up.statement_id)
            holder.close()
            for thread in threads:
                thread.join(30)
            assert sorted(map(str, answers)) == ["USER_CANCELED", "[{'7': 7}]"]
    finally:
        lane.close()


def _collect(answer: ProcessStream, into: list[object]) -> None:
    try:
        into += [batch.to_pylist() for batch in answer]
    except Cancelled as error:
        into.append(error.code)


def test_progress_is_told(lane: Processes, numbers: Path) -> None:
    told: list[Progress] = []
    many = f"read_parquet(['{numbers}'])"
    sql = f"SELECT sum(sin(a.n) * b.n) FROM {many} a, {many} b"
    with pytest.raises(LimitExceeded):
        rows(lane, sql, locations=[str(numbers)], on_progress=told.append, deadline=time.monotonic() + 2)
    assert told
    assert all(progress.share is None or 0 <= progress.share <= 1 for progress in told)


def test_many_statements_at_once(lane: Processes) -> None:
    found: list[Any] = []

    def work(start: int) -> None:
        for n in range(start, start + 20):
            found.append((n, rows(lane, f"SELECT {n}", identity_key=f"user{n % 7}")[0][0]))

    threads = [threading.Thread(target=work, args=(100 * i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(found) == 160
    assert all(asked == got for asked, got in found)


def test_a_plan_and_a_profile(lane: Processes) -> None:
    import json

    arguments: dict[str, Any] = {"identity_key": "joe", "locations": ()}
    sql = "SELECT range % 3 AS k, count(*) FROM range(1000) GROUP BY 1"
    plan = json.loads(lane.explain(sql, statement_id="plan", **arguments))
    assert "GROUP" in json.dumps(plan)
    profile = json.loads(lane.explain(sql, statement_id="profile", analyze=True, **arguments))
    assert '"operator_cardinality": 1000' in json.dumps(profile)
    with pytest.raises(FastLaneFailed):
        lane.explain("DELETE FROM x", statement_id="delete", **arguments)


def test_a_child_loads_little_before_its_first_statement() -> None:
    """What it would load beside DuckDB and Arrow would be paid by the first read of every process."""
    instead = "import sqe.engine.duckdb.instances, pyarrow; print(*(n for n, m in sys.modules.items() if m))"
    package = str(Path(spawn.__file__).parents[2])
    boot = spawn.BOOT.replace("\nmain()", f"\n{instead}")
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", boot, "3", package, *filter(None, sys.path)],
        capture_output=True,
        text=True,
        check=True,
    )
    loaded = set(done.stdout.split())
    assert {"_duckdb", "pyarrow"} <= loaded
    assert loaded.isdisjoint({"dataclasses", "inspect", "duckdb", "numpy", "pandas", "pyarrow.dataset"})
    ours = {name for name in loaded if name.startswith("sqe")}
    assert ours == {
        "sqe", "sqe.engine", "sqe.engine.duckdb",
        "sqe.engine.duckdb.child", "sqe.engine.duckdb.instances", "sqe.engine.duckdb.wire",
    }  # fmt: skip


def test_a_closed_lane_says_so() -> None:
    lane = Processes(FastSettings(processes=1))
    assert rows(lane, "SELECT 1") == [(1,)]
    running = stream(lane, "SELECT range FROM range(1000000000)")
    next(iter(running))
    lane.close()
    with pytest.raises(SqeError):
        list(running)
    with pytest.raises(FastLaneFailed):
        rows(lane, "SELECT 1")


def _pid(lane: Processes) -> int:
    [pid] = lane.children()
    return pid
