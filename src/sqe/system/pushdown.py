"""Predicate push-down into system tables: one table's columns must not load a thousand tables.

What is pushed down only leaves out rows that the query would drop anyway: the filters stay where they are.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from sqe.system.patterns import literal
from sqe.tree.expressions import (
    Call,
    Cast,
    Expression,
    Field,
    InList,
    Literal,
    Node,
    Ref,
    conjuncts,
    rebuild,
    walk,
)
from sqe.tree.relations import (
    Aggregate,
    Cte,
    CteRef,
    Extend,
    Filter,
    Join,
    Project,
    Pushdown,
    SetOperation,
    Sort,
    SystemScan,
    With,
)
from sqe.types.sql_types import Varchar

# Conditions on fields, by their ids.
_Conditions = Mapping[int, tuple[Pushdown, ...]]
_NONE: _Conditions = {}


def push_down(tree: Any) -> Any:
    """The tree with each system table told what is wanted of it."""
    nodes = list(walk(tree))
    if not any(isinstance(node, SystemScan) for node in nodes):
        return tree
    uses = Counter(node.cte for node in nodes if isinstance(node, CteRef))
    return _Pushing(uses).push(tree, _NONE)


class _Pushing:
    """One way down a statement. `_of_ctes` are the conditions that the only use of a CTE has."""

    def __init__(self, uses: Mapping[int, int]) -> None:
        self._uses = uses
        self._of_ctes: dict[int, _Conditions] = {}

    def push(self, node: Any, conditions: _Conditions) -> Any:
        match node:
            case SystemScan():
                return replace(node, pushdown=_of(node, conditions))
            case Filter():
                below = _and(conditions, _demands(node.condition))
                return self._parts(node, {"input": below})
            case Project():
                return self._parts(node, {"input": _renamed(conditions, _copies(node))})
            case Extend():
                return self._parts(node, {"input": _and(conditions, _renamed(conditions, _copies(node)))})
            case Sort():
                return self._parts(node, {"input": conditions})
            case Aggregate(grouping_sets=None):
                # A group goes with its rows, whatever the others are.
                return self._parts(
                    node, {"input": _renamed(conditions, zip(node.fields, node.keys, strict=False))}
                )
            case SetOperation():
                # Rows of the two sides meet only where they are equal.
                return self._parts(
                    node,
                    {
                        "left": _renamed(conditions, zip(node.fields, node.left.fields, strict=True)),
                        "right": _renamed(conditions, zip(node.fields, node.right.fields, strict=True)),
                    },
                )
            case Join(kind="inner" | "cross" | "left" | "right"):
                return self._parts(node, _sides(node, conditions))
            case With():
                return self._with(node, conditions)
            case CteRef():
                if self._uses[node.cte] == 1:
                    self._of_ctes[node.cte] = _renamed(
                        conditions, zip(node.fields, node.columns, strict=True)
                    )
                return node
            case Node():
                return self._parts(node, {})
        return node

    def _parts(self, node: Any, conditions: Mapping[str, _Conditions]) -> Any:
        """The node with its parts pushed into; what is not named in `conditions` starts anew, as do the
        subqueries in its expressions."""
        given = {id(getattr(node, name)): known for name, known in conditions.items()}
        return rebuild(node, lambda part: self.push(part, given.get(id(part), _NONE)))

    def _with(self, node: With, conditions: _Conditions) -> With:
        pushed = self.push(node.input, conditions)
        ctes: list[Cte] = []
        # From the last: each may be the only one to use an earlier one.
        for cte in reversed(node.ctes):
            known = _NONE if cte.recursive else self._of_ctes.get(cte.id, _NONE)
            ctes.append(replace(cte, relation=self.push(cte.relation, known)))
        return replace(node, ctes=tuple(reversed(ctes)), input=pushed)


def _sides(node: Join, conditions: _Conditions) -> dict[str, _Conditions]:
    on = _demands(node.condition)
    sides = {}
    for name, kept_by in (("left", "left"), ("right", "right")):
        fields = {f.id for f in getattr(node, name).fields}
        if node.kind in ("inner", "cross"):
            known = _equal(node.condition, _and(conditions, on))
        elif node.kind == kept_by:
            # Every row of this side is kept, whatever the join's own condition says.
            known = conditions
        else:
            # A row that this side lacks becomes NULLs, which a condition from above may let pass.
            known = _equal(node.condition, _and(_without(conditions, fields), on))
        sides[name] = known
    return sides


def _of(scan: SystemScan, conditions: _Conditions) -> tuple[Pushdown, ...]:
    return tuple(
        replace(wanted, column=column)
        for field, column in zip(scan.fields, scan.columns, strict=True)
        for wanted in conditions.get(field.id, ())
    )


def _copies(node: Project | Extend) -> Iterator[tuple[Field, Field]]:
    """The columns that are others of the input under another name."""
    new = node.fields[len(node.fields) - len(node.expressions) :]
    for field, expression in zip(new, map(_bare, node.expressions), strict=True):
        if isinstance(expression, Ref):
            yield field, expression.field


def _renamed(conditions: _Conditions, pairs: Iterable[tuple[Field, Field]]) -> _Conditions:
    """What is wanted of the first of each pair, of the second, which it comes from unchanged."""
    below: dict[int, tuple[Pushdown, ...]] = {}
    for field, source in pairs:
        if field.id in conditions:
            below[source.id] = (*below.get(source.id, ()), *conditions[field.id])
    return below


def _and(one: _Conditions, other: _Conditions) -> _Conditions:
    return {i: (*one.get(i, ()), *other.get(i, ())) for i in {*one, *other}}


def _without(conditions: _Conditions, ids: set[int]) -> _Conditions:
    return {i: wanted for i, wanted in conditions.items() if i not in ids}


def _bare(expression: Expression) -> Expression:
    """Without the widening casts that binding adds. Those of char stay: they are about its blanks."""
    while (
        isinstance(expression, Cast)
        and expression.implicit
        and isinstance(expression.type, Varchar)
        and isinstance(expression.operand.type, Varchar)
    ):
        expression = expression.operand
    return expression


def _demands(condition: Expression | None) -> _Conditions:
    found: dict[int, tuple[Pushdown, ...]] = {}
    for part in conjuncts(condition):
        known = _condition(part)
        if known is not None:
            field_id, wanted = known
            found[field_id] = (*found.get(field_id, ()), wanted)
    return found


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


def _equal(condition: Expression | None, known: _Conditions) -> _Conditions:
    """With a.x = b.x, what is wanted of one is wanted of the other."""
    result = dict(known)
    for part in conjuncts(condition):
        if isinstance(part, Call) and part.function == "$eq":
            one, other = (_field(a) for a in part.arguments)
            if one is not None and other is not None:
                for source, target in ((one, other), (other, one)):
                    if source.id in known:
                        result[target.id] = (*result.get(target.id, ()), *known[source.id])
    return result


def _field(expression: Expression) -> Field | None:
    """The column of varchar that an expression is."""
    expression = _bare(expression)
    return expression.field if isinstance(expression, Ref) and isinstance(expression.type, Varchar) else None


def _text(expression: Expression) -> str | None:
    expression = _bare(expression)
    if not isinstance(expression, Literal) or not isinstance(expression.type, Varchar):
        return None
    return expression.value if isinstance(expression.value, str) else None
