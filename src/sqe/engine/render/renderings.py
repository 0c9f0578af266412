"""How an engine renders functions: a table per family, from a function's name to a template or a renderer."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import cast

from sqe.engine.render.templates import fill
from sqe.functions.constants import FunctionCall
from sqe.functions.function import Function
from sqe.functions.index import FAMILY_OF
from sqe.tree.expressions import AggregateCall, Call, SortKey, WindowCall

AggregateOrWindow = AggregateCall | WindowCall
Order = Sequence[tuple[str, SortKey]]
"""The sort keys of an aggregate, each with its text."""
# Given a call and the texts of its arguments.
Renderer = Callable[[Call, Sequence[str]], str]
AggregateRenderer = Callable[[AggregateOrWindow, Sequence[str]], str]
OrderedRenderer = Callable[[AggregateOrWindow, Sequence[str], Order], str]
# A template (templates.py), or what makes one.
Rendering = str | Renderer | AggregateRenderer | OrderedRenderer

# The binder replaces these functions by constants, or by relations.
NEVER_RENDERED = ("session", "table_functions")


class Renderings:
    """One engine's tables: `package` has a module per family, which is imported with the first of its
    functions. A function with a Python body is a call of that body, unless its table says otherwise."""

    def __init__(self, package: str) -> None:
        self._package = package
        self._tables: dict[str, dict[str, Rendering]] = {}

    def find(self, function: Function) -> Rendering | None:
        rendering = self._table(FAMILY_OF[function.name]).get(function.name)
        if rendering is None and function.body is not None:
            return function.body + "({args})"
        return rendering

    def _table(self, family: str) -> dict[str, Rendering]:
        table = self._tables.get(family)
        if table is None:
            renders = family not in NEVER_RENDERED
            table = import_module(f"{self._package}.{family}").RENDERINGS if renders else {}
            self._tables[family] = table
        return table


def rendered(
    rendering: Rendering,
    function: Function,
    call: FunctionCall,
    texts: Sequence[str],
    order: Order,
) -> str:
    """The text of a call, given the texts of its arguments (and of its sort keys)."""
    if isinstance(rendering, str):
        return fill(rendering, texts)
    if isinstance(call, Call):
        return cast(Renderer, rendering)(call, texts)
    if function.ordered:
        return cast(OrderedRenderer, rendering)(call, texts, order)
    return cast(AggregateRenderer, rendering)(call, texts)
