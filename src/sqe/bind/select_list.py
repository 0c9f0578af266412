"""The select list: items, their names, and stars with EXCLUDE and REPLACE."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sqlglot import exp

from sqe.bind.binder import Binder
from sqe.bind.conversion import check_arguments
from sqe.bind.expressions import bind_expression
from sqe.bind.names import matches, name_of
from sqe.bind.scope import Scope, qualifies
from sqe.errors import NotFound, UserError
from sqe.tree.expressions import Expression, Field, Ref


@dataclass(slots=True)
class Item:
    """One column of a select list."""

    name: str
    expression: Expression
    node: exp.Expr


def select_items(b: Binder, node: exp.Select, scope: Scope) -> list[Item]:
    items: list[Item] = []
    for i, item in enumerate(node.expressions):
        star = _star(item)
        if star is not None:
            items.extend(_expand_star(b, item, star, scope))
        elif isinstance(item, exp.Alias):
            check_arguments(item, {"this", "alias"}, b.text)
            items.append(
                Item(name_of(item.args["alias"]).folded, bind_expression(b, item.this, scope), item.this)
            )
        else:
            expression = bind_expression(b, item, scope)
            items.append(Item(_default_name(item, expression, i), expression, item))
    return items


def _default_name(node: exp.Expr, expression: Expression, index: int) -> str:
    if isinstance(node, (exp.Column, exp.Dot, exp.Identifier)):
        if isinstance(expression, Ref):
            return expression.field.name
        name = getattr(expression, "name", None)
        if isinstance(name, str):
            return name
    return f"_col{index}"


def _star(node: exp.Expr) -> exp.Star | None:
    if isinstance(node, exp.Star):
        return node
    return node.this if isinstance(node, exp.Column) and isinstance(node.this, exp.Star) else None


def _expand_star(b: Binder, node: exp.Expr, star: exp.Star, scope: Scope) -> list[Item]:
    check_arguments(star, {"except_", "replace"}, b.text)
    position = b.position(node)
    if isinstance(node, exp.Column):
        check_arguments(node, {"this", "table", "db", "catalog"}, b.text)
        qualifier = [name_of(p) for p in node.parts if not isinstance(p, exp.Star)]
        visible = [
            v
            for v in scope.columns
            if v.bare and not v.hidden and v.qualifier and qualifies(qualifier, v.qualifier)
        ]
        if not visible:
            raise NotFound(
                f"table '{'.'.join(map(str, qualifier))}' is not in FROM",
                code="TABLE_NOT_FOUND",
                position=position,
            )
        fields = _unique([v.field for v in visible])
    else:
        fields = _unique([v.field for v in scope.columns if v.bare and not v.hidden])
    if not fields:
        raise UserError("SELECT * needs a FROM", code="COLUMN_NOT_FOUND", position=position)
    excluded = set()
    for column in star.args.get("except_") or ():
        excluded.add(_star_column(b, column, fields))
    replaced = {}
    for alias in star.args.get("replace") or ():
        check_arguments(alias, {"this", "alias"}, b.text)
        replaced[_star_column(b, alias.args["alias"], fields)] = bind_expression(b, alias.this, scope)
    if len(excluded) == len(fields):
        raise UserError("no column is left of *", code="COLUMN_NOT_FOUND", position=position)
    return [Item(f.name, replaced.get(f.id) or Ref(f.type, f), node) for f in fields if f.id not in excluded]


def _unique(fields: Iterable[Field]) -> list[Field]:
    return list({f.id: f for f in fields}.values())


def _star_column(b: Binder, node: exp.Expr, fields: Sequence[Field]) -> int:
    name = name_of(node.this if isinstance(node, exp.Column) else node)
    found = matches(name.folded, [(f.name, f.id) for f in fields])
    if not found:
        raise NotFound(
            f"column '{name}' is not among the columns of *",
            code="COLUMN_NOT_FOUND",
            position=b.position(node),
        )
    return found[0]
