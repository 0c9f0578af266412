"""The statements of the bound tree: what a text may ask for, and nothing else."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from sqe.errors import Position
from sqe.foundation.record import record
from sqe.tree.expressions import Expression, Field, Node
from sqe.tree.relations import Relation, TableName
from sqe.types.sql_types import Type

if TYPE_CHECKING:
    from sqe.tree.changes import Change


@record
class Statement(Node):
    pass


@record
class Query(Statement):
    """Rows. The result's column names are the names of the relation's fields."""

    relation: Relation


@record
class ColumnDefinition:
    name: str
    type: Type
    nullable: bool = True
    comment: str | None = None


@record
class PartitionField:
    """transform: identity, bucket, truncate, year, month, day, hour. `argument` is the N of two."""

    transform: str
    column: str
    argument: int | None = None


@record
class SortField:
    """A column by which the files of a table are sorted."""

    column: str
    descending: bool = False
    nulls_first: bool = True


@record
class CreateSchema(Statement):
    catalog: str
    namespace: tuple[str, ...]
    if_not_exists: bool = False
    location: str | None = None


@record
class DropSchema(Statement):
    catalog: str
    namespace: tuple[str, ...]
    if_exists: bool = False
    cascade: bool = False


@record
class CreateTable(Statement):
    """With `source`, CREATE TABLE AS: its columns are the source's fields, in order."""

    table: TableName
    columns: tuple[ColumnDefinition, ...]
    partitioning: tuple[PartitionField, ...] = ()
    properties: tuple[tuple[str, str], ...] = ()
    comment: str | None = None
    location: str | None = None
    if_not_exists: bool = False
    replace: bool = False
    source: Relation | None = None
    sort_order: tuple[SortField, ...] = ()


@record
class DropTable(Statement):
    """`absent`: nothing of that name exists for this user, and IF EXISTS forgives it."""

    table: TableName
    if_exists: bool = False
    purge: bool = False
    absent: bool = False


@record
class ViewQuery:
    """What a view's text stands for when it is made, bound in a session in UTC, for other dialects.

    Not a node: nothing runs it, and whoever reads the view is under rules of their own. `portable` unless
    it has values of this session or moment, or its author sees only a part of what it reads.
    """

    relation: Relation
    portable: bool


@record
class CreateView(Statement):
    """`sql` is its text; names in it without a catalog or schema are in the default ones. `security` is
    what was written, `definer` who wrote it; every view is evaluated as its invoker's."""

    view: TableName
    sql: str
    columns: tuple[ColumnDefinition, ...]
    query: ViewQuery
    default_catalog: str
    default_namespace: tuple[str, ...]
    definer: str
    comment: str | None = None
    security: str | None = None
    if_not_exists: bool = False
    replace: bool = False


@record
class DropView(Statement):
    """`absent` as in DropTable."""

    view: TableName
    if_exists: bool = False
    absent: bool = False


@record
class Rename(Statement):
    """Of a table or a view, within its catalog. `absent` as in DropTable."""

    table: TableName
    to: TableName
    view: bool = False
    absent: bool = False


@record
class RenameSchema(Statement):
    catalog: str
    namespace: tuple[str, ...]
    to: tuple[str, ...]


@record
class Alter(Statement):
    """A change of a table's or a view's definition; `position` is where it is written. `absent` as in
    DropTable."""

    table: TableName
    change: Change
    view: bool = False
    absent: bool = False
    position: Position | None = field(default=None, compare=False)


@record
class Target(Node):
    """A table that is written. `fields` stand for the row as it is before the change, and `columns`
    are the stored names, parallel to `fields`."""

    table: TableName
    fields: tuple[Field, ...]
    columns: tuple[str, ...]


@record
class Insert(Statement):
    """`columns` are stored names, parallel to the source's fields, which already have the columns' types."""

    target: Target
    columns: tuple[str, ...]
    source: Relation


@record
class Assignment(Node):
    column: str
    value: Expression


