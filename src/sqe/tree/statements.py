"""The statements of the bound tree: what a text may ask for, and nothing else.

What a kind of statement is stands on its class, so that a new kind is one record here, one conversion in
`bind/` and one command in `commands/`.
"""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING

from sqe.errors import InternalError, Position
from sqe.foundation.record import record
from sqe.tree.changes import Change
from sqe.tree.definitions import PLACE_PROPERTIES, ColumnDefinition, PartitionField, SortField
from sqe.tree.expressions import Expression, Field, Node, Ref, Relation, walk
from sqe.tree.privileges import Need, Privilege, schema_of
from sqe.tree.relations import TableName
from sqe.types.sql_types import Type

if TYPE_CHECKING:
    from sqe.tree.grants import Grant

NO_LANE: frozenset[str] = frozenset()
SPARK_ALONE = frozenset({"spark"})
ANY_LANE = frozenset({"fast", "spark"})


class Statement(Node):
    """What a kind does not declare raises when it is asked for; nothing has a default."""

    __slots__ = ()

    @property
    def kind(self) -> str:
        """What Trino's clients call it; empty for what returns rows."""
        raise _undeclared(self, "kind")

    @property
    def label(self) -> str:
        """What metrics and logs call it: one of labels.LABELS."""
        raise _undeclared(self, "label")

    @property
    def writes(self) -> bool:
        """Whether it changes tables, views or schemas."""
        raise _undeclared(self, "writes")

    @property
    def changes(self) -> tuple[TableName, ...]:
        """The tables and views that it creates, changes or drops."""
        raise _undeclared(self, "changes")

    @property
    def needs(self) -> tuple[Need, ...]:
        """What its user must be allowed to do, apart from reading what it reads."""
        raise _undeclared(self, "needs")

    @property
    def places(self) -> tuple[str, ...]:
        """The locations that it would have files put at, as far as it names them."""
        raise _undeclared(self, "places")

    @property
    def lanes(self) -> frozenset[str]:
        """The lanes that can run it; none where the catalog alone does."""
        raise _undeclared(self, "lanes")


def _undeclared(statement: Statement, fact: str) -> InternalError:
    return InternalError(f"{type(statement).__name__} does not say its {fact}")


class Control(Statement):
    """What sets the session, or is answered from names alone."""

    __slots__ = ()

    writes = False
    changes = ()
    places = ()
    lanes = NO_LANE

    @property
    def needs(self) -> tuple[Need, ...]:
        return ()


class Definition(Statement):
    """A change of metadata alone."""

    __slots__ = ()

    writes = True
    lanes = NO_LANE


@record
class Target(Node):
    """A table that is written. `fields` stand for the row as it is before the change, and `columns`
    are the stored names, parallel to `fields`."""

    children = ()

    table: TableName
    fields: tuple[Field, ...]
    columns: tuple[str, ...]


@record
class RowChange(Statement):
    """A change of a table's rows."""

    writes = True
    places = ()
    lanes = SPARK_ALONE

    target: Target

    @property
    def changes(self) -> tuple[TableName, ...]:
        return (self.target.table,)

    def reads(self, *parts: Node | tuple[Node, ...] | None) -> tuple[Need, ...]:
        """To read the target, where what is to be changed, or what to, depends on its values: how many rows
        were changed tells of them."""
        own = {f.id for f in self.target.fields}
        each = (node for part in parts for node in (part if isinstance(part, tuple) else (part,)))
        nodes = (node for part in each if part is not None for node in walk(part))
        if any(isinstance(node, Ref) and node.field.id in own for node in nodes):
            return (Need(Privilege.SELECT, self.target.table),)
        return ()


@record
class Query(Statement):
    """Rows. The result's column names are the names of the relation's fields."""

    kind = ""
    label = "query"
    writes = False
    changes = ()
    needs = ()
    places = ()
    lanes = ANY_LANE
    children = ("relation",)

    relation: Relation


