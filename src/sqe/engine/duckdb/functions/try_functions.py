"""What TRY makes of functions that may fail, in DuckDB's SQL: its TRY catches its own errors, and ours are
taken out of the function's text."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from sqe.engine.duckdb.functions.rendering import render as render_function
from sqe.engine.duckdb.functions.rendering import renders
from sqe.engine.render.failures import may_fail, silenced
from sqe.engine.render.renderings import Renderer, Rendering
from sqe.engine.render.shared_renderings import require_numbers
from sqe.errors import NotSupported
from sqe.functions.bodies import TRIED
from sqe.functions.function import Function
from sqe.functions.index import FAMILIES, TRY_PREFIX
from sqe.functions.registry import lookup
from sqe.tree.expressions import Call

# Strings are passed over, so that nothing inside one is taken for SQL; a quote in one is doubled.
_TOKEN = re.compile(r"(?P<text>'(?:[^']|'')*')|(?P<name>\b[A-Za-z_0-9]+)(?=\()")


def _without_errors(text: str) -> str:
    def replacement(token: re.Match[str]) -> str:
        name: str | None = token["name"]
        if name is not None and name.startswith("sqe_"):
            return name if name.endswith(TRIED) else name + TRIED
        return "TRY_CAST" if name == "CAST" else token[0]

    guarded = _TOKEN.sub(replacement, silenced(text))
    if may_fail(guarded) or re.search(r"\berror\(", guarded):
        # TRY takes nothing that may raise on its own.
        raise NotSupported("the fast lane cannot guard this with TRY")
    return f"TRY({guarded})"


_OF_NUMBERS = ("$add", "$sub", "$mul", "$div", "$mod", "$neg")


def _tried(function: Function) -> Renderer:
    def render(call: Call, texts: Sequence[str]) -> str:
        if function.name in _OF_NUMBERS:
            require_numbers(call)
        return _without_errors(render_function(function, replace(call, function=function.name), texts))

    return render


def _renderings() -> dict[str, Rendering]:
    functions = {tried: lookup(tried.removeprefix(TRY_PREFIX)) for tried in FAMILIES["try_functions"]}
    return {tried: _tried(f) for tried, f in functions.items() if f is not None and renders(f)}


RENDERINGS: dict[str, Rendering] = _renderings()
