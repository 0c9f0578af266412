"""Spark's text of a call."""

from __future__ import annotations

from collections.abc import Sequence

from sqe.engine.render.renderings import Renderings, rendered
from sqe.errors import InternalError
from sqe.functions.function import Function
from sqe.tree.expressions import Expression, SortKey

_RENDERINGS = Renderings("sqe.engine.spark.functions")


def render(
    function: Function, call: Expression, texts: Sequence[str], order: Sequence[tuple[str, SortKey]] = ()
) -> str:
    rendering = _RENDERINGS.find(function)
    if rendering is None:
        raise InternalError(f"{function.name} becomes a constant when it is bound")
    return rendered(rendering, function, call, texts, order)
