"""JSON '…', json_object('name' : value, …) and json_array(…), which have a grammar of their own."""

from __future__ import annotations

from sqlglot import exp

from sqe.bind.binder import Binder, coerce
from sqe.bind.conversion import EXPRESSIONS, check_arguments
from sqe.bind.query.expressions import bind_expression
from sqe.bind.query.scope import Scope
from sqe.errors import NotSupported, TypeMismatch, UserError
from sqe.functions.bodies.arrow import BodyError
from sqe.sql.json_calls import JsonPathCall
from sqe.tree.expressions import Call, Cast, Expression, Literal
from sqe.types import sql_types as t

converts = EXPRESSIONS.of


@converts(exp.ParseJSON, reads="this is_literal")
def _literal(b: Binder, node: exp.ParseJSON, scope: Scope) -> Expression:
    if not (node.args.get("is_literal") and isinstance(node.this, exp.Literal)):
        raise NotSupported("JSON is written JSON '...'", position=b.position(node))
    from sqe.functions.bodies.json_text import parse

    try:
        return Literal(t.JSON, parse(node.this.name))
    except BodyError:
        raise UserError(
            f"'{node.this.name}' is not a valid JSON literal",
            code="INVALID_LITERAL",
            position=b.position(node),
        ) from None


@converts(
    JsonPathCall,
    reads="kind this format path passing returning output wrapper quotes"
    " empty empty_default error error_default",
)
def _path_call(b: Binder, node: JsonPathCall, scope: Scope) -> Expression:
    from sqe.bind.query.json_path_forms import path_call

    return path_call(b, node, scope)


@converts(exp.JSONObject, reads="expressions null_handling")
def _object(b: Binder, node: exp.JSONObject, scope: Scope) -> Expression:
    arguments: list[Expression] = []
    for written in node.expressions:
        # sqlglot puts FORMAT JSON around the name and its value.
        formats = isinstance(written, exp.FormatJson)
        pair = written.this if formats else written
        if not isinstance(pair, exp.JSONKeyValue):
            raise NotSupported("json_object takes 'name' : value", position=b.position(pair))
        check_arguments(pair, {"this", "expression"}, b.text)
        name = bind_expression(b, pair.this, scope)
        if not t.is_text(name.type):
            raise TypeMismatch(
                f"a name of json_object is a text, not {name.type}", position=b.position(pair.this)
            )
        name = coerce(name, t.VARCHAR)
        if not isinstance(name, Literal) or name.value is None:
            name = Call(t.VARCHAR, "$json_name", (name,), b.position(pair.this))
        arguments += [name, (_formatted if formats else _value)(b, pair.expression, scope)]
    absent = str(node.args.get("null_handling") or "").upper().startswith("ABSENT")
    function = "$json_object_without_nulls" if absent else "$json_object"
    return Call(t.VARCHAR, function, tuple(arguments), b.position(node))


@converts(exp.JSONArray, reads="expressions")
def _array(b: Binder, node: exp.JSONArray, scope: Scope) -> Expression:
    values = tuple(_value(b, item, scope) for item in node.expressions)
    return Call(t.VARCHAR, "$json_array", values, b.position(node))


def _is_json_text(value: Expression) -> bool:
    """Whether a value is the text of JSON by how it is made."""
    if isinstance(value, Cast) and t.is_text(value.type):
        value = value.operand
    return isinstance(value, Call) and (
        value.function.startswith("$json_") or value.function == "$path_query"
    )


def _formatted(b: Binder, node: exp.Expr, scope: Scope) -> Expression:
    """FORMAT JSON: a text that is JSON."""
    from sqe.bind.query.json_path_forms import formatted

    value = bind_expression(b, node, scope)
    if value.type == t.UNKNOWN:
        return Literal(t.JSON, None)
    if not isinstance(value.type, t.Varchar):
        raise TypeMismatch(
            f"a value of type {value.type} is not read as JSON here", position=b.position(node)
        )
    return formatted(coerce(value, t.VARCHAR), b.position(node))


def _value(b: Binder, node: exp.Expr, scope: Scope) -> Expression:
    """A value as JSON: the result of a JSON constructor is JSON already, any other text is a JSON text."""
    if isinstance(node, exp.FormatJson):
        check_arguments(node, {"this"}, b.text)
        return _formatted(b, node.this, scope)
    value = bind_expression(b, node, scope)
    if _is_json_text(value):
        return value
    if value.type == t.UNKNOWN:
        return Literal(t.JSON, None)
    if not (t.is_text(value.type) or t.is_numeric(value.type) or value.type == t.BOOLEAN):
        raise NotSupported(
            f"a value of type {value.type} cannot stand here",
            position=b.position(node),
            hint="cast it to varchar",
        )
    if isinstance(value.type, t.Char):
        value = Cast(t.VARCHAR, value, implicit=True)
    return Cast(t.JSON, value, position=b.position(node))