@record
class CreateSchema(Definition):
    kind = "CREATE SCHEMA"
    label = "createschema"
    changes = ()
    children = ()

    catalog: str
    namespace: tuple[str, ...]
    if_not_exists: bool = False
    location: str | None = None

    @property
    def needs(self) -> tuple[Need, ...]:
        return (Need(Privilege.CREATE, TableName(self.catalog, self.namespace[:-1], "")),)

    @property
    def places(self) -> tuple[str, ...]:
        return () if self.location is None else (self.location,)


@record
class DropSchema(Definition):
    kind = "DROP SCHEMA"
    label = "dropschema"
    changes = ()
    places = ()
    children = ()

    catalog: str
    namespace: tuple[str, ...]
    if_exists: bool = False
    cascade: bool = False

    @property
    def needs(self) -> tuple[Need, ...]:
        return (Need(Privilege.DROP, TableName(self.catalog, self.namespace, "")),)


@record
class CreateTable(Statement):
    """With `source`, CREATE TABLE AS: its columns are the source's fields, in order."""

    writes = True
    children = ("source",)

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

    @property
    def kind(self) -> str:
        return "CREATE TABLE" if self.source is None else "CREATE TABLE AS"

    @property
    def label(self) -> str:
        return "createtable" if self.source is None else "ctas"

    @property
    def changes(self) -> tuple[TableName, ...]:
        return (self.table,)

    @property
    def places(self) -> tuple[str, ...]:
        places = [value for name, value in self.properties if name in PLACE_PROPERTIES]
        return (*places, *(() if self.location is None else (self.location,)))

    @property
    def lanes(self) -> frozenset[str]:
        return NO_LANE if self.source is None else SPARK_ALONE

    @property
    def needs(self) -> tuple[Need, ...]:
        return _to_create(self.table, replaces=self.replace)


@record
class DropTable(Definition):
    """`absent`: nothing of that name exists for this user, and IF EXISTS forgives it."""

    kind = "DROP TABLE"
    label = "drop"
    places = ()
    children = ()

    table: TableName
    if_exists: bool = False
    purge: bool = False
    absent: bool = False

    @property
    def changes(self) -> tuple[TableName, ...]:
        return () if self.absent else (self.table,)

    @property
    def needs(self) -> tuple[Need, ...]:
        return () if self.absent else (Need(Privilege.DROP, self.table),)


@record
class ViewQuery:
    """What a view's text stands for when it is created, bound in a session in UTC, for other dialects.

    Not a node: nothing runs it, and whoever reads the view is under rules of their own. `portable` unless
    it has values of this session or moment, or its author sees only a part of what it reads.
    """

    relation: Relation
    portable: bool


@record
class CreateView(Definition):
    """`sql` is its text; names in it without a catalog or schema are in the default ones. `security` is
    what was written, `definer` who wrote it; every view is evaluated as its invoker's."""

    kind = "CREATE VIEW"
    label = "createview"
    places = ()
    children = ()

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

    @property
    def changes(self) -> tuple[TableName, ...]:
        return (self.view,)

    @property
    def needs(self) -> tuple[Need, ...]:
        return _to_create(self.view, replaces=self.replace)


@record
class DropView(Definition):
    """`absent` as in DropTable."""

    kind = "DROP VIEW"
    label = "dropview"
    places = ()
    children = ()

    view: TableName
    if_exists: bool = False
    absent: bool = False

    @property
    def changes(self) -> tuple[TableName, ...]:
        return () if self.absent else (self.view,)

    @property
    def needs(self) -> tuple[Need, ...]:
        return () if self.absent else (Need(Privilege.DROP, self.view),)


@record
class Rename(Definition):
    """Of a table or a view, within its catalog. `absent` as in DropTable."""

    label = "rename"
    places = ()
    children = ()

    table: TableName
    to: TableName
    view: bool = False
    absent: bool = False

    @property
    def kind(self) -> str:
        return "RENAME VIEW" if self.view else "RENAME TABLE"

    @property
    def changes(self) -> tuple[TableName, ...]:
        return () if self.absent else (self.table, self.to)

    @property
    def needs(self) -> tuple[Need, ...]:
        if self.absent:
            return ()
        return (Need(Privilege.ALTER, self.table), Need(Privilege.CREATE, schema_of(self.to)))


