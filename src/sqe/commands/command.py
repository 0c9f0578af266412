"""Which command runs a kind of statement."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

from sqe.errors import InternalError
from sqe.tree import statements as s

if TYPE_CHECKING:
    from sqe.commands.running import Statement
    from sqe.coordinator import Coordinator
    from sqe.engine.plans import Plan

Command = Callable[["Statement", "Plan", "Coordinator"], None]

# Every kind of statement, and the module whose `execute` is its command.
COMMANDS: dict[type[s.Statement], str] = {
    s.Query: "query",
    s.Explain: "explain",
    **dict.fromkeys((s.Insert, s.Update, s.Delete, s.Merge), "dml"),
    **dict.fromkeys((s.CreateTable, s.DropTable, s.Alter, s.Rename), "ddl"),
    **dict.fromkeys((s.CreateSchema, s.DropSchema, s.RenameSchema, s.CreateView, s.DropView), "ddl"),
    **dict.fromkeys((s.Show, s.ShowColumns, s.ShowCreate, s.DescribeInput, s.DescribeOutput), "show"),
    s.ShowStats: "stats",
    **dict.fromkeys((s.Use, s.SetSession, s.SetTimeZone, s.Prepare, s.Deallocate), "session_control"),
    **dict.fromkeys((s.Transaction, s.SetRole, s.SetPath), "session_control"),
    s.KillQuery: "kill_query",
    s.ChangeGrants: "grants",
}


def command_for(tree: s.Statement) -> Command:
    module = COMMANDS.get(type(tree))
    if module is None:
        raise InternalError(f"no command runs a {type(tree).__name__}")
    command: Command = import_module(f"sqe.commands.{module}").execute
    return command
