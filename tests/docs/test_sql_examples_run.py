"""The SQL of README and docs runs as it stands there."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

import sqe
from sqe.connection import Connection
from sqe.sql.split import split

ROOT = Path(__file__).parent.parent.parent
CANDIDATES = (ROOT / "README.md", *(ROOT / "docs").rglob("*.md"))
PAGES = [page for page in CANDIDATES if "```sql" in page.read_text()]


@pytest.mark.spark
@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_statement_of_the_page(page: Path, connect: Callable[..., Connection]) -> None:
    blocks = re.findall(r"```sql\n(.*?)```", page.read_text(), re.DOTALL)
    connection = connect(memory=True)
    for block in blocks:
        for statement in split(block):
            connection.execute(statement.text).fetchall()


@pytest.mark.spark
def test_the_python_of_the_readme(
    capsys: pytest.CaptureFixture[str], connect: Callable[..., Connection], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sqe, "connect", connect, raising=False)
    (block,) = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(), re.DOTALL)
    exec(block, {})
    assert capsys.readouterr().out == "[(42,)]\n"
