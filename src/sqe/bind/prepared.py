"""PREPARE, EXECUTE and DEALLOCATE, and DESCRIBE INPUT and OUTPUT of a prepared statement."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from sqlglot import exp

from sqe.bind.binder import Binder
from sqe.bind.conversion import STATEMENTS
from sqe.bind.names import name_of
from sqe.errors import NotFound, NotSupported, Position, SqeError, UserError
from sqe.sql.parse import Syntax, parse, position_at
from sqe.sql.statements import Deallocate, DescribePrepared, Execute, Prepare
from sqe.tree import statements as s
from sqe.tree.expressions import Cast, Expression, Parameter, Ref, walk
from sqe.tree.relations import Project, Values
from sqe.types import sql_types as t

converts = STATEMENTS.of

# They would change what is prepared while it is bound.
_NOT_PREPARED = (Prepare, Execute, Deallocate, DescribePrepared)


@converts(Prepare, reads="this expression start")
def _prepare(b: Binder, node: Prepare) -> s.Statement:
    start = int(node.args["start"])
    text = b.text[start:].strip().rstrip(";").rstrip()
    try:
        _parse(text, b.position(node))
    except SqeError as error:
        error.position = position_at(b.text, start)
        raise
    return s.Prepare(name_of(node.this).folded, text)


@converts(Deallocate, reads="this")
def _deallocate(b: Binder, node: Deallocate) -> s.Statement:
    name = name_of(node.this).folded
    _text(b, name, b.position(node))
    return s.Deallocate(name)


@converts(Execute, reads="this expressions immediate")
def _execute(b: Binder, node: Execute) -> s.Statement:
    from sqe.bind.query.expressions import bind_expression
    from sqe.bind.query.scope import Scope

    values: list[Expression] = []
    for item in node.expressions:
        if item.find(exp.Query) or item.find(exp.Column):
            raise UserError(
                "USING takes constants", code="INVALID_PARAMETER_USAGE", position=b.position(item)
            )
        values.append(bind_expression(b, item, Scope()))
    immediate = bool(node.args.get("immediate"))
    position = b.position(node)
    text = node.this.name if immediate else _text(b, name_of(node.this).folded, position)
    return _bind(b, text, tuple(values), position)


@converts(DescribePrepared, reads="this output")
def _describe(b: Binder, node: DescribePrepared) -> s.Statement:
    position = b.position(node)
    text = _text(b, name_of(node.this).folded, position)
    count = _parse(text, position).parameters
    parameters = tuple(Parameter(t.UNKNOWN, i) for i in range(count))
    statement = _bind(b, text, parameters, position)
    if node.args.get("output"):
        return s.DescribeOutput(statement)
    return s.DescribeInput(parameter_types(b, statement, count))


def parameter_types(b: Binder, statement: s.Statement, count: int) -> tuple[t.Type, ...]:
    """The type that each `?` is coerced to: binding has put a cast around it."""
    types = dict(b.parameter_types)
    sources: dict[int, list[Expression]] = {}
    for node in walk(statement):
        if isinstance(node, (Project, Values)):
            for row in node.rows if isinstance(node, Values) else [node.expressions]:
                for field, value in zip(node.fields, row, strict=True):
                    if isinstance(value, (Parameter, Ref)):
                        sources.setdefault(field.id, []).append(value)
    for node in walk(statement):
        if isinstance(node, Cast):
            for number in _parameters(node.operand, sources):
                types.setdefault(number, node.type)
    return tuple(types.get(i, t.UNKNOWN) for i in range(count))


def _parameters(value: Expression, sources: Mapping[int, Sequence[Expression]]) -> list[int]:
    """The parameter that a value is, or the parameters that a column passes on unchanged through any number
    of relations. `sources` are the values of each column, by the id of its field."""
    numbers: list[int] = []
    values, seen = [value], set()
    while values:
        value = values.pop()
        if isinstance(value, Parameter):
            numbers.append(value.number)
        elif isinstance(value, Ref) and value.field.id not in seen:
            seen.add(value.field.id)
            values += sources.get(value.field.id, ())
    return numbers


def _text(b: Binder, name: str, position: Position | None) -> str:
    text = b.session.prepared.get(name)
    if text is None:
        raise NotFound(f"prepared statement '{name}' does not exist", code="NOT_FOUND", position=position)
    return text


def _parse(text: str, position: Position | None) -> Syntax:
    syntax = parse(text)
    if isinstance(syntax.node, _NOT_PREPARED):
        raise NotSupported("a statement about prepared statements cannot be prepared", position=position)
    return syntax


def _bind(b: Binder, text: str, values: tuple[Expression, ...], position: Position | None) -> s.Statement:
    """Bind a text other than the one that was sent: positions in it mean nothing to the sender."""
    from sqe.bind.statement import bind

    try:
        return bind(replace(b, text=text, parameters=values), _parse(text, position))
    except SqeError as error:
        place = f" (in it, line {error.position})" if error.position else ""
        raise type(error)(
            f"in the prepared statement: {error.message}{place}",
            code=error.code,
            position=position,
            hint=error.hint,
        ) from error.__cause__
