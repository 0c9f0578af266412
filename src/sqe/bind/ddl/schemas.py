"""CREATE, DROP and USE. Importing this module registers every statement that is not a query."""

from __future__ import annotations

from sqlglot import exp

from sqe.bind import grants, prepared, procedures, session_statements, show  # noqa: F401 (they register conversions)
from sqe.bind.binder import Binder
from sqe.bind.conversion import STATEMENTS, check_arguments
from sqe.bind.ddl.alter import find_target, refuse_restricted
from sqe.bind.ddl.create_table import create_table
from sqe.bind.ddl.table_options import properties_of
from sqe.bind.dml import writes  # noqa: F401 (they register conversions)
from sqe.bind.names import name_of
from sqe.bind.query.system_tables import system_schema
from sqe.bind.query.tables import (
    catalog_and_namespace,
    plain_table_parts,
    split_table_name,
)
from sqe.bind.views.create_view import create_view
from sqe.errors import NotFound, NotSupported, SqeError, UserError
from sqe.tree import statements as s
from sqe.tree.relations import TableName

converts = STATEMENTS.of


@converts(exp.Create, reads="this kind replace exists properties expression")
def _create(b: Binder, node: exp.Create) -> s.Statement:
    kind = str(node.args.get("kind") or "").upper()
    if kind == "SCHEMA":
        return _create_schema(b, node)
    if kind == "TABLE":
        return create_table(b, node)
    if kind == "VIEW":
        return create_view(b, node)
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


@converts(exp.Drop, reads="tables kind exists materialized cascade restrict purge")
def _drop(b: Binder, node: exp.Drop) -> s.Statement:
    kind = str(node.args.get("kind") or "").upper()
    targets = node.args.get("tables") or []
    if len(targets) != 1:
        raise NotSupported("DROP takes one name", position=b.position(node))
    position = b.position(targets[0])
    if_exists = bool(node.args.get("exists"))
    if kind == "SCHEMA":
        catalog, namespace = _schema_name(b, targets[0])
        cascade = bool(node.args.get("cascade"))
        if cascade:
            refuse_restricted(b, catalog, namespace, "drop")
        return s.DropSchema(catalog, namespace, if_exists, cascade)
    if kind not in ("TABLE", "VIEW") or node.args.get("cascade") or node.args.get("restrict"):
        raise NotSupported(f"DROP {kind} is not supported here", position=b.position(node))
    parts = plain_table_parts(b, targets[0])
    if node.args.get("materialized"):
        if not if_exists:
            raise NotSupported("there are no materialized views", position=position)
        owner, written, name = split_table_name(b, parts, position)
        return s.DropView(TableName(owner.name, written, name.folded), if_exists, absent=True)
    table, absent = find_target(b, parts, position, words=f"DROP {kind}", if_exists=if_exists)
    if kind == "VIEW":
        if node.args.get("purge"):
            raise NotSupported("DROP VIEW has no PURGE", position=position)
        return s.DropView(table, if_exists, absent)
    return s.DropTable(table, if_exists, bool(node.args.get("purge")), absent)


@converts(exp.Use, reads="this")
def _use(b: Binder, node: exp.Use) -> s.Statement:
    position = b.position(node)
    parts = plain_table_parts(b, node.this)
    try:
        if len(parts) == 1:
            try:
                system = system_schema(b, [parts[0].folded])
                if system is not None:
                    return s.Use(system[0], (system[1],))
                current = b.catalogs.get(b.session.catalog)
                return s.Use(current.name, current.find_namespace((parts[0].folded,)))
            except NotFound:
                # USE catalog, as Spark and the shell's users write it.
                if parts[0].folded.lower() in (c.lower() for c in b.catalogs.names()):
                    return s.Use(b.catalogs.get(parts[0].folded).name, ("default",))
                raise
        system = system_schema(b, [p.folded for p in parts])
        if system is not None:
            return s.Use(system[0], (system[1],))
        catalog, written = catalog_and_namespace(b, parts, position)
        return s.Use(catalog.name, catalog.find_namespace(written))
    except SqeError as error:
        error.position = error.position or position
        raise
