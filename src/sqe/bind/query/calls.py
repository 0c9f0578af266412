"""Function calls: scalar functions with lambdas, aggregates, and window functions."""

from __future__ import annotations

import decimal
import re
from collections.abc import Sequence
from typing import Any

from sqlglot import exp

from sqe.bind.binder import Binder, coerce
from sqe.bind.conversion import EXPRESSIONS, check_arguments
from sqe.bind.names import name_of
from sqe.bind.query import constant_times, open_parameters, zones
from sqe.bind.query.call_forms import FORMS
from sqe.bind.query.checksums import SUM, checksum
from sqe.bind.query.constants import SESSION_FUNCTIONS
from sqe.bind.query.expressions import bind_condition, bind_expression, bind_sort_keys, own_calls
from sqe.bind.query.scope import Scope, is_random
from sqe.bind.query.special_forms import row
from sqe.catalog.names import nearest
from sqe.errors import NotFound, NotSupported, Position, TypeMismatch, UserError
from sqe.functions import registry
from sqe.functions.refused import REFUSED
from sqe.tree.expressions import (
    AggregateCall,
    Call,
    Exists,
    Expression,
    Frame,
    FrameBound,
    InSubquery,
    Lambda,
    LambdaRef,
    Literal,
    Quantified,
    ScalarSubquery,
    SortKey,
    WindowCall,
    parts,
    walk,
)
from sqe.types import sql_types as t

converts = EXPRESSIONS.of


@converts(exp.Anonymous, reads="this expressions")
def _function(b: Binder, node: exp.Anonymous, scope: Scope) -> Expression:
    name = node.name.lower()
    if name in SESSION_FUNCTIONS and not node.expressions:
        return SESSION_FUNCTIONS[name](b)
    if name in FORMS:
        return FORMS[name](b, node, scope)
    if name == "row":
        return row([bind_expression(b, e, scope) for e in node.expressions])
    if name == "grouping":
        if not node.expressions:
            raise UserError("grouping() needs columns", code="INVALID_ARGUMENTS", position=b.position(node))
        arguments = tuple(bind_expression(b, e, scope) for e in node.expressions)
        return Call(t.INTEGER, "grouping", arguments, b.position(node))
    function = _lookup(b, node)
    if function.kind == "window":
        raise UserError(
            f"{name} is a window function and needs OVER (...)",
            code="MISSING_OVER",
            position=b.position(node),
        )
    if function.kind == "table":
        raise UserError(
            f"{name} is a table function: FROM TABLE({name}(...))",
            code="FUNCTION_NOT_FOUND",
            position=b.position(node),
        )
    if function.kind == "aggregate":
        return _aggregate(b, node, scope)
    return _scalar_call(b, node, scope)


def _lookup(b: Binder, node: exp.Anonymous) -> registry.Function:
    name = node.name.lower()
    function = None if name.startswith("$") else registry.lookup(name)
    if function is None and name in REFUSED:
        raise NotSupported(f"function '{name}' is not supported: {REFUSED[name]}", position=b.position(node))
    if function is None:
        raise NotFound(
            f"function '{name}' not registered",
            code="FUNCTION_NOT_FOUND",
            position=b.position(node),
            hint=nearest(name, registry.names()),
        )
    return function


def _scalar_call(b: Binder, node: exp.Anonymous, scope: Scope) -> Expression:
    position = b.position(node)
    function = _lookup(b, node)
    name = function.name
    in_a_zone = zones.SPECIAL.get(name)
    if in_a_zone is not None:
        return in_a_zone(b, [bind_expression(b, n, scope) for n in node.expressions], position)
    result, arguments = _arguments(b, function, node.expressions, scope, position)
    return constant_times.folded_typeof(name, arguments) or Call(result, name, arguments, position)


def _arguments(
    b: Binder,
    function: registry.Function,
    nodes: Sequence[exp.Expr],
    scope: Scope,
    position: Position | None,
) -> tuple[t.Type, tuple[Expression, ...]]:
    """The result's type and the arguments, coerced to the parameters of the signature that matches."""
    bound: list[Expression | _PendingLambda] = [
        _PendingLambda(b, n, scope) if isinstance(n, exp.Lambda) else bind_expression(b, n, scope)
        for n in nodes
    ]
    types = [a.argument() if isinstance(a, _PendingLambda) else a.type for a in bound]
    resolution = open_parameters.resolve(function, types, bound, position)
    arguments = tuple(
        a.bound(p) if isinstance(a, _PendingLambda) else coerce(a, p)
        for a, p in zip(bound, resolution.parameters, strict=True)
    )
    return resolution.result, arguments


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
        if any(isinstance(part, (ScalarSubquery, Exists, InSubquery, Quantified)) for part in walk(body)):
            raise NotSupported(
                "Lambda expression cannot contain subqueries", position=self._b.position(self._node)
            )
        return Lambda(t.FunctionType(tuple(types), body.type), parameters, body)

    def bound(self, parameter: t.Type) -> Lambda:
        assert isinstance(parameter, t.FunctionType)
        lambda_ = self._bind(parameter.arguments)
        return Lambda(parameter, lambda_.parameters, coerce(lambda_.body, parameter.result))


