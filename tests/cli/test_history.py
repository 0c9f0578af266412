"""The history file: whole statements, for its owner alone, from several shells."""

from __future__ import annotations

from pathlib import Path

import pytest

from sqe.cli.history import StatementHistory


def entries(file: Path) -> list[str]:
    return list(StatementHistory(file).load_history_strings())


def test_statements_come_back_whole_and_the_newest_first(tmp_path: Path) -> None:
    file = tmp_path / "history"
    history = StatementHistory(file)
    history.append_string("SELECT 1;")
    history.append_string("SELECT\n  '+ # x'\n\n;")
    assert entries(file) == ["SELECT\n  '+ # x'\n\n;", "SELECT 1;"]


@pytest.mark.parametrize("mode", [None, 0o644, 0o666])
def test_only_its_owner_may_read_it(tmp_path: Path, mode: int | None) -> None:
    file = tmp_path / "history"
    if mode is not None:
        file.touch()
        file.chmod(mode)
    StatementHistory(file).append_string("SELECT 1;")
    assert file.stat().st_mode & 0o777 == 0o600


def test_reading_one_that_others_may_read_closes_it(tmp_path: Path) -> None:
    file = tmp_path / "history"
    file.write_text("# then\n+SELECT 1;\n")
    file.chmod(0o644)
    assert entries(file) == ["SELECT 1;"]
    assert file.stat().st_mode & 0o777 == 0o600


def test_two_shells_keep_what_both_typed(tmp_path: Path) -> None:
    file = tmp_path / "history"
    one, other = StatementHistory(file), StatementHistory(file)
    for number in range(3):
        one.append_string(f"SELECT {number};")
        other.append_string(f"SELECT -{number};")
    assert len(entries(file)) == 6


def test_a_file_of_something_else_is_no_reason_to_fail(tmp_path: Path) -> None:
    file = tmp_path / "history"
    file.write_bytes(b"SELECT 1;\n\xff\xfe\n+x\n")
    assert entries(file) == []
    StatementHistory(file).append_string("SELECT 2;")
    assert entries(file) == ["SELECT 2;"]
    folder = StatementHistory(tmp_path)
    folder.append_string("SELECT 3;")
    assert list(folder.load_history_strings()) == []
