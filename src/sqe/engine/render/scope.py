"""What expressions and relations refer to."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sqe.tree.expressions import (
    Exists,
    Expression,
    Field,
    InSubquery,
    Quantified,
    Ref,
    ScalarSubquery,
    parts,
    walk,
)
from sqe.tree.relations import Relation

SUBQUERIES = (ScalarSubquery, Exists, InSubquery, Quantified)


def references(nodes: Iterable[Any]) -> frozenset[int]:
    """The numbers of all fields that are looked at, by subqueries too."""
    return frozenset(n.field.id for node in nodes for n in walk(node) if isinstance(n, Ref))


def free(node: Any) -> dict[int, Field]:
    """The fields that a node refers to and that nothing inside it produces: an expression's inputs, a
    subquery's correlated references."""
    used: dict[int, Field] = {}
    own_ids: set[int] = set()
    for part in walk(node):
        if isinstance(part, Ref):
            used[part.field.id] = part.field
        elif isinstance(part, Relation):
            own_ids.update(f.id for f in part.fields)
    return {i: f for i, f in used.items() if i not in own_ids}


def own_nodes(expression: Expression) -> Iterable[Any]:
    """The expression and its parts, without what is inside subqueries."""
    stack: list[Any] = [expression]
    while stack:
        node = stack.pop()
        yield node
        stack.extend(p for p in parts(node) if not isinstance(p, Relation))


def has_subquery(expression: Any) -> bool:
    return any(isinstance(node, SUBQUERIES) for node in walk(expression))
