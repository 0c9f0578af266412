"""Rewrites what Spark cannot express into what it can: a pass over the tree before it is rendered.

Spark 4.1 resolves a correlated reference in the query directly around it and no further, takes one in
few places (filters and projections, mostly), and answers `x IN (subquery)` with false where it should
be NULL, unless it is a filter. The tree that leaves here asks for none of that.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from itertools import count
from typing import Any

from sqe.engine.ranges import narrowed
from sqe.engine.render.scope import SUBQUERIES, free, has_subquery, own_nodes
from sqe.engine.spark.expressions import SparkExpressions
from sqe.engine.spark.functions.projected import needs_projection
from sqe.errors import NotSupported
from sqe.functions.registry import lookup
from sqe.tree.constants import shape
from sqe.tree.expressions import (
    AggregateCall,
    Call,
    Case,
    Cast,
    Exists,
    Expression,
    Field,
    InSubquery,
    Lambda,
    Literal,
    Quantified,
    Ref,
    ScalarSubquery,
    SortKey,
    WindowCall,
    conjunction,
    conjuncts,
    parts,
    rebuild,
    transform,
    walk,
)
from sqe.tree.relations import (
    Aggregate,
    Extend,
    Filter,
    Join,
    Limit,
    Project,
    Relation,
    SetOperation,
    Sort,
    Unnest,
    Values,
    Window,
)
from sqe.tree.statements import Assignment, Delete, Merge, Statement, Update
from sqe.types.sql_types import (
    APPROXIMATE,
    BIGINT,
    BOOLEAN,
    INTEGER,
    JSON,
    Array,
    Map,
    Row,
    Type,
    has,
    is_orderable,
)

# Aggregates whose first argument is a number, and the second the value.
_BUCKETED = ("approx_most_frequent", "numeric_histogram")
# Aggregates for which duplicates make no difference; map() keeps a key's first value.
_DUPLICATE_INSENSITIVE = frozenset(
    {
        *("bool_and", "bool_or", "every", "any_value", "arbitrary", "approx_distinct"),
        *("bitwise_and_agg", "bitwise_or_agg", "map_agg", "map_union"),
    }
)
_EXTREMES = {"min": 1, "max": 1, "min_by": 2, "max_by": 2}
# Aggregates that Spark renders with its own DISTINCT.
_OWN_DISTINCT = frozenset(
    {
        *("count", "count_if", "sum", "avg", "array_agg", "listagg", "geometric_mean", "bitwise_xor_agg"),
        *("stddev", "stddev_samp", "stddev_pop", "variance", "var_samp", "var_pop"),
        *("covar_pop", "covar_samp"),
    }
)
# Fewer rows of VALUES are rendered one by one.
_ROWS_OF_THEIR_OWN = 16
# IN as a value, ANY and ALL repeat their subquery up to four times, and those inside it as often again.
_MAX_REPEATED = 6
_EQUALITY = ("$eq", "$ne")


def lower(statement: Statement) -> Statement:
    return _Lowering(statement).statement(statement)


class _Lowering:
    def __init__(self, statement: Statement) -> None:
        used = [f.id for n in walk(statement) for f in _fields(n)]
        self._numbers = count(max(used, default=0) + 1)
        self._repeated = 0

    def _field(self, name: str, expression: Expression) -> Field:
        return Field(next(self._numbers), name, expression.type)

    def statement(self, statement: Statement) -> Statement:
        match statement:
            case Update() | Delete() if any(_is_entangled(node) for node in walk(statement)):
                raise NotSupported("a function in Python over what lambdas make cannot stand in a change")
            case Update():
                assignments = tuple(Assignment(a.column, self.value(a.value)) for a in statement.assignments)
                return replace(
                    statement,
                    assignments=assignments,
                    condition=_optional(self._filter, statement.condition),
                )
            case Delete():
                return replace(statement, condition=_optional(self._filter, statement.condition))
            case Merge():
                return self._merge(statement)
            case _:
                lowered = rebuild(statement, lambda p: self.relation(p) if isinstance(p, Relation) else p)
                assert isinstance(lowered, Statement)
                return lowered

    def _merge(self, merge: Merge) -> Merge:
        """Spark takes no subquery in a MERGE's conditions: its source computes them."""
        source = self.relation(merge.source)
        own = {f.id for f in source.fields}
        added: list[tuple[Field, Expression]] = []

        def hoist(node: Any) -> Any:
            if not isinstance(node, SUBQUERIES) and not _is_projected(node):
                return rebuild(node, hoist) if isinstance(node, Expression) else node
            if not free(node).keys() <= own:
                name = getattr(node, "function", "CAST")
                what = "subquery over the target's columns" if isinstance(node, SUBQUERIES) else name
                raise NotSupported(
                    f"a {what} cannot stand in MERGE",
                    position=getattr(node, "position", None),
                    hint="join it to the source",
                )
            field = self._field("subquery", node)
            added.append((field, node))
            return Ref(node.type, field)

        condition = hoist(self.value(merge.condition))
        clauses = tuple(
            replace(
                clause,
                condition=None if clause.condition is None else hoist(self.value(clause.condition)),
                assignments=tuple(
                    Assignment(a.column, hoist(self.value(a.value))) for a in clause.assignments
                ),
            )
            for clause in merge.clauses
        )
        return replace(merge, source=self._carried(source, added), condition=condition, clauses=clauses)

    def value(self, expression: Expression) -> Expression:
        """An expression whose NULL is not the same as false."""
        if not has_subquery(expression):
            return expression
        result = self._value(expression)
        assert isinstance(result, Expression)
        return result

    def _value(self, node: Any) -> Any:
        if isinstance(node, Relation):
            return self.relation(node)
        if not isinstance(node, (InSubquery, Quantified)):
            return rebuild(node, self._value)
        self._repeated += 1
        if self._repeated > _MAX_REPEATED:
            raise NotSupported("IN, ANY and ALL with subqueries are nested too deeply")
        node = rebuild(node, self._value)
        self._repeated -= 1
        return self._is_in(node) if isinstance(node, InSubquery) else self._quantified(node)

    def _filter(self, condition: Expression) -> Expression:
        return narrowed(self.condition(condition))

    def condition(self, expression: Expression) -> Expression:
        """A filter: where NULL and false are the same, Spark's own IN is right, and faster."""
        if not has_subquery(expression):
            return expression
        match expression:
            case Quantified(op="$eq", all=False):
                return self.condition(InSubquery(BOOLEAN, (expression.operand,), expression.relation))
            case Quantified(op="$ne", all=True):
                return self.condition(_not(InSubquery(BOOLEAN, (expression.operand,), expression.relation)))
            case Call(function="$and" | "$or"):
                return replace(expression, arguments=tuple(self.condition(a) for a in expression.arguments))
            case InSubquery() | Quantified():
                return self._comparison(expression, negated=False)
            case Call(function="$not", arguments=(InSubquery() | Quantified() as inner,)):
                return self._comparison(inner, negated=True)
            case _:
                return self.value(expression)

    def _comparison(self, node: InSubquery | Quantified, *, negated: bool) -> Expression:
        """IN, ANY or ALL as a filter, or NOT of it."""
        if isinstance(node, Quantified) and _has_extreme(node):
            value = self.value(node)
            return _not(value) if negated else value
        if _is_plain_in(node):
            plain = rebuild(node, self._part)
            assert isinstance(plain, Expression)
            return _not(plain) if negated else plain
        relation = self.relation(node.relation)
        columns = [Ref(f.type, f) for f in relation.fields]
        if isinstance(node, InSubquery):
            pairs = zip(node.operands, columns, strict=True)
            test = conjunction(*(Call(BOOLEAN, "$eq", (self.value(o), c)) for o, c in pairs))
            every = False
        else:
            test = Call(BOOLEAN, node.op, (self.value(node.operand), columns[0]))
            every = node.all
        if every == negated:
            return self._exists(relation, _not(test) if every else test)
        doubt = _not(test) if every else test
        return _not(self._exists(relation, Call(BOOLEAN, "$or", (doubt, _is_null(test)))))

    def _is_in(self, node: InSubquery) -> Expression:
        columns = [Ref(f.type, f) for f in node.relation.fields]
        tests = [Call(BOOLEAN, "$eq", (o, c)) for o, c in zip(node.operands, columns, strict=True)]
        unknown: Expression
        if len(tests) == 1 and not isinstance(columns[0].type, (Array, Row, Map)):
            # Apart, because neither test compares a row with a row.
            nothing = Call(BOOLEAN, "$and", (_is_null(node.operands[0]), Exists(BOOLEAN, node.relation)))
            unknown = Call(BOOLEAN, "$or", (nothing, self._exists(node.relation, _is_null(columns[0]))))
        else:
            unknown = self._exists(node.relation, _is_null(conjunction(*tests)))
        return _three_valued(self._exists(node.relation, conjunction(*tests)), True, unknown)

    def _exists(self, relation: Relation, condition: Expression) -> Expression:
        return Exists(BOOLEAN, self._carry(Filter(relation.fields, relation, condition)))

    def _quantified(self, node: Quantified) -> Expression:
        column = Ref(node.relation.fields[0].type, node.relation.fields[0])
        if (node.op, node.all) == ("$eq", False):
            return self._is_in(InSubquery(BOOLEAN, (node.operand,), node.relation))
        if (node.op, node.all) == ("$ne", True):
            return Call(BOOLEAN, "$not", (self._is_in(InSubquery(BOOLEAN, (node.operand,), node.relation)),))
        if _has_extreme(node):
            return self._against_extreme(node, column)
        test = Call(BOOLEAN, node.op, (node.operand, column))
        unknown = self._exists(node.relation, _is_null(test))
        if node.all:
            return _three_valued(self._exists(node.relation, _not(test)), False, unknown)
        return _three_valued(self._exists(node.relation, test), True, unknown)

    def _against_extreme(self, node: Quantified, column: Ref) -> Expression:
        """x > ALL (y) compares x with the largest y alone, so that no row meets every other."""
        larger = node.op in ("$gt", "$ge")
        extreme = "max" if larger == node.all else "min"

        def total(function: str, t: Any, *arguments: Expression) -> Expression:
            call = AggregateCall(t, function, arguments)
            field = self._field(function, call)
            return ScalarSubquery(t, Aggregate((field,), node.relation, (), (call,)))

        bound = total(extreme, column.type, column)
        zero = Literal(BIGINT, 0)
        empty = Call(BOOLEAN, "$eq", (total("count", BIGINT), zero))
        nulls = Call(BOOLEAN, "$gt", (total("count_if", BIGINT, _is_null(column)), zero))
        test = Call(BOOLEAN, node.op, (node.operand, bound))
        decided = _not(test) if node.all else test
        return Case(
            BOOLEAN,
            (
                (empty, Literal(BOOLEAN, node.all)),
                (decided, Literal(BOOLEAN, not node.all)),
                (nulls, Literal(BOOLEAN, None)),
            ),
            test,
        )

    def relation(self, relation: Relation) -> Relation:
        match relation:
            case Filter():
                lowered: Relation = replace(
                    relation,
                    input=self.relation(relation.input),
                    condition=self._filter(relation.condition),
                )
            case Join():
                # An outer join's ON is no filter: a row that fails it is still there.
                lower_condition = self.condition if relation.kind in ("inner", "cross") else self.value
                lowered = replace(
                    relation,
                    left=self.relation(relation.left),
                    right=self.relation(relation.right),
                    condition=_optional(lower_condition, relation.condition),
                )
            case _:
                lowered = rebuild(relation, self._part)
        return self._fit(lowered)

    def _part(self, part: Any) -> Any:
        if isinstance(part, Relation):
            return self.relation(part)
        if isinstance(part, Expression):
            return self.value(part)
        return rebuild(part, self._part)

    def _fit(self, relation: Relation) -> Relation:
        match relation:
            case Values():
                return self._values(relation)
            case Sort():
                return self._sort(relation)
            case Limit() if free(relation):
                return self._correlated_limit(relation)
            case Unnest():
                return self._unnest(relation)
            case Aggregate():
                return self._aggregate(relation)
            case Window():
                return self._window(relation)
            case Join():
                return self._join(relation)
            case SetOperation() if relation.op != "union" or relation.distinct:
                _refuse_maps(field.type for field in relation.fields)
                return relation
            case Filter() if any(
                isinstance(t, Literal) and not t.value for t in conjuncts(relation.condition)
            ):
                # Spark fails where a constant false stands beside a correlated condition.
                return replace(relation, condition=Literal(BOOLEAN, False))
            case Project() | Extend() | Filter():
                return self._carry(self._with_arguments(relation))
            case _:
                return relation

    def _with_arguments(self, relation: Project | Extend | Filter) -> Project | Extend | Filter:
        """Spark does not find its way to a Python function over lambdas inside lambdas: those arguments
        are computed in a projection below."""
        added: list[tuple[Field, Expression]] = []

        def change(node: Any) -> Any:
            if not isinstance(node, Expression) or isinstance(node, Lambda):
                return node
            node = rebuild(node, change)
            return rebuild(node, apart) if _calls_python(node) else node

        def apart(argument: Any) -> Any:
            if not isinstance(argument, Expression) or _count_of_lambdas(argument) < 2:
                return argument
            field = self._field("argument", argument)
            added.append((field, Call(argument.type, "$apart", (argument,))))
            return Ref(argument.type, field)

        if not any(_calls_python(node) for term in _all_terms(relation) for node in own_nodes(term)):
            return relation
        changed: Project | Extend | Filter = rebuild(relation, change)
        return replace(changed, input=self._carried(relation.input, added)) if added else relation

    def _values(self, values: Values) -> Relation:
        """Spark computes VALUES before anything else, so that no reference and no subquery may be there."""
        cells = [cell for row in values.rows for cell in row]
        if len(values.rows) < 2 and not any(has_subquery(c) for c in cells):
            return values
        if not any(free(c) or has_subquery(c) or _needs_projection(c) for c in cells):
            return self._computed_from_constants(values)
        rows = [self._fit(Project(values.fields, Values((), ((),)), row)) for row in values.rows]
        result: Relation = rows[0]
        for row in rows[1:]:
            result = SetOperation(values.fields, "union", False, result, row)
        return result

    def _computed_from_constants(self, values: Values) -> Relation:
        """Many rows of one shape, as executemany makes them: their constants, and one projection over them.
        Spark takes seconds for hundreds of rows with expressions of their own."""
        plain = all(isinstance(cell, Literal) for row in values.rows for cell in row)
        if plain or len(values.rows) <= _ROWS_OF_THEIR_OWN:
            return values
        shapes = [shape(row) for row in values.rows]
        first, constants = shapes[0]
        if first is None or any(other != first for other, _ in shapes[1:]):
            return values
        fields = tuple(self._field("constant", constant) for constant in constants)
        rows = tuple(tuple(cells) for _, cells in shapes)
        by_place = {-1 - i: Ref(f.type, f) for i, f in enumerate(fields)}

        def placed(node: Any) -> Any:
            return by_place[node.field.id] if isinstance(node, Ref) and node.field.id < 0 else node

        expressions = tuple(transform(expression, placed) for expression in first)
        return Project(values.fields, Values(fields, rows), expressions)

    def _sort(self, sort: Sort) -> Relation:
        keys, source = self._computed(sort.input, [k.expression for k in sort.keys])
        new = (replace(k, expression=e) for e, k in zip(keys, sort.keys, strict=True))
        return replace(sort, input=source, keys=_ordered(new))

    def _correlated_limit(self, limit: Limit) -> Relation:
        """Spark counts the rows of all outer rows together where the subquery compares one of its columns
        with an expression of theirs (`y = x + 1`), so that most get none. It numbers rows correctly."""
        source = limit.input
        keys = source.keys if isinstance(source, Sort) else ()
        source = source.input if isinstance(source, Sort) else source
        call = WindowCall(BIGINT, "row_number", (), order_by=keys)
        number = self._field("row", call)
        last = None if limit.count is None else limit.offset + limit.count
        bounds = [("$gt", limit.offset)] if limit.offset else []
        bounds += [("$le", last)] if last is not None else []
        if not bounds:
            return source
        numbered = Window((*source.fields, number), source, (call,))
        tests = [Call(BOOLEAN, op, (Ref(BIGINT, number), Literal(BIGINT, bound))) for op, bound in bounds]
        return Filter(limit.fields, numbered, conjunction(*tests))

    def _unnest(self, unnest: Unnest) -> Relation:
        expressions, source = self._computed(unnest.input, unnest.expressions)
        return replace(unnest, input=source, expressions=tuple(expressions))

    def _computed(
        self, source: Relation, expressions: Sequence[Expression]
    ) -> tuple[list[Expression], Relation]:
        """References in the place of expressions that only a projection may contain."""
        own = {f.id for f in source.fields}
        added: list[tuple[Field, Expression]] = []
        result = []
        for expression in expressions:
            if (
                has_subquery(expression)
                or _needs_projection(expression)
                or not free(expression).keys() <= own
            ):
                field = self._field("key", expression)
                added.append((field, expression))
                expression = Ref(expression.type, field)
            result.append(expression)
        return result, self._carried(source, added)

    def _carried(self, source: Relation, added: Sequence[tuple[Field, Expression]]) -> Relation:
        extended = _extend(source, added)
        return self._fit(extended) if isinstance(extended, Extend) else extended

    def _carry(self, relation: Project | Extend | Filter | Window) -> Relation:
        """Bring what expressions with subqueries take from further out into the relation's own input.

        All of it, not only what the subqueries take: Spark loses a column where the two meet in one term.
        """
        own = {f.id for f in relation.input.fields}
        deep: dict[int, Field] = {}
        for term in _all_terms(relation):
            if has_subquery(term):
                deep.update((i, f) for i, f in free(term).items() if i not in own)
        if not deep:
            return relation
        carried, source = self._extended(relation.input, deep)

        def change(part: Any) -> Any:
            if isinstance(part, Relation):
                return part
            if isinstance(part, Call) and part.function == "$and":
                return rebuild(part, change)
            return _substituted(part, carried) if has_subquery(part) else part

        lowered = rebuild(relation, change)
        assert isinstance(lowered, Relation)
        return replace(lowered, input=source)  # type: ignore[call-arg]

    def _extended(self, source: Relation, fields: dict[int, Field]) -> tuple[dict[int, Field], Relation]:
        carried = {i: Field(next(self._numbers), f.name, f.type) for i, f in fields.items()}
        added = [(carried[i], Ref(f.type, f)) for i, f in fields.items()]
        return carried, _extend(source, added)

    def _aggregate(self, aggregate: Aggregate) -> Relation:
        _refuse_maps(key.type for key in aggregate.keys)
        _refuse_maps(a.type for call in aggregate.calls if call.distinct for a in call.arguments)
        own = {f.id for f in aggregate.input.fields}
        outer = {i: f for c in aggregate.calls for i, f in free(c).items() if i not in own}
        if outer:
            carried, source = self._extended(aggregate.input, outer)
            calls = tuple(_substituted(c, carried) for c in aggregate.calls)
            aggregate = replace(aggregate, input=source, calls=calls)
        calls = tuple(replace(c, order_by=_ordered(c.order_by)) if c.order_by else c for c in aggregate.calls)
        aggregate = self._projected_arguments(self._once(replace(aggregate, calls=calls)))
        if aggregate.grouping_sets is not None and () in aggregate.grouping_sets:
            return self._with_grand_total(aggregate)
        return aggregate

    def _once(self, aggregate: Aggregate) -> Aggregate:
        """DISTINCT in an aggregate for which Spark has none: it sees only the first of equal rows."""
        added: list[tuple[Field, WindowCall]] = []
        calls = []
        for call in aggregate.calls:
            # The n largest, with a number as the last argument, are another matter.
            extreme = len(call.arguments) == _EXTREMES.get(call.function)
            if not call.distinct or call.function in _OWN_DISTINCT:
                calls.append(call)
            elif call.function in _DUPLICATE_INSENSITIVE or extreme:
                calls.append(replace(call, distinct=False))
            elif aggregate.grouping_sets is not None:
                raise NotSupported(
                    f"{call.function}(DISTINCT …) with grouping sets is not supported", position=call.position
                )
            else:
                keys = [Ref(f.type, f) for f in aggregate.keys]
                same = [a for a in call.arguments if not isinstance(a, (Literal, Lambda))]
                same += [call.filter] if call.filter is not None else []
                number = WindowCall(BIGINT, "row_number", (), (*keys, *same))
                field = self._field("number", number)
                added.append((field, number))
                first = Call(BOOLEAN, "$eq", (Ref(BIGINT, field), Literal(BIGINT, 1)))
                condition = first if call.filter is None else conjunction(first, call.filter)
                calls.append(replace(call, distinct=False, filter=condition))
        if not added:
            return replace(aggregate, calls=tuple(calls))
        fields = (*aggregate.input.fields, *(f for f, _ in added))
        source = Window(fields, aggregate.input, tuple(c for _, c in added))
        return replace(aggregate, input=source, calls=tuple(calls))

    def _projected_arguments(self, aggregate: Aggregate) -> Aggregate:
        added: list[tuple[Field, Expression]] = []

        def outside(part: Any) -> Any:
            if isinstance(part, Expression) and _needs_projection(part):
                field = self._field("argument", part)
                added.append((field, part))
                return Ref(part.type, field)
            return rebuild(part, outside) if isinstance(part, SortKey) else part

        calls = tuple(rebuild(call, outside) for call in aggregate.calls)
        return replace(aggregate, input=self._carried(aggregate.input, added), calls=calls)

    def _with_grand_total(self, aggregate: Aggregate) -> Relation:
        """The empty grouping set has a row even where the input has none, which Spark forgets: give the
        input a row more, let no aggregate see it, and drop the groups that hold nothing else."""
        real = Field(next(self._numbers), "real", BOOLEAN)
        is_real = Ref(BOOLEAN, real)
        fields = (*aggregate.input.fields, real)
        real_rows = Extend(fields, aggregate.input, (Literal(BOOLEAN, True),))
        nulls = tuple(Literal(f.type, None) for f in aggregate.input.fields)
        source = SetOperation(
            fields, "union", False, real_rows, Values(fields, ((*nulls, Literal(BOOLEAN, False)),))
        )
        calls = [
            replace(c, filter=is_real if c.filter is None else conjunction(is_real, c.filter))
            for c in aggregate.calls
        ]
        rows = AggregateCall(BIGINT, "count", (), filter=is_real)
        row_count, level = self._field("rows", rows), Field(next(self._numbers), "level", BIGINT)
        split = len(aggregate.keys) + len(calls)
        output_fields = (*aggregate.fields[:split], row_count, *aggregate.fields[split:], level)
        every = tuple(range(len(aggregate.keys)))
        grouped = replace(
            aggregate,
            fields=output_fields,
            input=source,
            calls=(*calls, rows),
            groupings=(*aggregate.groupings, every),
        )
        some = Call(BOOLEAN, "$gt", (Ref(BIGINT, row_count), Literal(BIGINT, 0)))
        total = Call(BOOLEAN, "$eq", (Ref(BIGINT, level), Literal(BIGINT, (1 << len(every)) - 1)))
        return Filter(aggregate.fields, grouped, Call(BOOLEAN, "$or", (some, total)))

    def _window(self, window: Window) -> Relation:
        """Spark has no FILTER in a window, and no GROUPS: those are a RANGE over the groups' numbers."""
        numbers: list[tuple[Field, WindowCall]] = []
        calls = []
        _refuse_maps(key.type for call in window.calls for key in call.partition_by)
        window = self._with_entangled(window)
        for call in map(self._window_call, window.calls):
            if call.frame is not None and call.frame.unit == "groups":
                number = WindowCall(BIGINT, "dense_rank", (), call.partition_by, call.order_by)
                field = next((f for f, other in numbers if other == number), None)
                if field is None:
                    field = self._field("group", number)
                    numbers.append((field, number))
                key = SortKey(Ref(BIGINT, field))
                call = replace(call, order_by=(key,), frame=replace(call.frame, unit="range"))
            calls.append(call)
        if not numbers:
            return self._carry(replace(window, calls=tuple(calls)))
        fields = (*window.input.fields, *(f for f, _ in numbers))
        source = self._carry(Window(fields, window.input, tuple(c for _, c in numbers)))
        new_fields = window.fields[len(window.input.fields) :]
        whole = self._carry(Window((*fields, *new_fields), source, tuple(calls)))
        return Project(window.fields, whole, tuple(Ref(f.type, f) for f in window.fields))

    def _with_entangled(self, window: Window) -> Window:
        added: list[tuple[Field, Expression]] = []

        def outside(part: Any) -> Any:
            if isinstance(part, Expression) and any(_is_entangled(node) for node in own_nodes(part)):
                field = self._field("argument", part)
                added.append((field, part))
                return Ref(part.type, field)
            return rebuild(part, outside) if isinstance(part, SortKey) else part

        calls = tuple(rebuild(call, outside) for call in window.calls)
        if not added:
            return window
        source = self._carried(window.input, added)
        new_fields = window.fields[len(window.input.fields) :]
        return replace(window, fields=(*source.fields, *new_fields), input=source, calls=calls)

    def _window_call(self, call: WindowCall) -> WindowCall:
        if call.order_by:
            call = replace(call, order_by=_ordered(call.order_by))
        if call.filter is None:
            return call
        if call.function == "array_agg":
            raise NotSupported("FILTER of array_agg in a window is not supported", position=call.position)
        # The others do not see a row whose value, or key, is NULL.
        guarded = list(call.arguments) or [Literal(INTEGER, 1)]
        index = 1 if call.function in ("min_by", "max_by", *_BUCKETED) else 0
        guarded[index] = Case(guarded[index].type, ((call.filter, guarded[index]),), None)
        return replace(call, arguments=tuple(guarded), filter=None)

    def _join(self, join: Join) -> Relation:
        if join.lateral:
            return self._unnested(join) or self._lateral(join)
        if join.kind == "full" and free(join):
            raise NotSupported("a FULL JOIN in a subquery cannot refer to columns of the query around it")
        if join.kind == "right" and free(join.left):
            # Spark takes a correlated reference on the side that is kept, or in a lateral one.
            join = replace(join, kind="left", left=join.right, right=join.left)
        if join.kind == "left" and free(join.right):
            return self._lateral(replace(join, lateral=True))
        return self._conditioned(join)

    def _unnested(self, join: Join) -> Relation | None:
        """A lateral UNNEST, as an Unnest of the left side."""
        right = join.right
        if not isinstance(right, Unnest) or right.input != Values((), ((),)):
            return None
        always = join.condition is None or join.condition == Literal(BOOLEAN, True)
        if join.kind == "left" and always:
            return self._unnest(replace(right, fields=join.fields, input=join.left, outer=True))
        if join.kind not in ("inner", "cross"):
            return None
        unnest = self._unnest(replace(right, fields=join.fields, input=join.left))
        if join.condition is None:
            return unnest
        return self._carry(Filter(join.fields, unnest, join.condition))

    def _lateral(self, join: Join) -> Relation:
        own = {f.id for f in join.left.fields}
        deep = {i: f for i, f in free(join.right).items() if i not in own}
        if deep:
            carried, left = self._extended(join.left, deep)
            join = replace(join, left=left, right=_substituted(join.right, carried))
        return self._conditioned(join)

    def _conditioned(self, join: Join) -> Relation:
        """An ON that Spark takes: without correlated subqueries, and without what must be projected."""
        if join.condition is None:
            return join
        plain: list[Expression] = []
        awkward: list[Expression] = []
        for term in conjuncts(join.condition):
            (awkward if _is_awkward(term) else plain).append(term)
        if not awkward:
            return join
        if join.kind in ("inner", "cross"):
            on = conjunction(*plain) if plain else None
            return self._fit(Filter(join.fields, replace(join, condition=on), conjunction(*awkward)))
        sides: list[list[tuple[Field, Expression]]] = [[], []]
        ids = [{f.id for f in side.fields} for side in (join.left, join.right)]

        def hoist(node: Any) -> Any:
            if not isinstance(node, Expression) or not _is_awkward_itself(node):
                return rebuild(node, hoist) if isinstance(node, Expression) else node
            needs = free(node).keys()
            side = next((i for i in (0, 1) if needs & ids[i] and not needs & ids[1 - i]), None)
            if side is None:
                raise NotSupported(
                    f"the ON of a {join.kind.upper()} JOIN cannot contain a subquery over both of its sides",
                    position=getattr(node, "position", None),
                )
            field = self._field("subquery", node)
            sides[side].append((field, node))
            return Ref(node.type, field)

        condition = conjunction(*plain, *(hoist(term) for term in awkward))
        left, right = (
            self._carried(side, added) for side, added in zip((join.left, join.right), sides, strict=True)
        )
        return replace(join, left=left, right=right, condition=condition)


