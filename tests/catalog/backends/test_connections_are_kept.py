"""Reading a pointer is the first thing of every statement, and opens no file."""

from __future__ import annotations

import os
import sqlite3
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from sqe.catalog.backends import sqlite_pointers
from sqe.catalog.backends.sqlite_pointers import MOST_IDLE, SqlitePointers
from sqe.errors import Unavailable


@pytest.fixture
def pointers(tmp_path: Path) -> Iterator[SqlitePointers]:
    made = _of(tmp_path / "one.db")
    yield made
    made.close()


def _of(path: Path, name: str = "iceberg") -> SqlitePointers:
    return SqlitePointers(name, path, directories=(), lock_timeout=5, own=False)


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch) -> list[Path]:
    paths: list[Path] = []
    connect = sqlite_pointers._connect

    def counting(path: Path, *arguments: object, **named: object) -> sqlite3.Connection:
        paths.append(path)
        return connect(path, *arguments, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(sqlite_pointers, "_connect", counting)
    return paths


def test_reading_again_opens_nothing(pointers: SqlitePointers, opened: list[Path]) -> None:
    pointers.namespaces()
    opened.clear()
    for _ in range(20):
        pointers.namespaces()
    assert opened == []


def test_what_others_write_is_read(pointers: SqlitePointers) -> None:
    before = pointers.namespaces()
    other = _of(pointers.path)
    other.add_namespace("made_elsewhere", {"exists": "true"})
    assert pointers.namespaces() == sorted([*before, "made_elsewhere"])


def test_nothing_is_locked_between_reads(pointers: SqlitePointers) -> None:
    pointers.namespaces()
    with sqlite3.connect(pointers.path, timeout=0, isolation_level=None) as other:
        other.execute("BEGIN EXCLUSIVE")
        other.execute("ROLLBACK")
    other.close()


def test_a_file_in_the_place_of_another_is_read(pointers: SqlitePointers, tmp_path: Path) -> None:
    pointers.namespaces()
    other = _of(tmp_path / "two.db")
    other.add_namespace("of_the_other", {"exists": "true"})
    other.close()
    os.replace(other.path, pointers.path)
    assert "of_the_other" in pointers.namespaces()


def test_a_file_that_became_something_else_is_an_error(pointers: SqlitePointers, tmp_path: Path) -> None:
    pointers.namespaces()
    (tmp_path / "garbage").write_bytes(b"no database at all" * 100)
    os.replace(tmp_path / "garbage", pointers.path)
    with pytest.raises(Unavailable, match="not a SQLite database"):
        pointers.namespaces()


def test_few_are_kept_of_many(pointers: SqlitePointers) -> None:
    pointers.namespaces()
    begin = threading.Barrier(4 * MOST_IDLE)

    def read() -> None:
        begin.wait()
        for _ in range(5):
            pointers.namespaces()

    threads = [threading.Thread(target=read) for _ in range(4 * MOST_IDLE)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    held = [link for link in Path("/proc/self/fd").iterdir() if _target(link) == str(pointers.path)]
    assert 1 <= len(held) <= MOST_IDLE
    pointers.close()
    assert not [link for link in Path("/proc/self/fd").iterdir() if _target(link) == str(pointers.path)]


def _target(link: Path) -> str:
    try:
        return os.readlink(link)
    except OSError:
        return ""
