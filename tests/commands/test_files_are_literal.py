"""The files that policy approved are read and no others, by the names and columns that they have."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from sqe.api.connection import Connection

LITERAL = ("pub*", "q?", "[ab]", "{a,b}", "e\\*", "${user.name}", "sp ace", "pct%20", "c#h")
OTHERS = ("public", "qq", "a", "b", "e", "ex")


@pytest.fixture
def both(connection: Connection) -> Iterator[Connection]:
    yield connection
    connection.execute("RESET SESSION lane")


def rows(connection: Connection, sql: str, lane: str) -> list[tuple[object, ...]]:
    connection.execute(f"SET SESSION lane = '{lane}'")
    return connection.execute(sql).fetchall()


def write(file: Path, **columns: object) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), file)


def test_a_name_with_the_characters_of_a_pattern_is_a_name(both: Connection, tmp_path: Path) -> None:
    for name in (*LITERAL, *OTHERS):
        write(tmp_path / f"{name}.parquet", a=[name])
    for name in LITERAL:
        for lane in ("spark", "auto"):
            assert rows(both, f"SELECT * FROM '{tmp_path}/{name}.parquet'", lane) == [(name,)], (name, lane)


def test_a_pattern_is_expanded_once(both: Connection, tmp_path: Path) -> None:
    for name in ("a*", "a?", "ab", "_hidden", ".hidden"):
        write(tmp_path / "d" / f"{name}.parquet", a=[name])
    write(tmp_path / "d" / "a=7" / "part.parquet", a=["in a=7"])
    write(tmp_path / "d" / "_temporary" / "part.parquet", a=["unfinished"])
    for lane in ("spark", "auto"):
        pattern = rows(both, f"SELECT * FROM read_parquet('{tmp_path}/d/*.parquet') ORDER BY 1", lane)
        assert pattern == [("a*",), ("a?",), ("ab",)]
        directory = rows(both, f"SELECT * FROM read_parquet('{tmp_path}/d') ORDER BY 1", lane)
        assert directory == [("a*",), ("a?",), ("ab",), ("in a=7",)]


def test_policy_is_asked_for_the_file_that_is_opened(
    both: Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(tmp_path / "secret" / "s.parquet", a=["secret"])
    (tmp_path / "public").mkdir()
    (tmp_path / "public" / "link.parquet").symlink_to(tmp_path / "secret" / "s.parquet")
    (tmp_path / "public" / "up").symlink_to(tmp_path / "secret")
    asked: set[str] = set()

    def may_read_files(identity: object, paths: tuple[str, ...]) -> bool:
        asked.update(paths)
        return True

    monkeypatch.setattr(both.coordinator.policy, "may_read_files", may_read_files)
    for path in ("link.parquet", "up/s.parquet", "l*.parquet", "../public/link.parquet"):
        asked.clear()
        assert rows(both, f"SELECT * FROM '{tmp_path}/public/{path}'", "auto") == [("secret",)]
        assert str(tmp_path.resolve() / "secret" / "s.parquet") in asked
        assert not any(file.endswith("link.parquet") for file in asked)
