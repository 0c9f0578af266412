"""The SQL of docs runs as it stands there."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from sqe.api.connection import Connection
from sqe.sql.split import split

ROOT = Path(__file__).parent.parent.parent
# README's examples are checked with what they print, in test_first_five_minutes.py.
CANDIDATES = tuple((ROOT / "docs").rglob("*.md"))
# What several users say to each other is tried in test_policy_page.py.
PAGES = [page for page in CANDIDATES if "```sql" in page.read_text() and page.name != "policy.md"]


@pytest.mark.spark
@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_statement_of_the_page(page: Path, connect: Callable[..., Connection]) -> None:
    blocks = re.findall(r"```sql\n(.*?)```", page.read_text(), re.DOTALL)
    connection = connect(memory=True)
    for block in blocks:
        for statement in split(block):
            cursor = connection.execute(statement.text)
            if cursor.description is not None:
                cursor.fetchall()
