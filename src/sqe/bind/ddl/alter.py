"""ALTER TABLE, VIEW and SCHEMA, and COMMENT ON. The catalog checks which columns there are: it applies the
change to the table as it is by then."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from sqe.bind.binder import Binder
from sqe.bind.conversion import STATEMENTS
from sqe.bind.ddl.create_table import column_definition, new_table_name, storable
from sqe.bind.ddl.table_options import TableOptions, read_option
from sqe.bind.names import Name, name_of
from sqe.bind.query.system_tables import refuse_system_schema
from sqe.bind.query.tables import catalog_and_namespace, plain_table_parts, split_table_name, visible_in
from sqe.bind.types import bind_type
from sqe.bind.views.inline import inline
from sqe.catalog.names import match, nearest
from sqe.errors import AccessDenied, InvalidArgument, NotFound, NotSupported, Position, SqeError, UserError
from sqe.policy.decision import write_denied
from sqe.sql import alter as syntax
from sqe.tree import changes as c
from sqe.tree import statements as s
from sqe.tree.names import check_characters
from sqe.tree.relations import TableName

converts = STATEMENTS.of


@converts(syntax.Alter, reads="this kind exists action")
def _alter(b: Binder, node: exp.Expr) -> s.Statement:
    kind, action = node.args["kind"], node.args["action"]
    if_exists = bool(node.args.get("exists"))
    if kind == "SCHEMA":
        return _rename_schema(b, node.this, action.this, if_exists)
    target = node.this
    table, absent = find_target(
        b, plain_table_parts(b, target), b.position(target), words=f"ALTER {kind}", if_exists=if_exists
    )
    if isinstance(action, syntax.RenameTo):
        return _rename(b, table, absent, action.this, view=kind == "VIEW")
    return s.Alter(table, _change(b, action), absent=absent, position=b.position(action))


def find_target(
    b: Binder, parts: Sequence[Name], position: Position | None, *, words: str, if_exists: bool = False
) -> tuple[TableName, bool]:
    """The table or view that a statement names, and whether it is absent, which IF EXISTS forgives. `words`
    are those of the statement: DROP TABLE, ALTER VIEW and so on."""
    kind = words.split()[-1]
    catalog, namespace, name = split_table_name(b, parts, position)
    visible = visible_in(b, catalog)
    find_name = catalog.find_view_name if kind == "VIEW" else catalog.find_table_name
    try:
        table = find_name(namespace, name.folded, visible=visible)
    except NotFound as error:
        # One of the other kind with that name is an error, IF EXISTS or not.
        find_other = catalog.find_table_name if kind == "VIEW" else catalog.find_view_name
        try:
            other_table = find_other(namespace, name.folded, visible=visible)
        except NotFound:
            if if_exists:
                return TableName(catalog.name, namespace, name.folded), True
            error.position = error.position or position
            raise error from None
        is_a = "table" if kind == "VIEW" else "view"
        raise UserError(
            f"{kind.lower()} '{other_table}' does not exist: that is a {is_a}",
            position=position,
            hint=f"{words.replace(kind, is_a.upper())} {other_table}",
        ) from None
    except SqeError as error:
        error.position = error.position or position
        raise
    if not b.guard.sees_all_of(table):
        # Before an error can name its columns; policy.secure refuses it again.
        raise write_denied(table)
    return table, False


def _rename(b: Binder, table: TableName, absent: bool, to: exp.Expr, *, view: bool) -> s.Statement:
    parts = plain_table_parts(b, to)
    if len(parts) == 1:
        # Within its schema, wherever the session is.
        target = TableName(table.catalog, table.namespace, parts[0].folded)
        if "$" in target.name:
            raise UserError(
                "a table's name cannot contain $", code="INVALID_ARGUMENTS", position=b.position(to)
            )
    else:
        target = new_table_name(b, to)
    if target.catalog != table.catalog:
        raise NotSupported(
            f"'{table}' cannot be moved to another catalog",
            position=b.position(to),
            hint="CREATE TABLE AS copies it",
        )
    return s.Rename(table, target, view, absent)


def _rename_schema(b: Binder, schema_node: exp.Expr, to: exp.Expr, if_exists: bool) -> s.Statement:
    position = b.position(schema_node)
    if if_exists:
        raise NotSupported("ALTER SCHEMA has no IF EXISTS", position=position)
    assert isinstance(schema_node, exp.Table)
    parts = [name_of(p) for p in schema_node.parts if isinstance(p, exp.Identifier)]
    catalog, written = catalog_and_namespace(b, parts, position)
    try:
        namespace = catalog.find_namespace(written)
    except SqeError as error:
        error.position = error.position or position
        raise
    names = [p.folded for p in plain_table_parts(b, to)]
    if len(names) > 1 and names[0].lower() == catalog.name.lower():
        names = names[1:]
    target = (*namespace[:-1], *names) if len(names) == 1 else tuple(names)
    if len(target) == 1:
        refuse_system_schema(b, (catalog.name, *target), b.position(to))
    refuse_restricted(b, catalog.name, namespace, "rename")
    for schema in catalog.namespaces():
        if schema[: len(namespace)] == namespace:
            moved = (*target, *schema[len(namespace) :])
            for name in (*catalog.tables(schema), *catalog.views(schema)):
                if not b.guard.sees_all_of(TableName(catalog.name, moved, name)):
                    raise AccessDenied(f"cannot rename schema '{'.'.join((catalog.name, *namespace))}'")
    return s.RenameSchema(catalog.name, namespace, target)


def refuse_restricted(b: Binder, catalog: str, namespace: tuple[str, ...], what: str) -> None:
    """A schema must not take along what the user sees only in part, or not at all."""
    mounted = b.catalogs.get(catalog)
    lower = tuple(part.lower() for part in namespace)
    for schema in mounted.namespaces():
        if tuple(part.lower() for part in schema[: len(lower)]) == lower:
            for name in (*mounted.tables(schema), *mounted.views(schema)):
                if not b.guard.sees_all_of(TableName(mounted.name, schema, name)):
                    raise AccessDenied(f"cannot {what} schema '{'.'.join((mounted.name, *namespace))}'")


def _change(b: Binder, action: exp.Expr) -> c.Change:
    exists = bool(action.args.get("exists"))
    path = tuple(name_of(p).folded for p in action.args.get("expressions") or ())
    match action:
        case syntax.AddColumn():
            return c.AddColumn(column_definition(b, action.this), path, exists)
        case syntax.DropColumn():
            return c.DropColumn(path, exists)
        case syntax.RenameColumn():
            to = name_of(action.args["to"]).folded
            check_characters(to, "column", position=b.position(action))
            return c.RenameColumn(path, to, exists)
        case syntax.SetColumnType():
            kind = action.args["kind"]
            return c.SetColumnType(path, storable(b, bind_type(kind, b.text), path[-1], action))
        case syntax.SetNullable():
            return c.SetNullable(path, bool(action.args.get("nullable")))
        case syntax.SetProperties():
            return _set_properties(b, action)
    raise NotSupported("this form of ALTER is not supported", position=b.position(action))


def _set_properties(b: Binder, node: exp.Expr) -> c.Change:
    properties: dict[str, str | None] = {}
    for item in node.expressions:
        name = item.this.name
        default = isinstance(item.args.get("value"), exp.Var)
        if not isinstance(item.this, exp.Literal) and name.lower() in _AT_CREATION:
            raise NotSupported(
                f"the table property {name.lower()} cannot be changed yet", position=b.position(item)
            )
        if default:
            item = item.copy()
            # Read with a valid value, for the name that Iceberg has for the property.
            item.set("value", exp.Literal.string(_VALID_VALUES.get(name.lower(), "")))
        options = TableOptions()
        read_option(b, item, options)
        for key, value in options.properties.items():
            if key in properties:
                raise InvalidArgument(
                    f"the table property '{name}' is set twice",
                    code="INVALID_TABLE_PROPERTY",
                    position=b.position(item),
                )
            properties[key] = None if default else value
    return c.SetProperties(tuple(properties.items()))


_AT_CREATION = ("partitioning", "sorted_by", "location")
_VALID_VALUES = {"format": "PARQUET", "format_version": "2"}


@converts(syntax.CommentOn, reads="kind this expressions text")
def _comment(b: Binder, node: exp.Expr) -> s.Statement:
    text = node.args.get("text")
    comment = None if text is None else text.name
    kind = node.args["kind"]
    position = b.position(node)
    if kind != "COLUMN":
        parts = plain_table_parts(b, node.this)
        table, _ = find_target(b, parts, b.position(node.this), words=f"COMMENT ON {kind}")
        return s.Alter(table, c.SetComment(comment), view=kind == "VIEW", position=position)
    names = [name_of(p) for p in node.expressions]
    if len(names) < 2:
        raise UserError("COMMENT ON COLUMN takes table.column", code="MISSING_TABLE", position=position)
    table, view, column = _table_of(b, names, position)
    if view and b.guard.may_hide:
        column = _visible_column(b, table, column, position)
    return s.Alter(table, c.SetColumnComment(column, comment), view=view, position=position)


def _visible_column(
    b: Binder, view: TableName, path: tuple[str, ...], position: Position | None
) -> tuple[str, ...]:
    """A column of a view as it is stored, if this user sees it: the catalog knows the hidden ones too."""
    definition = b.catalogs.get(view.catalog).find_view(view.namespace, view.name)
    columns = [] if definition is None else [f.name for f in inline(b, definition, position).fields]
    column = match(path[0], columns, kind="column")
    if column is None:
        raise NotFound(
            f"column '{path[0]}' does not exist",
            code="COLUMN_NOT_FOUND",
            position=position,
            hint=nearest(path[0], columns),
        )
    return column, *path[1:]


def _table_of(
    b: Binder, names: Sequence[Name], position: Position | None
) -> tuple[TableName, bool, tuple[str, ...]]:
    """The table or view, whether it is a view, and the column: the longest prefix that names one is taken."""
    first: SqeError | None = None
    for end in range(len(names) - 1, 0, -1):
        column = tuple(n.folded for n in names[end:])
        for kind in ("TABLE", "VIEW"):
            try:
                table, _ = find_target(b, names[:end], position, words=f"COMMENT ON {kind}")
                return table, kind == "VIEW", column
            except UserError as error:
                if isinstance(error, AccessDenied):
                    raise
                first = first or error
    assert first is not None
    raise first