class _AnyScope(dict[int, str]):
    def get(self, key: int, default: Any = None) -> Any:
        return "x"


_writer = SparkExpressions(lambda *_: "x")


def _calls_python(node: Any) -> bool:
    if isinstance(node, Cast):
        return node.operand.type == JSON
    function = lookup(node.function) if isinstance(node, Call) else None
    return function is not None and function.body is not None


def _is_entangled(node: Any) -> bool:
    """A Python function over lambdas inside lambdas (see _with_arguments)."""
    return _calls_python(node) and any(
        _count_of_lambdas(part) > 1 for part in parts(node) if isinstance(part, Expression)
    )


def _count_of_lambdas(expression: Expression) -> int:
    return _writer.text(expression, _AnyScope()).count(" -> ")


def _ordered(keys: Iterable[SortKey]) -> tuple[SortKey, ...]:
    """Trino cannot order arrays and rows with a NULL inside; Spark does."""
    return tuple(
        replace(key, expression=Call(key.expression.type, "$ordered", (key.expression,)))
        if isinstance(key.expression.type, (Array, Row))
        else key
        for key in keys
    )


def _refuse_maps(types: Iterable[Type]) -> None:
    if any(has(t, Map) for t in types):
        raise NotSupported("Spark cannot group or deduplicate maps")


