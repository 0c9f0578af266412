"""Expression syntax to typed expressions."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from sqlglot import exp

from sqe.bind import literals
from sqe.bind.binder import Binder, coerce, unify
from sqe.bind.conversion import Conversions, check_arguments
from sqe.bind.names import name_of, nearest
from sqe.bind.scope import Scope, dereference
from sqe.bind.types import bind_type
from sqe.errors import NotFound, NotSupported, Position, TypeMismatch, UserError
from sqe.functions import registry
from sqe.functions.casts import castable
from sqe.tree import types as t
from sqe.tree.expressions import (
    AggregateCall,
    Call,
    Case,
    Cast,
    Exists,
    Expression,
    Frame,
    FrameBound,
    InList,
    InSubquery,
    Lambda,
    LambdaRef,
    Literal,
    Quantified,
    ScalarSubquery,
    SortKey,
    WindowCall,
    parts,
)
from sqe.tree.relations import Relation

EXPRESSIONS = Conversions("an expression")
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
    for kind, word in ((AggregateCall, "an aggregate"), (WindowCall, "a window function")):
        for call in own_calls(expression, kind):
            raise UserError(
                f"{clause} cannot contain {word}: {call.function}",
                code="EXPRESSION_NOT_SCALAR",
                position=call.position or b.position(node),
            )


def call(name: str, arguments: Sequence[Expression], position: Position | None = None) -> Expression:
    """A scalar function or operator, with its arguments brought to the parameters' types."""
    function = registry.lookup(name)
    assert function is not None, name
    resolution = registry.resolve(function, [a.type for a in arguments], position)
    coerced = tuple(coerce(a, p) for a, p in zip(arguments, resolution.parameters, strict=True))
    return Call(resolution.result, name, coerced, position)


# Constants ------------------------------------------------------------------------------------


@converts(exp.Literal, reads="this is_string")
def _literal(b: Binder, node: exp.Literal, scope: Scope) -> Expression:
    return literals.string(node.this) if node.is_string else literals.number(node.this, b.position(node))


@converts(exp.Null)
def _null(b: Binder, node: exp.Null, scope: Scope) -> Expression:
    return Literal(t.UNKNOWN, None)


@converts(exp.Boolean, reads="this")
def _boolean(b: Binder, node: exp.Boolean, scope: Scope) -> Expression:
    return Literal(t.BOOLEAN, bool(node.this))


@converts(exp.HexString, reads="this")
def _hex(b: Binder, node: exp.HexString, scope: Scope) -> Expression:
    return literals.binary(node.name, b.position(node))


@converts(exp.Interval, reads="this unit")
def _interval(b: Binder, node: exp.Interval, scope: Scope) -> Expression:
    unit = node.args.get("unit")
    position = b.position(node)
    sign, value = _signed(node.this)
    if not isinstance(value, exp.Literal) or unit is None:
        raise NotSupported("an interval is written INTERVAL '3' DAY", position=position)
    if isinstance(unit, exp.IntervalSpan):
        return literals.interval(sign + value.name, unit.this.name, unit.expression.name, position)
    return literals.interval(sign + value.name, unit.name, None, position)


def _signed(node: exp.Expr | None) -> tuple[str, exp.Expr | None]:
    return ("-", node.this) if isinstance(node, exp.Neg) else ("", node)


@converts(exp.CurrentDate, exp.CurrentTimestamp, exp.Localtimestamp, exp.CurrentUser, exp.CurrentCatalog)
def _session_value(b: Binder, node: exp.Expr, scope: Scope) -> Expression:
    names: dict[type, str] = {
        exp.CurrentDate: "current_date",
        exp.CurrentTimestamp: "current_timestamp",
        exp.Localtimestamp: "localtimestamp",
        exp.CurrentUser: "current_user",
        exp.CurrentCatalog: "current_catalog",
    }
    return _SESSION_FUNCTIONS[names[type(node)]](b)


