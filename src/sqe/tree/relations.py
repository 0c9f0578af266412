"""The relations of the bound tree. Each has `fields`: its output columns, in order."""

from __future__ import annotations

from sqe.foundation.record import record
from sqe.tree.expressions import (
    AggregateCall,
    Expression,
    Field,
    Node,
    SortKey,
    WindowCall,
)
from sqe.tree.expressions import (
    Relation as Relation,
)


@record
class TableName:
    """A table as stored: exact catalog, namespace and name."""

    catalog: str
    namespace: tuple[str, ...]
    name: str

    def __str__(self) -> str:
        return ".".join((self.catalog, *self.namespace, self.name))


@record
class AsOf:
    """A point in a table's past: a snapshot that was resolved while binding."""

    snapshot_id: int
    ref: str | None = None


PATH = "$path"
"""The hidden column of a table that says in which file a row is."""
PARTITION = "$partition"
"""That of the partition of the file, as Iceberg writes it in paths."""
FILE_MODIFIED_TIME = "$file_modified_time"
FILE_COLUMNS = "file columns"
"""The metadata table that these two are read from, which no statement can name."""


@record
class Scan(Relation):
    """A base table, one of its metadata tables (`metadata`, e.g. "snapshots"), or a point in its past.

    `columns` are the stored column names, parallel to `fields`, and after them those of `hidden`, which no
    table stores. `secured` is set by policy.secure alone; nothing renders while it is false.
    """

    children = ()

    table: TableName
    columns: tuple[str, ...]
    metadata: str | None = None
    as_of: AsOf | None = None
    secured: bool = False
    hidden: tuple[str, ...] = ()


@record
class Pushdown:
    """A predicate that a system table may use on one column: one of `values`, and matching all `patterns`
    (LIKE, with its escape). Other rows need not be made; the query filters again."""

    column: str
    values: frozenset[str] | None = None
    patterns: tuple[tuple[str, str | None], ...] = ()


@record
class SystemScan(Relation):
    """A table that the system itself answers: information_schema, system.runtime and the like. Its rows
    are made only of what this user may know."""

    children = ()

    table: TableName
    columns: tuple[str, ...]
    pushdown: tuple[Pushdown, ...] = ()


@record
class FileScan(Relation):
    """Files read in place: FROM 'x.parquet', read_parquet(...). `columns` as in Scan."""

    children = ()

    format: str
    paths: tuple[str, ...]
    columns: tuple[str, ...]
    secured: bool = False


@record
class Values(Relation):
    """Rows of expressions, each already of its field's type."""

    children = ("rows",)

    rows: tuple[tuple[Expression, ...], ...]


@record
class Project(Relation):
    """fields[i] is expressions[i]."""

    children = ("input", "expressions")

    input: Relation
    expressions: tuple[Expression, ...]


@record
class Extend(Relation):
    """The input's fields, then one new field for each expression."""

    children = ("input", "expressions")

    input: Relation
    expressions: tuple[Expression, ...]


@record
class Filter(Relation):
    children = ("input", "condition")

    input: Relation
    condition: Expression


@record
class Join(Relation):
    """kind: inner, left, right, full, cross. With `lateral`, the right side may refer to the left's fields.
    fields = left's then right's. USING is bound to a condition and an Extend above."""

    children = ("left", "right", "condition")

    kind: str
    left: Relation
    right: Relation
    condition: Expression | None = None
    lateral: bool = False


@record
class Aggregate(Relation):
    """fields = one for each of `keys`, one for each of `calls`, and where `grouping_sets` is given one
    bigint for each of `groupings`.

    `keys` are fields of the input (expressions are put into an Extend below). `grouping_sets` holds
    indexes into `keys`. `groupings` are grouping(...) calls, each a tuple of indexes into `keys`.
    SELECT DISTINCT is an Aggregate without calls.
    """

    children = ("input", "calls")

    input: Relation
    keys: tuple[Field, ...]
    calls: tuple[AggregateCall, ...] = ()
    grouping_sets: tuple[tuple[int, ...], ...] | None = None
    groupings: tuple[tuple[int, ...], ...] = ()


@record
class Window(Relation):
    """The input's fields, then one for each call."""

    children = ("input", "calls")

    input: Relation
    calls: tuple[WindowCall, ...]


@record
class Sort(Relation):
    children = ("input", "keys")

    input: Relation
    keys: tuple[SortKey, ...]


@record
class Limit(Relation):
    """OFFSET `offset` LIMIT `count`; `count` None is no limit."""

    children = ("input",)

    input: Relation
    count: int | None
    offset: int = 0


@record
class SetOperation(Relation):
    """op: union, intersect, except; the inputs' fields are already of the output's types, by position."""

    children = ("left", "right")

    op: str
    distinct: bool
    left: Relation
    right: Relation


@record
class Barrier(Relation):
    """Nothing from above is computed for the rows of anything below."""

    children = ("input",)

    input: Relation


@record
class Sample(Relation):
    """TABLESAMPLE BERNOULLI|SYSTEM (percent)."""

    children = ("input",)

    input: Relation
    method: str
    percent: float


@record
class Unnest(Relation):
    """CROSS JOIN UNNEST as its own relation: input's fields, then the elements' columns, then the
    ordinality (bigint, from 1) if asked. Several expressions are zipped, the shorter padded with NULL.
    `outer` keeps input rows whose arrays are all empty (LEFT JOIN UNNEST ... ON TRUE).
    An array of rows gives one column per row field; a map gives two."""

    children = ("input", "expressions")

    input: Relation
    expressions: tuple[Expression, ...]
    ordinality: bool = False
    outer: bool = False


@record
class Sequence(Relation):
    """TABLE(sequence(start, stop, step)): one bigint column."""

    children = ()

    start: int
    stop: int
    step: int


@record
class Cte(Node):
    """A named query that is computed once and referred to by number. A recursive one refers to itself
    inside `relation`, which is then a UNION ALL of an anchor and a step."""

    children = ("relation",)

    id: int
    name: str
    relation: Relation
    recursive: bool = False


@record
class CteRef(Relation):
    """A use of a CTE. `fields` are new ones, parallel to `columns`, the CTE's own."""

    children = ()

    cte: int
    columns: tuple[Field, ...]


@record
class With(Relation):
    """CTEs in an order in which each refers only to earlier ones (and a recursive one to itself)."""

    children = ("ctes", "input")

    ctes: tuple[Cte, ...]
    input: Relation


def has_order(relation: Relation) -> bool:
    """Whether the order of its rows may mean something to the client."""
    while isinstance(relation, (Project, Filter, With)):
        relation = relation.input
    return not isinstance(relation, (Scan, Join, Aggregate))
