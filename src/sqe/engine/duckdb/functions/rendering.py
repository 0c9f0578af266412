"""DuckDB's text of a call."""

from __future__ import annotations

from collections.abc import Sequence

from sqe.engine.render.renderings import Order, Renderings, rendered
from sqe.errors import NotSupported
from sqe.functions.constants import FunctionCall
from sqe.functions.function import Function
from sqe.functions.registry import functions

_RENDERINGS = Renderings("sqe.engine.duckdb.functions")


def render(function: Function, call: FunctionCall, texts: Sequence[str], order: Order = ()) -> str:
    rendering = _RENDERINGS.find(function)
    if rendering is None:
        raise NotSupported(f"the fast lane does not have {function.name}")
    return rendered(rendering, function, call, texts, order)


def renders(function: Function) -> bool:
    return _RENDERINGS.find(function) is not None


def names() -> list[str]:
    """Everything that the fast lane renders, operators and what TRY makes of functions too."""
    return sorted(function.name for function in functions() if renders(function))
