"""Spark's text of a call."""

from __future__ import annotations

from collections.abc import Sequence

from sqe.engine.render.renderings import Order, Renderings, rendered
from sqe.errors import InternalError
from sqe.functions.constants import FunctionCall
from sqe.functions.function import Function

_RENDERINGS = Renderings("sqe.engine.spark.functions")


def render(function: Function, call: FunctionCall, texts: Sequence[str], order: Order = ()) -> str:
    rendering = _RENDERINGS.find(function)
    if rendering is None:
        raise InternalError(f"{function.name} becomes a constant when it is bound")
    return rendered(rendering, function, call, texts, order)
