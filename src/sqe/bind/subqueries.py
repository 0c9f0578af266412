"""Subqueries that stand in expressions: IN, EXISTS, ANY and ALL, and those that stand for a value."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from sqe.bind.binder import Binder, coerce, unify
from sqe.bind.conversion import EXPRESSIONS, check_arguments
from sqe.bind.expressions import bind_expression, require
from sqe.bind.scope import Scope
from sqe.errors import NotSupported, Position, TypeMismatch, UserError
from sqe.tree import types as t
from sqe.tree.expressions import (
    Exists,
    Expression,
    InList,
    InSubquery,
    Quantified,
    ScalarSubquery,
)
from sqe.tree.relations import Relation

converts = EXPRESSIONS.of


@converts(exp.In, reads="this expressions query")
def _in(b: Binder, node: exp.In, scope: Scope) -> Expression:
    position = b.position(node)
    query = node.args.get("query")
    if query is not None:
        relation = bind_subquery(b, query, scope)
        operands: list[Expression]
        if isinstance(node.this, exp.Tuple):
            operands = [bind_expression(b, e, scope) for e in node.this.expressions]
        else:
            operands = [bind_expression(b, node.this, scope)]
        return _in_subquery(b, operands, relation, position)
    operand = bind_expression(b, node.this, scope)
    items = [bind_expression(b, e, scope) for e in node.expressions]
    if not items:
        raise NotSupported("IN needs a list of values", position=position)
    unified, common = unify([operand, *items], "the operand and the items of IN", position)
    require(t.is_comparable(common), f"{common} cannot be compared", position)
    return InList(t.BOOLEAN, unified[0], tuple(unified[1:]))


def _in_subquery(
    b: Binder, operands: list[Expression], relation: Relation, position: Position | None
) -> Expression:
    if len(operands) != len(relation.fields):
        raise TypeMismatch(
            f"IN compares {len(operands)} column(s) with a subquery of {len(relation.fields)}",
            position=position,
        )
    targets = []
    for operand, column in zip(operands, relation.fields, strict=True):
        common = t.common_type(operand.type, column.type)
        if common is None or not t.is_comparable(common):
            raise TypeMismatch(f"IN cannot compare {operand.type} with {column.type}", position=position)
        targets.append(common)
    coerced = tuple(coerce(o, c) for o, c in zip(operands, targets, strict=True))
    return InSubquery(t.BOOLEAN, coerced, cast_relation(b, relation, targets))


@converts(exp.Exists, reads="this")
def _exists(b: Binder, node: exp.Exists, scope: Scope) -> Expression:
    return Exists(t.BOOLEAN, bind_subquery(b, node.this, scope))


def quantified(b: Binder, node: exp.Binary, operator: str, scope: Scope) -> Expression:
    quantifier = node.expression
    check_arguments(quantifier, {"this"}, b.text)
    operand = bind_expression(b, node.this, scope)
    relation = bind_subquery(b, quantifier.this, scope)
    position = b.position(node)
    if len(relation.fields) != 1:
        raise TypeMismatch("the subquery of ALL, ANY and SOME has one column", position=position)
    common = t.common_type(operand.type, relation.fields[0].type)
    if common is None:
        raise TypeMismatch(f"cannot compare {operand.type} with {relation.fields[0].type}", position=position)
    relation = cast_relation(b, relation, [common])
    return Quantified(t.BOOLEAN, coerce(operand, common), operator, isinstance(quantifier, exp.All), relation)


@converts(exp.Subquery, exp.Select, exp.Union, exp.Intersect, exp.Except, reads=(
    "this expression expressions with_ from_ where group having qualify windows order limit offset joins "
    "distinct sample operation_modifiers"
))  # fmt: skip
def _scalar_subquery(b: Binder, node: exp.Expr, scope: Scope) -> Expression:
    relation = bind_subquery(b, node, scope)
    if len(relation.fields) != 1:
        raise UserError(
            f"a subquery that stands for a value has one column, not {len(relation.fields)}",
            code="SUBQUERY_MULTIPLE_COLUMNS",
            position=b.position(node),
        )
    return ScalarSubquery(relation.fields[0].type, relation, b.position(node))


def bind_subquery(b: Binder, node: exp.Expr, scope: Scope) -> Relation:
    from sqe.bind.queries import bind_query

    if isinstance(node, exp.Subquery):
        check_arguments(node, {"this", "with_", "order", "limit", "offset"}, b.text)
    return bind_query(b, node, scope)


def cast_relation(b: Binder, relation: Relation, targets: Sequence[t.Type]) -> Relation:
    """The relation with its columns brought to these types, by position."""
    from sqe.tree.expressions import Ref
    from sqe.tree.relations import Project

    if all(f.type == target for f, target in zip(relation.fields, targets, strict=True)):
        return relation
    expressions = tuple(coerce(Ref(f.type, f), c) for f, c in zip(relation.fields, targets, strict=True))
    fields = tuple(b.fresh(f.name, c) for f, c in zip(relation.fields, targets, strict=True))
    return Project(fields, relation, expressions)
