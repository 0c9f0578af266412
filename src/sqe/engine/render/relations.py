"""Relations as an engine's SQL: each becomes a block, or a clause of the block below it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial

from sqe.engine.render.block import (
    Block,
    Column,
    Item,
    OrderKey,
    Stage,
    sealed,
    select,
    visible,
)
from sqe.engine.render.expressions import ExpressionWriter, Scope, direction
from sqe.engine.render.layout import Lines, after, before, deeper, derived, inner, line
from sqe.engine.render.names import column_name, cte_name, local_view_name, unused_alias
from sqe.engine.render.scope import has_subquery, own_nodes, references
from sqe.errors import InternalError
from sqe.tree.constants import is_constant
from sqe.tree.expressions import Call, Cast, Expression, Field, Lambda, Literal, Ref, SortKey, conjuncts
from sqe.tree.relations import (
    Aggregate,
    Barrier,
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
    SetOperation,
    Sort,
    SystemScan,
    Unnest,
    Values,
    Window,
    With,
)
from sqe.tree.relations import Sequence as NumberSequence
from sqe.types.sql_types import BOOLEAN, UNKNOWN, Type, Varchar

Needed = frozenset[int]
_JOINS = {
    "inner": "JOIN",
    "cross": "CROSS JOIN",
    "left": "LEFT JOIN",
    "right": "RIGHT JOIN",
    "full": "FULL JOIN",
}
# More rows of constants than this are sent as Arrow, beside the text.
_MOST_INLINE = 100
_BEFORE_GROUP = (Stage.FROM, Stage.WHERE)


class RelationWriter(ABC):
    """Renders the relations of one statement.

    `needed` is, all the way down, the set of fields that somebody above looks at; a field that is not
    needed may be absent from the block. `outer` is what the enclosing query lets this one refer to.
    """

    expressions: ExpressionWriter

    def __init__(self, *, statement_id: str) -> None:
        self.tables: dict[str, SystemScan | Scan | Values] = {}
        self._statement_id = statement_id
        self._local_names: dict[SystemScan | Scan, str] = {}
        self._ctes: dict[int, str] = {}
        self._exact: dict[int, list[bool]] = {}
        self._views = 0

    @abstractmethod
    def quote(self, name: str) -> str: ...

    @abstractmethod
    def type_name(self, t: Type) -> str: ...

    @abstractmethod
    def delivered(self, t: Type) -> Type:
        """The type that a value has on its way to us."""

    def grouped(self, text: str, t: Type) -> str:
        """The value that stands for a group of equal ones."""
        return text

    @abstractmethod
    def scan(self, relation: Scan, needed: Needed) -> Block: ...

    @abstractmethod
    def files(self, relation: FileScan, needed: Needed) -> Block: ...

    @abstractmethod
    def numbers(self, relation: NumberSequence) -> Block: ...

    @abstractmethod
    def inline(self, relation: Values, rows: Sequence[str]) -> str:
        """A relation of several rows, given the text of each."""

    @abstractmethod
    def barrier(self, block: Block) -> Block:
        """The same rows, by a clause that the engine moves no condition through."""

    @abstractmethod
    def sample(self, relation: Sample, block: Block) -> Block: ...

    @abstractmethod
    def unnest(self, relation: Unnest, block: Block, texts: Sequence[str]) -> Block: ...

    @abstractmethod
    def recursive(self, cte: Cte, names: Sequence[str], anchor: Lines, step: Lines) -> Lines: ...

    @abstractmethod
    def is_cast(self, text: str, type_name: str) -> bool:
        """Whether the text is a cast to this type and nothing else."""

    def query(self, relation: Relation, outer: Scope, *, aliases: Sequence[str] | None = None) -> Lines:
        """The relation as a query with its fields in order, under their own names or `aliases`, and
        certainly of the announced types."""
        return self._query(relation, outer, relation.fields, aliases, typed=True)[0]

    def answer(self, relation: Relation) -> Lines:
        """The query whose rows are sent to us."""
        return self._query(relation, {}, relation.fields, typed=True, sent=True)[0]

    def _query(
        self,
        relation: Relation,
        outer: Scope,
        fields: Sequence[Field],
        aliases: Sequence[str] | None = None,
        *,
        typed: bool = False,
        sent: bool = False,
    ) -> tuple[Lines, list[bool]]:
        """A query of these fields, and which of them are exactly of their types."""
        ids = frozenset(f.id for f in fields)
        block = self.block(relation, ids, outer)
        if _loses_order(block, (block.columns[i].text for i in ids)):
            block = sealed(block, ids)
        columns = [block.columns[f.id] for f in fields]
        names = aliases if aliases is not None else [column_name(f) for f in fields]
        items = [
            Item(
                c.text,
                name,
                self._cast(c, self.delivered(c.field.type) if sent else c.field.type) if typed else None,
            )
            for c, name in zip(columns, names, strict=True)
        ]
        return select(block, items), [typed or c.exact for c in columns]

    def _subquery(self, relation: Relation, outer: Scope, columns: bool) -> str:
        return inner(self._query(relation, outer, relation.fields if columns else ())[0])

    def block(self, relation: Relation, needed: Needed, outer: Scope) -> Block:
        match relation:
            case Scan():
                return self._scan(relation, needed)
            case SystemScan():
                return self._local(relation, needed)
            case FileScan():
                return self._files(relation, needed)
            case CteRef():
                return self._cte_ref(relation, needed)
            case Values():
                return self._values(relation, outer)
            case NumberSequence():
                return self.numbers(relation)
            case Project() | Extend():
                return self._project(relation, needed, outer)
            case Filter():
                return self._filter(relation, needed, outer)
            case Join():
                return self._join(relation, needed, outer)
            case Aggregate():
                return self._aggregate(relation, needed, outer)
            case Window():
                return self._window(relation, needed, outer)
            case Sort():
                return self._sort(relation, needed, outer)
            case Limit():
                return self._limit(relation, needed, outer)
            case SetOperation():
                return self._set_operation(relation, needed, outer)
            case Barrier():
                return self._barrier(relation, needed, outer)
            case Sample():
                return self._sample(relation, needed, outer)
            case Unnest():
                return self._unnest(relation, needed, outer)
            case With():
                return self._with(relation, needed, outer)
            case _:
                raise InternalError(f"{type(relation).__name__} cannot be rendered")

    def _scan(self, relation: Scan, needed: Needed) -> Block:
        if not relation.secured:
            raise InternalError(f"{relation.table} was not secured")
        if relation.metadata is not None:
            return self._local(relation, needed)
        return self.scan(relation, needed)

    def _local(self, relation: SystemScan | Scan, needed: Needed) -> Block:
        # A table that is scanned twice is built and sent once, if both scans need the same rows.
        rows = replace(relation, fields=relation.fields[:1], columns=relation.columns[:1])
        name = local_view_name(relation, self._statement_id) + f"_{len(self._local_names)}"
        name = self._local_names.setdefault(rows, name)
        sent = self.tables.get(name)
        needed = needed if sent is None else needed | {f.id for f in sent.fields}
        # Only the columns that are needed are built and sent.
        pairs = [(f, c) for f, c in zip(relation.fields, relation.columns, strict=True) if f.id in needed]
        pairs = pairs or [(relation.fields[0], relation.columns[0])]
        fields, columns = tuple(f for f, _ in pairs), tuple(c for _, c in pairs)
        self.tables[name] = replace(relation, fields=fields, columns=columns)
        return self.raw(relation.fields, relation.columns, needed, self.quote(name), exact=False)

    def _files(self, relation: FileScan, needed: Needed) -> Block:
        if not relation.secured:
            raise InternalError("files were not secured")
        return self.files(relation, needed)

    def _cte_ref(self, relation: CteRef, needed: Needed) -> Block:
        name = self._ctes.get(relation.cte)
        if name is None:
            raise InternalError(f"CTE {relation.cte} is not in sight")
        columns = [column_name(c) for c in relation.columns]
        block = self.raw(relation.fields, columns, needed, name, exact=False)
        exact = dict(zip((f.id for f in relation.fields), self._exact[relation.cte], strict=True))
        return replace(block, columns={i: replace(c, exact=exact[i]) for i, c in block.columns.items()})

    def _values(self, relation: Values, outer: Scope) -> Block:
        if not relation.rows:
            nulls = {
                f.id: Column(f, f"CAST(NULL AS {self.type_name(f.type)})", False, True)
                for f in relation.fields
            }
            # Apart, because Spark fails where a correlated condition stands beside a constant one.
            return sealed(Block(nulls, stage=Stage.WHERE, where=("false",)), nulls)
        if len(relation.rows) == 1:
            cells = zip(relation.fields, relation.rows[0], strict=True)
            return Block({f.id: self._computed(f, e, outer, {}) for f, e in cells})
        if not relation.fields:
            return Block({}, line("(VALUES " + ", ".join("(0)" for _ in relation.rows) + ")"))
        if len(relation.rows) > _MOST_INLINE and all(is_constant(e) for row in relation.rows for e in row):
            name = local_view_name(relation, self._statement_id)
            self.tables[name] = relation
            columns = [f"c{i}" for i in range(len(relation.fields))]
            ids = frozenset(f.id for f in relation.fields)
            return self.raw(relation.fields, columns, ids, self.quote(name), exact=False)
        rows = [", ".join(self.expressions.text(e, outer) for e in row) for row in relation.rows]
        names = ", ".join(column_name(f) for f in relation.fields)
        columns_by_id = {
            f.id: Column(f, column_name(f), True, all(_is_exact(row[i], {}) for row in relation.rows))
            for i, f in enumerate(relation.fields)
        }
        return Block(columns_by_id, line(f"({self.inline(relation, rows)}) AS {self._view_name()}({names})"))

    def _project(self, relation: Project | Extend, needed: Needed, outer: Scope) -> Block:
        count = len(relation.expressions)
        new = relation.fields[-count:] if count else ()
        projections = [(f, e) for f, e in zip(new, relation.expressions, strict=True) if f.id in needed]
        kept: Needed = needed if isinstance(relation, Extend) else frozenset()
        used = references(e for _, e in projections)
        block = self.block(relation.input, kept | used, outer)
        if not _can_inline(block, [e for _, e in projections], kept):
            block = sealed(block, kept | used)
        columns = self._projected(block, projections, kept, outer)
        if _loses_order(block, (c.text for c in columns.values())):
            block = sealed(block, kept | used)
            columns = self._projected(block, projections, kept, outer)
        block = replace(block, columns=columns)
        return sealed(block, columns) if any(_is_apart(e) for _, e in projections) else block

    def _projected(
        self, block: Block, projections: Sequence[tuple[Field, Expression]], kept: Needed, outer: Scope
    ) -> dict[int, Column]:
        scope = {**outer, **visible(block)}
        columns = {i: c for i, c in block.columns.items() if i in kept}
        columns.update((f.id, self._computed(f, e, scope, block.columns)) for f, e in projections)
        return columns

    def _computed(
        self, field: Field, expression: Expression, scope: Scope, columns: Mapping[int, Column]
    ) -> Column:
        source = columns.get(expression.field.id) if isinstance(expression, Ref) else None
        text = self.expressions.text(expression, scope)
        return Column(field, text, source is not None and source.plain, _is_exact(expression, columns))

    def _filter(self, relation: Filter, needed: Needed, outer: Scope) -> Block:
        condition = [relation.condition]
        block = self._opened(relation.input, needed, condition, outer, _BEFORE_GROUP)
        scope = {**outer, **visible(block)}
        texts = (self.expressions.text(c, scope) for c in conjuncts(relation.condition))
        return replace(block, where=(*block.where, *texts), stage=Stage.WHERE)

    def _aggregate(self, relation: Aggregate, needed: Needed, outer: Scope) -> Block:
        count = len(relation.keys)
        key_fields = relation.fields[:count]
        call_fields = relation.fields[count : count + len(relation.calls)]
        grouping_fields = relation.fields[count + len(relation.calls) :]
        keys = [Ref(f.type, f) for f in relation.keys]
        calls = [(f, c) for f, c in zip(call_fields, relation.calls, strict=True) if f.id in needed]
        block = self._opened(
            relation.input, frozenset(), [*keys, *(c for _, c in calls)], outer, _BEFORE_GROUP
        )
        scope = {**outer, **visible(block)}
        texts = [block.columns[f.id].text for f in relation.keys]
        columns = {
            f.id: Column(f, self.grouped(text, f.type), True, block.columns[key.id].exact)
            for f, text, key in zip(key_fields, texts, relation.keys, strict=True)
        }
        for field, call in calls:
            text = self.expressions.aggregate(call, scope)
            columns[field.id] = Column(field, text, False, _is_exact(call, {}))
        for field, indexes in zip(grouping_fields, relation.groupings, strict=True):
            columns[field.id] = Column(field, self._grouping([texts[i] for i in indexes], field), False)
        if not count and relation.grouping_sets is None:
            if not calls:
                # One row, whatever the input has; a SELECT without an aggregate would not say so.
                return Block({}, derived(select(block, [Item("count(*)", self.quote("rows"))])))
            return replace(block, columns=columns, stage=Stage.GROUP)
        group = ", ".join(texts)
        if relation.grouping_sets is not None:
            sets = (f"({', '.join(texts[i] for i in s)})" for s in relation.grouping_sets)
            group = f"GROUPING SETS ({', '.join(sets)})"
        return replace(block, columns=columns, group=group, stage=Stage.GROUP)

    def _window(self, relation: Window, needed: Needed, outer: Scope) -> Block:
        new = relation.fields[-len(relation.calls) :] if relation.calls else ()
        calls = [(f, c) for f, c in zip(new, relation.calls, strict=True) if f.id in needed]
        if not calls:
            return self.block(relation.input, needed, outer)
        stages = (*_BEFORE_GROUP, Stage.WINDOW)
        block = self._opened(relation.input, needed, [c for _, c in calls], outer, stages)
        scope = {**outer, **visible(block)}
        columns = dict(block.columns)
        for field, call in calls:
            columns[field.id] = Column(
                field, self.expressions.window(call, scope), False, _is_exact(call, {})
            )
        return replace(block, columns=columns, stage=Stage.WINDOW)

    def _sort(self, relation: Sort, needed: Needed, outer: Scope) -> Block:
        keys = [k for k in relation.keys if not isinstance(k.expression, Literal)]
        used = references(keys)
        block = self.block(relation.input, needed | used, outer)
        if block.stage > Stage.WINDOW or not all(_can_order(block, k, needed) for k in keys):
            block = sealed(block, needed | used)
        scope = {**outer, **visible(block)}
        order = tuple(
            OrderKey(
                self.expressions.text(k.expression, scope),
                _is_plain(k.expression, block),
                direction(k),
                partial(self.expressions.sorted_by, k.expression.type),
            )
            for k in keys
        )
        return replace(block, order=order, stage=Stage.ORDER if order else block.stage)

    def _limit(self, relation: Limit, needed: Needed, outer: Scope) -> Block:
        block = self.block(relation.input, needed, outer)
        if block.stage is Stage.LIMIT:
            block = sealed(block, needed)
        return replace(block, limit=relation.count, offset=relation.offset, stage=Stage.LIMIT)

    def _barrier(self, relation: Barrier, needed: Needed, outer: Scope) -> Block:
        block = sealed(self.block(relation.input, needed, outer), needed)
        return sealed(self.barrier(block), needed)

    def _sample(self, relation: Sample, needed: Needed, outer: Scope) -> Block:
        block = sealed(self.block(relation.input, needed, outer), needed)
        return self.sample(relation, block)

    def _unnest(self, relation: Unnest, needed: Needed, outer: Scope) -> Block:
        block = self._opened(relation.input, needed, relation.expressions, outer, _BEFORE_GROUP)
        if block.raw or not block.source:
            block = sealed(block, needed | references(relation.expressions))
        scope = {**outer, **visible(block)}
        texts = [self.expressions.text(e, scope) for e in relation.expressions]
        return self.unnest(relation, block, texts)

    def _join(self, relation: Join, needed: Needed, outer: Scope) -> Block:
        used = needed | (references([relation.condition]) if relation.condition is not None else frozenset())
        inside = used | references([relation.right]) if relation.lateral else used
        left = self._item(relation.left, inside, outer)
        if relation.lateral:
            right = sealed(self.block(relation.right, used, {**outer, **visible(left)}), used)
            item = before("LATERAL ", right.source)
        else:
            right = self._item(relation.right, used, outer)
            item = after(before("(", right.source), ")") if right.joined else right.source
        columns = {**left.columns, **right.columns}
        scope = {**outer, **{i: c.text for i, c in columns.items()}}
        kind = relation.kind
        if relation.condition is not None:
            on: Lines = ((1, f"ON {self.expressions.text(relation.condition, scope)}"),)
            kind = "inner" if kind == "cross" else kind
        else:
            kind = "cross" if kind == "inner" else kind
            on = () if kind == "cross" else ((1, "ON true"),)
        return Block(columns, (*left.source, *before(f"{_JOINS[kind]} ", item), *on), joined=True)

    def _item(self, relation: Relation, needed: Needed, outer: Scope) -> Block:
        """A relation as it stands in a FROM clause beside others."""
        block = self.block(relation, needed, outer)
        named = all(c.plain for i, c in block.columns.items() if i in needed)
        return block if block.joinable and named else sealed(block, needed)

    def _set_operation(self, relation: SetOperation, needed: Needed, outer: Scope) -> Block:
        arms = _arms(relation)
        every = relation.op != "union" or relation.distinct
        positions = [i for i, f in enumerate(relation.fields) if every or f.id in needed]
        names = [column_name(relation.fields[i]) for i in positions]
        queries = [self._query(arm, outer, [arm.fields[i] for i in positions], names) for arm in arms]
        columns = {
            field.id: Column(
                field,
                self.grouped(name, field.type) if relation.distinct else name,
                True,
                all(exact[n] for _, exact in queries),
            )
            for n, (field, name) in enumerate(
                zip((relation.fields[i] for i in positions), names, strict=True)
            )
        }
        word = relation.op.upper() + ("" if relation.distinct else " ALL")
        return Block(columns, combined(word, [query for query, _ in queries]))

    def _with(self, relation: With, needed: Needed, outer: Scope) -> Block:
        ctes = []
        for cte in relation.ctes:
            self._ctes[cte.id] = cte_name(cte)
            ctes.append(self._recursive(cte, outer) if cte.recursive else self._cte(cte, outer))
        block = self.block(relation.input, needed, outer)
        recursive = block.recursive or any(c.recursive for c in relation.ctes)
        return replace(block, ctes=(*ctes, *block.ctes), recursive=recursive)

    def _cte(self, cte: Cte, outer: Scope) -> Lines:
        query, self._exact[cte.id] = self._query(cte.relation, outer, cte.relation.fields)
        return before(f"{cte_name(cte)} AS ", derived(query))

    def _recursive(self, cte: Cte, outer: Scope) -> Lines:
        union = cte.relation
        if not isinstance(union, SetOperation) or union.op != "union" or union.distinct:
            raise InternalError("a recursive CTE is a UNION ALL of an anchor and a step")
        names = [column_name(f) for f in union.fields]
        self._exact[cte.id] = [True] * len(names)
        anchor, step = (self.query(arm, outer, aliases=names) for arm in (union.left, union.right))
        return self.recursive(cte, names, anchor, step)

    def _opened(
        self,
        relation: Relation,
        needed: Needed,
        expressions: Sequence[Expression],
        outer: Scope,
        stages: Iterable[Stage],
    ) -> Block:
        """The relation's block if these expressions can be said in its next clause, or a derived table."""
        used = references(expressions)
        block = self.block(relation, needed | used, outer)
        fits = block.stage in stages and all(block.columns[i].plain for i in used if i in block.columns)
        if not fits or (block.raw and not _stays_raw(block, expressions)):
            block = sealed(block, needed | used)
        return block

    def _view_name(self) -> str:
        self._views += 1
        return f"v{self._views}"

    def raw(
        self, fields: Sequence[Field], columns: Sequence[str], needed: Needed, source: str, *, exact: bool
    ) -> Block:
        """A table with column names that are not ours."""
        pairs = [(f, c) for f, c in zip(fields, columns, strict=True) if f.id in needed]
        columns_by_id = {f.id: Column(f, self.quote(c), True, exact) for f, c in pairs}
        block = Block(columns_by_id, line(f"{source} AS {unused_alias(columns)}"), raw=True)
        # Functions name the parameters of their lambdas x_.
        return sealed(block, columns_by_id) if any(c.endswith("_") for _, c in pairs) else block

    def _cast(self, column: Column, type_: Type) -> str | None:
        if (column.exact and type_ == column.field.type) or type_ == UNKNOWN:
            return None
        name = self.type_name(type_)
        return None if self.is_cast(column.text, name) else f"CAST({column.text} AS {name})"

    def _grouping(self, keys: Sequence[str], field: Field) -> str:
        """Trino's bits: the last argument is the lowest, and 1 means that it is not in the grouping."""
        places = zip(range(len(keys) - 1, -1, -1), keys, strict=True)
        bits = (f"grouping({key}) * CAST({1 << place} AS BIGINT)" for place, key in places)
        return f"CAST({' + '.join(bits) or '0'} AS {self.type_name(field.type)})"


