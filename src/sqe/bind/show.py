"""SHOW and DESCRIBE: resolves the names that they take, as far as this user may know them."""

from __future__ import annotations

from sqlglot import exp

from sqe.bind.binder import Binder
from sqe.bind.conversion import STATEMENTS
from sqe.bind.query.system_tables import hidden_columns, system_schema
from sqe.bind.query.tables import (
    bind_table,
    catalog_and_namespace,
    find_table,
    find_table_or_view,
    plain_table_parts,
)
from sqe.bind.views.inline import shows_text
from sqe.catalog.iceberg.table import Table
from sqe.catalog.iceberg.view import View
from sqe.errors import AccessDenied, InvalidArgument, NotFound, Position, SqeError, UserError
from sqe.sql.statements import Show
from sqe.system import definitions
from sqe.system.patterns import like as check_pattern
from sqe.tree import statements as s
from sqe.tree.definitions import ColumnDefinition
from sqe.tree.relations import Scan, SystemScan, TableName

converts = STATEMENTS.of


@converts(Show, reads="this target like escape")
def _show(b: Binder, node: Show) -> s.Statement:
    what = str(node.this)
    pattern, escape = _pattern(b, node)
    target = node.args.get("target")
    match what:
        case "SCHEMAS":
            return s.Show("schemas", _catalog(b, target), (), pattern, escape)
        case "TABLES" | "VIEWS":
            catalog, namespace = _schema(b, target)
            return s.Show(what.lower(), catalog, namespace, pattern, escape)
        case "CATALOGS" | "FUNCTIONS" | "SESSION":
            return s.Show(what.lower(), None, (), pattern, escape)
        case "ROLES" | "CURRENT ROLES" | "ROLE GRANTS":
            if target is not None:
                _catalog(b, target)
            return s.Show(what.replace(" ", "").lower(), None, (), pattern, escape)
        case "GRANTS":
            if target is None:
                return s.Show("grants")
            table = find_table_or_view(b, plain_table_parts(b, target), b.position(target))
            return s.Show("grants", table=table.name)
    assert target is not None
    match what:
        case "COLUMNS":
            return s.ShowColumns(_columns(b, target), pattern, escape)
        case "STATS":
            return s.ShowStats(find_table(b, plain_table_parts(b, target), b.position(target)).name)
    kind = what.split()[1]
    return s.ShowCreate(kind.lower(), _create_target(b, kind, target))


def _pattern(b: Binder, node: Show) -> tuple[str | None, str | None]:
    """The pattern of LIKE and its escape character, checked."""
    like, escape = node.args.get("like"), node.args.get("escape")
    if like is None:
        return None, None
    mark = None if escape is None else escape.name
    if escape is not None and len(escape.name) != 1:
        raise InvalidArgument("ESCAPE takes one character", position=b.position(escape))
    try:
        check_pattern(like.name, mark)
    except InvalidArgument as error:
        error.position = b.position(like)
        raise
    return like.name, mark


def _columns(b: Binder, target: exp.Expr) -> tuple[ColumnDefinition, ...]:
    plain_table_parts(b, target)
    assert isinstance(target, exp.Table)
    relation, qualifier = bind_table(b, target)
    stored: Table | View | None = None
    if isinstance(relation, Scan):
        stored = b.tables[relation.table] if relation.metadata is None else None
    elif not isinstance(relation, SystemScan):
        stored = b.catalogs.get(qualifier[0]).find_view(qualifier[1:-1], qualifier[-1])
    columns = () if stored is None else stored.columns
    comments = {c.name: c.comment for c in columns}
    nullable = {c.name: c.nullable for c in columns}
    hidden = hidden_columns(relation)
    return tuple(
        ColumnDefinition(f.name, f.type, nullable.get(f.name, True), comments.get(f.name))
        for f in relation.fields
        if f.name not in hidden
    )


def _create_target(b: Binder, kind: str, target: exp.Expr) -> TableName:
    position = b.position(target)
    parts = plain_table_parts(b, target)
    if kind == "SCHEMA":
        catalog, written = catalog_and_namespace(b, parts, position)
        try:
            return TableName(catalog.name, catalog.find_namespace(written), "")
        except SqeError as error:
            error.position = error.position or position
            raise
    table_or_view = find_table_or_view(b, parts, position)
    is_view = isinstance(table_or_view, View)
    if is_view != (kind == "VIEW"):
        raise UserError(
            f"'{table_or_view.name}' is a {'view' if is_view else 'table'}",
            code="NOT_SUPPORTED",
            position=position,
            hint=f"SHOW CREATE {'VIEW' if is_view else 'TABLE'} {table_or_view.name}",
        )
    if not b.guard.sees_all_columns_of(table_or_view.name) or (
        isinstance(table_or_view, View) and not shows_text(b, table_or_view)
    ):
        # Its properties may name columns too, as the text of a view does.
        raise AccessDenied(f"cannot show how '{table_or_view.name}' is created", position=position)
    return table_or_view.name


def _catalog(b: Binder, target: exp.Expr | None) -> str:
    if target is None:
        return b.catalog
    parts = plain_table_parts(b, target)
    position = b.position(target)
    if len(parts) != 1:
        raise UserError("SHOW SCHEMAS FROM takes a catalog", code="SYNTAX_ERROR", position=position)
    if parts[0].folded.lower() == definitions.SYSTEM:
        return definitions.SYSTEM
    try:
        return b.catalogs.get(parts[0].folded).name
    except NotFound as error:
        error.position = error.position or position
        raise


def _schema(b: Binder, target: exp.Expr | None) -> tuple[str, tuple[str, ...]]:
    position: Position | None = None if target is None else b.position(target)
    parts = [] if target is None else [p.folded for p in plain_table_parts(b, target)]
    names = parts or [*b.namespace]
    try:
        system = system_schema(b, names)
        if system is not None:
            return system[0], (system[1],)
        if target is None:
            catalog = b.catalogs.get(b.catalog)
            return catalog.name, catalog.find_namespace(b.namespace)
        catalog, namespace = catalog_and_namespace(b, plain_table_parts(b, target), position)
        return catalog.name, catalog.find_namespace(namespace)
    except SqeError as error:
        error.position = error.position or position
        raise
