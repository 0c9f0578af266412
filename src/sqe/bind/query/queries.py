"""Query syntax to relations: WITH, set operations, SELECT and its clauses in the order they apply."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from sqe.bind.binder import Binder, CteEntry, coerce
from sqe.bind.conversion import QUERIES, check_arguments
from sqe.bind.names import name_of
from sqe.bind.query.aggregation import Grouping, bind_grouping, group
from sqe.bind.query.constant_times import refuse_constant_times
from sqe.bind.query.expressions import (
    bind_condition,
    bind_expression,
    own_calls,
    refuse_calls,
)
from sqe.bind.query.from_clause import bind_from
from sqe.bind.query.ordering import order_and_limit_outputs, order_keys, sort_and_limit
from sqe.bind.query.scope import Scope, Visible, row_fields
from sqe.bind.query.select_list import Item, select_items
from sqe.bind.query.subqueries import cast_relation
from sqe.bind.query.windows import add_windows, inline_named_windows
from sqe.errors import NotSupported, TypeMismatch, UserError
from sqe.tree.expressions import (
    AggregateCall,
    Call,
    Expression,
    Field,
    Literal,
    Ref,
    SortKey,
    WindowCall,
    generated_name,
)
from sqe.tree.relations import (
    Aggregate,
    Cte,
    Filter,
    Project,
    Relation,
    Sample,
    SetOperation,
    Values,
    With,
)
from sqe.types import sql_types as t

converts = QUERIES.of
NO_SCOPE = Scope()


def bind_query(b: Binder, node: exp.Expr, outer: Scope = NO_SCOPE) -> Relation:
    """A query with its own WITH; `outer` is what correlated names may refer to."""
    convert = QUERIES.find(node, b.text)
    with_ = node.args.get("with_")
    if with_ is None:
        result = convert(b, node, outer)
        assert isinstance(result, Relation)
        return result
    saved = dict(b.ctes)
    try:
        entries = _bind_with(b, with_, outer)
        relation = convert(b, node, outer)
    finally:
        b.ctes = saved
    assert isinstance(relation, Relation)
    ctes = tuple(b.bound_ctes[e.id] for e in entries if e.used)
    return With(relation.fields, ctes, relation) if ctes else relation


def _bind_with(b: Binder, node: exp.Expr, outer: Scope) -> list[CteEntry]:
    check_arguments(node, {"expressions", "recursive"}, b.text)
    entries: list[CteEntry] = []
    seen: set[str] = set()
    for cte in node.expressions:
        if not isinstance(cte, exp.CTE):
            raise NotSupported("only queries can stand in WITH", position=b.position(cte))
        check_arguments(cte, {"this", "alias"}, b.text)
        alias = cte.args["alias"]
        check_arguments(alias, {"this", "columns"}, b.text)
        name = name_of(alias.this).folded
        if name.lower() in seen:
            raise UserError(
                f"WITH query name '{name}' is given twice",
                code="DUPLICATE_NAMED_QUERY",
                position=b.position(alias),
            )
        seen.add(name.lower())
        columns = [name_of(c).folded for c in alias.args.get("columns") or ()]
        recursive = bool(node.args.get("recursive")) and _refers_to(cte.this, name)
        entry = (
            _recursive_cte(b, cte, name, columns, outer)
            if recursive
            else _plain_cte(b, cte, name, columns, outer)
        )
        entries.append(entry)
        b.ctes[name] = entry
    return entries


def _refers_to(node: exp.Expr, name: str) -> bool:
    return any(
        not table.args.get("db")
        and isinstance(table.this, exp.Identifier)
        and name_of(table.this).folded.lower() == name.lower()
        for table in node.find_all(exp.Table)
    )


def _plain_cte(b: Binder, node: exp.CTE, name: str, columns: list[str], outer: Scope) -> CteEntry:
    relation = rename(b, bind_query(b, node.this, outer), columns, node)
    entry = CteEntry(b.number(), relation.fields)
    b.bound_ctes[entry.id] = Cte(entry.id, name, relation)
    return entry


def _recursive_cte(b: Binder, node: exp.CTE, name: str, columns: list[str], outer: Scope) -> CteEntry:
    query = node.this
    if not isinstance(query, exp.Union) or query.args.get("distinct") or not columns:
        raise NotSupported(
            "a recursive query is written WITH RECURSIVE name (columns) AS (anchor UNION ALL step)",
            position=b.position(node),
        )
    check_arguments(query, {"this", "expression"}, b.text)
    anchor = rename(b, bind_query(b, query.this, outer), columns, node)
    entry = CteEntry(b.number(), anchor.fields)
    b.ctes[name] = entry
    step = bind_query(b, query.expression, outer)
    if not entry.used:
        raise NotSupported(
            "the recursive query refers to itself in its second part", position=b.position(node)
        )
    entry.used = False
    _same_width(b, anchor, step, query, "a recursive query")
    for column, value in zip(anchor.fields, step.fields, strict=True):
        if not t.coerces(value.type, column.type):
            raise TypeMismatch(
                f"recursion step column {column.name} is {value.type}, the anchor's is {column.type}",
                position=b.position(query.expression),
                hint="cast the anchor's column",
            )
    step = cast_relation(b, step, [f.type for f in anchor.fields])
    union = SetOperation(anchor.fields, "union", False, anchor, step)
    b.bound_ctes[entry.id] = Cte(entry.id, name, union, recursive=True)
    return entry


def rename(b: Binder, relation: Relation, columns: Sequence[str], node: exp.Expr) -> Relation:
    """The relation with its columns named by an alias list."""
    if not columns:
        return relation
    if len(columns) != len(relation.fields):
        raise UserError(
            f"the column list has {len(columns)} names for {len(relation.fields)} columns",
            code="MISMATCHED_COLUMN_ALIASES",
            position=b.position(node),
        )
    fields = tuple(b.fresh(n, f.type) for n, f in zip(columns, relation.fields, strict=True))
    return Project(fields, relation, tuple(Ref(f.type, f) for f in relation.fields))


@converts(exp.Union, exp.Intersect, exp.Except, reads="this expression distinct with_ order limit offset")
def _set_operation(b: Binder, node: exp.Expr, outer: Scope) -> Relation:
    left = bind_query(b, node.this, outer)
    right = bind_query(b, node.args["expression"], outer)
    word = type(node).__name__.upper()
    _same_width(b, left, right, node, word)
    targets = []
    for i, (x, y) in enumerate(zip(left.fields, right.fields, strict=True)):
        common = t.common_type(x.type, y.type)
        if common is None:
            raise TypeMismatch(
                f"column {i + 1} of {word} is {x.type} on one side and {y.type} on the other",
                position=b.position(node),
            )
        targets.append(common)
    left, right = cast_relation(b, left, targets), cast_relation(b, right, targets)
    fields = tuple(b.fresh(f.name, f.type) for f in left.fields)
    distinct = bool(node.args.get("distinct"))
    relation: Relation = SetOperation(fields, word.lower(), distinct, left, right)
    return order_and_limit_outputs(b, node, relation, outer)


def _same_width(b: Binder, left: Relation, right: Relation, node: exp.Expr, what: str) -> None:
    if len(left.fields) != len(right.fields):
        raise TypeMismatch(
            f"{what} has {len(left.fields)} columns on one side and {len(right.fields)} on the other",
            position=b.position(node),
        )


@converts(exp.Subquery, reads="this with_ order limit offset alias")
def _subquery(b: Binder, node: exp.Subquery, outer: Scope) -> Relation:
    return order_and_limit_outputs(b, node, bind_query(b, node.this, outer), outer)


@converts(exp.Table, reads="this db catalog")
def _table(b: Binder, node: exp.Table, outer: Scope) -> Relation:
    """TABLE t"""
    relation, _ = bind_from(b, node, outer)
    return relation


@converts(exp.Values, reads="expressions alias order limit offset")
def _values(b: Binder, node: exp.Values, outer: Scope) -> Relation:
    alias = node.args.get("alias")
    columns = [name_of(c).folded for c in alias.args.get("columns") or ()] if alias else []
    relation = rename(b, bind_values(b, node, outer), columns, node)
    return order_and_limit_outputs(b, node, relation, outer)


def value_rows(b: Binder, node: exp.Values, outer: Scope) -> list[list[Expression]]:
    """The cells of each row, all rows as wide as the first."""
    rows: list[list[Expression]] = []
    for item in node.expressions:
        rows.append(_cells(b, item, outer))
        if len(rows[-1]) != len(rows[0]):
            raise TypeMismatch(
                f"VALUES has rows of {len(rows[0])} and of {len(rows[-1])} columns", position=b.position(item)
            )
        for cell in rows[-1]:
            refuse_calls(b, cell, item, "VALUES")
    return rows


def _cells(b: Binder, node: exp.Expr, outer: Scope) -> list[Expression]:
    """(1, 2), ROW(1, 2) or any other row value has the cells of its fields; any other value is one cell."""
    while isinstance(node, exp.Paren) or (isinstance(node, exp.Tuple) and len(node.expressions) == 1):
        node = node.this if isinstance(node, exp.Paren) else node.expressions[0]
    if isinstance(node, exp.Tuple):
        return [bind_expression(b, cell, outer) for cell in node.expressions]
    value = bind_expression(b, node, outer)
    return row_fields(value, b.position(node)) if isinstance(value.type, t.Row) else [value]


def bind_values(b: Binder, node: exp.Values, outer: Scope) -> Relation:
    rows = value_rows(b, node, outer)
    types: list[t.Type] = []
    for i in range(len(rows[0])):
        common: t.Type = t.UNKNOWN
        for number, cells in enumerate(rows):
            wider = t.common_type(common, cells[i].type)
            if wider is None:
                raise TypeMismatch(
                    f"column {i + 1} of VALUES is {common} and {cells[i].type}",
                    position=b.position(node.expressions[number]),
                )
            common = wider
        types.append(common)
    fields = tuple(b.fresh(generated_name(i), c) for i, c in enumerate(types))
    typed = tuple(tuple(coerce(c, k) for c, k in zip(row, types, strict=True)) for row in rows)
    return Values(fields, typed)


@converts(
    exp.Select,
    reads="with_ expressions from_ joins where group having qualify windows order limit offset distinct "
    "sample",
)
def _select(b: Binder, node: exp.Select, outer: Scope) -> Relation:
    if not node.expressions:
        raise UserError("SELECT needs columns", code="SYNTAX_ERROR", position=b.position(node))
    inline_named_windows(b, node)
    relation, columns = _from(b, node, outer)
    scope = outer.inside(columns)

    where = node.args.get("where")
    if where is not None:
        condition = bind_condition(b, where.this, scope, "WHERE")
        refuse_calls(b, condition, where, "WHERE")
        relation = Filter(relation.fields, relation, condition)

    items = select_items(b, node, scope)
    grouping = bind_grouping(
        b, node.args.get("group"), scope, [(i.name, i.expression, i.node) for i in items]
    )
    having = node.args.get("having")
    having_condition = bind_condition(b, having.this, scope, "HAVING") if having is not None else None
    aliased = scope.with_aliases([(i.name, i.expression) for i in items if i.name])
    qualify = node.args.get("qualify")
    qualify_condition = (
        bind_condition(b, qualify.this, _prefer_columns(scope, aliased), "QUALIFY")
        if qualify is not None
        else None
    )
    keys = order_keys(b, node.args.get("order"), aliased, items)

    expressions = [i.expression for i in items]
    everything = [*expressions, *(k.expression for k in keys)]
    everything += [c for c in (having_condition, qualify_condition) if c is not None]
    if grouping is not None or any(any(own_calls(e, AggregateCall)) for e in everything):
        grouped = group(b, relation, grouping or Grouping(), everything)
        relation = grouped.relation
        expressions = [grouped.replace(e, i.node) for e, i in zip(expressions, items, strict=True)]
        keys = [
            SortKey(grouped.replace(k.expression, node.args["order"]), k.descending, k.nulls_first)
            for k in keys
        ]
        if having is not None and having_condition is not None:
            _refuse_windows(having_condition)
            relation = Filter(relation.fields, relation, grouped.replace(having_condition, having))
        if qualify is not None and qualify_condition is not None:
            qualify_condition = grouped.replace(qualify_condition, qualify)
    elif any(c.function == "grouping" for e in everything for c in own_calls(e, Call)):
        raise UserError("grouping() needs GROUP BY", code="INVALID_ARGUMENTS", position=b.position(node))
    elif having is not None:
        raise UserError(
            "HAVING needs GROUP BY or an aggregate",
            code="EXPRESSION_NOT_AGGREGATE",
            position=b.position(having),
        )

    relation, replace = add_windows(
        b,
        relation,
        [*expressions, *(k.expression for k in keys), *([qualify_condition] if qualify_condition else [])],
    )
    expressions = [replace(e) for e in expressions]
    keys = [SortKey(replace(k.expression), k.descending, k.nulls_first) for k in keys]
    if qualify_condition is not None:
        relation = Filter(relation.fields, relation, replace(qualify_condition))

    return _project(b, node, relation, items, expressions, keys)


def _refuse_windows(expression: Expression) -> None:
    for call in own_calls(expression, WindowCall):
        raise UserError(
            f"HAVING cannot contain a window function: {call.function}",
            code="NESTED_WINDOW",
            position=call.position,
            hint="use QUALIFY",
        )


def _prefer_columns(scope: Scope, aliased: Scope) -> Scope:
    """QUALIFY sees input columns before the select list's names."""
    names = {v.name.lower() for v in scope.columns}
    return scope.with_aliases([(n, e) for n, e in aliased.aliases if n.lower() not in names])