@record
class RenameSchema(Definition):
    kind = "RENAME SCHEMA"
    label = "alterschema"
    changes = ()
    places = ()
    children = ()

    catalog: str
    namespace: tuple[str, ...]
    to: tuple[str, ...]

    @property
    def needs(self) -> tuple[Need, ...]:
        return (
            Need(Privilege.ALTER, TableName(self.catalog, self.namespace, "")),
            Need(Privilege.CREATE, TableName(self.catalog, self.to[:-1], "")),
        )


@record
class Alter(Definition):
    """A change of a table's or a view's definition; `position` is where it is written. `absent` as in
    DropTable."""

    children = ()

    table: TableName
    change: Change
    view: bool = False
    absent: bool = False
    position: Position | None = field(default=None, compare=False)

    @property
    def kind(self) -> str:
        return self.change.words

    @property
    def label(self) -> str:
        return self.change.label

    @property
    def changes(self) -> tuple[TableName, ...]:
        return () if self.absent else (self.table,)

    @property
    def places(self) -> tuple[str, ...]:
        return self.change.places

    @property
    def needs(self) -> tuple[Need, ...]:
        return () if self.absent else (Need(Privilege.ALTER, self.table),)


@record
class Insert(RowChange):
    """`columns` are stored names, parallel to the source's fields, which already have the columns' types."""

    kind = "INSERT"
    label = "insert"
    children = ("target", "source")

    columns: tuple[str, ...]
    source: Relation

    @property
    def needs(self) -> tuple[Need, ...]:
        return (Need(Privilege.INSERT, self.target.table),)


@record
class Assignment(Node):
    children = ("value",)

    column: str
    value: Expression


@record
class Update(RowChange):
    kind = "UPDATE"
    label = "update"
    children = ("target", "assignments", "condition")

    assignments: tuple[Assignment, ...]
    condition: Expression | None = None

    @property
    def needs(self) -> tuple[Need, ...]:
        return (Need(Privilege.UPDATE, self.target.table), *self.reads(self.assignments, self.condition))


@record
class Delete(RowChange):
    """Without a condition, every row; `truncate` is how it was written."""

    children = ("target", "condition")

    condition: Expression | None = None
    truncate: bool = False

    @property
    def kind(self) -> str:
        return "TRUNCATE TABLE" if self.truncate else "DELETE"

    @property
    def label(self) -> str:
        return "truncate" if self.truncate else "delete"

    @property
    def needs(self) -> tuple[Need, ...]:
        privilege = Privilege.TRUNCATE if self.truncate else Privilege.DELETE
        return (Need(privilege, self.target.table), *self.reads(self.condition))


@record
class MergeClause(Node):
    """action: update (assignments), delete, insert (assignments). `matched` false is WHEN NOT MATCHED."""

    children = ("assignments", "condition")

    matched: bool
    action: str
    assignments: tuple[Assignment, ...] = ()
    condition: Expression | None = None


@record
class Merge(RowChange):
    kind = "MERGE"
    label = "merge"
    children = ("target", "source", "condition", "clauses")

    source: Relation
    condition: Expression
    clauses: tuple[MergeClause, ...]

    @property
    def needs(self) -> tuple[Need, ...]:
        actions = (Need(Privilege(clause.action), self.target.table) for clause in self.clauses)
        return (*actions, *self.reads(self.condition, self.clauses))


@record
class Use(Control):
    kind = "USE"
    label = "use"
    children = ()

    catalog: str
    namespace: tuple[str, ...]


@record
class SetSession(Control):
    """A session property of ours; `value` None is RESET SESSION."""

    label = "utility"
    children = ()

    name: str
    value: str | None

    @property
    def kind(self) -> str:
        return "RESET SESSION" if self.value is None else "SET SESSION"


