"""docs/promises.md and SECURITY.md: every row is complete, and every test that it names exists."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
TABLE = [line for line in (ROOT / "docs" / "promises.md").read_text().splitlines() if line.startswith("| ")][
    1:
]
ROWS = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line.strip("|"))] for line in TABLE]
SEEDS = {"000", "001", "002", "003", "004"}


@pytest.mark.parametrize("row", ROWS, ids=[row[0][:60] for row in ROWS])
def test_a_row(row: list[str]) -> None:
    assert len(row) == 3, "promise | seed | shown by"
    promise, seed, shown = row
    assert promise
    assert seed in SEEDS
    if shown == "not yet":
        return
    for node in shown.split(", "):
        assert defines(node), f"there is no test {node}"


def test_every_seed_is_covered_and_no_row_is_there_twice() -> None:
    assert {row[1] for row in ROWS} == SEEDS
    assert len({(row[0], row[1]) for row in ROWS}) == len(ROWS) > 100


def test_what_security_rests_on_is_tested() -> None:
    lines = (ROOT / "SECURITY.md").read_text().splitlines()
    first = lines.index("| boundary | against | what holds it | tested by |") + 2
    rows = [line.strip("| ").split(" | ") for line in lines[first : lines.index("", first)]]
    assert len(rows) > 15
    for row in rows:
        assert all(defines(node) for node in row[-1].split(", ")), row[-1]


def defines(node: str) -> bool:
    path, *names = node.split("::")
    file = ROOT / path
    if not names or not file.is_file():
        return False
    classes = {}
    tree = ast.parse(file.read_text())
    for definition in ast.walk(tree):
        if isinstance(definition, ast.ClassDef):
            classes[definition.name] = definition
    if len(names) == 1:
        return names[0] in functions(tree)
    # A conformance suite is inherited from a file beside the test.
    return names[0] in classes and (
        names[1] in functions(classes[names[0]])
        or any(names[1] in methods_of_suites(beside) for beside in file.parent.glob("*conformance*.py"))
    )


def functions(tree: ast.Module | ast.ClassDef) -> set[str]:
    return {node.name for node in tree.body if isinstance(node, ast.FunctionDef)}


def methods_of_suites(file: Path) -> set[str]:
    classes = [node for node in ast.parse(file.read_text()).body if isinstance(node, ast.ClassDef)]
    return {name for suite in classes for name in functions(suite)}
