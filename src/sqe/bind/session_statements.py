"""SET and RESET SESSION, SET TIME ZONE, SET ROLE, SET PATH, and START TRANSACTION, COMMIT and ROLLBACK."""

from __future__ import annotations

import datetime as dt

from sqlglot import exp

from sqe.bind.binder import Binder
from sqe.bind.conversion import STATEMENTS, check_arguments
from sqe.bind.names import name_of
from sqe.bind.query.tables import plain_table_parts
from sqe.catalog.names import nearest
from sqe.config.session_properties import PROPERTIES, SessionProperty
from sqe.errors import InvalidArgument, NotFound, NotSupported
from sqe.foundation.identifiers import quoted
from sqe.sql.statements import ResetSession, SetPath, SetRole, SetTimeZone
from sqe.tree import statements as s
from sqe.tree.expressions import Expression, Literal
from sqe.types.zones import of_offset

converts = STATEMENTS.of


@converts(exp.Set, reads="expressions")
def _set(b: Binder, node: exp.Set) -> s.Statement:
    if len(node.expressions) != 1:
        raise NotSupported("SET SESSION takes one property", position=b.position(node))
    item = node.expressions[0]
    check_arguments(item, {"this", "kind"}, b.text)
    if str(item.args.get("kind") or "").upper() != "SESSION" or not isinstance(item.this, exp.EQ):
        raise NotSupported(
            "only SET SESSION property = value exists",
            position=b.position(node),
            hint="engine settings come from the configuration",
        )
    property_ = _property(b, item.this.this)
    value = _constant(b, item.this.expression)
    if not isinstance(value, Literal) or not isinstance(value.value, property_.python_type):
        actual = str(value.type) if isinstance(value, Literal) else "an expression"
        raise InvalidArgument(
            f"{property_.name} is of type {property_.type}, not {actual}",
            code="INVALID_SESSION_PROPERTY",
            position=b.position(item.this.expression),
        )
    try:
        return s.SetSession(property_.name, property_.check(property_.text(value.value)))
    except ValueError as error:
        raise InvalidArgument(
            f"{property_.name}: {error}",
            code="INVALID_SESSION_PROPERTY",
            position=b.position(item.this.expression),
        ) from None


@converts(ResetSession, reads="this")
def _reset(b: Binder, node: ResetSession) -> s.Statement:
    return s.SetSession(_property(b, node.this).name, None)


def _property(b: Binder, node: exp.Expr) -> SessionProperty:
    name = ".".join(p.name for p in node.parts) if isinstance(node, exp.Column) else node.name
    property_ = PROPERTIES.get(name.lower())
    if property_ is None:
        raise NotFound(
            f"session property '{name.lower()}' does not exist",
            code="INVALID_SESSION_PROPERTY",
            position=b.position(node),
            hint=nearest(name.lower(), PROPERTIES) or "see SHOW SESSION",
        )
    return property_


def _constant(b: Binder, node: exp.Expr) -> Expression:
    from sqe.bind.query.expressions import bind_expression
    from sqe.bind.query.scope import Scope

    return bind_expression(b, node, Scope())


@converts(SetTimeZone, reads="this")
def _set_time_zone(b: Binder, node: SetTimeZone) -> s.Statement:
    """A name, an offset as INTERVAL, or LOCAL: the zone that sessions begin with."""
    if node.this is None:
        return s.SetTimeZone("UTC")
    value = _constant(b, node.this)
    zone = value.value if isinstance(value, Literal) else None
    if not isinstance(zone, (str, dt.timedelta)):
        raise InvalidArgument(
            "SET TIME ZONE takes a text such as 'Europe/Berlin', or INTERVAL '2' HOUR",
            position=b.position(node),
        )
    try:
        if isinstance(zone, dt.timedelta):
            zone = of_offset(zone)
        return s.SetTimeZone(PROPERTIES["time_zone_id"].check(zone))
    except ValueError as error:
        raise InvalidArgument(str(error), code="INVALID_ARGUMENTS", position=b.position(node)) from None


@converts(SetRole, reads="this word")
def _set_role(b: Binder, node: SetRole) -> s.Statement:
    if node.args.get("word") == "NONE" and b.session.identity.roles:
        raise NotSupported(
            "SET ROLE NONE: the roles of a log-in hold all the time", position=b.position(node)
        )
    return s.SetRole(None if node.this is None else name_of(node.this).folded)


@converts(SetPath, reads="expressions")
def _set_path(b: Binder, node: SetPath) -> s.Statement:
    paths = []
    for element in node.expressions:
        parts = [name.folded for name in plain_table_parts(b, element)]
        if len(parts) > 2:
            raise InvalidArgument(
                "a path has names of schemas", code="INVALID_PATH", position=b.position(element)
            )
        paths.append(".".join(map(_path_name, parts)))
    return s.SetPath(", ".join(paths))


def _path_name(name: str) -> str:
    return name if name.isidentifier() and name == name.lower() else quoted(name)


@converts(exp.Transaction)
def _start(b: Binder, node: exp.Transaction) -> s.Statement:
    return s.Transaction("start")


@converts(exp.Commit)
def _commit(b: Binder, node: exp.Commit) -> s.Statement:
    return s.Transaction("commit")


@converts(exp.Rollback)
def _rollback(b: Binder, node: exp.Rollback) -> s.Statement:
    return s.Transaction("rollback")
