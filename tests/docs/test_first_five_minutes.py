"""README's first five minutes: each example runs as it stands there, and prints what stands below it."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import sqe
from sqe.api.connection import Connection
from sqe.cli.output import write_result
from sqe.sql.split import split

ROOT = Path(__file__).parent.parent.parent
_BLOCK = re.compile(r"```(\w*)\n(.*?)```", re.DOTALL)
# The one thing that differs from run to run.
_SNAPSHOT = re.compile(r"(?<=FOR VERSION AS OF )\d+")


def examples() -> list[tuple[str, str, str | None]]:
    """(language, text, what is printed below it)"""
    blocks = _BLOCK.findall((ROOT / "README.md").read_text())
    found: list[tuple[str, str, str | None]] = []
    for language, text in blocks:
        if language:
            found.append((language, text, None))
        elif found and found[-1][0] in ("sql", "python"):
            found[-1] = (*found[-1][:2], text)
    return found


def printed(connection: Connection, sql: str) -> Iterator[str]:
    """What the command prints for each statement that has rows."""
    for statement in split(sql):
        text = statement.text
        if _SNAPSHOT.search(text):
            snapshots = 'SELECT min_by(snapshot_id, committed_at) FROM shop."orders$snapshots"'
            text = _SNAPSHOT.sub(str(connection.execute(snapshots).fetchall()[0][0]), text)
        cursor = connection.execute(text)
        if cursor.columns is not None:
            parts: list[str] = []
            write_result("table", cursor.columns, cursor.fetch_record_batches(), parts.append)
            yield "".join(parts)


@pytest.mark.spark
def test_the_sql(connect: Callable[..., Connection], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    connection = connect(memory=True)
    shown = 0
    for language, text, below in examples():
        if language == "sql":
            outputs = list(printed(connection, text))
            if below is not None:
                assert outputs[-1] == below
                shown += 1
    assert shown == 4


@pytest.mark.spark
def test_the_python(
    capsys: pytest.CaptureFixture[str], connect: Callable[..., Connection], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqe, "connect", connect, raising=False)
    ((_, text, below),) = [e for e in examples() if e[0] == "python"]
    exec(text, {})
    assert capsys.readouterr().out == below