def _now(b: Binder) -> Literal:
    zone = literals.zone(b.session.time_zone)
    moment = b.now.astimezone(zone)
    return Literal(t.TimestampTz(3), moment.replace(microsecond=moment.microsecond // 1000 * 1000))


def _localtimestamp(b: Binder) -> Literal:
    value = _now(b).value
    assert isinstance(value, dt.datetime)
    return Literal(t.Timestamp(3), value.replace(tzinfo=None))


def _today(b: Binder) -> Literal:
    value = _now(b).value
    assert isinstance(value, dt.datetime)
    return Literal(t.DATE, value.date())


# Session functions become constants here: one statement has one "now", on every lane.
_SESSION_FUNCTIONS: dict[str, Callable[[Binder], Literal]] = {
    "now": _now,
    "current_timestamp": _now,
    "localtimestamp": _localtimestamp,
    "current_date": _today,
    "current_user": lambda b: Literal(t.VARCHAR, b.session.identity.user),
    "current_catalog": lambda b: Literal(t.VARCHAR, b.session.catalog),
    "current_schema": lambda b: Literal(t.VARCHAR, ".".join(b.session.namespace)),
    "current_timezone": lambda b: Literal(t.VARCHAR, b.session.time_zone),
}


# Names ----------------------------------------------------------------------------------------


@converts(exp.Column, reads="this table db catalog")
def _column(b: Binder, node: exp.Column, scope: Scope) -> Expression:
    if isinstance(node.this, exp.Star):
        raise UserError("* cannot stand here", code="SYNTAX_ERROR", position=b.position(node))
    written = [name_of(p) for p in node.parts]
    if len(written) == 1 and not written[0].quoted and written[0].folded in ("current_schema",):
        return _SESSION_FUNCTIONS[written[0].folded](b)
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


# Operators ------------------------------------------------------------------------------------

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
        return _quantified(b, node, operator, scope)
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
    _require(t.is_comparable(common), f"{common} cannot be compared", position)
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


def _quantified(b: Binder, node: exp.Binary, operator: str, scope: Scope) -> Expression:
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


# Conversions and conditionals -------------------------------------------------------------------


@converts(exp.Cast, exp.TryCast, reads="this to safe")
def _cast(b: Binder, node: exp.Cast, scope: Scope) -> Expression:
    position = b.position(node)
    target = bind_type(node.args["to"], b.text)
    safe = isinstance(node, exp.TryCast)
    if isinstance(node.this, exp.Literal) and node.this.is_string and not safe and _is_typed_literal(b, node):
        constant = literals.typed(target, node.this.this, position)
        if constant is not None:
            return constant
    operand = bind_expression(b, node.this, scope)
    if operand.type == t.UNKNOWN:
        return Literal(target, None)
    if not castable(operand.type, target):
        raise TypeMismatch(f"cannot cast {operand.type} to {target}", position=position)
    if operand.type == target:
        return operand
    return Cast(target, operand, safe=safe, position=position)


def _is_typed_literal(b: Binder, node: exp.Cast) -> bool:
    """DATE '2020-01-01' rather than CAST('2020-01-01' AS DATE): both are one node to sqlglot."""
    start = node.this.meta.get("start")
    if start is None:
        return False
    before = b.text[:start].rstrip()
    return not before.endswith("(")


@converts(exp.Case, reads="this ifs default")
def _case(b: Binder, node: exp.Case, scope: Scope) -> Expression:
    position = b.position(node)
    operand = bind_expression(b, node.this, scope) if node.this else None
    conditions, results = [], []
    for branch in node.args["ifs"]:
        check_arguments(branch, {"this", "true"}, b.text)
        if operand is not None:
            value = bind_expression(b, branch.this, scope)
            conditions.append(call("$eq", (operand, value), b.position(branch.this)))
        else:
            conditions.append(bind_condition(b, branch.this, scope, "a WHEN condition"))
        results.append(bind_expression(b, branch.args["true"], scope))
    default = node.args.get("default")
    if default is not None:
        results.append(bind_expression(b, default, scope))
    unified, common = unify(results, "the results of CASE", position)
    branches = tuple(zip(conditions, unified, strict=False))
    return Case(common, branches, unified[-1] if default is not None else None)


@converts(exp.If, reads="this true false")
def _if(b: Binder, node: exp.If, scope: Scope) -> Expression:
    condition = bind_condition(b, node.this, scope, "the condition of IF")
    results = [bind_expression(b, node.args["true"], scope)]
    if node.args.get("false") is not None:
        results.append(bind_expression(b, node.args["false"], scope))
    unified, common = unify(results, "the results of IF", b.position(node))
    return Case(common, ((condition, unified[0]),), unified[1] if len(unified) > 1 else None)


# Calls with their own grammar -------------------------------------------------------------------

_EXTRACT = {
    "dow": "day_of_week",
    "doy": "day_of_year",
    "yow": "year_of_week",
    **{
        u: u
        for u in [
            "year",
            "quarter",
            "month",
            "week",
            "day",
            "day_of_month",
            "day_of_week",
            "day_of_year",
            "year_of_week",
            "hour",
            "minute",
            "second",
            "timezone_hour",
            "timezone_minute",
        ]
    },
}


@converts(exp.Extract, reads="this expression")
def _extract(b: Binder, node: exp.Extract, scope: Scope) -> Expression:
    unit = node.this.name.lower()
    if unit not in _EXTRACT or registry.lookup(_EXTRACT[unit]) is None:
        raise UserError(
            f"EXTRACT does not know the field {unit}",
            position=b.position(node),
            hint=nearest(unit, _EXTRACT),
        )
    return call(_EXTRACT[unit], (bind_expression(b, node.expression, scope),), b.position(node))


@converts(exp.StrPosition, reads="this substr")
def _position(b: Binder, node: exp.StrPosition, scope: Scope) -> Expression:
    arguments = (bind_expression(b, node.this, scope), bind_expression(b, node.args["substr"], scope))
    return call("strpos", arguments, b.position(node))


@converts(exp.Substring, reads="this start length")
def _substring(b: Binder, node: exp.Substring, scope: Scope) -> Expression:
    given = [node.this, node.args.get("start"), node.args.get("length")]
    return call("substr", [bind_expression(b, n, scope) for n in given if n is not None], b.position(node))


@converts(exp.Trim, reads="this position expression")
def _trim(b: Binder, node: exp.Trim, scope: Scope) -> Expression:
    name = {"LEADING": "ltrim", "TRAILING": "rtrim"}.get(str(node.args.get("position") or ""), "trim")
    given = [n for n in (node.this, node.expression) if isinstance(n, exp.Expr)]
    return call(name, [bind_expression(b, n, scope) for n in given], b.position(node))


@converts(exp.AtTimeZone, reads="this zone")
def _at_time_zone(b: Binder, node: exp.AtTimeZone, scope: Scope) -> Expression:
    if registry.lookup("at_timezone") is None:
        raise NotSupported("AT TIME ZONE is not supported yet", position=b.position(node))
    arguments = (bind_expression(b, node.this, scope), bind_expression(b, node.args["zone"], scope))
    return call("at_timezone", arguments, b.position(node))


@converts(exp.Array, reads="expressions")
def _array(b: Binder, node: exp.Array, scope: Scope) -> Expression:
    items = [bind_expression(b, e, scope) for e in node.expressions]
    unified, common = unify(items, "the elements of an array", b.position(node))
    return Call(t.Array(common), "$array", tuple(unified), b.position(node))


@converts(exp.Tuple, reads="expressions")
def _row(b: Binder, node: exp.Tuple, scope: Scope) -> Expression:
    return row([bind_expression(b, e, scope) for e in node.expressions])


def row(items: Sequence[Expression]) -> Expression:
    fields = tuple(t.RowField(None, i.type) for i in items)
    return Call(t.Row(fields), "$row", tuple(items))


@converts(exp.Bracket, reads="this expressions")
def _subscript(b: Binder, node: exp.Bracket, scope: Scope) -> Expression:
    if len(node.expressions) != 1:
        raise NotSupported("a subscript is one value", position=b.position(node))
    operand = bind_expression(b, node.this, scope)
    index = bind_expression(b, node.expressions[0], scope)
    if isinstance(operand.type, t.Row):
        if not (isinstance(index, Literal) and isinstance(index.value, int)):
            raise UserError("a row is subscripted by a number", position=b.position(node))
        if not 1 <= index.value <= len(operand.type.fields):
            raise UserError(
                f"the row has {len(operand.type.fields)} fields",
                code="INVALID_FUNCTION_ARGUMENT",
                position=b.position(node),
            )
        from sqe.tree.expressions import Dereference

        return Dereference(operand.type.fields[index.value - 1].type, operand, index.value - 1)
    return call("$subscript", (operand, index), b.position(node))


# Functions ----------------------------------------------------------------------------------------


@converts(exp.Anonymous, reads="this expressions")
def _function(b: Binder, node: exp.Anonymous, scope: Scope) -> Expression:
    name = node.name.lower()
    if name in _SESSION_FUNCTIONS and not node.expressions:
        return _SESSION_FUNCTIONS[name](b)
    if name == "row":
        return row([bind_expression(b, e, scope) for e in node.expressions])
    if name == "grouping":
        arguments = tuple(bind_expression(b, e, scope) for e in node.expressions)
        return Call(t.INTEGER, "grouping", arguments, b.position(node))
    function = _lookup(b, node)
    if function.kind == "window":
        raise UserError(
            f"{name} is a window function and needs OVER (...)",
            code="MISSING_OVER",
            position=b.position(node),
        )
    if function.kind == "aggregate":
        return _aggregate(b, node, scope)
    return _scalar_call(b, node, scope)


def _lookup(b: Binder, node: exp.Anonymous) -> registry.Function:
    name = node.name.lower()
    function = None if name.startswith("$") else registry.lookup(name)
    if function is None:
        raise NotFound(
            f"function '{name}' not registered",
            code="FUNCTION_NOT_FOUND",
            position=b.position(node),
            hint=nearest(name, registry.names()),
        )
    return function


def _scalar_call(b: Binder, node: exp.Anonymous, scope: Scope) -> Expression:
    name, position = node.name.lower(), b.position(node)
    function = _lookup(b, node)
    bound: list[Expression | _PendingLambda] = [
        _PendingLambda(b, n, scope) if isinstance(n, exp.Lambda) else bind_expression(b, n, scope)
        for n in node.expressions
    ]
    given = [a.argument() if isinstance(a, _PendingLambda) else a.type for a in bound]
    resolution = registry.resolve(function, given, position)
    arguments = tuple(
        a.bound(p) if isinstance(a, _PendingLambda) else coerce(a, p)
        for a, p in zip(bound, resolution.parameters, strict=True)
    )
    return Call(resolution.result, name, arguments, position)


class _PendingLambda:
    """A lambda whose parameters' types the function decides."""

    def __init__(self, b: Binder, node: exp.Lambda, scope: Scope) -> None:
        check_arguments(node, {"this", "expressions"}, b.text)
        self._b, self._node, self._scope = b, node, scope
        self._names = [name_of(p).folded for p in node.expressions]

    def argument(self) -> registry.LambdaArgument:
        return registry.LambdaArgument(len(self._names), lambda types: self._bind(types).body.type)

    def _bind(self, types: Sequence[t.Type]) -> Lambda:
        parameters = tuple(
            LambdaRef(type_, self._b.number(), name) for type_, name in zip(types, self._names, strict=True)
        )
        body = bind_expression(self._b, self._node.this, self._scope.with_lambda(parameters))
        return Lambda(t.FunctionType(tuple(types), body.type), parameters, body)

    def bound(self, parameter: t.Type) -> Lambda:
        assert isinstance(parameter, t.FunctionType)
        made = self._bind(parameter.arguments)
        return Lambda(parameter, made.parameters, coerce(made.body, parameter.result))


def _aggregate(
    b: Binder,
    node: exp.Anonymous,
    scope: Scope,
    *,
    filter_: Expression | None = None,
    within: Sequence[exp.Expr] = (),
) -> AggregateCall:
    name, position = node.name.lower(), b.position(node)
    function = _lookup(b, node)
    if function.kind != "aggregate":
        raise UserError(
            f"{name} is not an aggregate function", code="FUNCTION_NOT_AGGREGATE", position=position
        )
    nodes = list(node.expressions)
    ordering: list[exp.Expr] = list(within)
    if nodes and isinstance(nodes[-1], exp.Order):
        check_arguments(nodes[-1], {"this", "expressions"}, b.text)
        ordering = nodes[-1].expressions
        nodes[-1] = nodes[-1].this
    distinct = bool(nodes) and isinstance(nodes[0], exp.Distinct)
    if distinct:
        check_arguments(nodes[0], {"expressions"}, b.text)
        last = nodes[0].expressions
        nodes = [*last, *nodes[1:]]
        if nodes and isinstance(nodes[-1], exp.Order):
            ordering, nodes[-1] = nodes[-1].expressions, nodes[-1].this
    if name == "count" and len(nodes) == 1 and isinstance(nodes[0], exp.Star):
        check_arguments(nodes[0], set(), b.text)
        nodes = []
    bound = [bind_expression(b, n, scope) for n in nodes]
    for argument in bound:
        if any(own_calls(argument, AggregateCall)) or any(own_calls(argument, WindowCall)):
            raise UserError(
                f"the arguments of {name} cannot contain aggregates or window functions",
                code="NESTED_AGGREGATION",
                position=position,
            )
    resolution = registry.resolve(function, [a.type for a in bound], position)
    arguments = tuple(coerce(a, p) for a, p in zip(bound, resolution.parameters, strict=True))
    keys = bind_sort_keys(b, ordering, scope)
    if keys and not getattr(function, "ordered", False):
        raise NotSupported(f"ORDER BY inside {name} is not supported", position=position)
    return AggregateCall(resolution.result, name, arguments, distinct, filter_, keys, position)


@converts(exp.Filter, reads="this expression")
def _filtered(b: Binder, node: exp.Filter, scope: Scope) -> Expression:
    condition = bind_condition(b, node.expression.this, scope, "FILTER (WHERE ...)")
    if isinstance(node.this, exp.WithinGroup):
        return _aggregate(b, node.this.this, scope, filter_=condition, within=_within(b, node.this))
    if not isinstance(node.this, exp.Anonymous):
        raise NotSupported("FILTER belongs to an aggregate", position=b.position(node))
    return _aggregate(b, node.this, scope, filter_=condition)


@converts(exp.WithinGroup, reads="this expression")
def _within_group(b: Binder, node: exp.WithinGroup, scope: Scope) -> Expression:
    if not isinstance(node.this, exp.Anonymous):
        raise NotSupported("WITHIN GROUP belongs to an aggregate", position=b.position(node))
    return _aggregate(b, node.this, scope, within=_within(b, node))


def _within(b: Binder, node: exp.WithinGroup) -> list[exp.Expr]:
    check_arguments(node.expression, {"expressions"}, b.text)
    return list(node.expression.expressions)


# Windows --------------------------------------------------------------------------------------------


@converts(exp.Window, reads="this partition_by order spec over alias")
def _window(b: Binder, node: exp.Window, scope: Scope) -> Expression:
    target, ignore_nulls, filter_ = node.this, False, None
    if isinstance(target, (exp.IgnoreNulls, exp.RespectNulls)):
        check_arguments(target, {"this"}, b.text)
        ignore_nulls, target = isinstance(target, exp.IgnoreNulls), target.this
    if isinstance(target, exp.Filter):
        check_arguments(target, {"this", "expression"}, b.text)
        filter_ = bind_condition(b, target.expression.this, scope, "FILTER (WHERE ...)")
        target = target.this
    if not isinstance(target, exp.Anonymous):
        raise NotSupported("OVER belongs to a function", position=b.position(node))
    check_arguments(target, {"this", "expressions"}, b.text)
    if node.args.get("alias") is not None:
        raise NotFound(
            f"window '{node.alias}' is not defined",
            code="INVALID_WINDOW_REFERENCE",
            position=b.position(node),
        )
    name, position = target.name.lower(), b.position(target)
    function = _lookup(b, target)
    if function.kind == "scalar":
        raise UserError(f"{name} is not a window function", code="FUNCTION_NOT_WINDOW", position=position)
    nodes = list(target.expressions)
    if any(isinstance(n, exp.Distinct) for n in nodes):
        raise NotSupported("DISTINCT in a window function is not supported", position=position)
    if any(isinstance(n, exp.Order) for n in nodes):
        raise NotSupported(
            "ORDER BY inside a window function's arguments is not supported", position=position
        )
    if name == "count" and len(nodes) == 1 and isinstance(nodes[0], exp.Star):
        nodes = []
    if nodes and isinstance(nodes[-1], (exp.IgnoreNulls, exp.RespectNulls)):
        ignore_nulls = isinstance(nodes[-1], exp.IgnoreNulls)
        nodes[-1] = nodes[-1].this
    bound = [bind_expression(b, n, scope) for n in nodes]
    resolution = registry.resolve(function, [a.type for a in bound], position)
    arguments = tuple(coerce(a, p) for a, p in zip(bound, resolution.parameters, strict=True))
    partition = tuple(bind_expression(b, n, scope) for n in node.args.get("partition_by") or ())
    order = node.args.get("order")
    keys = bind_sort_keys(b, order.expressions if order else (), scope)
    frame = _frame(b, node.args.get("spec"), scope, bool(keys))
    made = WindowCall(
        resolution.result, name, arguments, partition, keys, frame, ignore_nulls, filter_, position
    )
    for inner in parts(made):
        if any(own_calls(inner, WindowCall)):
            raise UserError("window functions cannot be nested", code="NESTED_WINDOW", position=position)
    return made


def bind_sort_keys(b: Binder, nodes: Sequence[exp.Expr], scope: Scope) -> tuple[SortKey, ...]:
    return tuple(sort_key(b, n, bind_expression(b, n.this, scope)) for n in nodes)


def sort_key(b: Binder, node: exp.Expr, expression: Expression) -> SortKey:
    check_arguments(node, {"this", "desc", "nulls_first"}, b.text)
    _require(t.is_orderable(expression.type), f"{expression.type} cannot be ordered", b.position(node))
    return SortKey(expression, bool(node.args.get("desc")), bool(node.args.get("nulls_first")))


def _frame(b: Binder, node: exp.Expr | None, scope: Scope, ordered: bool) -> Frame | None:
    if node is None:
        return None
    check_arguments(node, {"kind", "start", "start_side", "end", "end_side"}, b.text)
    unit = str(node.args["kind"]).lower()
    if unit == "groups":
        raise NotSupported("GROUPS frames are not supported", position=b.position(node))
    start = _bound(b, node.args.get("start"), node.args.get("start_side"), scope, "preceding")
    end_node = node.args.get("end")
    end = (
        _bound(b, end_node, node.args.get("end_side"), scope, "following")
        if end_node is not None
        else FrameBound("current_row")
    )
    if unit == "range" and not ordered and (start.offset or end.offset):
        raise UserError("a RANGE frame with an offset needs ORDER BY", position=b.position(node))
    return Frame(unit, start, end)


def _bound(b: Binder, value: Any, side: Any, scope: Scope, default_side: str) -> FrameBound:
    word = re.sub(r"\s+", " ", str(value)).upper() if isinstance(value, str) else None
    direction = str(side or default_side).lower()
    if word == "CURRENT ROW":
        return FrameBound("current_row")
    if word == "UNBOUNDED":
        return FrameBound(f"unbounded_{direction}")
    assert isinstance(value, exp.Expr)
    return FrameBound(direction, bind_expression(b, value, scope))


def _require(condition: bool, message: str, position: Position | None) -> None:
    if not condition:
        raise TypeMismatch(message, position=position)
