"""The expressions of the bound tree: frozen, typed, and the only ones there are.

A column is known by the number of its field, unique within a statement, so that no scope, alias
or shadowing survives binding.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator
from dataclasses import field
from typing import Any, ClassVar

from sqe.errors import Position
from sqe.foundation.record import record
from sqe.types.sql_types import BOOLEAN, Row, Type


class Node:
    """Everything that a tree is made of, and that walking it meets. `children` names the fields that hold
    nodes, or tuples of them; every class declares its own."""

    __slots__ = ()

    children: ClassVar[tuple[str, ...]]


class GeneratedName(str):
    """The name that a column is shown by if it was given none, such as _col0."""

    __slots__ = ()


def generated_name(index: int) -> GeneratedName:
    return GeneratedName(f"_col{index}")


@record
class Field:
    """One output column of a relation. `name` is what users call it, `id` what the tree calls it."""

    id: int
    name: str
    type: Type


@record
class Expression(Node):
    type: Type


@record
class Relation(Node):
    """Rows. `fields` are its output columns, in order; the kinds are in relations.py."""

    fields: tuple[Field, ...]


@record
class Literal(Expression):
    """A constant; None is NULL. Values: bool, int, float, decimal.Decimal, str, bytes, datetime.date,
    datetime.datetime (aware for a zoned timestamp), datetime.time, and for intervals months as int
    or datetime.timedelta."""

    children = ()

    value: object


@record
class Ref(Expression):
    """A column, of this relation's input or of an enclosing query (a correlated reference)."""

    children = ()

    field: Field


@record
class LambdaRef(Expression):
    """A parameter of an enclosing lambda."""

    children = ()

    id: int
    name: str


@record
class Parameter(Expression):
    """A `?` without a value: only in statements that are described and never run."""

    children = ()

    number: int


@record
class Lambda(Expression):
    """`type` is a FunctionType."""

    children = ("parameters", "body")

    parameters: tuple[LambdaRef, ...]
    body: Expression


@record
class Call(Expression):
    """A scalar function or operator of the registry; operators have names such as `$add`, `$and`."""

    children = ("arguments",)

    function: str
    arguments: tuple[Expression, ...]
    position: Position | None = field(default=None, compare=False)


@record
class Cast(Expression):
    """To `type`; `safe` is TRY_CAST. `implicit` is a coercion of ours, which never loses anything."""

    children = ("operand",)

    operand: Expression
    safe: bool = False
    implicit: bool = False
    position: Position | None = field(default=None, compare=False)


@record
class Case(Expression):
    """Searched CASE; a simple CASE is bound to equality tests."""

    children = ("whens", "default")

    whens: tuple[tuple[Expression, Expression], ...]
    default: Expression | None


@record
class InList(Expression):
    children = ("operand", "items")

    operand: Expression
    items: tuple[Expression, ...]


@record
class Dereference(Expression):
    """One field of a row value; `index` counts from 0."""

    children = ("operand",)

    operand: Expression
    index: int

    @property
    def name(self) -> str | None:
        row = self.operand.type
        assert isinstance(row, Row)
        return row.fields[self.index].name


@record
class ScalarSubquery(Expression):
    """One column, at most one row."""

    children = ("relation",)

    relation: Relation
    position: Position | None = field(default=None, compare=False)


@record
class Exists(Expression):
    children = ("relation",)

    relation: Relation


@record
class InSubquery(Expression):
    """`operands` has as many expressions as the relation has columns."""

    children = ("operands", "relation")

    operands: tuple[Expression, ...]
    relation: Relation


@record
class Quantified(Expression):
    """operand <op> ALL|ANY (subquery), op one of $eq $ne $lt $le $gt $ge."""

    children = ("operand", "relation")

    operand: Expression
    op: str
    all: bool
    relation: Relation


@record
class SortKey(Node):
    children = ("expression",)

    expression: Expression
    descending: bool = False
    nulls_first: bool = False


@record
class AggregateCall(Expression):
    """Only inside an Aggregate relation."""

    children = ("arguments", "filter", "order_by")

    function: str
    arguments: tuple[Expression, ...]
    distinct: bool = False
    filter: Expression | None = None
    order_by: tuple[SortKey, ...] = ()
    position: Position | None = field(default=None, compare=False)


@record
class FrameBound(Node):
    """kind: unbounded_preceding, preceding, current_row, following, unbounded_following."""

    children = ("offset",)

    kind: str
    offset: Expression | None = None


@record
class Frame(Node):
    """unit: rows, range or groups."""

    children = ("start", "end")

    unit: str
    start: FrameBound
    end: FrameBound


@record
class WindowCall(Expression):
    """Only inside a Window relation. `ignore_nulls` for lag, lead, first/last/nth_value. `distinct` is set
    only until bind.query.windows has expressed it by other calls."""

    children = ("arguments", "partition_by", "order_by", "frame", "filter")

    function: str
    arguments: tuple[Expression, ...]
    partition_by: tuple[Expression, ...] = ()
    order_by: tuple[SortKey, ...] = ()
    frame: Frame | None = None
    ignore_nulls: bool = False
    filter: Expression | None = None
    position: Position | None = field(default=None, compare=False)
    distinct: bool = False


def conjunction(*conditions: Expression) -> Expression:
    assert conditions
    if len(conditions) == 1:
        return conditions[0]
    return Call(BOOLEAN, "$and", conditions)


def conjuncts(condition: Expression | None) -> list[Expression]:
    """The terms of a AND b AND c, however they are nested; none where there is no condition."""
    return [] if condition is None else terms(condition, "$and")


def terms(expression: Expression, function: str) -> list[Expression]:
    """The operands of an associative function, $and or $or, however they are nested."""
    operands: list[Expression] = []
    stack = [expression]
    while stack:
        term = stack.pop()
        if isinstance(term, Call) and term.function == function:
            stack.extend(reversed(term.arguments))
        else:
            operands.append(term)
    return operands


def parts(node: Node) -> list[Any]:
    """The direct parts of a node: expressions, sort keys, relations."""
    nodes: list[Any] = []
    for name in node.children:
        value = getattr(node, name)
        if isinstance(value, Node):
            nodes.append(value)
        elif type(value) is tuple:
            _collect(value, nodes)
    return nodes


def _collect(values: tuple[Any, ...], nodes: list[Any]) -> None:
    for value in values:
        if isinstance(value, Node):
            nodes.append(value)
        elif type(value) is tuple:
            _collect(value, nodes)


def walk(node: Node) -> Iterator[Any]:
    """The node and everything below it, subqueries included, parents first."""
    stack: list[Any] = [node]
    while stack:
        current = stack.pop()
        yield current
        stack.extend(reversed(parts(current)))


def rebuild(node: Any, change: Callable[[Any], Any]) -> Any:
    """The node with `change` applied to its direct parts."""
    updates = {}
    for name in node.children:
        old = getattr(node, name)
        new = _rebuild_value(old, change)
        if new is not old:
            updates[name] = new
    return dataclasses.replace(node, **updates) if updates else node


def transform(node: Any, change: Callable[[Any], Any]) -> Any:
    """Rebuild bottom-up: `change` gets each node with its parts already changed."""
    return change(rebuild(node, lambda part: transform(part, change)))


def _rebuild_value(value: Any, change: Callable[[Any], Any]) -> Any:
    if isinstance(value, Node):
        return change(value)
    if type(value) is tuple and value:
        new = [_rebuild_value(item, change) for item in value]
        return value if all(a is b for a, b in zip(new, value, strict=True)) else tuple(new)
    return value
