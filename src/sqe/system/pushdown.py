"""Predicate push-down into system tables: listing one table's columns must not load a thousand tables."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

from sqe.system.patterns import literal
from sqe.tree.expressions import Call, Expression, Field, InList, Literal, Ref, transform, walk
from sqe.tree.pushdown import bare, conditions_by_scan
from sqe.tree.relations import Pushdown, SystemScan
from sqe.types.sql_types import Varchar


def push_down(tree: Any) -> Any:
    """The tree with the predicates that each system table may use."""
    if not any(isinstance(node, SystemScan) for node in walk(tree)):
        return tree
    conditions = conditions_by_scan(tree)

    def change(node: Any) -> Any:
        if not isinstance(node, SystemScan):
            return node
        return replace(node, pushdown=tuple(_pushdown(node, conditions.get(node, ()))))

    return transform(tree, change)


def _pushdown(scan: SystemScan, conditions: Iterable[Expression]) -> Iterator[Pushdown]:
    columns = {field.id: column for field, column in zip(scan.fields, scan.columns, strict=True)}
    for condition in conditions:
        pair = _condition(condition)
        if pair is not None:
            field_id, pushdown = pair
            yield replace(pushdown, column=columns[field_id])


def _condition(part: Expression) -> tuple[int, Pushdown] | None:
    if isinstance(part, InList):
        field, values = _field(part.operand), [_text(item) for item in part.items]
        if field is not None and None not in values:
            return field.id, Pushdown(field.name, values=frozenset(v for v in values if v is not None))
    elif isinstance(part, Call) and part.function == "$eq":
        for one, other in (part.arguments, part.arguments[::-1]):
            field, text = _field(one), _text(other)
            if field is not None and text is not None:
                return field.id, Pushdown(field.name, values=frozenset((text,)))
    elif isinstance(part, Call) and part.function in ("$like", "$like_escape"):
        return _like(part)
    return None


def _like(part: Call) -> tuple[int, Pushdown] | None:
    field, texts = _field(part.arguments[0]), [_text(a) for a in part.arguments[1:]]
    pattern, escape = texts[0], texts[1] if len(texts) > 1 else None
    if field is None or pattern is None or None in texts:
        return None
    exact = literal(pattern, escape)
    if exact is not None:
        return field.id, Pushdown(field.name, values=frozenset((exact,)))
    return field.id, Pushdown(field.name, patterns=((pattern, escape),))


def _field(expression: Expression) -> Field | None:
    """The varchar column that an expression is."""
    expression = bare(expression)
    return expression.field if isinstance(expression, Ref) and isinstance(expression.type, Varchar) else None


def _text(expression: Expression) -> str | None:
    expression = bare(expression)
    if not isinstance(expression, Literal) or not isinstance(expression.type, Varchar):
        return None
    return expression.value if isinstance(expression.value, str) else None