def _aggregate(
    b: Binder,
    node: exp.Anonymous,
    scope: Scope,
    *,
    filter_: Expression | None = None,
    within: Sequence[exp.Expr] = (),
) -> Expression:
    name, position = node.name.lower(), b.position(node)
    function = _lookup(b, node)
    if function.kind != "aggregate":
        raise UserError(
            f"{name} is not an aggregate function", code="FUNCTION_NOT_AGGREGATE", position=position
        )
    nodes = list(node.expressions)
    ordering: list[exp.Expr] = list(within)
    if within and (name != "listagg" or any(n.find(exp.Order) is not None for n in nodes)):
        raise NotSupported("WITHIN GROUP is for listagg, once", position=position)
    if nodes and isinstance(nodes[-1], exp.Order):
        check_arguments(nodes[-1], {"this", "expressions"}, b.text)
        ordering = nodes[-1].expressions
        nodes[-1] = nodes[-1].this
    distinct = bool(nodes) and isinstance(nodes[0], exp.Distinct)
    if distinct:
        check_arguments(nodes[0], {"expressions"}, b.text)
        nodes = [*nodes[0].expressions, *nodes[1:]]
        if nodes and isinstance(nodes[-1], exp.Order):
            ordering, nodes[-1] = nodes[-1].expressions, nodes[-1].this
    if name == "count" and len(nodes) == 1 and isinstance(nodes[0], exp.Star):
        check_arguments(nodes[0], set(), b.text)
        nodes = []
    result, bound = _arguments(b, function, nodes, scope, position)
    keys = bind_sort_keys(b, ordering, scope)
    for argument in (*bound, *((filter_,) if filter_ is not None else ()), *(k.expression for k in keys)):
        grouped = any(c.function == "grouping" for c in own_calls(argument, Call))
        if grouped or any(own_calls(argument, AggregateCall)) or any(own_calls(argument, WindowCall)):
            raise UserError(
                f"the arguments of {name} cannot contain aggregates or window functions",
                code="NESTED_AGGREGATION",
                position=position,
            )
    if keys and not function.ordered:
        if name in _ORDER_MATTERS:
            raise NotSupported(f"ORDER BY inside {name} is not supported", position=position)
        keys = ()
    if name == "checksum":
        return checksum(
            bound[0],
            lambda added: AggregateCall(SUM, "sum", (added,), distinct, filter_, (), position),
            position,
        )
    return AggregateCall(result, name, bound, distinct, filter_, keys, position)


# What these answer depends on the order of the rows; of the others only array_agg and listagg do.
_ORDER_MATTERS = frozenset(
    {"any_value", "arbitrary", "map_agg", "multimap_agg", "map_union", "min_by", "max_by", "reduce_agg"}
)


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
    if function.kind in ("scalar", "table"):
        raise UserError(f"{name} is not a window function", code="FUNCTION_NOT_WINDOW", position=position)
    nodes = list(target.expressions)
    distinct = bool(nodes) and isinstance(nodes[0], exp.Distinct)
    if distinct:
        check_arguments(nodes[0], {"expressions"}, b.text)
        nodes = [*nodes[0].expressions, *nodes[1:]]
        if function.kind != "aggregate":
            raise NotSupported(f"DISTINCT is for aggregates, not for {name}", position=position)
        if filter_ is not None:
            raise NotSupported("FILTER beside DISTINCT in a window is not supported", position=position)
    if any(isinstance(n, exp.Order) for n in nodes):
        raise NotSupported(
            "ORDER BY inside a window function's arguments is not supported", position=position
        )
    if name == "count" and len(nodes) == 1 and isinstance(nodes[0], exp.Star):
        nodes = []
    if nodes and isinstance(nodes[-1], (exp.IgnoreNulls, exp.RespectNulls)):
        ignore_nulls = isinstance(nodes[-1], exp.IgnoreNulls)
        nodes[-1] = nodes[-1].this
    if ignore_nulls and name not in _NULL_TREATED:
        raise UserError(
            f"Cannot specify null treatment clause for {name} function",
            code="NULL_TREATMENT_NOT_ALLOWED",
            position=position,
        )
    result, arguments = _arguments(b, function, nodes, scope, position)
    if distinct and any(map(is_random, arguments)):
        raise NotSupported("DISTINCT of random(), uuid() or shuffle() in a window", position=position)
    partition = tuple(bind_expression(b, n, scope) for n in node.args.get("partition_by") or ())
    order = node.args.get("order")
    keys = bind_sort_keys(b, order.expressions if order else (), scope)
    frame = _frame(b, node.args.get("spec"), scope, keys)

    def window(result: t.Type, name: str, arguments: tuple[Expression, ...]) -> WindowCall:
        return WindowCall(
            result, name, arguments, partition, keys, frame, ignore_nulls, filter_, position, distinct
        )

    call = window(result, name, arguments)
    for inner in parts(call):
        if any(own_calls(inner, WindowCall)):
            raise UserError("window functions cannot be nested", code="NESTED_WINDOW", position=position)
    if name == "checksum":
        return checksum(arguments[0], lambda added: window(SUM, "sum", (added,)), position)
    return call


