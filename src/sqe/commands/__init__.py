"""What each kind of statement does. A kind is imported when the first statement of it runs."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sqe.commands import analyze, ddl, dml, explain, fast, query, session_control, show, stats
    from sqe.commands import write_locks as turns

__all__ = ["analyze", "ddl", "dml", "explain", "fast", "query", "session_control", "show", "stats", "turns"]


def __getattr__(name: str) -> ModuleType:
    if name in __all__:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(name)
