"""Expression syntax to typed expressions: the entry, names and operators."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sqlglot import exp

from sqe.bind.binder import Binder, coerce
from sqe.bind.conversion import EXPRESSIONS, check_arguments
from sqe.bind.names import name_of
from sqe.bind.query import constant_times, literals, open_parameters
from sqe.bind.query.constants import SESSION_FUNCTIONS
from sqe.bind.query.scope import Scope, check_computed_once, dereference
from sqe.errors import NotSupported, Position, TypeMismatch, UserError
from sqe.functions import registry
from sqe.tree.expressions import (
    AggregateCall,
    Call,
    Expression,
    SortKey,
    WindowCall,
    parts,
)
from sqe.tree.relations import Relation
from sqe.types import sql_types as t

converts = EXPRESSIONS.of


def bind_expression(b: Binder, node: exp.Expr, scope: Scope) -> Expression:
    convert = EXPRESSIONS.find(node, b.text)
    result = convert(b, node, scope)
    assert isinstance(result, Expression)
    return result


def bind_condition(b: Binder, node: exp.Expr, scope: Scope, clause: str) -> Expression:
    condition = bind_expression(b, node, scope)
    if condition.type not in (t.BOOLEAN, t.UNKNOWN):
        raise TypeMismatch(f"{clause} must be boolean, not {condition.type}", position=b.position(node))
    return coerce(condition, t.BOOLEAN)


def own_calls(expression: Any, kind: type) -> Iterator[Any]:
    """Calls of one kind in an expression, not those of its subqueries."""
    stack = [expression]
    while stack:
        current = stack.pop()
        if isinstance(current, kind):
            yield current
        stack.extend(p for p in parts(current) if not isinstance(p, Relation))


def refuse_calls(b: Binder, expression: Expression, node: exp.Expr, clause: str) -> None:
    for call in own_calls(expression, Call):
        if call.function == "grouping":
            raise UserError(
                f"{clause} cannot contain grouping()",
                code="EXPRESSION_NOT_SCALAR",
                position=call.position or b.position(node),
            )
    for kind, word in ((AggregateCall, "an aggregate"), (WindowCall, "a window function")):
        for call in own_calls(expression, kind):
            raise UserError(
                f"{clause} cannot contain {word}: {call.function}",
                code="EXPRESSION_NOT_SCALAR",
                position=call.position or b.position(node),
            )


def call(name: str, arguments: Sequence[Expression], position: Position | None = None) -> Expression:
    """A scalar function or operator, with its arguments brought to the parameters' types."""
    folded = constant_times.folded_comparison(name, arguments)
    if folded is not None:
        return folded
    function = registry.lookup(name)
    assert function is not None, name
    resolution = open_parameters.resolve(function, [a.type for a in arguments], arguments, position)
    coerced = tuple(coerce(a, p) for a, p in zip(arguments, resolution.parameters, strict=True))
    return Call(resolution.result, name, coerced, position)


def require(condition: bool, message: str, position: Position | None) -> None:
    if not condition:
        raise TypeMismatch(message, position=position)


def bind_sort_keys(b: Binder, nodes: Sequence[exp.Expr], scope: Scope) -> tuple[SortKey, ...]:
    return tuple(sort_key(b, n, bind_expression(b, n.this, scope)) for n in nodes)


def sort_key(b: Binder, node: exp.Expr, expression: Expression) -> SortKey:
    check_arguments(node, {"this", "desc", "nulls_first"}, b.text)
    constant_times.refuse_constant_times(expression.type, "ORDER BY", b.position(node))
    require(t.is_orderable(expression.type), f"{expression.type} cannot be ordered", b.position(node))
    return SortKey(expression, bool(node.args.get("desc")), bool(node.args.get("nulls_first")))


@converts(exp.Column, reads="this table db catalog")
def _column(b: Binder, node: exp.Column, scope: Scope) -> Expression:
    if isinstance(node.this, exp.Star):
        raise UserError("* cannot stand here", code="SYNTAX_ERROR", position=b.position(node))
    written = [name_of(p) for p in node.parts]
    if len(written) == 1 and not written[0].quoted and written[0].folded in ("current_schema",):
        return SESSION_FUNCTIONS[written[0].folded](b)
    return scope.resolve(written, b.position(node))


@converts(exp.Identifier, reads="this quoted")
def _identifier(b: Binder, node: exp.Identifier, scope: Scope) -> Expression:
    return scope.resolve([name_of(node)], b.position(node))


@converts(exp.Dot, reads="this expression")
def _dot(b: Binder, node: exp.Dot, scope: Scope) -> Expression:
    if not isinstance(node.expression, exp.Identifier):
        raise NotSupported("only a field name can follow a dot", position=b.position(node.expression))
    names: list[exp.Expr] = [node.expression]
    base: exp.Expr = node.this
    while isinstance(base, exp.Dot) and isinstance(base.expression, exp.Identifier):
        check_arguments(base, {"this", "expression"}, b.text)
        names.insert(0, base.expression)
        base = base.this
    if isinstance(base, exp.Column) and not isinstance(base.this, exp.Star):
        # A name of more than four parts.
        return scope.resolve([name_of(p) for p in (*base.parts, *names)], b.position(node))
    return dereference(bind_expression(b, base, scope), [name_of(n) for n in names], b.position(node))