_NULL_TREATED = frozenset({"lag", "lead", "first_value", "last_value", "nth_value"})


def _frame(b: Binder, node: exp.Expr | None, scope: Scope, keys: Sequence[SortKey]) -> Frame | None:
    if node is None:
        return None
    check_arguments(node, {"kind", "start", "start_side", "end", "end_side"}, b.text)
    unit = str(node.args["kind"]).lower()
    start = _bound(b, node.args.get("start"), node.args.get("start_side"), scope, "preceding")
    end_node = node.args.get("end")
    end = (
        _bound(b, end_node, node.args.get("end_side"), scope, "following")
        if end_node is not None
        else FrameBound("current_row")
    )
    _check_offsets(b, node, unit, [x.offset for x in (start, end) if x.offset is not None], keys)
    if (
        _BOUNDS.index(start.kind) > _BOUNDS.index(end.kind)
        or start.kind == _BOUNDS[-1]
        or end.kind == _BOUNDS[0]
    ):
        raise UserError(
            "the frame ends before it begins", code="INVALID_WINDOW_FRAME", position=b.position(node)
        )
    if start.kind == end.kind and _is_empty(start, end):
        raise NotSupported("a frame that ends before it begins is always empty", position=b.position(node))
    return Frame(unit, start, end)


def _check_offsets(
    b: Binder, node: exp.Expr, unit: str, offsets: Sequence[Expression], keys: Sequence[SortKey]
) -> None:
    position = b.position(node)
    if not keys and (unit == "groups" or (unit == "range" and offsets)):
        raise UserError(f"a {unit.upper()} frame needs ORDER BY", code="MISSING_ORDER_BY", position=position)
    if unit == "range" and offsets:
        if len(keys) != 1:
            raise UserError(
                "a RANGE frame with an offset needs a single key in ORDER BY",
                code="INVALID_ORDER_BY",
                position=position,
            )
        key = keys[0].expression.type
        moment = key == t.DATE or isinstance(key, (t.Timestamp, t.TimestampTz))
        for offset in offsets:
            fits = t.is_interval(offset.type) if moment else t.is_numeric(offset.type)
            if not fits or not (moment or t.is_numeric(key)):
                raise TypeMismatch(
                    f"a RANGE frame over {key} cannot have an offset of {offset.type}", position=position
                )
    elif any(not t.is_integer(offset.type) for offset in offsets):
        raise TypeMismatch(f"the offsets of a {unit.upper()} frame are integers", position=position)


def _is_empty(start: FrameBound, end: FrameBound) -> bool:
    if not isinstance(start.offset, Literal) or not isinstance(end.offset, Literal):
        return False
    first: Any = start.offset.value
    last: Any = end.offset.value
    try:
        return bool(first > last if start.kind == "following" else first < last)
    except TypeError:
        return False


_BOUNDS = ["unbounded_preceding", "preceding", "current_row", "following", "unbounded_following"]


def _bound(b: Binder, value: Any, side: Any, scope: Scope, default_side: str) -> FrameBound:
    word = re.sub(r"\s+", " ", str(value)).upper() if isinstance(value, str) else None
    direction = str(side or default_side).lower()
    if word == "CURRENT ROW":
        return FrameBound("current_row")
    if word == "UNBOUNDED":
        return FrameBound(f"unbounded_{direction}")
    assert isinstance(value, exp.Expr)
    offset = bind_expression(b, value, scope)
    if not isinstance(offset, Literal):
        raise NotSupported("a frame's offset must be a constant", position=b.position(value))
    size = offset.value
    if size is None or (isinstance(size, (int, decimal.Decimal, float)) and size < 0):
        raise UserError(
            "a frame's offset cannot be negative or NULL",
            code="INVALID_WINDOW_FRAME",
            position=b.position(value),
        )
    return FrameBound(direction, offset)
