"""ORDER BY, OFFSET, LIMIT and FETCH FIRST."""

from __future__ import annotations

from collections.abc import Sequence

from sqlglot import exp

from sqe.bind.binder import Binder
from sqe.bind.conversion import check_arguments
from sqe.bind.query.expressions import bind_expression, call, refuse_calls, sort_key
from sqe.bind.query.scope import Scope, Visible
from sqe.bind.query.select_list import Item
from sqe.errors import NotSupported, UserError
from sqe.tree.expressions import Literal, Parameter, Ref, SortKey, WindowCall
from sqe.tree.relations import Filter, Limit, Project, Relation, Sort, Window
from sqe.types import sql_types as t


def order_keys(b: Binder, order: exp.Expr | None, scope: Scope, items: Sequence[Item]) -> list[SortKey]:
    if order is None:
        return []
    check_arguments(order, {"expressions"}, b.text)
    keys = []
    for node in order.expressions:
        index = ordinal(b, node.this, len(items), "ORDER BY")
        expression = items[index].expression if index is not None else bind_expression(b, node.this, scope)
        keys.append(sort_key(b, node, expression))
    return keys


def ordinal(b: Binder, node: exp.Expr, count: int, clause: str) -> int | None:
    if not (isinstance(node, exp.Literal) and not node.is_string and node.this.isdigit()):
        return None
    index = int(node.this)
    if not 1 <= index <= count:
        raise UserError(
            f"{clause} position {index} is not in the select list",
            code="INVALID_COLUMN_REFERENCE",
            position=b.position(node),
        )
    return index - 1


def order_and_limit_outputs(b: Binder, node: exp.Expr, relation: Relation, outer: Scope) -> Relation:
    """ORDER BY and LIMIT of a whole query, whose columns are all there is to order by."""
    order = node.args.get("order")
    items = [Item(f.name, Ref(f.type, f), node) for f in relation.fields]
    scope = outer.inside([Visible((), f) for f in relation.fields])
    keys = order_keys(b, order, scope, items)
    for key in keys:
        refuse_calls(b, key.expression, node, "ORDER BY of a set operation")
    return sort_and_limit(b, node, relation, keys)


def sort_and_limit(b: Binder, node: exp.Expr, relation: Relation, keys: Sequence[SortKey]) -> Relation:
    limit, offset = node.args.get("limit"), node.args.get("offset")
    skip = 0
    if offset is not None:
        check_arguments(offset, {"this", "expression"}, b.text)
        skip = _count(b, offset.args.get("expression") or offset.this, "OFFSET") or 0
    count = None
    if isinstance(limit, exp.Fetch):
        check_arguments(limit, {"direction", "count", "limit_options"}, b.text)
        options = limit.args.get("limit_options")
        if str(limit.args.get("direction") or "FIRST").upper() not in ("FIRST", "NEXT"):
            raise NotSupported("FETCH takes FIRST or NEXT", position=b.position(limit))
        if options is not None and options.args.get("percent"):
            raise NotSupported("FETCH ... PERCENT is not supported", position=b.position(limit))
        count = _count(b, limit.args["count"], "FETCH") if limit.args.get("count") is not None else 1
        if options is not None and options.args.get("with_ties"):
            if not keys:
                raise UserError(
                    "WITH TIES needs ORDER BY", code="MISSING_ORDER_BY", position=b.position(limit)
                )
            return _with_ties(b, relation, keys, count, skip)
    elif limit is not None:
        check_arguments(limit, {"expression"}, b.text)
        count = _count(b, limit.expression, "LIMIT")
    if keys:
        relation = Sort(relation.fields, relation, tuple(keys))
    if count is not None or skip:
        relation = Limit(relation.fields, relation, count, skip)
    return relation


def _count(b: Binder, node: exp.Expr, word: str) -> int | None:
    if word == "LIMIT" and node.name.upper() == "ALL" and not isinstance(node, exp.Literal):
        return None
    count: object = None
    if isinstance(node, exp.Placeholder):
        value = b.parameter(node)
        if isinstance(value, Parameter):
            b.parameter_types[value.number] = t.BIGINT
            return None
        count = value.value if isinstance(value, Literal) and t.is_integer(value.type) else None
    elif isinstance(node, exp.Literal) and not node.is_string and node.this.isdigit():
        count = int(node.this)
    if isinstance(count, int) and count >= 0:
        if count >= 2**31:
            raise NotSupported(f"{word} takes at most {2**31 - 1} rows", position=b.position(node))
        return count
    raise UserError(f"{word} takes a number of rows", code="INVALID_ARGUMENTS", position=b.position(node))


def _with_ties(
    b: Binder, relation: Relation, keys: Sequence[SortKey], count: int | None, skip: int
) -> Relation:
    fields = relation.fields
    if skip:
        relation = _keep(b, relation, keys, "row_number", "$gt", skip)
    assert count is not None
    relation = _keep(b, relation, keys, "rank", "$le", count)
    relation = Sort(relation.fields, relation, tuple(keys))
    return Project(fields, relation, tuple(Ref(f.type, f) for f in fields))


def _keep(
    b: Binder, relation: Relation, keys: Sequence[SortKey], function: str, operator: str, count: int
) -> Relation:
    number = b.fresh("_rank", t.BIGINT)
    ranked = Window(
        (*relation.fields, number), relation, (WindowCall(t.BIGINT, function, (), (), tuple(keys)),)
    )
    condition = call(operator, (Ref(t.BIGINT, number), Literal(t.BIGINT, count)))
    return Filter(ranked.fields, ranked, condition)
