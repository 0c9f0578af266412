"""Predicate push-down: which conditions hold for every row of a table that can matter to the query above it.

Nothing is moved: the filters stay where they are. A reader may leave out what the conditions exclude.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from sqe.foundation.record import record
from sqe.tree.expressions import (
    Call,
    Cast,
    Expression,
    Field,
    Node,
    Ref,
    Relation,
    conjuncts,
    parts,
    transform,
    walk,
)
from sqe.tree.relations import (
    Aggregate,
    CteRef,
    Extend,
    Filter,
    Join,
    Project,
    Scan,
    SetOperation,
    Sort,
    SystemScan,
    With,
)
from sqe.types.sql_types import TimestampTz, Varchar, holds_floats


@record
class Term:
    """A condition, and the numbers of the columns that it reads."""

    expression: Expression
    columns: frozenset[int]


Terms = tuple[Term, ...]
# The field of the input that a field is a copy of, by the number of the copy.
_Copies = Mapping[int, Field]


def conditions_by_scan(tree: Node) -> dict[Scan | SystemScan, tuple[Expression, ...]]:
    """For each table, the conditions over its own columns that every row has to pass."""
    uses = Counter(node.cte for node in walk(tree) if isinstance(node, CteRef))
    walker = _Walker(uses)
    walker.visit(tree, ())
    return {scan: tuple(term.expression for term in terms) for scan, terms in walker.terms.items()}


class _Walker:
    """One walk down a statement. `_of_ctes` are the terms above the only use of a CTE."""

    def __init__(self, uses: Mapping[int, int]) -> None:
        self.terms: dict[Scan | SystemScan, Terms] = {}
        self._uses = uses
        self._of_ctes: dict[int, Terms] = {}

    def visit(self, node: Node, above: Terms) -> None:
        """`above` holds for the rows of `node`; its other parts, subqueries too, start anew."""
        match node:
            case Scan() | SystemScan():
                self._scan(node, above)
            case Filter():
                self._inputs(node, (node.input, (*above, *_terms(node.condition))))
            case Project():
                self._inputs(node, (node.input, _renamed(above, _copies(node))))
            case Extend():
                copies = {**_same(node.input.fields), **_copies(node)}
                self._inputs(node, (node.input, _renamed(above, copies)))
            case Sort():
                self._inputs(node, (node.input, above))
            case Aggregate(grouping_sets=None):
                # A term over the keys passes or drops whole groups.
                keys = _paired(node.fields[: len(node.keys)], node.keys)
                self._inputs(node, (node.input, _renamed(above, keys)))
            case SetOperation():
                # Rows of the two sides meet only where they are equal.
                left = _renamed(above, _paired(node.fields, node.left.fields))
                right = _renamed(above, _paired(node.fields, node.right.fields))
                self._inputs(node, (node.left, left), (node.right, right))
            case Join(kind="inner" | "cross" | "left" | "right"):
                self._inputs(node, *_sides(node, above))
            case With():
                self._with(node, above)
            case CteRef():
                if self._uses[node.cte] == 1:
                    self._of_ctes[node.cte] = _renamed(above, _paired(node.fields, node.columns))
            case _:
                self._inputs(node)

    def _inputs(self, node: Node, *inputs: tuple[Relation, Terms]) -> None:
        for relation, terms in inputs:
            self.visit(relation, terms)
        visited = [relation for relation, _ in inputs]
        for relation in _relations_below(node):
            if not any(relation is input for input in visited):
                self.visit(relation, ())

    def _with(self, node: With, above: Terms) -> None:
        self.visit(node.input, above)
        # From the last: each may be the only one to use an earlier one.
        for cte in reversed(node.ctes):
            self.visit(cte.relation, () if cte.recursive else self._of_ctes.get(cte.id, ()))

    def _scan(self, scan: Scan | SystemScan, above: Terms) -> None:
        own = {field.id for field in scan.fields}
        terms = tuple(term for term in above if term.columns and term.columns <= own)
        if scan in self.terms:
            # It stands in the tree twice, and is read once.
            terms = tuple(term for term in self.terms[scan] if term in terms)
        self.terms[scan] = terms


def bare(expression: Expression) -> Expression:
    """Without the widening casts that binding adds. Those of char stay: they are about its blanks."""
    while (
        isinstance(expression, Cast)
        and expression.implicit
        and isinstance(expression.type, Varchar)
        and isinstance(expression.operand.type, Varchar)
    ):
        expression = expression.operand
    return expression


def _terms(condition: Expression | None) -> Terms:
    """The conjuncts of a condition, without those that contain a query: they are not about one row."""
    return tuple(
        Term(conjunct, frozenset(node.field.id for node in walk(conjunct) if isinstance(node, Ref)))
        for conjunct in conjuncts(condition)
        if not any(isinstance(node, Relation) for node in walk(conjunct))
    )


def _relations_below(node: Node) -> Iterator[Relation]:
    """The outermost relations in a node's parts. Expressions may be deep: no recursion."""
    stack = parts(node)
    while stack:
        part = stack.pop()
        if isinstance(part, Relation):
            yield part
        else:
            stack.extend(parts(part))


