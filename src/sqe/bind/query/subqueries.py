"""Subqueries that stand in expressions: IN, EXISTS, ANY and ALL, and those that stand for a value."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from sqe.bind.binder import Binder, coerce, unify
from sqe.bind.conversion import EXPRESSIONS, check_arguments
from sqe.bind.query.constant_times import refuse_constant_times
from sqe.bind.query.expressions import bind_expression, call, require
from sqe.bind.query.scope import Scope, row_fields
from sqe.bind.query.special_forms import row
from sqe.errors import NotSupported, Position, TypeMismatch
from sqe.tree.expressions import (
    Exists,
    Expression,
    GeneratedName,
    InList,
    InSubquery,
    Literal,
    Quantified,
    Ref,
    ScalarSubquery,
)
from sqe.tree.relations import Project, Relation
from sqe.types import sql_types as t

converts = EXPRESSIONS.of


@converts(exp.In, reads="this expressions query")
def _in(b: Binder, node: exp.In, scope: Scope) -> Expression:
    position = b.position(node)
    query = node.args.get("query")
    if query is None and len(node.expressions) == 1 and isinstance(node.expressions[0], exp.Values):
        query = node.expressions[0]
    operand = bind_expression(b, node.this, scope)
    if query is not None:
        relation = bind_subquery(b, query, scope)
        return _in_subquery(b, _operands(operand, relation, position), relation, position)
    items = [bind_expression(b, e, scope) for e in node.expressions]
    if not items:
        raise NotSupported("IN needs a list of values", position=position)
    unified, common = unify([operand, *items], "the operand and the items of IN", position)
    refuse_constant_times(common, "IN", position)
    require(t.is_comparable(common), f"{common} cannot be compared", position)
    return InList(t.BOOLEAN, unified[0], tuple(unified[1:]))


def _operands(operand: Expression, relation: Relation, position: Position | None) -> list[Expression]:
    """What is compared with each column of a subquery: the fields of a row, unless the only one has rows."""
    if not isinstance(operand.type, t.Row):
        return [operand]
    nested = len(relation.fields) == 1 and isinstance(relation.fields[0].type, t.Row)
    return [operand] if nested else row_fields(operand, position)


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
        refuse_constant_times(common or operand.type, "IN", position)
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
    every = isinstance(quantifier, exp.All)
    operands = _operands(operand, relation, position)
    if len(operands) != len(relation.fields):
        raise TypeMismatch(
            f"ALL, ANY and SOME compare {len(operands)} column(s) with a subquery of {len(relation.fields)}",
            position=position,
        )
    if len(operands) > 1:
        if (operator, every) == ("$eq", False):
            return _in_subquery(b, operands, relation, position)
        if (operator, every) == ("$ne", True):
            return call("$not", (_in_subquery(b, operands, relation, position),))
        operand, relation = row(operands), _rows(b, relation)
    else:
        operand = operands[0]
    kind = relation.fields[0].type
    common = t.common_type(operand.type, kind)
    refuse_constant_times(common or operand.type, "ALL, ANY and SOME", position)
    if common is None or not (t.is_comparable if operator in ("$eq", "$ne") else t.is_orderable)(common):
        raise TypeMismatch(f"cannot compare {operand.type} with {kind}", position=position)
    return Quantified(
        t.BOOLEAN, coerce(operand, common), operator, every, cast_relation(b, relation, [common])
    )


def _rows(b: Binder, relation: Relation, names: bool = False) -> Relation:
    """The relation with one column: its rows."""
    value = row([Ref(f.type, f) for f in relation.fields])
    field_names = [
        f.name if names and not isinstance(f.name, GeneratedName) else None for f in relation.fields
    ]
    kind = t.Row(tuple(t.RowField(n, f.type) for n, f in zip(field_names, relation.fields, strict=True)))
    return Project((b.fresh("_row", kind),), relation, (coerce(value, kind),))


@converts(exp.Subquery, exp.Select, exp.Union, exp.Intersect, exp.Except, reads=(
    "this expression expressions with_ from_ where group having qualify windows order limit offset joins "
    "distinct sample operation_modifiers"
))  # fmt: skip
def _scalar_subquery(b: Binder, node: exp.Expr, scope: Scope) -> Expression:
    relation = bind_subquery(b, node, scope)
    if len(relation.fields) == 1:
        return ScalarSubquery(relation.fields[0].type, relation, b.position(node))
    # Several columns make a row; an empty result is a row of NULLs.
    relation = _rows(b, relation, names=True)
    kind = relation.fields[0].type
    assert isinstance(kind, t.Row)
    nothing = coerce(row([Literal(f.type, None) for f in kind.fields]), kind)
    return call("coalesce", (ScalarSubquery(kind, relation, b.position(node)), nothing))


def bind_subquery(b: Binder, node: exp.Expr, scope: Scope) -> Relation:
    from sqe.bind.query.queries import bind_query

    if isinstance(node, exp.Subquery):
        check_arguments(node, {"this", "with_", "order", "limit", "offset"}, b.text)
    return bind_query(b, node, scope)


def cast_relation(b: Binder, relation: Relation, targets: Sequence[t.Type]) -> Relation:
    """The relation with its columns brought to these types, by position."""
    if all(f.type == target for f, target in zip(relation.fields, targets, strict=True)):
        return relation
    expressions = tuple(coerce(Ref(f.type, f), c) for f, c in zip(relation.fields, targets, strict=True))
    fields = tuple(b.fresh(f.name, c) for f, c in zip(relation.fields, targets, strict=True))
    return Project(fields, relation, expressions)
