"""Expressions whose values are known as they stand: constants, and arrays, maps and rows of them."""

from __future__ import annotations

from typing import Any

from sqe.tree.expressions import Call, Cast, Expression, Field, Literal, Ref, transform
from sqe.types import sql_types as t


def is_constant(expression: Expression) -> bool:
    """Whether `value_of` has its value, and Arrow a type for it that engines read as ours."""
    match expression:
        case Literal():
            return not isinstance(expression.type, t.Time) and expression.type != t.YEAR_MONTH
        case Call(function="$array" | "map"):
            return all(map(is_constant, expression.arguments))
        case Call(type=t.Row(fields), function="$row"):
            return _names_differ(fields) and all(map(is_constant, expression.arguments))
        case Cast(implicit=True):
            return _keeps_values(expression.operand.type, expression.type) and is_constant(expression.operand)
    return False


def value_of(expression: Expression, type_: t.Type) -> Any:
    """The constant as a value of `type_`: a map is its pairs, a row the values by their fields' names."""
    match expression:
        case Literal(value=str(text)) if isinstance(type_, t.Char):
            return text.ljust(type_.length)
        case Literal(value=int(number)) if type_ == t.DOUBLE:
            return float(number)
        case Literal(value=value):
            return value
        case Cast(operand=operand):
            return value_of(operand, type_)
    assert isinstance(expression, Call)
    match type_:
        case t.Array(element):
            return [value_of(item, element) for item in expression.arguments]
        case t.Map(key, value):
            if not expression.arguments:
                return []
            keys, values = expression.arguments
            return list(zip(value_of(keys, t.Array(key)), value_of(values, t.Array(value)), strict=True))
        case t.Row(fields):
            pairs = enumerate(zip(fields, expression.arguments, strict=True))
            return {f.name or f"field{i}": value_of(item, f.type) for i, (f, item) in pairs}
    raise AssertionError(type_)


def _keeps_values(source: t.Type, target: t.Type) -> bool:
    """Whether a value stays what it is, and only its type is wider."""
    match source, target:
        case _, _ if source == target:
            return True
        case (t.Varchar(), t.Varchar()) | (t.TimestampTz(), t.TimestampTz()):
            return True
        case t.Array(), t.Array():
            return _keeps_values(source.element, target.element)
        case t.Map(), t.Map():
            return _keeps_values(source.key, target.key) and _keeps_values(source.value, target.value)
        case t.Row(), t.Row():
            pairs = zip(source.fields, target.fields, strict=True)
            return _names_differ(target.fields) and all(_keeps_values(a.type, b.type) for a, b in pairs)
    if source == t.UNKNOWN:
        return True
    return t.is_exact(source) and (t.is_exact(target) or (t.is_integer(source) and target == t.DOUBLE))


def _names_differ(fields: tuple[t.RowField, ...]) -> bool:
    names = [field.name or f"field{i}" for i, field in enumerate(fields)]
    return len(set(names)) == len(names)


def shape(
    row: tuple[Expression, ...],
) -> tuple[tuple[Expression, ...] | None, list[Literal]]:
    """A row's expressions with references in place of their constants, numbered from -1 down, and those
    constants. None where they contain anything but casts and operators: a function may need a constant, and
    not a column."""
    constants: list[Literal] = []

    def change(node: Any) -> Any:
        if isinstance(node, Literal):
            constants.append(node)
            return Ref(node.type, Field(-len(constants), "constant", node.type))
        if not (isinstance(node, Cast) or (isinstance(node, Call) and node.function.startswith("$"))):
            raise _Other
        return node

    try:
        return tuple(transform(expression, change) for expression in row), constants
    except _Other:
        return None, []


class _Other(Exception):
    """Neither a constant nor a cast nor an operator."""
