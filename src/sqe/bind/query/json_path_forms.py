"""json_exists, json_value and json_query as calls of three texts: the input, the form of the call, and what
is passed to it.

The path is read here, so that what is wrong in it is said with its place before anything runs.
"""

from __future__ import annotations

import json
from collections.abc import Sequence

from sqlglot import exp

from sqe.bind.binder import Binder, coerce
from sqe.bind.conversion import check_arguments
from sqe.bind.names import name_of
from sqe.bind.query.expressions import bind_expression, call
from sqe.bind.query.json_path_types import check_types
from sqe.bind.query.scope import Scope
from sqe.bind.types import bind_type
from sqe.errors import NotSupported, Position, TypeMismatch, UserError
from sqe.functions.bodies.json_path_syntax import Path, PathError, parse
from sqe.sql.json_calls import JsonPathCall
from sqe.sql.parse import position_at
from sqe.tree.expressions import Call, Cast, Expression, Literal
from sqe.types import sql_types as t

EXISTS, VALUE, QUERY, TABLE = "$path_exists", "$path_value", "$path_query", "$path_table"


def path_call(b: Binder, node: JsonPathCall, scope: Scope) -> Expression:
    position = b.position(node)
    document, form, values = invocation(b, node, scope)
    kind = node.args["kind"]
    if kind == "JSON_EXISTS":
        form["error"] = node.args.get("error") or "FALSE"
        return body_call(EXISTS, t.BOOLEAN, document, form, values, position)
    returning = node.args.get("returning")
    target = bind_type(returning, b.text) if returning is not None else t.VARCHAR
    form |= clauses(node, target, "NULL", position)
    if kind == "JSON_QUERY":
        return typed(body_call(QUERY, t.VARCHAR, document, form, values, position), target, position)
    values |= defaults(b, node, target, scope)
    return typed(body_call(VALUE, t.VARCHAR, document, form, values, position), target, position)


def invocation(
    b: Binder, node: exp.Expr, scope: Scope
) -> tuple[Expression, dict[str, object], dict[str, Expression]]:
    """The input, the path with the types of its variables, and their values."""
    document, encoding = _input(b, node.this, node.args.get("format"), scope)
    path = read_path(b, node.args["path"])
    variables, values = _passed(b, node.args.get("passing") or (), path, node.args["path"], scope)
    form: dict[str, object] = {"path": node.args["path"].name, "variables": variables}
    return document, form if encoding is None else form | {"encoding": encoding}, values


def clauses(node: exp.Expr, target: t.Type, on_error: str, position: Position | None) -> dict[str, object]:
    """The clauses of json_value, json_query, or a column of JSON_TABLE, as the body reads them."""
    form: dict[str, object] = {
        "empty": node.args.get("empty") or on_error,
        "error": node.args.get("error") or on_error,
    }
    if node.args["kind"] == "JSON_VALUE":
        return form | {"type": _shape(target, position)}
    wrapper, quotes = node.args.get("wrapper") or "WITHOUT", node.args.get("quotes")
    if wrapper != "WITHOUT" and quotes is not None:
        raise UserError(
            f"{quotes} QUOTES cannot stand beside WITH {wrapper} ARRAY WRAPPER",
            code="INVALID_FUNCTION_ARGUMENT",
            position=position,
            hint="an array keeps the quotes of its texts",
        )
    form |= {"wrapper": wrapper, "quotes": quotes or "KEEP"}
    encoding = node.args.get("output") or "JSON"
    if target == t.VARBINARY:
        return form | {"output": "UTF8" if encoding == "JSON" else encoding}
    if not (t.is_text(target) and encoding == "JSON"):
        raise TypeMismatch(f"JSON cannot be returned as {target}", position=position)
    return form


def defaults(b: Binder, node: exp.Expr, target: t.Type, scope: Scope) -> dict[str, Expression]:
    """The values of DEFAULT, by the clause."""
    return {
        clause: _default(b, node.args[f"{clause}_default"], target, clause, scope)
        for clause in ("empty", "error")
        if node.args.get(f"{clause}_default") is not None
    }


def typed(found: Expression, target: t.Type, position: Position | None) -> Expression:
    """What the text of a body is a value of."""
    if target == t.VARBINARY:
        return call("from_hex", (found,), position)
    return found if target == t.VARCHAR else Cast(target, found, position=position)


def formatted(document: Expression, position: Position | None) -> Expression:
    """A text as the JSON that it is: FORMAT JSON among the values of json_object."""
    form: dict[str, object] = {"path": "lax $", "variables": [], "empty": "ERROR", "error": "ERROR"}
    form |= {"wrapper": "WITHOUT", "quotes": "KEEP"}
    return body_call(QUERY, t.VARCHAR, document, form, {}, position)


def body_call(
    function: str,
    result: t.Type,
    document: Expression,
    form: dict[str, object],
    values: dict[str, Expression],
    position: Position | None,
) -> Call:
    passed: list[Expression] = []
    for name, value in values.items():
        passed += [Literal(t.VARCHAR, name), value]
    arguments = Call(t.VARCHAR, "$json_object", tuple(passed)) if passed else Literal(t.VARCHAR, "{}")
    text = json.dumps(form, ensure_ascii=False, separators=(",", ":"))
    return Call(result, function, (document, Literal(t.VARCHAR, text), arguments), position)


