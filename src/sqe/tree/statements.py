"""The statements of the bound tree: what a text may ask for, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass

from sqe.tree.expressions import Expression, Field, Node
from sqe.tree.relations import Relation, TableName
from sqe.tree.types import Type


@dataclass(frozen=True, slots=True)
class Statement(Node):
    pass


@dataclass(frozen=True, slots=True)
class Query(Statement):
    """Rows. The result's column names are the names of the relation's fields."""

    relation: Relation


@dataclass(frozen=True, slots=True)
class ColumnDefinition:
    name: str
    type: Type
    nullable: bool = True
    comment: str | None = None


@dataclass(frozen=True, slots=True)
class PartitionField:
    """transform: identity, bucket, truncate, year, month, day, hour. `argument` is the N of two."""

    transform: str
    column: str
    argument: int | None = None


@dataclass(frozen=True, slots=True)
class CreateSchema(Statement):
    catalog: str
    namespace: tuple[str, ...]
    if_not_exists: bool = False
    location: str | None = None


@dataclass(frozen=True, slots=True)
class DropSchema(Statement):
    catalog: str
    namespace: tuple[str, ...]
    if_exists: bool = False
    cascade: bool = False


@dataclass(frozen=True, slots=True)
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


@dataclass(frozen=True, slots=True)
class DropTable(Statement):
    """`absent`: nothing of that name exists for this user, and IF EXISTS forgives it."""

    table: TableName
    if_exists: bool = False
    purge: bool = False
    absent: bool = False


@dataclass(frozen=True, slots=True)
class Target(Node):
    """A table that is written. `fields` stand for the row as it is before the change, and `columns`
    are the stored names, parallel to `fields`."""

    table: TableName
    fields: tuple[Field, ...]
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Insert(Statement):
    """`columns` are stored names, parallel to the source's fields, which already have the columns' types."""

    target: Target
    columns: tuple[str, ...]
    source: Relation


@dataclass(frozen=True, slots=True)
class Assignment(Node):
    column: str
    value: Expression


@dataclass(frozen=True, slots=True)
class Update(Statement):
    target: Target
    assignments: tuple[Assignment, ...]
    condition: Expression | None = None


@dataclass(frozen=True, slots=True)
class Delete(Statement):
    """Without a condition, every row; `truncate` is how it was written."""

    target: Target
    condition: Expression | None = None
    truncate: bool = False


@dataclass(frozen=True, slots=True)
class MergeClause(Node):
    """action: update (assignments), delete, insert (assignments). `matched` false is WHEN NOT MATCHED."""

    matched: bool
    action: str
    assignments: tuple[Assignment, ...] = ()
    condition: Expression | None = None


@dataclass(frozen=True, slots=True)
class Merge(Statement):
    target: Target
    source: Relation
    condition: Expression
    clauses: tuple[MergeClause, ...]


@dataclass(frozen=True, slots=True)
class Use(Statement):
    catalog: str
    namespace: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class SetSession(Statement):
    """A session property of ours; `value` None is RESET SESSION."""

    name: str
    value: str | None


@dataclass(frozen=True, slots=True)
class Explain(Statement):
    statement: Statement


def kind(statement: Statement) -> str:
    """What a statement is called, as Trino's clients know it."""
    match statement:
        case Query() | Explain():
            return ""
        case CreateTable(source=source) if source is not None:
            return "CREATE TABLE AS"
        case Delete(truncate=True):
            return "TRUNCATE TABLE"
        case SetSession(value=None):
            return "RESET SESSION"
    words = {
        CreateSchema: "CREATE SCHEMA",
        DropSchema: "DROP SCHEMA",
        CreateTable: "CREATE TABLE",
        DropTable: "DROP TABLE",
        Insert: "INSERT",
        Update: "UPDATE",
        Delete: "DELETE",
        Merge: "MERGE",
        Use: "USE",
        SetSession: "SET SESSION",
    }
    return words[type(statement)]
