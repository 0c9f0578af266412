"""The bound tree as Spark SQL: the only way that text for Spark is made."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import TYPE_CHECKING

from sqe.engine.lane import Rendered
from sqe.engine.render.expressions import Scope
from sqe.engine.render.failures import replace_failures
from sqe.engine.render.layout import Lines, after, before, derived, laid_out, line, listed
from sqe.engine.render.names import column_name
from sqe.engine.render.positions import position_of, strip_positions
from sqe.engine.render.quoting import spelled
from sqe.engine.render.relations import RelationWriter
from sqe.engine.render.signed_zero import normalize_signed_zero
from sqe.engine.render.zones import lower_zones
from sqe.engine.spark.literals import string
from sqe.engine.spark.lowering import lower
from sqe.engine.spark.relations import SparkRelations
from sqe.engine.spark.table_names import target_name, with_names, with_own_names
from sqe.engine.spark.types import QUOTE, has_map_as_key, quote_name
from sqe.errors import InternalError, NotSupported
from sqe.foundation.record import record
from sqe.foundation.recursion import deep_recursion
from sqe.functions.bodies import called
from sqe.tree.definitions import PartitionField
from sqe.tree.expressions import Expression, walk
from sqe.tree.relations import FileScan, Scan, SystemScan, TableName, Values
from sqe.tree.statements import (
    CreateTable,
    Delete,
    Insert,
    Merge,
    MergeClause,
    Query,
    Statement,
    Target,
    Update,
)

__all__ = ["FileView", "SparkRendered", "position_of", "render", "strip_positions"]

DEFAULT_RECURSION_DEPTH = 10
if TYPE_CHECKING:
    from sqe.catalog.iceberg.table import Table

_TARGET = quote_name("target")
_SOURCE = quote_name("source")
_TRANSFORMS = {"year": "years", "month": "months", "day": "days", "hour": "hours"}


@record
class FileView:
    """A temporary view that the text refers to: `spark.read.format(format).load(paths)` under this name."""

    name: str
    format: str
    paths: tuple[str, ...]


@record
class SparkRendered(Rendered):
    """`views` of files, `pins` and `tables` must be there before `sql` runs, as temporary views. Spark does
    not read files that SQL names, on purpose. `bodies` are the Python functions that it calls;
    `total_files` says how many data files each table has, where that is certain."""

    sql: str
    views: tuple[FileView, ...] = ()
    tables: Mapping[str, SystemScan | Scan | Values] = field(default_factory=dict)
    bodies: tuple[str, ...] = ()
    is_query: bool = False
    total_files: Mapping[str, int] = field(default_factory=dict)
    template: str = ""
    """`sql` before its tables have names."""
    read: Mapping[TableName, Table] = field(default_factory=dict)
    """The tables that it reads, as they were bound."""
    written: Mapping[TableName, Table | None] = field(default_factory=dict)
    """The table that it writes; None for one that it makes or replaces."""

    def named(self, read: Mapping[TableName, str], written: Mapping[TableName, str]) -> str:
        """The text for Spark, which knows the tables by names of their own."""
        return spelled(with_names(self.template, read, written), QUOTE)


@deep_recursion()
def render(
    statement: Statement,
    *,
    session_zone: str,
    statement_id: str = "statement",
    max_recursion_depth: int = DEFAULT_RECURSION_DEPTH,
) -> SparkRendered:
    """A query's columns are positional: their names are ours, and those of the fields are put back later."""
    for node in walk(statement):
        if isinstance(node, (Scan, FileScan)) and not node.secured:
            raise InternalError(f"{getattr(node, 'table', 'a file')} was not secured")
        if isinstance(node, Expression) and has_map_as_key(node.type):
            raise NotSupported(f"Spark has no {node.type}: a key may not be or contain a map")
    writer = SparkRelations(max_recursion_depth=max_recursion_depth, statement_id=statement_id)
    lowered = normalize_signed_zero(lower_zones(statement, session_zone), spark=True)
    sql = laid_out(_statement(lower(lowered), writer))
    files = tuple(FileView(name, scan.format, scan.paths) for name, scan in writer.file_views.items())
    template = replace_failures(sql, lambda failure: f"raise_error({string(failure.text)})")
    return SparkRendered(
        spelled(with_own_names(template), QUOTE),
        files,
        writer.tables,
        called(sql),
        isinstance(statement, Query),
        template=template,
    )