def combined(word: str, queries: Sequence[Lines]) -> Lines:
    """Queries with UNION or another word between them, in parentheses."""
    first, *others = (derived(query) for query in queries)
    rest = (part for other in others for part in (line(word), other))
    return ((0, "("), *deeper((*first, *(inner for part in rest for inner in part))), (0, ")"))


def _arms(relation: SetOperation) -> list[Relation]:
    """The inputs of a chain of the same operation; UNION is the one that is associative."""
    arms = [relation.right]
    left = relation.left
    while (
        isinstance(left, SetOperation)
        and relation.op == "union"
        and (left.op, left.distinct) == (relation.op, relation.distinct)
    ):
        arms.append(left.right)
        left = left.left
    return [left, *reversed(arms)]


def _loses_order(block: Block, texts: Iterable[str]) -> bool:
    """Whether the block is sorted by something that is not among these columns."""
    outputs = set(texts) if block.order else set()
    return any(not k.plain and k.text not in outputs for k in block.order)


def _is_plain(expression: Expression, block: Block) -> bool:
    if isinstance(expression, Ref) and expression.field.id in block.columns:
        return block.columns[expression.field.id].plain
    return True


def _can_order(block: Block, key: SortKey, needed: Needed) -> bool:
    """ORDER BY sees the SELECT's names first, then what FROM has."""
    if isinstance(key.expression, Ref):
        column = block.columns.get(key.expression.field.id)
        if column is None:
            return True
        return key.expression.field.id in needed or (
            column.plain and not block.raw and block.stage < Stage.GROUP
        )
    named = all(block.columns[i].plain for i in references([key]) if i in block.columns)
    return named and not block.raw and block.stage < Stage.GROUP