def _optional(change: Callable[[Expression], Expression], expression: Expression | None) -> Expression | None:
    return None if expression is None else change(expression)


def _fields(node: Any) -> Iterable[Field]:
    if isinstance(node, Relation):
        return node.fields
    if isinstance(node, Ref):
        return (node.field,)
    target = getattr(node, "target", None)
    return target.fields if target is not None else ()


def _all_terms(relation: Project | Extend | Filter | Window) -> list[Expression]:
    match relation:
        case Filter():
            return conjuncts(relation.condition)
        case Window():
            return list(relation.calls)
        case _:
            return list(relation.expressions)


def _extend(source: Relation, added: Sequence[tuple[Field, Expression]]) -> Relation:
    if not added:
        return source
    return Extend((*source.fields, *(f for f, _ in added)), source, tuple(e for _, e in added))


def _substituted(node: Any, fields: dict[int, Field]) -> Any:
    def change(part: Any) -> Any:
        if isinstance(part, Ref) and part.field.id in fields:
            return Ref(part.type, fields[part.field.id])
        return part

    return transform(node, change)


def _has_extreme(node: Quantified) -> bool:
    """Whether comparing with the smallest or largest value decides, and that is the same for every row."""
    t = node.relation.fields[0].type
    ordered = is_orderable(t) and not isinstance(t, (Array, Row)) and t not in APPROXIMATE
    return ordered and node.op not in _EQUALITY and not free(node.relation)


