"""Which conditions hold for every row of a table that can matter to a query: its files are chosen by them."""

from __future__ import annotations

from collections.abc import Iterator

from sqe.engine.ranges import narrowed
from sqe.engine.render.scope import has_subquery
from sqe.tree.expressions import Expression, Ref, conjuncts, parts, walk
from sqe.tree.relations import Extend, Filter, Join, Project, Relation, Scan, Sort
from sqe.tree.statements import Query

Found = Iterator[tuple[Scan, tuple[Expression, ...]]]
# The side of a join whose rows are gone when the condition above does not hold for them.
_LEFT = ("inner", "cross", "left")
_RIGHT = ("inner", "cross", "right")


def conditions_of(query: Query) -> dict[Scan, tuple[Expression, ...]]:
    """For each scan, the terms over its own columns that filter its rows. Nothing else may be read of it."""
    return dict(_relation(query.relation, ()))


def _relation(relation: Relation, above: tuple[Expression, ...]) -> Found:
    match relation:
        case Scan():
            own = {f.id for f in relation.fields}
            yield relation, tuple(term for term in above if _reads_only(term, own))
            return
        case Filter():
            yield from _relation(relation.input, (*above, *conjuncts(narrowed(relation.condition))))
        case Project() | Extend() | Sort():
            # A field keeps its number on its way up; terms over computed ones fit no scan.
            yield from _relation(relation.input, above)
        case Join():
            on = () if relation.condition is None else tuple(conjuncts(relation.condition))
            inner = relation.kind in ("inner", "cross")
            left = above if relation.kind in _LEFT else ()
            right = above if relation.kind in _RIGHT else ()
            # ON filters the side that is not kept whole.
            yield from _relation(relation.left, (*left, *(on if inner or relation.kind == "right" else ())))
            yield from _relation(relation.right, (*right, *(on if inner or relation.kind == "left" else ())))
        case _:
            for part in parts(relation):
                yield from _below(part)
            return
    for part in parts(relation):
        if not isinstance(part, Relation):
            yield from _below(part)


def _below(node: object) -> Found:
    """The relations inside an expression, a CTE or another relation, each for itself."""
    if isinstance(node, Relation):
        yield from _relation(node, ())
        return
    for part in parts(node):  # type: ignore[arg-type]
        yield from _below(part)


def _reads_only(term: Expression, own: set[int]) -> bool:
    if has_subquery(term):
        return False
    used = {node.field.id for node in walk(term) if isinstance(node, Ref)}
    return bool(used) and used <= own
