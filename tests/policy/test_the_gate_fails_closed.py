"""Whatever is not a clear answer denies, and nobody but the policy says that a table was secured."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import sqe
from sqe.bind.binder import Binder
from sqe.coordinator import Coordinator
from sqe.errors import InternalError
from sqe.policy.decision import Decision
from sqe.policy.secure import Guard
from sqe.session import Identity
from sqe.tree.relations import TableName

ROOT = Path(sqe.__file__).parent
TABLE = TableName("lake", ("hr",), "salaries")
# What the policy decides with, and others must not decide by.
OF_THE_GATE = {"decide", "restricts", "row_filters", "masks", "restricted"}


class Says:
    """A policy with one answer to everything."""

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def table(self, identity: Identity, table: TableName) -> Decision:
        return self.answer  # type: ignore[no-any-return]

    def may_read_files(self, identity: Identity, paths: Sequence[str]) -> bool:
        return self.answer  # type: ignore[no-any-return]

    def may_place(self, identity: Identity, location: str) -> bool:
        return self.answer  # type: ignore[no-any-return]


@pytest.mark.parametrize("answer", [None, True, "allow", {}, object()])
def test_an_answer_that_is_no_decision_denies(answer: object) -> None:
    guard = Guard(Says(answer), Identity("joe"))
    for question in (guard.exists, guard.sees_all_of, guard.sees_all_columns_of):
        with pytest.raises(InternalError):
            question(TABLE)


@pytest.mark.parametrize("answer", [None, 1, "yes", {"allow": True}])
def test_what_is_not_true_allows_no_file_and_no_place(answer: object) -> None:
    guard = Guard(Says(answer), Identity("joe"))
    assert not guard.may_read_files(("/data/x.parquet",))
    assert not guard.may_place("/data/x")


def test_an_error_of_the_policy_is_not_an_answer() -> None:
    class Breaks(Says):
        def table(self, identity: Identity, table: TableName) -> Decision:
            raise TimeoutError

    guard = Guard(Breaks(None), Identity("joe"))
    for _ in range(2):
        with pytest.raises(TimeoutError):
            guard.exists(TABLE)


def test_nothing_is_allowed_by_leaving_it_out() -> None:
    for make in (
        lambda: Decision(),  # type: ignore[call-arg]
        lambda: Decision(masks={}),  # type: ignore[call-arg]
        lambda: Binder("", None, None),  # type: ignore[call-arg, arg-type]
        lambda: Coordinator(None, None),  # type: ignore[call-arg, arg-type]
    ):
        with pytest.raises(TypeError):
            make()


def _uses() -> list[str]:
    uses = []
    for file in ROOT.rglob("*.py"):
        name = file.relative_to(ROOT).as_posix()
        if name.startswith("policy/") or name.endswith("_pb2.py"):
            continue
        for node in ast.walk(ast.parse(file.read_text())):
            if isinstance(node, ast.Attribute) and node.attr in OF_THE_GATE:
                uses.append(f"{name}:{node.lineno} {ast.unparse(node)}")
            if isinstance(node, ast.keyword) and node.arg == "secured":
                uses.append(f"{name}:{node.value.lineno} secured=")
    return uses


def test_only_the_policy_decides_and_secures() -> None:
    # `Question.restricted` is what the guard said of the statement as a whole.
    assert [use for use in _uses() if not use.endswith(("question.restricted",))] == []