def _is_plain_in(node: InSubquery | Quantified) -> bool:
    """Whether Spark's own IN compares as Trino does. With a correlated one it can fail to find a plan."""
    if not isinstance(node, InSubquery) or free(node.relation):
        return False
    return not any(o.type in APPROXIMATE or isinstance(o.type, (Array, Row, Map)) for o in node.operands)


def _is_null(expression: Expression) -> Expression:
    return Call(BOOLEAN, "$is_null", (expression,))


def _not(expression: Expression) -> Expression:
    return Call(BOOLEAN, "$not", (expression,))


def _three_valued(decided: Expression, answer: bool, unknown: Expression) -> Expression:
    return Case(
        BOOLEAN,
        ((decided, Literal(BOOLEAN, answer)), (unknown, Literal(BOOLEAN, None))),
        Literal(BOOLEAN, not answer),
    )


def _is_projected(node: Any) -> bool:
    return _is_entangled(node) or (isinstance(node, Call) and needs_projection(replace(node, arguments=())))


def _needs_projection(expression: Expression) -> bool:
    return needs_projection(expression) or any(_is_entangled(node) for node in walk(expression))


def _is_awkward_itself(node: Expression) -> bool:
    return (isinstance(node, SUBQUERIES) and bool(free(node))) or _is_projected(node)


def _is_awkward(term: Expression) -> bool:
    return any(_is_awkward_itself(node) for node in own_nodes(term) if isinstance(node, Expression))