@record
class SetTimeZone(Control):
    kind = "SET TIME ZONE"
    label = "utility"
    children = ()

    zone: str


@record
class SetRole(Control):
    """A role of the user's, ALL if `role` is None."""

    kind = "SET ROLE"
    label = "utility"
    children = ()

    role: str | None


@record
class SetPath(Control):
    """Where functions would be looked for that are in schemas, of which there are none."""

    kind = "SET PATH"
    label = "utility"
    children = ()

    path: str


@record
class KillQuery(Control):
    kind = "CALL"
    label = "utility"
    children = ()

    query_id: str
    message: str | None = None


@record
class ChangeGrants(Control):
    """action: GRANT, DENY, REVOKE. Who may do so is said by whoever keeps the grants."""

    label = "grant"
    children = ()

    action: str
    grants: tuple[Grant, ...]

    @property
    def kind(self) -> str:
        return self.action


@record
class Transaction(Control):
    """action: start, commit, rollback. Each statement commits by itself; see docs/sql.md."""

    children = ()

    action: str

    @property
    def kind(self) -> str:
        return "START TRANSACTION" if self.action == "start" else self.action.upper()

    @property
    def label(self) -> str:
        return "begin" if self.action == "start" else self.action


@record
class Prepare(Control):
    kind = "PREPARE"
    label = "utility"
    children = ()

    name: str
    text: str


@record
class Deallocate(Control):
    kind = "DEALLOCATE"
    label = "utility"
    children = ()

    name: str


@record
class DescribeInput(Control):
    """`types` has one for each parameter; UNKNOWN where anything would do."""

    kind = ""
    label = "utility"
    children = ()

    types: tuple[Type, ...]


@record
class DescribeOutput(Control):
    kind = ""
    label = "utility"
    children = ("statement",)

    statement: Statement

    @property
    def needs(self) -> tuple[Need, ...]:
        return self.statement.needs


@record
class Show(Control):
    """what: catalogs, schemas, tables, views, functions, session, roles, currentroles, rolegrants, grants;
    with the LIKE `pattern` of names, or on a `table`."""

    kind = ""
    children = ()

    what: str
    catalog: str | None = None
    namespace: tuple[str, ...] = ()
    pattern: str | None = None
    escape: str | None = None
    table: TableName | None = None

    @property
    def label(self) -> str:
        return f"show{self.what}"


@record
class ShowColumns(Control):
    kind = ""
    label = "showcolumns"
    children = ()

    columns: tuple[ColumnDefinition, ...]
    pattern: str | None = None
    escape: str | None = None


@record
class ShowCreate(Control):
    """what: table, view, schema. A schema's `table` has an empty name."""

    kind = ""
    children = ()

    what: str
    table: TableName

    @property
    def label(self) -> str:
        return f"showcreate{self.what}"


@record
class ShowStats(Control):
    kind = ""
    label = "showstats"
    children = ()

    table: TableName

    @property
    def needs(self) -> tuple[Need, ...]:
        return (Need(Privilege.SELECT, self.table),)


@record
class Explain(Statement):
    """With `analyze` its query is run, and measured; with `validate` it is told that it can be planned."""

    kind = ""
    label = "explain"
    writes = False
    children = ("statement",)

    statement: Statement
    analyze: bool = False
    verbose: bool = False
    validate: bool = False

    @property
    def changes(self) -> tuple[TableName, ...]:
        return self.statement.changes

    @property
    def places(self) -> tuple[str, ...]:
        return self.statement.places

    @property
    def lanes(self) -> frozenset[str]:
        return self.statement.lanes

    @property
    def needs(self) -> tuple[Need, ...]:
        return self.statement.needs


def _to_create(table: TableName, *, replaces: bool) -> tuple[Need, ...]:
    create = Need(Privilege.CREATE, schema_of(table))
    return (create, Need(Privilege.DROP, table)) if replaces else (create,)
