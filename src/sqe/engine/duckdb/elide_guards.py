"""Leaves out of a query what the bounds of its columns prove unneeded: tests for zero and NaN, wide decimals.

A call becomes one of an internal function with the same answer and less work: see functions/internal.py.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sqe.engine.duckdb.bounds import Bounds, Range, of_type
from sqe.tree import expressions as e
from sqe.tree.statements import Query
from sqe.types import sql_types as t

_COMPARISONS = frozenset(("$eq", "$ne", "$lt", "$le", "$gt", "$ge"))
# DuckDB keeps decimals of so many digits in 64 bits.
_NARROW = 18


def elide_guards(query: Query, bounds: Bounds) -> Query:
    def change(node: Any) -> Any:
        if isinstance(node, e.Call):
            node = replace(node, function=_cheaper(node, bounds))
        elif isinstance(node, e.Case) and _fits(node, bounds.of(node)):
            narrow = tuple((condition, _narrowed(value)) for condition, value in node.whens)
            default = None if node.default is None else _narrowed(node.default)
            node = replace(node, whens=narrow, default=default)
        elif isinstance(node, e.AggregateCall) and node in bounds.small_sums:
            node = replace(node, function="$sum_small", arguments=(_summed(node.arguments[0], bounds),))
        return e.rebuild(node, change)

    changed = change(query)
    assert isinstance(changed, Query)
    return changed


def _cheaper(call: e.Call, bounds: Bounds) -> str:
    name = call.function
    match name:
        case "$div" | "$mod" if t.is_integer(call.type):
            # Not negative either: the smallest number has no positive twin.
            low = bounds.of(call.arguments[1]).low
            return f"{name}_positive" if low is not None and low > 0 else name
        case "$add" | "$sub" | "$mul" if isinstance(call.type, t.Decimal) and call.type.precision > _NARROW:
            operands = [bounds.of(a) for a in call.arguments]
            return f"{name}_narrow" if _is_narrow(call, operands, bounds.of(call)) else name
        case _ if name in _COMPARISONS and call.arguments[0].type in t.APPROXIMATE:
            return name if any(bounds.of(a).nan for a in call.arguments) else f"{name}_numbers"
    return name


def _summed(argument: e.Expression, bounds: Bounds) -> e.Expression:
    """Without the cast to bigint, which hides sum(x + 1) from DuckDB: it sums x and counts. An x + 1 that may
    overflow has to be computed."""
    if not (isinstance(argument, e.Cast) and argument.implicit and t.is_integer(argument.operand.type)):
        return argument
    range_, limits = bounds.of(argument.operand), of_type(argument.operand.type)
    if range_.low is None or range_.high is None or limits.low is None or limits.high is None:
        return argument
    return argument.operand if limits.low <= range_.low and range_.high <= limits.high else argument


def _fits(node: e.Expression, range_: Range) -> bool:
    """Whether 18 digits hold a value of a wider type."""
    if not isinstance(node.type, t.Decimal) or node.type.precision <= _NARROW:
        return False
    return range_.largest is not None and range_.largest < 10 ** (_NARROW - node.type.scale)


def _narrowed(node: e.Expression) -> e.Expression:
    return e.Call(node.type, "$narrow", (node,))


def _is_narrow(call: e.Call, operands: list[Range], result: Range) -> bool:
    """Whether 18 digits hold both operands, at their scale, and the result. A sum's operands get a digit less
    and the scale of the result."""
    assert isinstance(call.type, t.Decimal)
    digits = _NARROW if call.function == "$mul" else _NARROW - 1
    for argument, operand in zip(call.arguments, operands, strict=True):
        scale = t.as_decimal(argument.type).scale if call.function == "$mul" else call.type.scale
        if operand.largest is None or operand.largest >= 10 ** (digits - scale):
            return False
    return result.largest is not None and result.largest < 10 ** (_NARROW - call.type.scale)
