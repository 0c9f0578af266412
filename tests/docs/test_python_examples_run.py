"""The Python of docs/ runs as it stands there, and so do the examples."""

from __future__ import annotations

import re
import runpy
from collections.abc import Callable
from pathlib import Path

import pytest

import sqe

ROOT = Path(__file__).parent.parent.parent
PAGES = [page for page in (ROOT / "docs").rglob("*.md") if "```python" in page.read_text()]
Connect = Callable[..., sqe.Connection]

pytestmark = pytest.mark.spark


@pytest.fixture(autouse=True)
def _shared_spark(connect: Connect, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sqe, "connect", connect, raising=False)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(ROOT)))
def test_every_block_of_the_page(page: Path) -> None:
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(), re.DOTALL)
    names: dict[str, object] = {}
    for block in blocks:
        exec(block, names)


def test_first_steps(capsys: pytest.CaptureFixture[str]) -> None:
    runpy.run_path(str(ROOT / "examples" / "first_steps.py"), run_name="__main__")
    assert capsys.readouterr().out.splitlines() == [
        "3 orders",
        "region varchar, orders bigint, total decimal(38,2)",
        "EU: 2 for 42.50",
        "US: 1 for 7.25",
        "then ('EU',) now ('APAC',)",
        " id amount        tags",
        "  1  12.50       [new]",
        "  2   7.25          []",
        "  3  30.00 [new, gift]",
        "COLUMN_NOT_FOUND at 1:8: did you mean 'amount'?",
    ]
