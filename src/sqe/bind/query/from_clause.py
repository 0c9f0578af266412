"""FROM: tables, subqueries, joins, UNNEST, LATERAL, files and table functions."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from sqlglot import exp

from sqe.bind.binder import Binder, coerce
from sqe.bind.conversion import RELATIONS, check_arguments
from sqe.bind.names import Name, matches, name_of
from sqe.bind.query.expressions import bind_condition, bind_expression, call, refuse_calls
from sqe.bind.query.files import bind_file, bind_table_function, is_excluding
from sqe.bind.query.scope import Scope, Visible
from sqe.bind.query.system_tables import hidden_columns
from sqe.bind.query.tables import bind_table
from sqe.errors import NotFound, NotSupported, TypeMismatch, UserError
from sqe.sql.dialect import COMMA
from sqe.sql.json_calls import JsonTable
from sqe.tree.expressions import Expression, Field, Ref, generated_name, walk
from sqe.tree.relations import CteRef, Extend, Join, Project, Relation, Unnest, Values
from sqe.types import sql_types as t

converts = RELATIONS.of
Bound = tuple[Relation, list[Visible]]


def bind_from(b: Binder, node: exp.Expr, outer: Scope, joins: Sequence[exp.Expr] = ()) -> Bound:
    """One relation of FROM with what is joined to it.

    A comma binds less than JOIN: in `a, b RIGHT JOIN c`, b and c are joined first.
    """
    relation, columns = _bind_item(b, node, outer)
    for join in node.args.get("joins") or ():
        relation, columns = _join(b, relation, columns, join, outer)
    rest = list(joins)
    while rest:
        join = rest.pop(0)
        if not _is_comma(join):
            relation, columns = _join(b, relation, columns, join, outer)
            continue
        group = list(itertools.takewhile(lambda j: not _is_comma(j), rest))
        if isinstance(join.this, (exp.Unnest, exp.Lateral, JsonTable)):
            # It may refer to what stands before the comma, which an outer join to its right must not move.
            for later in group:
                if str(later.args.get("side") or "").upper() in ("RIGHT", "FULL"):
                    raise NotSupported(
                        "a RIGHT or FULL JOIN after a comma and LATERAL or UNNEST is not supported",
                        position=b.position(later),
                    )
            relation, columns = _join(b, relation, columns, join, outer)
            continue
        del rest[: len(group)]
        check_arguments(join, {"this"}, b.text)
        right, right_columns = bind_from(b, join.this, outer, group)
        relation = Join((*relation.fields, *right.fields), "cross", relation, right)
        columns = [*columns, *right_columns]
    return relation, columns


def _is_comma(join: exp.Expr) -> bool:
    return bool(join.meta.get(COMMA))


def _bind_item(b: Binder, node: exp.Expr, scope: Scope) -> Bound:
    convert = RELATIONS.find(node, b.text)
    relation, columns = convert(b, node, scope)
    return relation, list(columns)


def visible(relation: Relation, qualifier: tuple[str, ...]) -> list[Visible]:
    hidden = hidden_columns(relation)
    return [Visible(qualifier, f, hidden=f.name in hidden) for f in relation.fields]


def _aliased(b: Binder, node: exp.Expr, relation: Relation, qualifier: tuple[str, ...]) -> Bound:
    """The relation under its alias and column aliases, or under its own name."""
    from sqe.bind.query.queries import rename

    alias = node.args.get("alias")
    if alias is None:
        return relation, visible(relation, qualifier)
    check_arguments(alias, {"this", "columns"}, b.text)
    hidden = hidden_columns(relation)
    if hidden and alias.args.get("columns"):
        shown = tuple(f for f in relation.fields if f.name not in hidden)
        relation = Project(shown, relation, tuple(Ref(f.type, f) for f in shown))
    relation = rename(b, relation, [name_of(c).folded for c in alias.args.get("columns") or ()], node)
    name = (name_of(alias.this).folded,) if alias.this is not None else ()
    return relation, visible(relation, name)


# `when` is time travel in another spelling of sqlglot's; it is not ours.
@converts(exp.Table, reads="this db catalog alias version joins sample")
def _table(b: Binder, node: exp.Table, scope: Scope) -> Bound:
    relation, qualifier = _bind_name(b, node)
    relation, columns = _aliased(b, node, relation, qualifier)
    sample = node.args.get("sample")
    if sample is not None:
        from sqe.bind.query.queries import bind_sample

        relation = bind_sample(b, relation, sample)
    return relation, columns


def _bind_name(b: Binder, node: exp.Table) -> tuple[Relation, tuple[str, ...]]:
    this = node.this
    if isinstance(this, exp.Literal):
        return bind_file(b, this.this, b.position(node)), ()
    if isinstance(this, exp.Anonymous):
        if node.args.get("db") is not None:
            raise NotSupported("table functions have no schema", position=b.position(node))
        if is_excluding(this):
            from sqe.bind.query.excluded_columns import without_columns

            return without_columns(b, this.expressions[0]), ()
        return bind_table_function(b, this), (this.name.lower(),)
    if not node.args.get("db") and isinstance(this, exp.Identifier):
        name = name_of(this).folded
        entry = next(iter(matches(name, list(b.ctes.items()))), None)
        if entry is not None:
            if node.args.get("version") is not None:
                raise NotSupported("a WITH query has no past", position=b.position(node))
            entry.used = True
            fields = tuple(b.fresh(f.name, f.type) for f in entry.fields)
            return CteRef(fields, entry.id, entry.fields), (name,)
    return bind_table(b, node)


@converts(exp.Subquery, reads="this alias joins with_ order limit offset sample")
def _subquery(b: Binder, node: exp.Subquery, scope: Scope) -> Bound:
    from sqe.bind.query.queries import bind_query, bind_sample

    if isinstance(node.this, (exp.Table, exp.Values, exp.Unnest, JsonTable)) or (
        isinstance(node.this, exp.Subquery) and node.this.args.get("joins")
    ):
        # Parentheses around a join: its tables keep their names unless an alias replaces them.
        check_arguments(node, {"this", "alias", "joins", "sample"}, b.text)
        relation, columns = bind_from(b, node.this, scope)
        if node.args.get("sample") is not None:
            relation = bind_sample(b, relation, node.args["sample"])
        if node.args.get("alias") is None:
            return relation, columns
        # What * would show: USING merges columns.
        shown = tuple({v.field.id: v.field for v in columns if v.bare and not v.hidden}.values())
        relation = Project(shown, relation, tuple(Ref(f.type, f) for f in shown))
        return _aliased(b, node, relation, ())
    inner = node.copy()
    inner.set("alias", None)
    inner.set("joins", None)
    sample = node.args.get("sample")
    inner.set("sample", None)
    relation = bind_query(b, inner, scope)
    if sample is not None:
        relation = bind_sample(b, relation, sample)
    return _aliased(b, node, relation, ())


@converts(exp.Values, reads="expressions alias")
def _values(b: Binder, node: exp.Values, scope: Scope) -> Bound:
    from sqe.bind.query.queries import bind_values

    return _aliased(b, node, bind_values(b, node, scope), ())


@converts(exp.Unnest, reads="expressions alias offset")
def _unnest_alone(b: Binder, node: exp.Unnest, scope: Scope) -> Bound:
    return _unnest(b, Values((), ((),)), node, scope, outer=False)


@converts(JsonTable, reads="this format path passing expressions error alias")
def _json_table_alone(b: Binder, node: JsonTable, scope: Scope) -> Bound:
    return _rows_of(b, Values((), ((),)), node, scope, outer=False)


def _rows_of(
    b: Binder, source: Relation, node: exp.Unnest | JsonTable, scope: Scope, *, outer: bool
) -> Bound:
    """UNNEST or JSON_TABLE, joined to each row of the source."""
    if isinstance(node, exp.Unnest):
        check_arguments(node, {"expressions", "alias", "offset"}, b.text)
        return _unnest(b, source, node, scope, outer=outer)
    from sqe.bind.query.json_tables import json_table

    return json_table(b, source, node, scope, outer=outer)


@converts(exp.Lateral, reads="this alias")
def _lateral_first(b: Binder, node: exp.Lateral, scope: Scope) -> Bound:
    return _lateral(b, node, scope)


def _lateral(b: Binder, node: exp.Lateral, scope: Scope) -> Bound:
    from sqe.bind.query.queries import bind_query

    if not isinstance(node.this, exp.Subquery):
        raise NotSupported("LATERAL takes a subquery in parentheses", position=b.position(node))
    return _aliased(b, node, bind_query(b, node.this, scope), ())


def _join(b: Binder, left: Relation, columns: list[Visible], node: exp.Expr, outer: Scope) -> Bound:
    check_arguments(node, {"this", "side", "kind", "on", "using"}, b.text)
    position = b.position(node)
    side, kind = str(node.args.get("side") or "").upper(), str(node.args.get("kind") or "").upper()
    on, using = node.args.get("on"), node.args.get("using")
    if kind not in ("", "INNER", "OUTER", "CROSS") or side not in ("", "LEFT", "RIGHT", "FULL"):
        raise NotSupported(f"{side} {kind} JOIN is not supported".strip(), position=position)
    join = side.lower() or ("cross" if kind == "CROSS" or _is_comma(node) else "inner")
    if join == "cross" and on is not None:
        raise UserError("CROSS JOIN has no ON", code="SYNTAX_ERROR", position=position)
    target = node.this
    inner_scope = outer.inside(columns)
    if join != "cross" and on is None and using is None:
        raise UserError("the join needs ON or USING", code="SYNTAX_ERROR", position=position)
    lateral = isinstance(target, (exp.Lateral, exp.Unnest, JsonTable))
    if isinstance(target, (exp.Unnest, JsonTable)):
        if join != "cross" and not _is_true(on):
            raise NotSupported(
                f"{join.upper()} JOIN of UNNEST or JSON_TABLE takes ON TRUE and nothing else",
                position=position if on is None else b.position(on),
            )
        if join in ("cross", "inner", "left"):
            relation, added = _rows_of(b, left, target, inner_scope, outer=join == "left")
            return relation, [*columns, *added]
        right, right_columns = _rows_of(b, Values((), ((),)), target, inner_scope, outer=False)
    elif isinstance(target, exp.Lateral):
        check_arguments(target, {"this", "alias"}, b.text)
        right, right_columns = _lateral(b, target, inner_scope)
    else:
        right, right_columns = bind_from(b, target, outer)
    if lateral and join in ("right", "full"):
        _refuse_references(b, left, right, join, target)
        lateral = False
    fields = (*left.fields, *right.fields)
    if using is not None:
        return _join_using(b, join, left, right, columns, right_columns, using, node)
    both = [*columns, *right_columns]
    condition = None
    if on is not None:
        condition = bind_condition(b, on, outer.inside(both), "the condition of a join")
        refuse_calls(b, condition, on, "the condition of a join")
    return Join(fields, join, left, right, condition, lateral), both


def _is_true(on: exp.Expr | None) -> bool:
    while isinstance(on, exp.Paren):
        on = on.this
    return isinstance(on, exp.Boolean) and bool(on.this)


def _refuse_references(b: Binder, left: Relation, right: Relation, join: str, node: exp.Expr) -> None:
    """A row of the right side that no row of the left matches has nothing to refer to."""
    own = {f.id for f in left.fields}
    if any(isinstance(part, Ref) and part.field.id in own for part in walk(right)):
        raise UserError(
            f"LATERAL reference not allowed in {join.upper()} JOIN",
            code="INVALID_COLUMN_REFERENCE",
            position=b.position(node),
        )


def _join_using(
    b: Binder,
    join: str,
    left: Relation,
    right: Relation,
    left_columns: list[Visible],
    right_columns: list[Visible],
    using: Sequence[exp.Expr],
    node: exp.Expr,
) -> Bound:
    conditions: list[Expression] = []
    merged: list[tuple[Field, Expression]] = []
    used: set[int] = set()
    for item in using:
        name = name_of(item.this if isinstance(item, exp.Column) else item)
        x = _using_column(b, name, left_columns, item, "left")
        y = _using_column(b, name, right_columns, item, "right")
        common = t.common_type(x.type, y.type)
        if common is None:
            raise TypeMismatch(f"USING cannot compare {x.type} with {y.type}", position=b.position(item))
        rx, ry = Ref(x.type, x), Ref(y.type, y)
        conditions.append(call("$eq", (rx, ry), b.position(item)))
        value: Expression
        if join == "right":
            value = coerce(ry, common)
        elif join == "full":
            value = call("coalesce", (coerce(rx, common), coerce(ry, common)))
        else:
            value = coerce(rx, common)
        merged.append((b.fresh(x.name, common), value))
        used |= {x.id, y.id}
    from sqe.tree.expressions import conjunction

    joined = Join((*left.fields, *right.fields), join, left, right, conjunction(*conditions))
    relation = Extend((*joined.fields, *(f for f, _ in merged)), joined, tuple(e for _, e in merged))
    # The merged columns come first, and are what an unqualified name means.
    columns = [Visible((), f) for f, _ in merged]
    for column in (*left_columns, *right_columns):
        bare = column.bare and column.field.id not in used
        columns.append(Visible(column.qualifier, column.field, bare, column.hidden))
    return relation, columns


def _using_column(b: Binder, name: Name, columns: list[Visible], node: exp.Expr, side: str) -> Field:
    fields = matches(name.folded, [(v.name, v.field) for v in columns if v.bare])
    if len({f.id for f in fields}) != 1:
        problem = "is ambiguous" if fields else "is missing"
        raise NotFound(
            f"column '{name}' of USING {problem} on the {side} side",
            code="COLUMN_NOT_FOUND",
            position=b.position(node),
        )
    return fields[0]


def _unnest(b: Binder, source: Relation, node: exp.Unnest, scope: Scope, *, outer: bool) -> Bound:
    expressions = tuple(bind_expression(b, e, scope) for e in node.expressions)
    fields: list[Field] = []
    for expression, syntax in zip(expressions, node.expressions, strict=True):
        refuse_calls(b, expression, syntax, "UNNEST")
        kind = expression.type
        if isinstance(kind, t.Array) and isinstance(kind.element, t.Row):
            cells = enumerate(kind.element.fields)
            fields += [b.fresh(f.name or generated_name(i), f.type) for i, f in cells]
        elif isinstance(kind, t.Array):
            fields.append(b.fresh(generated_name(0), kind.element))
        elif isinstance(kind, t.Map):
            fields += [b.fresh("key", kind.key), b.fresh("value", kind.value)]
        else:
            raise TypeMismatch(f"UNNEST takes arrays and maps, not {kind}", position=b.position(syntax))
    offset, alias = node.args.get("offset"), node.args.get("alias")
    ordinality = bool(offset)
    if ordinality:
        fields.append(b.fresh("ordinality", t.BIGINT))
    qualifier: tuple[str, ...] = ()
    if alias is not None:
        check_arguments(alias, {"this", "columns"}, b.text)
        qualifier = (name_of(alias.this).folded,) if alias.this is not None else ()
        names = [name_of(c).folded for c in alias.args.get("columns") or ()]
        if names and isinstance(offset, exp.Identifier):
            names.append(name_of(offset).folded)  # sqlglot takes the last column alias for the ordinality
        if names and len(names) != len(fields):
            raise UserError(
                f"the column list has {len(names)} names for {len(fields)} columns",
                code="MISMATCHED_COLUMN_ALIASES",
                position=b.position(node),
            )
        if names:
            fields = [Field(f.id, n, f.type) for n, f in zip(names, fields, strict=True)]
    relation = Unnest((*source.fields, *fields), source, expressions, ordinality, outer)
    return relation, [Visible(qualifier, f) for f in fields]
