"""Relations as Spark SQL: each becomes a block, or a clause of the block below it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from sqe.engine.spark.block import Block, Column, Item, OrderKey, Stage, derived, indented, sealed, select, visible
from sqe.engine.spark.expressions import ExpressionWriter, Scope, direction
from sqe.engine.spark.names import column_name, cte_name, file_view_name, table_name, unused_alias
from sqe.engine.spark.scope import has_subquery, references
from sqe.engine.spark.types import quote_name, row_field_names, spark_type
from sqe.errors import InternalError, NotSupported
from sqe.tree.expressions import (
    Cast,
    Expression,
    Field,
    Lambda,
    Literal,
    Ref,
    SortKey,
    walk,
)
from sqe.tree.relations import (
    Aggregate,
    Cte,
    CteRef,
    Extend,
    FileScan,
    Filter,
    Join,
    Limit,
    Project,
    Relation,
    Sample,
    Scan,
    Sequence as NumberSequence,
    SetOperation,
    Sort,
    Unnest,
    Values,
    Window,
    With,
)
from sqe.tree.types import BIGINT, BOOLEAN, Array, Map, Row, Type, Varchar

Wanted = frozenset[int]
_JOINS = {"inner": "JOIN", "cross": "CROSS JOIN", "left": "LEFT JOIN", "right": "RIGHT JOIN", "full": "FULL JOIN"}
_LARGEST = (1 << 63) - 1


class RelationWriter:
    """Renders the relations of one statement.

    `wanted` is, all the way down, the set of fields that somebody above looks at; a field that is not
    wanted may be absent from the block. `outer` is what the enclosing query lets this one refer to.
    """

    def __init__(self, *, max_recursion_depth: int) -> None:
        self.expressions = ExpressionWriter(self._subquery)
        self.files: dict[str, FileScan] = {}
        self._max_recursion_depth = max_recursion_depth
        self._ctes: dict[int, str] = {}
        self._views = 0

    def query(
        self, relation: Relation, outer: Scope, aliases: Sequence[str] | None = None, *, typed: bool = False
    ) -> str:
        """The relation as a query with its fields in order. `typed` casts what could be of another type."""
        names = aliases if aliases is not None else [column_name(f) for f in relation.fields]
        block = self.block(relation, frozenset(f.id for f in relation.fields), outer)
        columns = [block.columns[f.id] for f in relation.fields]
        texts = {c.text for c in columns}
        if any(not k.plain and k.text not in texts for k in block.order):
            block = sealed(block, [f.id for f in relation.fields])
            columns = [block.columns[f.id] for f in relation.fields]
        items = [
            Item(c.text, name, _cast(c) if typed and not c.exact else None)
            for c, name in zip(columns, names, strict=True)
        ]
        return select(block, items)

    def _subquery(self, relation: Relation, outer: Scope, columns: bool) -> str:
        if columns:
            return self.query(relation, outer)
        return select(self.block(relation, frozenset(), outer), [])

    def block(self, relation: Relation, wanted: Wanted, outer: Scope) -> Block:
        match relation:
            case Scan():
                return self._scan(relation, wanted)
            case FileScan():
                return self._files(relation, wanted)
            case CteRef():
                return self._cte_ref(relation, wanted)
            case Values():
                return self._values(relation, outer)
            case NumberSequence():
                return _numbers(relation)
            case Project() | Extend():
                return self._project(relation, wanted, outer)
            case Filter():
                return self._filter(relation, wanted, outer)
            case Join():
                return self._join(relation, wanted, outer)
            case Aggregate():
                return self._aggregate(relation, wanted, outer)
            case Window():
                return self._window(relation, wanted, outer)
            case Sort():
                return self._sort(relation, wanted, outer)
            case Limit():
                return self._limit(relation, wanted, outer)
            case SetOperation():
                return self._set_operation(relation, wanted, outer)
            case Sample():
                return self._sample(relation, wanted, outer)
            case Unnest():
                return self._unnest(relation, wanted, outer)
            case With():
                return self._with(relation, wanted, outer)
            case _:
                raise InternalError(f"{type(relation).__name__} cannot be rendered for Spark")

    # Leaves -------------------------------------------------------------------------------------------

    def _scan(self, relation: Scan, wanted: Wanted) -> Block:
        if not relation.secured:
            raise InternalError(f"{relation.table} was not secured")
        source = table_name(relation.table, relation.metadata)
        if relation.as_of is not None:
            source += f" VERSION AS OF {int(relation.as_of.snapshot_id)}"
        # Iceberg's metadata tables have types of their own making.
        return _raw(relation.fields, relation.columns, wanted, source, exact=relation.metadata is None)

    def _files(self, relation: FileScan, wanted: Wanted) -> Block:
        if not relation.secured:
            raise InternalError("a file was not secured")
        name = file_view_name(relation)
        self.files[name] = relation
        return _raw(relation.fields, relation.columns, wanted, quote_name(name), exact=False)

    def _cte_ref(self, relation: CteRef, wanted: Wanted) -> Block:
        name = self._ctes.get(relation.cte)
        if name is None:
            raise InternalError(f"CTE {relation.cte} is not in sight")
        columns = [column_name(c)[1:-1] for c in relation.columns]
        return _raw(relation.fields, columns, wanted, name, exact=False)

    def _values(self, relation: Values, outer: Scope) -> Block:
        if not relation.rows:
            nulls = {f.id: Column(f, f"CAST(NULL AS {spark_type(f.type)})", False, True) for f in relation.fields}
            return Block(nulls, stage=Stage.WHERE, where=("false",))
        if len(relation.rows) == 1:
            return Block(
                {
                    f.id: Column(f, self.expressions.text(e, outer), False, _exact(e, {}))
                    for f, e in zip(relation.fields, relation.rows[0], strict=True)
                }
            )
        if not relation.fields:
            return Block({}, "(VALUES " + ", ".join("(0)" for _ in relation.rows) + ")")
        rows = [f"({', '.join(self.expressions.text(e, outer) for e in row)})" for row in relation.rows]
        names = ", ".join(column_name(f) for f in relation.fields)
        source = f"(VALUES\n    {',\n    '.join(rows)}\n  ) AS {self._view_name()}({names})"
        exact = [all(_exact(row[i], {}) for row in relation.rows) for i in range(len(relation.fields))]
        columns = {
            f.id: Column(f, column_name(f), True, exact[i]) for i, f in enumerate(relation.fields)
        }
        return Block(columns, source)

    # One input ----------------------------------------------------------------------------------------

    def _project(self, relation: Project | Extend, wanted: Wanted, outer: Scope) -> Block:
        new = relation.fields[-len(relation.expressions) :] if relation.expressions else ()
        chosen = [(f, e) for f, e in zip(new, relation.expressions, strict=True) if f.id in wanted]
        expressions = [e for _, e in chosen]
        kept = frozenset() if isinstance(relation, Project) else wanted
        block = self.block(relation.input, kept | references(expressions), outer)
        if not self._can_inline(block, expressions, kept):
            block = sealed(block, kept | references(expressions))
        scope = {**outer, **visible(block)}
        columns: dict[int, Column] = {}
        if isinstance(relation, Extend):
            columns.update((i, c) for i, c in block.columns.items() if i in wanted)
        for field, expression in chosen:
            text = self.expressions.text(expression, scope)
            columns[field.id] = Column(field, text, _is_plain(expression, block), _exact(expression, block.columns))
        texts = {c.text for c in columns.values()}
        if any(not k.plain and k.text not in texts for k in block.order):
            return self._project(replace(relation, input=_Opened.of(relation.input)), wanted, outer)
        return replace(block, columns=columns)
