"""CREATE VIEW: stores the query as it was written, and the columns that the view announces."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from sqlglot import exp

from sqe.bind.binder import Binder
from sqe.bind.conversion import QUERIES, check_arguments
from sqe.bind.ddl.create_table import new_table_name, refuse_duplicates, storable
from sqe.bind.ddl.table_options import properties_of
from sqe.bind.names import matches, name_of
from sqe.bind.query.queries import bind_query
from sqe.bind.views.inline import has_star, inline
from sqe.catalog.iceberg.table import Column
from sqe.catalog.iceberg.view import View
from sqe.errors import NotSupported, UserError
from sqe.foundation.identifiers import quoted
from sqe.policy.decision import write_denied
from sqe.sql.alter import SPAN
from sqe.tree import statements as s
from sqe.tree.definitions import ColumnDefinition
from sqe.tree.expressions import Field, GeneratedName, walk
from sqe.tree.relations import Relation, Scan, TableName
from sqe.types import sql_types as t


def create_view(b: Binder, node: exp.Create) -> s.Statement:
    options = _Options(b, node)
    view_node, column_nodes = node.this, ()
    if isinstance(view_node, exp.Schema):
        check_arguments(view_node, {"this", "expressions"}, b.text)
        view_node, column_nodes = view_node.this, tuple(view_node.expressions)
    view = new_table_name(b, view_node)
    if not b.guard.may_change(view):
        # Before an error can tell anything about it; policy.secure refuses it again.
        raise write_denied(view)
    query = node.args.get("expression")
    if query is None or type(query) not in QUERIES.table:
        raise NotSupported("a view is made AS a query", position=b.position(node))
    _refuse_parameters(b, query)
    fields = bind_query(b, query).fields
    columns = _columns(b, fields, column_nodes, node)
    start, end = query.meta[SPAN]
    sql = b.text[start:end]
    if [f.name for f in fields] != [c.name for c in columns]:
        sql = _renamed(sql, fields, columns, star=has_star(query))
    # Inlined as readers will inline it: a view of itself, or one nested too deeply, is refused.
    reader = replace(b, inlined=Counter(), session=replace(b.session, time_zone="UTC"))
    relation = inline(reader, _new_view(b, view, sql, columns), b.position(view_node))
    if options.security == "DEFINER":
        b.warn(
            f"view '{view}' is read with the rights of whoever reads it: SECURITY DEFINER is recorded, "
            "and evaluated as SECURITY INVOKER"
        )
    return s.CreateView(
        view,
        sql,
        columns,
        s.ViewQuery(relation, not b.session_values and not _sees_in_part(b, relation)),
        b.catalog,
        b.namespace,
        b.session.identity.user,
        options.comment,
        options.security,
        bool(node.args.get("exists")),
        bool(node.args.get("replace")),
    )


class _Options:
    """COMMENT and SECURITY."""

    def __init__(self, b: Binder, node: exp.Create) -> None:
        self.comment: str | None = None
        self.security: str | None = None
        for item in properties_of(node):
            if isinstance(item, exp.SchemaCommentProperty):
                self.comment = item.this.name
            elif isinstance(item, exp.SqlSecurityProperty):
                self.security = str(getattr(item.this, "name", item.this)).upper()
            elif isinstance(item, exp.MaterializedProperty):
                raise NotSupported(
                    "materialized views are not supported",
                    position=b.position(node),
                    hint="CREATE VIEW, or CREATE TABLE AS",
                )
            else:
                word = type(item).__name__.removesuffix("Property").upper() or "WITH"
                raise NotSupported(f"CREATE VIEW does not know {word}", position=b.position(node))


def _sees_in_part(b: Binder, relation: Relation) -> bool:
    """Whether a row filter or mask of this user would be missing from a text that other engines run."""
    return any(isinstance(node, Scan) and not b.guard.sees_all_of(node.table) for node in walk(relation))


def _refuse_parameters(b: Binder, query: exp.Expr) -> None:
    parameter = query.find(exp.Placeholder, exp.Parameter)
    if parameter is not None:
        raise UserError(
            "the text of a view cannot have parameters",
            code="INVALID_PARAMETER_USAGE",
            position=b.position(parameter),
            hint="write the value into it",
        )


def _columns(
    b: Binder, fields: Sequence[Field], column_nodes: Sequence[exp.Expr], node: exp.Create
) -> tuple[ColumnDefinition, ...]:
    names = [f.name for f in fields]
    comments: list[str | None] = [None] * len(fields)
    if column_nodes:
        if len(column_nodes) != len(fields):
            raise UserError(
                f"the column list has {len(column_nodes)} names for {len(fields)} columns",
                code="MISMATCHED_COLUMN_ALIASES",
                position=b.position(column_nodes[0]),
            )
        pairs = [_name_and_comment(b, item) for item in column_nodes]
        names, comments = [name for name, _ in pairs], [comment for _, comment in pairs]
    for index, name in enumerate(names):
        if not name or isinstance(name, GeneratedName):
            raise UserError(
                f"column {index + 1} of the view has no name",
                code="MISSING_COLUMN_NAME",
                position=b.position(node.args["expression"]),
                hint="give it an alias",
            )
    refuse_duplicates(b, names, node)
    columns = []
    for name, comment, field in zip(names, comments, fields, strict=True):
        if field.type == t.UNKNOWN:
            raise UserError(
                f"column '{name}' of the view has no type: it is always NULL",
                code="COLUMN_TYPE_UNKNOWN",
                position=b.position(node.args["expression"]),
                hint="add a CAST",
            )
        columns.append(
            ColumnDefinition(name, storable(b, field.type, name, node.args["expression"]), True, comment)
        )
    return tuple(columns)


def _name_and_comment(b: Binder, node: exp.Expr) -> tuple[str, str | None]:
    """One item of the column list."""
    if isinstance(node, exp.Identifier):
        return name_of(node).folded, None
    if not isinstance(node, exp.ColumnDef) or node.args.get("kind") is not None:
        raise UserError(
            "the column list of a view has names without types",
            code="SYNTAX_ERROR",
            position=b.position(node),
        )
    check_arguments(node, {"this", "constraints"}, b.text)
    comment = None
    for constraint in node.args.get("constraints") or ():
        rule = constraint.args["kind"]
        if not isinstance(rule, exp.CommentColumnConstraint):
            raise NotSupported("a column of a view can have a COMMENT alone", position=b.position(node))
        comment = rule.this.name
    return name_of(node.this).folded, comment


def _renamed(sql: str, fields: Sequence[Field], columns: Sequence[ColumnDefinition], *, star: bool) -> str:
    """The text with the names of the column list. SELECT * may gain columns later, at any position, so its
    columns are taken by their present names where those are unambiguous."""
    names = [(f.name, f) for f in fields]
    # A line of its own for the end: the text may end in a comment.
    source = f"(\n{sql}\n)"
    if star and all(len(matches(f.name, names)) == 1 for f in fields):
        pairs = zip(fields, columns, strict=True)
        items = ", ".join(f"{quoted(f.name)} AS {quoted(c.name)}" for f, c in pairs)
        return f"SELECT {items} FROM {source}"
    return f"SELECT * FROM {source} AS listed ({', '.join(quoted(c.name) for c in columns)})"


def _new_view(b: Binder, view: TableName, sql: str, columns: Sequence[ColumnDefinition]) -> View:
    view_columns = tuple(Column(c.name, c.type, True, c.comment, i) for i, c in enumerate(columns, 1))
    return View(view, sql, b.catalog, b.namespace, view_columns)
