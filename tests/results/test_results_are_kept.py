"""A result is kept whole, in memory or on disk, and read as often as anyone likes."""

from __future__ import annotations

import os
import signal
import stat
import subprocess
import sys
import textwrap
import threading
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from sqe.errors import Cancelled, InternalError, LimitExceeded, Unavailable, UserError
from sqe.results.result import Result, ResultSettings, Spools
from sqe.tree.expressions import Field
from sqe.types.sql_types import BIGINT

FIELDS = (Field(1, "n", BIGINT),)
ROWS = 1000
BATCH_BYTES = ROWS * 8


def numbers(batches: int) -> Iterator[pa.RecordBatch]:
    for index in range(batches):
        values = pa.array(range(index * ROWS, (index + 1) * ROWS), pa.int64())
        yield pa.RecordBatch.from_arrays([values], ["engine_name"])


def spools(directory: Path, **settings: int) -> Spools:
    return Spools(ResultSettings(directory=directory, **{"memory_window": 0, **settings}))


def values(result: Result) -> list[int]:
    return [value for batch in result for value in batch.column("n").to_pylist()]


@pytest.mark.parametrize("window", [0, BATCH_BYTES * 3, 1 << 30])
def test_read_again_wherever_it_is_kept(tmp_path: Path, window: int) -> None:
    with spools(tmp_path, memory_window=window) as kept:
        result = kept.collect(numbers(10), FIELDS, user="joe")
        assert result.wait(60)
        assert (result.rows, result.done) == (10 * ROWS, True)
        assert values(result) == values(result) == list(range(10 * ROWS))
        assert result.table().schema == result.schema == pa.schema([("n", pa.int64())])
        assert (result.spooled_bytes > 0) == (window < 10 * BATCH_BYTES)
        assert bool(list(tmp_path.iterdir())) == (result.spooled_bytes > 0)


def test_several_readers_follow_while_it_grows(tmp_path: Path) -> None:
    gate = threading.Semaphore(0)

    def slowly() -> Iterator[pa.RecordBatch]:
        for batch in numbers(20):
            gate.acquire()
            yield batch

    with spools(tmp_path, memory_window=BATCH_BYTES * 5) as kept:
        result = kept.collect(slowly(), FIELDS, user="joe")
        read: list[list[int]] = []
        readers = [threading.Thread(target=lambda: read.append(values(result))) for _ in range(4)]
        for reader in readers:
            reader.start()
        assert not result.wait(0)
        gate.release(20)
        for reader in readers:
            reader.join(60)
        assert read == [list(range(20 * ROWS))] * 4


def test_files_are_private_and_go_away(tmp_path: Path) -> None:
    with spools(tmp_path) as kept:
        result = kept.collect(numbers(2), FIELDS, user="joe")
        result.wait(60)
        (directory,) = tmp_path.iterdir()
        (file,) = directory.glob("*.spool")
        assert stat.S_IMODE(directory.stat().st_mode) == 0o700
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        result.close()
        assert not file.exists()
        with pytest.raises(Cancelled):
            values(result)
    assert list(tmp_path.iterdir()) == []


def test_a_spool_holds_what_is_sent(tmp_path: Path) -> None:
    with spools(tmp_path) as kept, spools(tmp_path, memory_window=BATCH_BYTES * 5) as in_memory:
        result = kept.collect(numbers(2), FIELDS, user="joe")
        result.wait(60)
        (file,) = tmp_path.glob("*/*.spool")
        assert file.read_bytes() == b"".join(result.frames())
        same = in_memory.collect(numbers(2), FIELDS, user="joe")
        assert list(same.frames()) == list(result.frames())
        assert list(result.frames(1, 2)) == list(result.frames())[1:2]


def test_a_file_that_was_cut_short_is_an_error(tmp_path: Path) -> None:
    with spools(tmp_path) as kept:
        result = kept.collect(numbers(2), FIELDS, user="joe")
        result.wait(60)
        (file,) = tmp_path.glob("*/*.spool")
        os.truncate(file, BATCH_BYTES)
        with pytest.raises(Unavailable, match="cut short"):
            list(result.frames())
        with pytest.raises(Unavailable, match="cut short"):
            values(result)


def test_closing_ends_the_engines_work(tmp_path: Path) -> None:
    started, cancelled = threading.Event(), threading.Event()

    def endless() -> Iterator[pa.RecordBatch]:
        while not cancelled.is_set():
            yield from numbers(1)
            started.set()

    with spools(tmp_path) as kept:
        result = kept.collect(endless(), FIELDS, user="joe", cancel=cancelled.set)
        assert started.wait(60)
        result.close()
        assert result.wait(60)
        assert cancelled.is_set()
        assert list(tmp_path.glob("*/*.spool")) == []


