"""How an engine says functions: a table a family, from a function's name to a template or a renderer."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from importlib import import_module

from sqe.functions.function import Function
from sqe.functions.index import FAMILY_OF
from sqe.tree.expressions import Expression, SortKey

# (call, texts) -> text, or (call, texts, order) -> text for an ordered aggregate.
Renderer = Callable[..., str]
# A template has places {0} {1} … and {args}. Aggregates and window functions leave the markers {distinct} and
# {over} in their text, those for DuckDB also {nulls} where IGNORE NULLS may stand.
Rendering = str | Renderer

# The binder puts constants in their place.
_NEVER_RENDERED = "session"


class Renderings:
    """One engine's tables: `package` has a module a family, which is imported with the first of its
    functions. A function with a Python body is a call of that, unless its table says otherwise."""

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
            renders = family != _NEVER_RENDERED
            table = import_module(f"{self._package}.{family}").RENDERINGS if renders else {}
            self._tables[family] = table
        return table


def rendered(
    rendering: Rendering,
    function: Function,
    call: Expression,
    texts: Sequence[str],
    order: Sequence[tuple[str, SortKey]],
) -> str:
    """The text of a call, given the texts of its arguments (and of its sort keys)."""
    if isinstance(rendering, str):
        return fill(rendering, texts)
    return rendering(call, texts, order) if function.ordered else rendering(call, texts)


_PLACEHOLDER = re.compile(r"\{(\d+|args)\}")


def fill(template: str, texts: Sequence[str]) -> str:
    def text(place: re.Match[str]) -> str:
        return ", ".join(texts) if place[1] == "args" else texts[int(place[1])]

    return _PLACEHOLDER.sub(text, template)