@record
class Update(Statement):
    target: Target
    assignments: tuple[Assignment, ...]
    condition: Expression | None = None


@record
class Delete(Statement):
    """Without a condition, every row; `truncate` is how it was written."""

    target: Target
    condition: Expression | None = None
    truncate: bool = False


@record
class MergeClause(Node):
    """action: update (assignments), delete, insert (assignments). `matched` false is WHEN NOT MATCHED."""

    matched: bool
    action: str
    assignments: tuple[Assignment, ...] = ()
    condition: Expression | None = None


@record
class Merge(Statement):
    target: Target
    source: Relation
    condition: Expression
    clauses: tuple[MergeClause, ...]


@record
class Use(Statement):
    catalog: str
    namespace: tuple[str, ...]


@record
class SetSession(Statement):
    """A session property of ours; `value` None is RESET SESSION."""

    name: str
    value: str | None


@record
class SetTimeZone(Statement):
    zone: str


@record
class Transaction(Statement):
    """action: start, commit, rollback. Each statement commits by itself; see docs/sql.md."""

    action: str


@record
class Prepare(Statement):
    name: str
    text: str


@record
class Deallocate(Statement):
    name: str


@record
class DescribeInput(Statement):
    """`types` has one for each parameter; UNKNOWN where anything would do."""

    types: tuple[Type, ...]


@record
class DescribeOutput(Statement):
    statement: Statement


@record
class Show(Statement):
    """what: catalogs, schemas, tables, views, functions, session; with the LIKE `pattern` of names."""

    what: str
    catalog: str | None = None
    namespace: tuple[str, ...] = ()
    pattern: str | None = None
    escape: str | None = None


@record
class ShowColumns(Statement):
    columns: tuple[ColumnDefinition, ...]
    pattern: str | None = None
    escape: str | None = None


@record
class ShowCreate(Statement):
    """what: table, view, schema. A schema's `table` has an empty name."""

    what: str
    table: TableName


@record
class ShowStats(Statement):
    table: TableName


@record
class Explain(Statement):
    """With `analyze` its query is run, and measured."""

    statement: Statement
    analyze: bool = False
    verbose: bool = False


_CHANGES_NOTHING = (
    *(Query, Explain, Show, ShowColumns, ShowCreate, ShowStats, DescribeInput, DescribeOutput),
    *(Use, SetSession, SetTimeZone, Transaction, Prepare, Deallocate),
)


def writes(statement: Statement) -> bool:
    """Whether it changes tables, views or schemas."""
    return not isinstance(statement, _CHANGES_NOTHING)


def kind(statement: Statement) -> str:
    """What a statement is called, as Trino's clients know it."""
    match statement:
        case Query() | Explain() | DescribeInput() | DescribeOutput():
            return ""
        case Show() | ShowColumns() | ShowCreate() | ShowStats():
            return ""
        case Transaction(action):
            return {"start": "START TRANSACTION"}.get(action, action.upper())
        case CreateTable(source=source) if source is not None:
            return "CREATE TABLE AS"
        case Rename(view=view):
            return "RENAME VIEW" if view else "RENAME TABLE"
        case Alter(change=change):
            return change.words
        case Delete(truncate=True):
            return "TRUNCATE TABLE"
        case SetSession(value=None):
            return "RESET SESSION"
    words = {
        CreateSchema: "CREATE SCHEMA",
        DropSchema: "DROP SCHEMA",
        CreateTable: "CREATE TABLE",
        DropTable: "DROP TABLE",
        CreateView: "CREATE VIEW",
        DropView: "DROP VIEW",
        RenameSchema: "RENAME SCHEMA",
        Insert: "INSERT",
        Update: "UPDATE",
        Delete: "DELETE",
        Merge: "MERGE",
        Use: "USE",
        SetSession: "SET SESSION",
        SetTimeZone: "SET TIME ZONE",
        Prepare: "PREPARE",
        Deallocate: "DEALLOCATE",
    }
    return words[type(statement)]
