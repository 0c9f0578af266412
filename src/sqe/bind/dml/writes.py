"""INSERT, UPDATE, DELETE, TRUNCATE and MERGE."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sqlglot import exp

from sqe.bind.binder import Binder
from sqe.bind.conversion import STATEMENTS, check_arguments
from sqe.bind.dml.assignment import assign
from sqe.bind.names import matches, name_of
from sqe.bind.query.expressions import bind_condition, bind_expression, refuse_calls
from sqe.bind.query.from_clause import bind_from
from sqe.bind.query.queries import bind_query, value_rows
from sqe.bind.query.scope import Scope, Visible
from sqe.bind.query.tables import (
    find_table,
    plain_table_parts,
)
from sqe.catalog.names import nearest
from sqe.errors import NotFound, NotSupported, TypeMismatch, UserError
from sqe.policy.decision import write_denied
from sqe.sql.rows import EACH
from sqe.tree import statements as s
from sqe.tree.expressions import Expression, Ref
from sqe.tree.relations import Project, Relation, Values

if TYPE_CHECKING:
    from sqe.catalog.iceberg.table import Column, Table


converts = STATEMENTS.of


def _target(b: Binder, node: exp.Expr) -> tuple[s.Target, Table, tuple[str, ...]]:
    """The written table, and the name that its columns can be qualified with."""
    parts = plain_table_parts(b, node)
    table = find_table(b, parts, b.position(node))
    if not b.guard.sees_all_of(table.name):
        # Before an error can name its columns; policy.secure refuses it again.
        raise write_denied(table.name)
    fields = tuple(b.fresh(c.name, c.type) for c in table.columns)
    alias = node.args.get("alias")
    if alias is not None:
        check_arguments(alias, {"this"}, b.text)
        qualifier: tuple[str, ...] = (name_of(alias.this).folded,)
    else:
        qualifier = (table.name.catalog, *table.name.namespace, table.name.name)
    return s.Target(table.name, fields, tuple(c.name for c in table.columns)), table, qualifier


def _stored_column(b: Binder, table: Table, node: exp.Expr) -> int:
    name = name_of(node.this if isinstance(node, exp.Column) else node)
    indexes = matches(name.folded, [(c.name, i) for i, c in enumerate(table.columns)])
    if not indexes:
        raise NotFound(
            f"column '{name}' does not exist in '{table.name}'",
            code="COLUMN_NOT_FOUND",
            position=b.position(node),
            hint=nearest(name.folded, [c.name for c in table.columns]),
        )
    if len(indexes) > 1:
        raise UserError(
            f"column '{name}' is ambiguous", code="AMBIGUOUS_NAME", position=b.position(node), hint="quote it"
        )
    return indexes[0]


@converts(exp.Insert, reads="this expression")
def _insert(b: Binder, node: exp.Insert) -> s.Statement:
    table_node = node.this
    column_nodes: Sequence[exp.Expr] | None = None
    if isinstance(table_node, exp.Schema):
        check_arguments(table_node, {"this", "expressions"}, b.text)
        column_nodes, table_node = table_node.expressions, table_node.this
    target, table, _ = _target(b, table_node)
    indexes = (
        [_stored_column(b, table, c) for c in column_nodes]
        if column_nodes is not None
        else list(range(len(table.columns)))
    )
    _check_columns(b, table, indexes, node)
    query = node.args.get("expression")
    if query is None:
        raise NotSupported("INSERT takes VALUES or a query", position=b.position(node))
    columns = [table.columns[i] for i in indexes]
    source = _each_row(b, query, columns) if query.meta.get(EACH) else bind_query(b, query)
    _check_width(b, len(source.fields), columns, query)
    expressions, fields = [], []
    for column, f in zip(columns, source.fields, strict=True):
        expressions.append(assign(b, Ref(f.type, f), column, query))
        fields.append(b.fresh(column.name, column.type))
    relation = Project(tuple(fields), source, tuple(expressions))
    return s.Insert(target, tuple(c.name for c in columns), relation)


def _each_row(b: Binder, query: exp.Values, columns: Sequence[Column]) -> Relation:
    """Rows that were sent one by one are assigned one by one: no value takes a type from another row."""
    check_arguments(query, {"expressions"}, b.text)
    rows = value_rows(b, query, Scope())
    _check_width(b, len(rows[0]), columns, query)
    stored = [
        tuple(assign(b, cell, column, query) for cell, column in zip(row, columns, strict=True))
        for row in rows
    ]
    return Values(tuple(b.fresh(c.name, c.type) for c in columns), tuple(stored))


def _check_width(b: Binder, values: int, columns: Sequence[Column], query: exp.Expr) -> None:
    if values != len(columns):
        raise TypeMismatch(
            f"INSERT has {values} values for {len(columns)} columns", position=b.position(query)
        )


def _check_columns(b: Binder, table: Table, indexes: Sequence[int], node: exp.Expr) -> None:
    """Each column at most once, and those that are NOT NULL exactly once."""
    if len(set(indexes)) != len(indexes):
        raise UserError("a column is named twice", code="DUPLICATE_COLUMN_NAME", position=b.position(node))
    for index, column in enumerate(table.columns):
        if not column.nullable and index not in indexes:
            raise UserError(
                f"column '{column.name}' is NOT NULL and gets no value",
                code="CONSTRAINT_VIOLATION",
                position=b.position(node),
            )


@converts(exp.Update, reads="this expressions where")
def _update(b: Binder, node: exp.Update) -> s.Statement:
    target, table, qualifier = _target(b, node.this)
    scope = Scope(tuple(Visible(qualifier, f) for f in target.fields))
    assignments = _assignments(b, node.expressions, table, scope)
    return s.Update(target, assignments, _where(b, node, scope))


def _where(b: Binder, node: exp.Expr, scope: Scope) -> Expression | None:
    where = node.args.get("where")
    if where is None:
        return None
    condition = bind_condition(b, where.this, scope, "WHERE")
    refuse_calls(b, condition, where, "WHERE")
    return condition


def _assignments(
    b: Binder, nodes: Sequence[exp.Expr], table: Table, scope: Scope
) -> tuple[s.Assignment, ...]:
    assignments: list[s.Assignment] = []
    for item in nodes:
        target = item.this if isinstance(item, exp.EQ) else None
        if not isinstance(target, (exp.Column, exp.Identifier)) or len(getattr(target, "parts", "1")) != 1:
            raise NotSupported("SET takes column = value", position=b.position(item))
        column = table.columns[_stored_column(b, table, item.this)]
        if any(a.column == column.name for a in assignments):
            raise UserError(
                f"column '{column.name}' is set twice",
                code="DUPLICATE_COLUMN_NAME",
                position=b.position(item),
            )
        value = bind_expression(b, item.expression, scope)
        refuse_calls(b, value, item, "SET")
        assignments.append(s.Assignment(column.name, assign(b, value, column, item.expression)))
    return tuple(assignments)


@converts(exp.Delete, reads="this where")
def _delete(b: Binder, node: exp.Delete) -> s.Statement:
    target, _, qualifier = _target(b, node.this)
    scope = Scope(tuple(Visible(qualifier, f) for f in target.fields))
    return s.Delete(target, _where(b, node, scope))


@converts(exp.TruncateTable, reads="expressions")
def _truncate(b: Binder, node: exp.TruncateTable) -> s.Statement:
    if len(node.expressions) != 1:
        raise NotSupported("TRUNCATE takes one table", position=b.position(node))
    target, _, _ = _target(b, node.expressions[0])
    return s.Delete(target, truncate=True)


@converts(exp.Merge, reads="this using on whens")
def _merge(b: Binder, node: exp.Merge) -> s.Statement:
    target, table, qualifier = _target(b, node.this)
    source, columns = bind_from(b, node.args["using"], Scope())
    target_columns = tuple(Visible(qualifier, f) for f in target.fields)
    both = Scope((*target_columns, *columns))
    condition = bind_condition(b, node.args["on"], both, "the condition of MERGE")
    refuse_calls(b, condition, node, "the condition of MERGE")
    clauses = []
    for when in node.args["whens"].expressions:
        check_arguments(when, {"matched", "condition", "then"}, b.text)
        matched = bool(when.args.get("matched"))
        scope = both if matched else Scope(tuple(columns))
        extra = when.args.get("condition")
        restriction = bind_condition(b, extra, scope, "the condition of WHEN") if extra is not None else None
        if restriction is not None:
            refuse_calls(b, restriction, extra, "the condition of WHEN")
        clauses.append(_merge_clause(b, when.args["then"], matched, restriction, table, scope))
    return s.Merge(target, source, condition, tuple(clauses))


def _merge_clause(
    b: Binder, node: exp.Expr, matched: bool, condition: Expression | None, table: Table, scope: Scope
) -> s.MergeClause:
    if matched and isinstance(node, exp.Update):
        check_arguments(node, {"expressions"}, b.text)
        return s.MergeClause(True, "update", _assignments(b, node.expressions, table, scope), condition)
    if matched and isinstance(node, exp.Var) and node.name.upper() == "DELETE":
        return s.MergeClause(True, "delete", (), condition)
    if not matched and isinstance(node, exp.Insert):
        check_arguments(node, {"this", "expression"}, b.text)
        column_nodes = node.this.expressions if isinstance(node.this, exp.Tuple) else None
        if node.this is not None and column_nodes is None:
            raise NotSupported("INSERT * is not supported in MERGE", position=b.position(node))
        values = node.expression.expressions if isinstance(node.expression, exp.Tuple) else [node.expression]
        indexes = (
            [_stored_column(b, table, c) for c in column_nodes]
            if column_nodes is not None
            else list(range(len(table.columns)))
        )
        _check_columns(b, table, indexes, node)
        if len(indexes) != len(values):
            raise TypeMismatch(
                f"INSERT has {len(values)} values for {len(indexes)} columns", position=b.position(node)
            )
        assignments = []
        for index, value in zip(indexes, values, strict=True):
            column = table.columns[index]
            bound = bind_expression(b, value, scope)
            refuse_calls(b, bound, value, "MERGE")
            assignments.append(s.Assignment(column.name, assign(b, bound, column, value)))
        return s.MergeClause(False, "insert", tuple(assignments), condition)
    raise NotSupported("this action is not possible in that WHEN clause", position=b.position(node))
