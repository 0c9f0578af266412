"""Small bound trees, written by hand."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from sqe.tree.expressions import (
    AggregateCall,
    Call,
    Expression,
    Field,
    Literal,
    Ref,
    SortKey,
)
from sqe.tree.relations import (
    Aggregate,
    Extend,
    Filter,
    Join,
    Limit,
    Project,
    Relation,
    Scan,
    Sort,
    TableName,
    Values,
)
from sqe.types.sql_types import BIGINT, BOOLEAN, INTEGER, Type

ONE_ROW = Values((), ((),))


def literal(value: Any, t: Type = INTEGER) -> Literal:
    return Literal(t, value)


def ref(field: Field) -> Ref:
    return Ref(field.type, field)


def is_equal(left: Expression | Field, right: Expression | Field) -> Call:
    return compare("$eq", left, right)


def compare(op: str, left: Expression | Field, right: Expression | Field) -> Call:
    return Call(BOOLEAN, op, (_expression(left), _expression(right)))


def plus(left: Expression | Field, right: Expression | Field) -> Call:
    return Call(_expression(left).type, "$add", (_expression(left), _expression(right)))


def count_rows() -> AggregateCall:
    return AggregateCall(BIGINT, "count", ())


def _expression(value: Expression | Field) -> Expression:
    return ref(value) if isinstance(value, Field) else value


class Trees:
    """Makes relations with fields of their own, numbered from 1."""

    def __init__(self) -> None:
        self._ids = itertools.count(1)

    def field(self, name: str, t: Type = INTEGER) -> Field:
        return Field(next(self._ids), name, t)

    def scan(self, table: str = "t", columns: Sequence[str] = ("a", "b"), **options: Any) -> Scan:
        types = options.pop("types", [INTEGER] * len(columns))
        fields = tuple(self.field(c, t) for c, t in zip(columns, types, strict=True))
        options = {"secured": True, **options}
        return Scan(fields, TableName("cat", ("ns",), table), tuple(columns), **options)

    def values(self, names: Sequence[str], rows: Sequence[Sequence[Any]], *types: Type) -> Values:
        given = types or [INTEGER] * len(names)
        cells = tuple(tuple(Literal(t, v) for v, t in zip(row, given, strict=True)) for row in rows)
        return Values(tuple(self.field(n, t) for n, t in zip(names, given, strict=True)), cells)

    def project(
        self, source: Relation, *expressions: Expression | Field, names: Sequence[str] = ()
    ) -> Project:
        given = tuple(_expression(e) for e in expressions)
        labels = names or [e.field.name if isinstance(e, Ref) else f"_col{i}" for i, e in enumerate(given)]
        fields = tuple(self.field(n, e.type) for n, e in zip(labels, given, strict=True))
        return Project(fields, source, given)

    def extend(self, source: Relation, name: str, expression: Expression) -> Extend:
        return Extend((*source.fields, self.field(name, expression.type)), source, (expression,))

    def aggregate(self, source: Relation, keys: Sequence[Field], *calls: AggregateCall) -> Aggregate:
        fields = [self.field(k.name, k.type) for k in keys] + [self.field(c.function, c.type) for c in calls]
        return Aggregate(tuple(fields), source, tuple(keys), calls)


def filtered(source: Relation, *conditions: Expression) -> Filter:
    condition = conditions[0] if len(conditions) == 1 else Call(BOOLEAN, "$and", conditions)
    return Filter(source.fields, source, condition)


def joined(
    kind: str, left: Relation, right: Relation, condition: Expression | None = None, *, lateral: bool = False
) -> Join:
    return Join((*left.fields, *right.fields), kind, left, right, condition, lateral)


def ordered(source: Relation, *keys: Field | SortKey) -> Sort:
    return Sort(source.fields, source, tuple(k if isinstance(k, SortKey) else SortKey(ref(k)) for k in keys))


def limited(source: Relation, count: int | None, offset: int = 0) -> Limit:
    return Limit(source.fields, source, count, offset)
