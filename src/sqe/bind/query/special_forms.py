"""Casts, conditionals, and the calls and constructors with a grammar of their own."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqlglot import exp

from sqe.bind.binder import Binder, unify
from sqe.bind.conversion import EXPRESSIONS, check_arguments
from sqe.bind.query import constant_times, literals
from sqe.bind.query.expressions import bind_condition, bind_expression, call
from sqe.bind.query.scope import Scope, check_computed_once
from sqe.bind.query.zones import at_timezone, cast_target, constant_cast
from sqe.bind.types import bind_type
from sqe.catalog.names import nearest
from sqe.errors import NotSupported, SyntaxFault, TypeMismatch, UserError
from sqe.functions import registry
from sqe.functions.casts import castable
from sqe.sql.dialect import CAST
from sqe.tree.expressions import (
    Call,
    Case,
    Cast,
    Expression,
    Literal,
    Parameter,
)
from sqe.types import sql_types as t

converts = EXPRESSIONS.of


# Their precision is in the text, and sqlglot's reading of it is not ours.
_TIMES = {
    exp.DType.TIME: literals.time,
    exp.DType.TIMETZ: literals.time,
    exp.DType.TIMESTAMP: literals.timestamp,
    exp.DType.TIMESTAMPTZ: literals.timestamp,
}


@converts(exp.Cast, exp.TryCast, reads="this to safe")
def _cast(b: Binder, node: exp.Cast, scope: Scope) -> Expression:
    position = b.position(node)
    safe = isinstance(node, exp.TryCast)
    written = (
        isinstance(node.this, exp.Literal) and node.this.is_string and not safe and _is_typed_literal(b, node)
    )
    if written and (read := _TIMES.get(node.args["to"].this)) is not None:
        return read(node.this.this, position)
    target = bind_type(node.args["to"], b.text)
    if written:
        constant = literals.typed(target, node.this.this, position)
        if constant is not None:
            return constant
    operand = bind_expression(b, node.this, scope)
    if isinstance(operand, Parameter):
        b.cast_parameters.setdefault(operand.number, target)
    if operand.type == t.UNKNOWN:
        return Literal(constant_times.constant_type(target), None)
    if t.has(operand.type, t.ConstantTime):
        target = constant_times.constant_type(target)
    folded = constant_times.folded_cast(
        operand, target, safe=safe, session_zone=b.session.time_zone, now=b.now, position=position
    )
    if folded is not None:
        return folded
    if not castable(operand.type, target):
        raise TypeMismatch(f"cannot cast {operand.type} to {target}", position=position)
    constant = constant_cast(b, operand, target)
    if constant is not None:
        return constant
    target = cast_target(b, operand, target, position)
    if operand.type == target:
        return operand
    return Cast(target, operand, safe=safe, position=position)


def _is_typed_literal(b: Binder, node: exp.Cast) -> bool:
    """DATE '2020-01-01', rather than CAST('2020-01-01' AS DATE) or '2020-01-01'::date."""
    start = node.this.meta.get("start")
    if start is None or node.meta.get(CAST):
        return False
    before, after = b.text[:start].rstrip(), b.text[node.this.meta["end"] + 1 :]
    if re.match(r"(?:\s|--[^\n]*\n|/\*.*?\*/)*::", after, re.DOTALL):
        return False
    if before.upper().endswith("ZONE"):
        raise SyntaxFault("a timestamp constant has its zone in the text", position=b.position(node))
    if before.endswith(")"):
        raise NotSupported(
            "a typed constant has no parameters", position=b.position(node), hint="use CAST('...' AS type)"
        )
    return True


@converts(exp.Case, reads="this ifs default")
def _case(b: Binder, node: exp.Case, scope: Scope) -> Expression:
    position = b.position(node)
    operand = bind_expression(b, node.this, scope) if node.this else None
    if operand is not None:
        check_computed_once(operand, "CASE", b.position(node.this))
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
            f"Invalid EXTRACT field: {unit}",
            code="SYNTAX_ERROR",
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
    nodes = [node.this, node.args.get("start"), node.args.get("length")]
    return call("substr", [bind_expression(b, n, scope) for n in nodes if n is not None], b.position(node))


@converts(exp.Trim, reads="this position expression")
def _trim(b: Binder, node: exp.Trim, scope: Scope) -> Expression:
    name = {"LEADING": "ltrim", "TRAILING": "rtrim"}.get(str(node.args.get("position") or ""), "trim")
    nodes = [n for n in (node.this, node.expression) if isinstance(n, exp.Expr)]
    return call(name, [bind_expression(b, n, scope) for n in nodes], b.position(node))


@converts(exp.AtTimeZone, reads="this zone")
def _at_time_zone(b: Binder, node: exp.AtTimeZone, scope: Scope) -> Expression:
    arguments = (bind_expression(b, node.this, scope), bind_expression(b, node.args["zone"], scope))
    return at_timezone(b, arguments, b.position(node))


@converts(exp.Array, reads="expressions")
def _array(b: Binder, node: exp.Array, scope: Scope) -> Expression:
    items = constant_times.with_zones([bind_expression(b, e, scope) for e in node.expressions])
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
