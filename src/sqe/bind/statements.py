"""The one entry point of binding, and statements on schemas, names and the session."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from sqe.bind import calls, special_forms, subqueries, writes  # noqa: F401 (they register conversions)
from sqe.bind.binder import Binder
from sqe.bind.conversion import QUERIES, STATEMENTS, check_arguments
from sqe.bind.create_table import create_table
from sqe.bind.names import name_of
from sqe.bind.queries import bind_query
from sqe.bind.table_options import properties_of
from sqe.bind.tables import (
    catalog_and_namespace,
    plain_table_parts,
    split_table_name,
    visible_in,
)
from sqe.catalog.names import nearest
from sqe.errors import AccessDenied, InvalidArgument, NotFound, NotSupported, SqeError, UserError
from sqe.sql.parse import Syntax
from sqe.tree import statements as s
from sqe.tree.relations import TableName

if TYPE_CHECKING:
    pass


converts = STATEMENTS.of


SESSION_PROPERTIES = {"lane": ("auto", "spark", "fast")}


def bind(b: Binder, syntax: Syntax) -> s.Statement:
    """A parsed statement to our tree."""
    if type(syntax.node) in QUERIES.table:
        statement: s.Statement = s.Query(bind_query(b, syntax.node))
    else:
        convert = STATEMENTS.find(syntax.node, b.text)
        statement = convert(b, syntax.node)
    return s.Explain(statement) if syntax.explain else statement


@converts(exp.Create, reads="this kind replace exists properties expression")
def _create(b: Binder, node: exp.Create) -> s.Statement:
    kind = str(node.args.get("kind") or "").upper()
    if kind == "SCHEMA":
        return _create_schema(b, node)
    if kind == "TABLE":
        return create_table(b, node)
    raise NotSupported(f"CREATE {kind} is not supported", position=b.position(node))


def _create_schema(b: Binder, node: exp.Create) -> s.Statement:
    check_arguments(node, {"this", "kind", "exists", "properties"}, b.text)
    catalog, namespace = _schema_name(b, node.this)
    location = None
    for item in properties_of(node):
        if not isinstance(item, exp.LocationProperty):
            raise NotSupported("CREATE SCHEMA knows only LOCATION", position=b.position(item))
        location = item.this.name
    return s.CreateSchema(catalog, namespace, bool(node.args.get("exists")), location)


def _schema_name(b: Binder, node: exp.Expr) -> tuple[str, tuple[str, ...]]:
    if not isinstance(node, exp.Table):
        raise NotSupported("this is not a schema's name", position=b.position(node))
    parts = [name_of(p) for p in node.parts if isinstance(p, exp.Identifier)]
    if not parts:
        raise UserError("the schema's name is missing", code="SYNTAX_ERROR", position=b.position(node))
    catalog, namespace = catalog_and_namespace(b, parts, b.position(node))
    return catalog.name, namespace


def _refuse_restricted(b: Binder, catalog: str, namespace: tuple[str, ...]) -> None:
    """CASCADE must not take along what the user sees only in part, or not at all."""
    mounted = b.catalogs.get(catalog)
    lower = tuple(part.lower() for part in namespace)
    for schema in mounted.namespaces():
        if tuple(part.lower() for part in schema[: len(lower)]) == lower:
            for name in mounted.tables(schema):
                if b.decide(TableName(mounted.name, schema, name)).restricts:
                    raise AccessDenied(f"cannot drop schema '{'.'.join((mounted.name, *namespace))}'")


@converts(exp.Drop, reads="tables kind exists cascade restrict purge")
def _drop(b: Binder, node: exp.Drop) -> s.Statement:
    kind = str(node.args.get("kind") or "").upper()
    named = node.args.get("tables") or []
    if len(named) != 1:
        raise NotSupported("DROP takes one name", position=b.position(node))
    position = b.position(named[0])
    if_exists = bool(node.args.get("exists"))
    if kind == "SCHEMA":
        catalog, namespace = _schema_name(b, named[0])
        cascade = bool(node.args.get("cascade"))
        if cascade:
            _refuse_restricted(b, catalog, namespace)
        return s.DropSchema(catalog, namespace, if_exists, cascade)
    if kind != "TABLE" or node.args.get("cascade") or node.args.get("restrict"):
        raise NotSupported(f"DROP {kind} is not supported here", position=b.position(node))
    owner, written, name = split_table_name(b, plain_table_parts(b, named[0]), position)
    try:
        table = owner.find_table_name(written, name.folded, visible=visible_in(b, owner))
    except NotFound as error:
        if not if_exists:
            error.position = error.position or position
            raise
        return s.DropTable(TableName(owner.name, written, name.folded), if_exists, absent=True)
    return s.DropTable(table, if_exists, bool(node.args.get("purge")))


@converts(exp.Use, reads="this")
def _use(b: Binder, node: exp.Use) -> s.Statement:
    position = b.position(node)
    parts = plain_table_parts(b, node.this)
    try:
        if len(parts) == 1:
            current = b.catalogs.get(b.session.catalog)
            try:
                return s.Use(current.name, current.find_namespace((parts[0].folded,)))
            except NotFound:
                # USE catalog, as Spark and the shell's users write it.
                if parts[0].folded.lower() in (c.lower() for c in b.catalogs.names()):
                    return s.Use(b.catalogs.get(parts[0].folded).name, ("default",))
                raise
        catalog, written = catalog_and_namespace(b, parts, position)
        return s.Use(catalog.name, catalog.find_namespace(written))
    except SqeError as error:
        error.position = error.position or position
        raise


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
    key, value = item.this.this, item.this.expression
    name = ".".join(p.name for p in key.parts).lower() if isinstance(key, exp.Column) else key.name.lower()
    allowed = SESSION_PROPERTIES.get(name)
    if allowed is None:
        raise NotFound(
            f"session property '{name}' does not exist",
            code="INVALID_SESSION_PROPERTY",
            position=b.position(node),
            hint=nearest(name, SESSION_PROPERTIES),
        )
    if not (isinstance(value, exp.Literal) and value.is_string and value.this in allowed):
        raise InvalidArgument(
            f"{name} is one of " + ", ".join(f"'{a}'" for a in allowed),
            code="INVALID_SESSION_PROPERTY",
            position=b.position(node),
        )
    return s.SetSession(name, value.this)