def _sides(node: Join, above: Terms) -> Iterator[tuple[Relation, Terms]]:
    on = _terms(node.condition)
    for kind, side in (("left", node.left), ("right", node.right)):
        if node.kind in ("inner", "cross"):
            yield side, _with_equals((*above, *on), (*above, *on))
        elif node.kind == kind:
            # Every row of this side is kept, whatever the join's own condition says.
            yield side, above
        else:
            # A row that this side lacks becomes NULLs, which a term from above may let pass.
            own = _same(side.fields).keys()
            others = tuple(term for term in above if not term.columns & own)
            yield side, _with_equals((*others, *on), on)


def _with_equals(terms: Terms, equalities: Terms) -> Terms:
    """With a.x = b.x, what holds for one holds for the other."""
    pairs = [pair for term in equalities if (pair := _equal(term.expression)) is not None]
    pairs += [(other, one) for one, other in pairs]
    moved = (
        _substituted(term, {source.id: target})
        for source, target in pairs
        for term in terms
        if term.columns == {source.id}
    )
    return (*terms, *moved)


def _equal(term: Expression) -> tuple[Field, Field] | None:
    """The two columns of `a = b`, where equal values are one value."""
    match term:
        case Call(function="$eq", arguments=(left, right)):
            one, other = bare(left), bare(right)
            if isinstance(one, Ref) and isinstance(other, Ref) and _interchangeable(one.field, other.field):
                return one.field, other.field
    return None


def _interchangeable(one: Field, other: Field) -> bool:
    if holds_floats(one.type) or isinstance(one.type, TimestampTz):
        # 0.0 and -0.0 are equal and two values, and so is one instant in two zones.
        return False
    return one.type == other.type or (isinstance(one.type, Varchar) and isinstance(other.type, Varchar))


def _copies(node: Project | Extend) -> _Copies:
    """The columns that are columns of the input under another name."""
    new = node.fields[len(node.fields) - len(node.expressions) :]
    copies = zip(new, map(bare, node.expressions), strict=True)
    return {field.id: e.field for field, e in copies if isinstance(e, Ref)}


def _same(fields: Iterable[Field]) -> _Copies:
    return {field.id: field for field in fields}


def _paired(fields: Iterable[Field], sources: Iterable[Field]) -> _Copies:
    return {field.id: source for field, source in zip(fields, sources, strict=True)}


def _renamed(terms: Terms, copies: _Copies) -> Terms:
    """The terms whose columns are all copies, over what they are copies of."""
    return tuple(_substituted(term, copies) for term in terms if term.columns <= copies.keys())


def _substituted(term: Term, copies: _Copies) -> Term:
    if all(copies[column].id == column for column in term.columns):
        return term

    def change(node: Expression) -> Expression:
        if not isinstance(node, Ref):
            return node
        source = copies[node.field.id]
        return replace(node, field=source, type=source.type)

    return Term(transform(term.expression, change), frozenset(copies[c].id for c in term.columns))