def _from(b: Binder, node: exp.Select, outer: Scope) -> tuple[Relation, list[Visible]]:
    from_ = node.args.get("from_")
    sample = node.args.get("sample")
    if from_ is None:
        return Values((), ((),)), []
    check_arguments(from_, {"this"}, b.text)
    joins = node.args.get("joins") or []
    relation, columns = bind_from(b, from_.this, outer, joins)
    if sample is not None:
        if joins:
            raise NotSupported(
                "TABLESAMPLE here could belong to either side",
                position=b.position(sample),
                hint="put the sampled relation into a subquery",
            )
        relation = bind_sample(b, relation, sample)
    return relation, columns


def bind_sample(b: Binder, relation: Relation, node: exp.Expr) -> Relation:
    check_arguments(node, {"method", "percent"}, b.text)
    method = node.args.get("method")
    percent = node.args.get("percent")
    word = method.name.upper() if method is not None else ""
    if word not in ("BERNOULLI", "SYSTEM") or not isinstance(percent, exp.Literal) or percent.is_string:
        raise NotSupported(
            "a sample is written TABLESAMPLE BERNOULLI|SYSTEM (percent)", position=b.position(node)
        )
    value = float(percent.this)
    if not 0 <= value <= 100:
        raise UserError("a sample is 0 to 100 percent", code="INVALID_ARGUMENTS", position=b.position(node))
    return Sample(relation.fields, relation, word.lower(), value)


