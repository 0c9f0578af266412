"""bar, color, render and rgb. A color is a type of Trino's own that no table stores: here it stands only as
an argument of these functions, as a number."""

from __future__ import annotations

from collections.abc import Callable

from sqlglot import exp

from sqe.bind.binder import Binder, coerce
from sqe.bind.query.expressions import bind_expression, call
from sqe.bind.query.scope import Scope
from sqe.errors import NotSupported, TypeMismatch
from sqe.tree.expressions import Call, Case, Cast, Expression, Literal
from sqe.types import sql_types as t

_RED, _GREEN = Literal(t.BIGINT, 0xFF0000), Literal(t.BIGINT, 0x00FF00)
_TRUE, _FALSE = "\x1b[38;5;2m\u2713\x1b[0m", "\x1b[38;5;1m\u2717\x1b[0m"
# How many characters a color adds at most, and the longest texts of a bigint and of a double with it.
_ADDED, _BIGINT, _DOUBLE = 15, 35, 41


def _refused(b: Binder, node: exp.Anonymous, scope: Scope) -> Expression:
    raise NotSupported(
        "a color can stand only among the arguments of bar, color and render", position=b.position(node)
    )


def _bar(b: Binder, node: exp.Anonymous, scope: Scope) -> Expression:
    nodes = node.expressions
    colors = [_color(b, n, scope) for n in nodes[2:]] if len(nodes) == 4 else [_RED, _GREEN]
    numbers = [bind_expression(b, n, scope) for n in (nodes[:2] if len(nodes) == 4 else nodes)]
    return call("bar", (*numbers, *colors), b.position(node))


def _render(b: Binder, node: exp.Anonymous, scope: Scope) -> Expression:
    position = b.position(node)
    if len(node.expressions) == 1:
        value = bind_expression(b, node.expressions[0], scope)
        if value.type != t.BOOLEAN:
            raise _mismatch(b, node)
        kind = t.Varchar(16)
        shown = ((value, Literal(kind, _TRUE)), (call("$not", (value,)), Literal(kind, _FALSE)))
        return Case(kind, shown, None)
    if len(node.expressions) != 2:
        raise _mismatch(b, node)
    value = bind_expression(b, node.expressions[0], scope)
    color = _color(b, node.expressions[1], scope)
    if t.is_integer(value.type):
        result: t.Type = t.Varchar(_BIGINT)
        text: Expression = Cast(t.VARCHAR, coerce(value, t.BIGINT))
    elif isinstance(value.type, t.Varchar):
        length = value.type.length
        result, text = t.Varchar(None if length is None else length + _ADDED), coerce(value, t.VARCHAR)
    else:
        raise NotSupported(
            f"render of {value.type} is not supported",
            position=position,
            hint="cast it to varchar",
        )
    return Call(result, "$render", (text, color), position)


def _color(b: Binder, node: exp.Expr, scope: Scope) -> Expression:
    """A color as a number."""
    while isinstance(node, exp.Paren):
        node = node.this
    name = node.name.lower() if isinstance(node, exp.Anonymous) else ""
    if name not in ("color", "rgb"):
        raise TypeMismatch("a color is rgb(...) or color(...)", position=b.position(node))
    nodes, position = node.expressions, b.position(node)
    if name == "rgb":
        return call("rgb", [bind_expression(b, n, scope) for n in nodes], position)
    if len(nodes) == 1:
        text = bind_expression(b, nodes[0], scope)
        if not isinstance(text.type, t.Varchar):
            raise _mismatch(b, node)
        return Call(t.BIGINT, "$color_named", (coerce(text, t.VARCHAR),), position)
    if len(nodes) not in (3, 5):
        raise _mismatch(b, node)
    low, high = (_color(b, n, scope) for n in nodes[-2:])
    numbers = [_double(b, n, scope) for n in nodes[:-2]]
    share = numbers[0]
    if len(numbers) == 3:
        value, least, most = numbers
        share = call("$div", (call("$sub", (value, least)), call("$sub", (most, least))))
    return Call(t.BIGINT, "$color_between", (share, low, high), position)


def _double(b: Binder, node: exp.Expr, scope: Scope) -> Expression:
    value = bind_expression(b, node, scope)
    if not t.coerces(value.type, t.DOUBLE):
        raise TypeMismatch(f"a share is a number, not {value.type}", position=b.position(node))
    return coerce(value, t.DOUBLE)


def _mismatch(b: Binder, node: exp.Expr) -> TypeMismatch:
    return TypeMismatch(
        f"unexpected arguments of {node.name.lower()}",
        code="FUNCTION_NOT_FOUND",
        position=b.position(node),
    )


FORMS: dict[str, Callable[[Binder, exp.Anonymous, Scope], Expression]] = {
    "bar": _bar,
    "color": _refused,
    "render": _render,
    "rgb": _refused,
}
