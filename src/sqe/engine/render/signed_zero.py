"""Keeps engines from pruning by statistics of floats where a signed zero makes them wrong.

Files tell -0.0 from 0.0 in their bounds, dictionaries and Bloom filters. A comparison that this could mislead
compares `x + 0` instead, which no engine looks up: equality, except with a constant other than zero, and on
Spark order against zero. (NaN, which bounds leave out, is guarded by the comparisons themselves.)
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, TypeVar

from sqe.functions.constants import MISSING, constant
from sqe.tree.expressions import Call, Expression, InList, rebuild, walk
from sqe.tree.statements import Statement
from sqe.types.sql_types import APPROXIMATE

S = TypeVar("S", bound=Statement)
_EQUALITY = frozenset(("$eq", "$is_distinct"))
_ORDER = frozenset(("$lt", "$le", "$gt", "$ge"))
_UNGUARDED = "_numbers"


def normalize_signed_zero(statement: S, *, spark: bool) -> S:
    def change(node: Any) -> Any:
        node = rebuild(node, change)
        match node:
            case Call(function=function, arguments=(left, right)) if left.type in APPROXIMATE:
                name = function.removesuffix(_UNGUARDED)
                values = [constant(left), constant(right)]
                unsafe = name in _EQUALITY and not any(map(_is_nonzero_number, values))
                unsafe = unsafe or (name in _ORDER and spark and 0 in values)
                return replace(node, arguments=(_hidden(left), _hidden(right))) if unsafe else node
            case InList() if node.operand.type in APPROXIMATE:
                safe = all(_is_nonzero_number(constant(item)) for item in node.items)
                return node if safe else replace(node, operand=_hidden(node.operand))
        return node

    if not any(_compares_floats(node) for node in walk(statement)):
        return statement
    changed = change(statement)
    assert isinstance(changed, type(statement))
    return changed


def _compares_floats(node: Any) -> bool:
    match node:
        case Call(function=function, arguments=(left, _)):
            return left.type in APPROXIMATE and function.removesuffix(_UNGUARDED) in _EQUALITY | _ORDER
        case InList():
            return node.operand.type in APPROXIMATE
    return False


def _is_nonzero_number(value: object) -> bool:
    return isinstance(value, (int, float)) and value != 0 and value == value


def _hidden(operand: Expression) -> Expression:
    return operand if constant(operand) is not MISSING else Call(operand.type, "$plus_zero", (operand,))