def _can_inline(block: Block, expressions: Sequence[Expression], kept: Needed) -> bool:
    """Whether a SELECT's expressions can take the place of the block's own: once each, and not inside a
    subquery or a lambda, where they would mean something else."""
    if block.raw and not _stays_raw(block, expressions):
        return False
    uses: Counter[int] = Counter()
    for expression in expressions:
        if isinstance(expression, Literal):
            continue
        used = Counter(n.field.id for n in own_nodes(expression) if isinstance(n, Ref))
        uses.update(used)
        computed = any(not block.columns[i].plain for i in references([expression]) if i in block.columns)
        if has_subquery(expression) and (computed or block.stage >= Stage.GROUP):
            return False
        if block.stage >= Stage.GROUP and not used.keys() <= block.columns.keys():
            return False  # beside aggregates, Spark takes no reference to an outer query
        if computed and any(isinstance(n, Lambda) for n in own_nodes(expression)):
            return False
    uses.update(i for i in kept if i in uses)
    return all(count == 1 or i not in block.columns or block.columns[i].plain for i, count in uses.items())


def _is_apart(expression: Expression) -> bool:
    return isinstance(expression, Call) and expression.function == "$apart"


def _stays_raw(block: Block, expressions: Iterable[Expression]) -> bool:
    for expression in expressions:
        for node in own_nodes(expression):
            if isinstance(node, Lambda) or (isinstance(node, Ref) and node.field.id not in block.columns):
                return False
        if has_subquery(expression):
            return False
    return True


def _is_exact(expression: Expression, columns: Mapping[int, Column]) -> bool:
    if isinstance(expression, Ref):
        column = columns.get(expression.field.id)
        return column is not None and column.exact
    plain = expression.type == BOOLEAN or isinstance(expression.type, Varchar)
    return plain or isinstance(expression, (Literal, Cast))
