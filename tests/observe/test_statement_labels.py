"""Every kind of statement has a name in metrics and logs, and what users write adds none."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

import pytest

from sqe.commands.command import COMMANDS
from sqe.tree import changes as c
from sqe.tree import statements as s
from sqe.tree.labels import LABELS, OTHER
from sqe.tree.relations import TableName

TABLE = TableName("lake", ("sales",), "orders")


@pytest.mark.parametrize("kind", COMMANDS, ids=lambda kind: kind.__name__)
def test_every_statement_has_one(kind: type[Any]) -> None:
    known: dict[type[s.Statement], s.Statement] = {
        s.Transaction: s.Transaction("start"),
        s.Show: s.Show("tables"),
        s.ShowCreate: s.ShowCreate("view", TABLE),
        s.Alter: s.Alter(TABLE, c.DropColumn(("a",))),
    }
    statement = known.get(kind) or kind(*(None for _ in fields(kind)))
    assert statement.label in LABELS - {OTHER}


@pytest.mark.parametrize(
    ("statement", "expected"),
    [
        (s.Show("schemas"), "showschemas"),
        (s.Transaction("start"), "begin"),
        (s.Transaction("rollback"), "rollback"),
        (s.Alter(TABLE, c.RenameColumn(("a",), "b")), "altertable"),
        (s.Alter(TABLE, c.SetComment("x")), "comment"),
        (s.Alter(TABLE, c.SetProperties((("a", "b"),))), "altertableprops"),
        (s.Rename(TABLE, TABLE, view=True), "rename"),
        (s.CreateTable(TABLE, ()), "createtable"),
        (s.SetSession("a", None), "utility"),
    ],
)
def test_a_label(statement: s.Statement, expected: str) -> None:
    assert statement.label == expected