@pytest.mark.parametrize("key", ["max_spool_per_user", "max_spool"])
def test_a_cap_that_is_reached_is_named(tmp_path: Path, key: str) -> None:
    with spools(tmp_path, **{key: BATCH_BYTES * 4}) as kept:
        result = kept.collect(numbers(10), FIELDS, user="joe")
        with pytest.raises(LimitExceeded, match=rf"results\.{key} "):
            result.wait(60)
        with pytest.raises(LimitExceeded):
            values(result)


def test_a_users_cap_is_not_another_users(tmp_path: Path) -> None:
    with spools(tmp_path, max_spool_per_user=BATCH_BYTES * 4) as kept:
        first = kept.collect(numbers(3), FIELDS, user="joe")
        assert first.wait(60)
        assert kept.collect(numbers(3), FIELDS, user="ann").wait(60)
        with pytest.raises(LimitExceeded):
            kept.collect(numbers(3), FIELDS, user="joe").wait(60)


def test_closing_gives_room_again(tmp_path: Path) -> None:
    with spools(tmp_path, max_spool_per_user=BATCH_BYTES * 4) as kept:
        for _ in range(5):
            result = kept.collect(numbers(3), FIELDS, user="joe")
            assert result.wait(60)
            result.close()


def test_an_error_of_the_engine_reaches_every_reader(tmp_path: Path) -> None:
    def failing() -> Iterator[pa.RecordBatch]:
        yield from numbers(2)
        raise UserError("Division by zero", code="DIVISION_BY_ZERO")

    with spools(tmp_path) as kept:
        result = kept.collect(failing(), FIELDS, user="joe")
        for attempt in (lambda: result.wait(60), lambda: values(result)):
            with pytest.raises(UserError, match="Division by zero"):
                attempt()


def test_a_wrong_answer_of_the_engine_is_our_error(tmp_path: Path) -> None:
    two = pa.RecordBatch.from_arrays([pa.array([1]), pa.array([2])], ["a", "b"])
    text = pa.RecordBatch.from_arrays([pa.array(["x"])], ["a"])
    with spools(tmp_path) as kept:
        for wrong in (two, text):
            with pytest.raises(InternalError):
                kept.collect(iter([wrong]), FIELDS, user="joe").wait(60)


def test_an_unusable_directory_is_reported(tmp_path: Path) -> None:
    with spools(tmp_path / "nowhere") as kept, pytest.raises(Unavailable, match=r"results\.spool_dir"):
        kept.collect(numbers(1), FIELDS, user="joe").wait(60)


SCRIPT = textwrap.dedent("""
    import resource, signal, sys, time
    from pathlib import Path
    import pyarrow as pa
    from sqe.errors import SqeError
    from sqe.results.result import ResultSettings, Spools
    from sqe.tree.expressions import Field
    from sqe.types.sql_types import BIGINT
    batch = pa.RecordBatch.from_arrays([pa.array(range(1000), pa.int64())], ["n"])
    kept = Spools(ResultSettings(memory_window=0, directory=Path(sys.argv[1])))
    if sys.argv[2] == "full":
        # The file may not grow as a file on a full disk may not.
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (20000, 20000))
    result = kept.collect(iter([batch] * 10), [Field(1, "n", BIGINT)], user="joe")
    try:
        result.wait()
    except SqeError as error:
        print(type(error).__name__, error, flush=True)
    else:
        print("kept", flush=True)
    if sys.argv[2] == "killed":
        time.sleep(600)
""")


@pytest.mark.faults
def test_a_full_disk_is_a_limit_with_a_hint(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path), "full"], capture_output=True, text=True
    )
    assert done.stdout.startswith("LimitExceeded the disk that results are kept on is full")
    assert "results.spool_dir" in done.stdout


@pytest.mark.faults
def test_what_a_killed_process_left_is_removed_and_what_lives_is_not(tmp_path: Path) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, str(tmp_path), "killed"], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "kept\n"
    Spools(ResultSettings(directory=tmp_path))
    assert len(list(tmp_path.glob("*/*.spool"))) == 1
    process.send_signal(signal.SIGKILL)
    process.wait(60)
    Spools(ResultSettings(directory=tmp_path))
    assert list(tmp_path.iterdir()) == []