def _statement(statement: Statement, writer: RelationWriter) -> Lines:
    match statement:
        case Query():
            return writer.answer(statement.relation)
        case Insert():
            columns = ", ".join(quote_name(c) for c in statement.columns)
            head = f"INSERT INTO {target_name(statement.target.table)} ({columns})"
            return (*line(head), *writer.query(statement.source, {}))
        case Update():
            return _update(statement, writer)
        case Delete():
            head = f"DELETE FROM {target_name(statement.target.table)} AS {_TARGET}"
            return (*line(head), *_where(statement.condition, writer, _row_of(statement.target)))
        case Merge():
            return _merge(statement, writer)
        case CreateTable() if statement.source is not None:
            return _create(statement, writer)
        case _:
            raise InternalError(f"{type(statement).__name__} is not for Spark")


def _row_of(target: Target) -> dict[int, str]:
    """The target's row as it was."""
    return {f.id: f"{_TARGET}.{quote_name(c)}" for f, c in zip(target.fields, target.columns, strict=True)}


def _where(condition: Expression | None, writer: RelationWriter, scope: Scope) -> Lines:
    return () if condition is None else line(f"WHERE {writer.expressions.text(condition, scope)}")


def _update(update: Update, writer: RelationWriter) -> Lines:
    scope = _row_of(update.target)
    changes = (
        f"{quote_name(a.column)} = {writer.expressions.text(a.value, scope)}" for a in update.assignments
    )
    return (
        *line(f"UPDATE {target_name(update.target.table)} AS {_TARGET}"),
        *listed("SET ", changes, end=","),
        *_where(update.condition, writer, scope),
    )


def _merge(merge: Merge, writer: RelationWriter) -> Lines:
    source = derived(writer.query(merge.source, {}))
    row = {f.id: f"{_SOURCE}.{column_name(f)}" for f in merge.source.fields}
    scope = {**_row_of(merge.target), **row}
    return (
        *line(f"MERGE INTO {target_name(merge.target.table)} AS {_TARGET}"),
        *after(before("USING ", source), f" AS {_SOURCE}"),
        *line(f"ON {writer.expressions.text(merge.condition, scope)}"),
        *((0, _merge_clause(clause, writer, scope)) for clause in merge.clauses),
    )


def _merge_clause(clause: MergeClause, writer: RelationWriter, scope: Scope) -> str:
    text = "WHEN MATCHED" if clause.matched else "WHEN NOT MATCHED"
    if clause.condition is not None:
        text += f" AND {writer.expressions.text(clause.condition, scope)}"
    columns = [quote_name(a.column) for a in clause.assignments]
    values = [writer.expressions.text(a.value, scope) for a in clause.assignments]
    match clause.action:
        case "delete":
            return f"{text} THEN DELETE"
        case "update":
            changes = ", ".join(f"{c} = {v}" for c, v in zip(columns, values, strict=True))
            return f"{text} THEN UPDATE SET {changes}"
        case "insert":
            return f"{text} THEN INSERT ({', '.join(columns)}) VALUES ({', '.join(values)})"
        case _:
            raise InternalError(f"MERGE has no {clause.action}")


def _create(create: CreateTable, writer: RelationWriter) -> Lines:
    assert create.source is not None
    word = "CREATE OR REPLACE TABLE" if create.replace else "CREATE TABLE"
    lines = [
        f"{word} {'IF NOT EXISTS ' if create.if_not_exists else ''}{target_name(create.table)}",
        "USING iceberg",
    ]
    if create.partitioning:
        lines.append(f"PARTITIONED BY ({', '.join(_partition(p) for p in create.partitioning)})")
    if create.comment is not None:
        lines.append(f"COMMENT {string(create.comment)}")
    if create.location is not None:
        lines.append(f"LOCATION {string(create.location)}")
    if create.properties:
        pairs = ", ".join(f"{string(k)} = {string(v)}" for k, v in create.properties)
        lines.append(f"TBLPROPERTIES ({pairs})")
    aliases = [quote_name(c.name) for c in create.columns]
    query = writer.query(create.source, {}, aliases=aliases)
    return (*((0, text) for text in lines), *before("AS ", query))


def _partition(field: PartitionField) -> str:
    column = quote_name(field.column)
    if field.transform == "identity":
        return column
    if field.argument is not None:
        return f"{field.transform}({int(field.argument)}, {column})"
    return f"{_TRANSFORMS[field.transform]}({column})"