def _input(b: Binder, node: exp.Expr, encoding: str | None, scope: Scope) -> tuple[Expression, str | None]:
    """The document as a text, and how its bytes are to be read where it is one of them, in hexadecimal."""
    value = bind_expression(b, node, scope)
    if value.type == t.UNKNOWN:
        return Literal(t.VARCHAR, None), None
    if isinstance(value.type, t.Varchar) and encoding in (None, "JSON"):
        return coerce(value, t.VARCHAR), None
    if value.type == t.VARBINARY:
        return call("to_hex", (value,)), "UTF8" if encoding in (None, "JSON") else encoding
    raise TypeMismatch(
        f"a value of type {value.type} is not read as JSON here",
        position=b.position(node),
        hint="give a varchar; json_format makes one of JSON",
    )


def read_path(b: Binder, node: exp.Expr) -> Path:
    try:
        path = parse(node.name)
        check_types(path.root)
        return path
    except PathError as error:
        position = b.position(node)
        if error.offset is not None and not b.inside:
            position = position_at(b.text, _place(b.text, node.meta["start"], error.offset))
        message = f"in a JSON path: {error}"
        fault = NotSupported if error.code == "NOT_SUPPORTED" else UserError
        raise fault(message, code=error.code, position=position) from None


def _place(text: str, quote: int, offset: int) -> int:
    """Where a character of a constant is in the statement, given where its quote is."""
    at = quote + 1
    for _ in range(offset):
        at += 2 if text.startswith("''", at) else 1
    return at


def _passed(
    b: Binder, nodes: Sequence[exp.Expr], path: Path, place: exp.Expr, scope: Scope
) -> tuple[list[list[str]], dict[str, Expression]]:
    """The names and types of the variables, and the values by their places."""
    variables: list[list[str]] = []
    values: dict[str, Expression] = {}
    for node in nodes:
        check_arguments(node, {"this", "format", "name"}, b.text)
        written = name_of(node.args["name"])
        # The standard folds to upper case, and paths tell one case from the other.
        name = written.text if written.quoted else written.text.upper()
        if any(name == known for known, _ in variables):
            raise UserError(
                f"JSON path parameter {name} is specified more than once",
                code="DUPLICATE_PARAMETER_NAME",
                position=b.position(node.args["name"]),
            )
        kind, value = _variable(b, node, scope)
        values[str(len(variables))] = value
        variables.append([name, kind])
    for name in path.variables:
        if all(name != known for known, _ in variables):
            raise UserError(
                f"no value is passed for ${name}",
                code="INVALID_PATH",
                position=b.position(place),
                hint=f'PASSING … AS "{name}": without the quotes the name is in upper case',
            )
    return variables, values


def _variable(b: Binder, node: exp.Expr, scope: Scope) -> tuple[str, Expression]:
    if node.args.get("format") is not None:
        document, encoding = _input(b, node.this, node.args["format"], scope)
        if encoding is not None:
            raise NotSupported("a variable in bytes", position=b.position(node), hint="use from_utf8")
        return "json", Cast(t.JSON, document)
    value = bind_expression(b, node.this, scope)
    if value.type == t.UNKNOWN:
        return "varchar", Literal(t.JSON, None)
    if isinstance(value.type, t.Varchar):
        return "varchar", Cast(t.JSON, coerce(value, t.VARCHAR))
    text = Cast(t.JSON, Cast(t.VARCHAR, value))
    if isinstance(value.type, t.Decimal):
        return f"decimal:{value.type.precision}", text
    if t.is_integer(value.type) or value.type in (t.BOOLEAN, t.DOUBLE):
        return str(value.type), text
    raise NotSupported(
        f"a variable of type {value.type} in a JSON path",
        position=b.position(node),
        hint="cast it to varchar, double or decimal",
    )


def _default(b: Binder, node: exp.Expr, target: t.Type, clause: str, scope: Scope) -> Expression:
    value = bind_expression(b, node, scope)
    if value.type == t.UNKNOWN:
        return Literal(t.JSON, None)
    if not t.coerces(value.type, target):
        raise TypeMismatch(
            f"the default ON {clause.upper()} must be a {target}, not {value.type}",
            position=b.position(node),
        )
    value = coerce(value, target)
    return Cast(t.JSON, value if target == t.VARCHAR else Cast(t.VARCHAR, value))


def _shape(target: t.Type, position: Position | None) -> list[object]:
    """The type as the body reads it."""
    match target:
        case t.Decimal(precision, scale):
            return ["decimal", precision, scale]
        case t.Varchar(length):
            return ["varchar", length]
        case t.Char(length):
            return ["char", length]
    if target in (t.BOOLEAN, t.DATE, *t.APPROXIMATE) or t.is_integer(target):
        return [str(target)]
    if isinstance(target, (t.Time, t.Timestamp, t.TimestampTz)):
        raise NotSupported(
            f"json_value RETURNING {target} is not supported",
            position=position,
            hint=f"cast the varchar: CAST(json_value(...) AS {target})",
        )
    raise TypeMismatch(f"json_value cannot return {target}", position=position)