@converts(exp.Paren, reads="this")
def _paren(b: Binder, node: exp.Paren, scope: Scope) -> Expression:
    return bind_expression(b, node.this, scope)


_BINARY: dict[type, str] = {
    exp.Add: "$add",
    exp.Sub: "$sub",
    exp.Mul: "$mul",
    exp.Div: "$div",
    exp.Mod: "$mod",
    exp.EQ: "$eq",
    exp.NEQ: "$ne",
    exp.LT: "$lt",
    exp.LTE: "$le",
    exp.GT: "$gt",
    exp.GTE: "$ge",
    exp.NullSafeNEQ: "$is_distinct",
    exp.DPipe: "$concat",
}
_COMPARISONS = ("$eq", "$ne", "$lt", "$le", "$gt", "$ge")


# `typed` and `safe` say how sqlglot would divide and concatenate; the registry decides that for us.
@converts(*_BINARY, reads="this expression typed safe")
def _binary(b: Binder, node: exp.Binary, scope: Scope) -> Expression:
    operator = _BINARY[type(node)]
    if isinstance(node.expression, (exp.Any, exp.All)) and operator in _COMPARISONS:
        from sqe.bind.query.subqueries import quantified

        return quantified(b, node, operator, scope)
    left = bind_expression(b, node.this, scope)
    right = bind_expression(b, node.expression, scope)
    return call(operator, (left, right), b.position(node))


@converts(exp.NullSafeEQ, reads="this expression")
def _not_distinct(b: Binder, node: exp.NullSafeEQ, scope: Scope) -> Expression:
    left = bind_expression(b, node.this, scope)
    right = bind_expression(b, node.expression, scope)
    return call("$not", (call("$is_distinct", (left, right), b.position(node)),))


@converts(exp.And, exp.Or, reads="this expression")
def _logical(b: Binder, node: exp.Connector, scope: Scope) -> Expression:
    # A chain of a thousand ORs is one call, not a thousand levels.
    word = "AND" if isinstance(node, exp.And) else "OR"
    terms: list[Expression] = []
    stack: list[exp.Expr] = [node]
    while stack:
        current = stack.pop()
        if type(current) is type(node):
            check_arguments(current, {"this", "expression"}, b.text)
            stack.extend((current.expression, current.this))
        else:
            terms.append(bind_condition(b, current, scope, f"an operand of {word}"))
    return Call(t.BOOLEAN, "$and" if word == "AND" else "$or", tuple(terms))


@converts(exp.Not, reads="this")
def _not(b: Binder, node: exp.Not, scope: Scope) -> Expression:
    return call("$not", (bind_condition(b, node.this, scope, "the operand of NOT"),))


@converts(exp.Neg, reads="this")
def _negative(b: Binder, node: exp.Neg, scope: Scope) -> Expression:
    if isinstance(node.this, exp.Literal) and not node.this.is_string:
        return literals.number(node.this.this, b.position(node), negative=True)
    return call("$neg", (bind_expression(b, node.this, scope),), b.position(node))


@converts(exp.Is, reads="this expression")
def _is(b: Binder, node: exp.Is, scope: Scope) -> Expression:
    if not isinstance(node.expression, exp.Null):
        raise NotSupported("only IS [NOT] NULL and IS [NOT] DISTINCT FROM exist", position=b.position(node))
    return call("$is_null", (bind_expression(b, node.this, scope),))


@converts(exp.Between, reads="this low high")
def _between(b: Binder, node: exp.Between, scope: Scope) -> Expression:
    operand = bind_expression(b, node.this, scope)
    low = bind_expression(b, node.args["low"], scope)
    high = bind_expression(b, node.args["high"], scope)
    position = b.position(node)
    check_computed_once(operand, "BETWEEN", b.position(node.this))
    return call("$and", (call("$ge", (operand, low), position), call("$le", (operand, high), position)))


@converts(exp.Like, reads="this expression negate")
def _like(b: Binder, node: exp.Like, scope: Scope) -> Expression:
    value, pattern = bind_expression(b, node.this, scope), bind_expression(b, node.expression, scope)
    return _negated(node, call("$like", (value, pattern), b.position(node)))


def _negated(node: exp.Expr, expression: Expression) -> Expression:
    return call("$not", (expression,)) if node.args.get("negate") else expression


@converts(exp.Escape, reads="this expression")
def _like_escape(b: Binder, node: exp.Escape, scope: Scope) -> Expression:
    if not isinstance(node.this, exp.Like):
        raise NotSupported("ESCAPE belongs to LIKE", position=b.position(node))
    check_arguments(node.this, {"this", "expression", "negate"}, b.text)
    operands = [bind_expression(b, n, scope) for n in (node.this.this, node.this.expression, node.expression)]
    return _negated(node.this, call("$like_escape", operands, b.position(node)))
