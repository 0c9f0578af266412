"""What is closed stays closed, says so, and makes no noise."""

from __future__ import annotations

import gc
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import sqe
from sqe.engine.spark.jars import default_cache

Connect = Callable[..., sqe.Connection]


def refuses(use: Callable[[], Any], what: str) -> None:
    with pytest.raises(sqe.InterfaceError, match=f"the {what} is closed"):
        use()


def test_a_closed_cursor(tmp_path: Path) -> None:
    with sqe.connect(warehouse=tmp_path) as connection:
        with connection.cursor() as cursor:
            cursor.execute("CREATE TABLE t (a integer)")
        cursor.close()
        assert cursor.closed and not connection.closed
        for use in (cursor.fetchone, cursor.fetchmany, cursor.fetchall, cursor.fetch_arrow_table):
            refuses(use, "cursor")
        refuses(lambda: cursor.execute("SELECT 1"), "cursor")
        refuses(lambda: cursor.executemany("SELECT 1", []), "cursor")
        refuses(lambda: next(cursor), "cursor")


def test_a_closed_connection(tmp_path: Path) -> None:
    connection = sqe.connect(warehouse=tmp_path)
    cursor = connection.cursor()
    connection.close()
    connection.close()
    assert connection.closed and cursor.closed
    for use in (connection.cursor, connection.commit, connection.rollback):
        refuses(use, "connection")
    refuses(lambda: connection.execute("SELECT 1"), "connection")
    refuses(lambda: cursor.execute("SELECT 1"), "connection")
    refuses(cursor.fetchall, "connection")
    cursor.close()
    assert repr(connection) == "<sqe.Connection, closed>" and repr(cursor) == "<sqe.Cursor, closed>"


def test_a_client_that_goes_away_after_the_end_is_no_failure(tmp_path: Path) -> None:
    """A server cancels a lost client's statement, also while it closes."""
    with sqe.connect(warehouse=tmp_path) as connection:
        connection.execute("SELECT 1").fetchall()
        coordinator = connection.coordinator
    assert coordinator.lanes
    coordinator.cancel("a statement that has ended")
    assert not coordinator.spark.started


def test_nothing_to_fetch(tmp_path: Path) -> None:
    with sqe.connect(warehouse=tmp_path) as connection:
        cursor = connection.cursor()
        uses = (cursor.fetchone, cursor.fetchmany, cursor.fetchall, cursor.fetch_arrow_table, cursor.df)
        for use in uses:
            with pytest.raises(sqe.InterfaceError, match="no statement was executed"):
                use()
        cursor.execute("CREATE TABLE t (a integer)")
        for use in uses:
            with pytest.raises(sqe.InterfaceError, match="returns no rows"):
                use()


@pytest.mark.spark
def test_a_dropped_cursor_frees_its_rows(connect: Connect, tmp_path: Path) -> None:
    config = tmp_path / "sqe.toml"
    spool = tmp_path / "spool"
    spool.mkdir()
    config.write_text(f"[results]\nmemory_window = '0B'\nspool_dir = '{spool}'\n")
    connection = connect(memory=True, config=config)
    for _ in range(3):
        connection.execute("SELECT * FROM TABLE(sequence(1, 100))").fetchall()
        gc.collect()
        assert len(list(spool.rglob("*.spool"))) == 1
    connection.cursor()
    assert list(spool.rglob("*.spool")) == []


@pytest.mark.spark
def test_a_reader_keeps_what_it_reads(connect: Connect) -> None:
    connection = connect(memory=True)
    reader = connection.execute("SELECT * FROM TABLE(sequence(1, 100)) AS t (n)").fetch_record_batches()
    gc.collect()
    connection.execute("SELECT 1").fetchall()
    assert reader.read_all().num_rows == 100


def process(code: str, *options: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *options, "-c", code],
        capture_output=True,
        text=True,
        timeout=300,
        env={
            "PYTHONPATH": str(Path(sqe.__file__).parent.parent),
            "PATH": "/usr/bin:/bin",
            "SQE_CACHE_DIR": str(default_cache()),
        },
    )


@pytest.mark.parametrize(
    "end",
    ["", "del c", "del c; import gc; gc.collect()", "c.close()", "sys.exit()", "k = c.cursor(); k.c = k"],
)
def test_connections_that_nobody_closes_make_no_noise(tmp_path: Path, end: str) -> None:
    done = process(
        f"import sys, sqe\nc = sqe.connect(warehouse={str(tmp_path)!r})\n"
        f"c.execute('CREATE TABLE t (a integer)')\n"
        f"try: c.execute('SELECT b FROM t')\nexcept sqe.Error as e: print(e.code)\n{end}\n",
        *("-X", "dev"),
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "COLUMN_NOT_FOUND\n", "")


@pytest.mark.spark
def test_spark_ends_with_a_connection_that_nobody_closes(tmp_path: Path) -> None:
    done = process(
        "import gc, time, sqe\nc = sqe.connect(memory=True)\nspark = c.coordinator.spark\n"
        "c.execute(\"SET SESSION lane = 'spark'\")\n"
        "cursor = c.execute('SELECT 1'); print(cursor.fetchall(), spark.started)\n"
        "del cursor, c; gc.collect()\n"
        "for _ in range(300):\n  if not spark.started: break\n  time.sleep(0.1)\n"
        "print(spark.started)\n"
        "c = sqe.connect(memory=True); print(c.execute('SELECT 2').fetchall())"
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "[(1,)] True\nFalse\n[(2,)]\n"