def _project(
    b: Binder,
    node: exp.Select,
    relation: Relation,
    items: Sequence[Item],
    expressions: Sequence[Expression],
    keys: Sequence[SortKey],
) -> Relation:
    """Project, DISTINCT, ORDER BY, LIMIT. Sort keys outside the select list are computed beside it and
    dropped at the end."""
    outputs = [b.fresh(i.name, e.type) for i, e in zip(items, expressions, strict=True)]
    selected = list(zip(expressions, outputs, strict=True))
    extras: list[tuple[Expression, Field]] = []
    sort_keys: list[SortKey] = []
    for key in keys:
        if isinstance(key.expression, Literal):
            continue  # a constant orders nothing
        field = next((f for e, f in [*selected, *extras] if e == key.expression), None)
        if field is None:
            field = b.fresh("_sort", key.expression.type)
            extras.append((key.expression, field))
        sort_keys.append(SortKey(Ref(field.type, field), key.descending, key.nulls_first))
    distinct = node.args.get("distinct")
    if distinct is not None:
        check_arguments(distinct, set(), b.text)
        if extras:
            raise UserError(
                "with SELECT DISTINCT, ORDER BY expressions must be in the select list",
                code="EXPRESSION_NOT_IN_DISTINCT",
                position=b.position(node.args["order"]),
            )
    fields = (*outputs, *(f for _, f in extras))
    relation = Project(fields, relation, (*expressions, *(e for e, _ in extras)))
    if distinct is not None:
        for output in outputs:
            refuse_constant_times(output.type, "DISTINCT", b.position(node))
            if not t.is_comparable(output.type):
                raise TypeMismatch(f"DISTINCT cannot compare {output.type}", position=b.position(node))
        relation = Aggregate(tuple(outputs), relation, tuple(outputs))
    relation = sort_and_limit(b, node, relation, sort_keys)
    if extras or len(relation.fields) != len(outputs):
        relation = Project(
            tuple(b.fresh(f.name, f.type) for f in outputs), relation, tuple(Ref(f.type, f) for f in outputs)
        )
    return relation
