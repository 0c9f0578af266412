"""The select list: items, their names, and stars with EXCLUDE and REPLACE."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from sqe.bind.binder import Binder
from sqe.bind.conversion import check_arguments
from sqe.bind.names import Name, matches, name_of
from sqe.bind.query.expressions import bind_expression
from sqe.bind.query.scope import Scope, qualifies, row_fields
from sqe.errors import NotFound, SyntaxFault, TypeMismatch, UserError
from sqe.tree.expressions import Expression, Field, Ref, generated_name
from sqe.types.sql_types import Row


@dataclass(slots=True)
class Item:
    """One column of a select list."""

    name: str
    expression: Expression
    node: exp.Expr


def select_items(b: Binder, node: exp.Select, scope: Scope) -> list[Item]:
    items: list[Item] = []
    for item in node.expressions:
        names = item.expressions if isinstance(item, exp.Aliases) else None
        several = _several(b, item.this if names is not None else item, scope, len(items))
        if several is not None:
            items.extend(several if names is None else _renamed(b, several, names, item))
        elif isinstance(item, exp.Alias):
            check_arguments(item, {"this", "alias"}, b.text)
            items.append(
                Item(name_of(item.args["alias"]).folded, bind_expression(b, item.this, scope), item.this)
            )
        else:
            expression = bind_expression(b, item, scope)
            items.append(Item(_default_name(item, expression, len(items)), expression, item))
    return items


def _default_name(node: exp.Expr, expression: Expression, index: int) -> str:
    if isinstance(node, (exp.Column, exp.Dot, exp.Identifier)):
        if isinstance(expression, Ref):
            return expression.field.name
        name = getattr(expression, "name", None)
        if isinstance(name, str):
            return name
    return generated_name(index)


def _several(b: Binder, node: exp.Expr, scope: Scope, first: int) -> list[Item] | None:
    """The columns of *, t.* and row.*, the first of which is number `first`; None if it is none of these."""
    if isinstance(node, exp.Star):
        fields = _unique([v.field for v in scope.columns if v.bare and not v.hidden])
        return _expand_star(b, node, node, fields, scope)
    if isinstance(node, exp.Dot) and isinstance(node.expression, exp.Star):
        check_arguments(node.expression, set(), b.text)
        return _fields_of_row(b, node, bind_expression(b, node.this, scope), first)
    if not (isinstance(node, exp.Column) and isinstance(node.this, exp.Star)):
        return None
    check_arguments(node, {"this", "table", "db", "catalog"}, b.text)
    name = [name_of(p) for p in node.parts if not isinstance(p, exp.Star)]
    for around in scope.chain():
        visible = [v for v in around.columns if v.bare and not v.hidden and v.qualifier]
        fields = _unique([v.field for v in visible if qualifies(name, v.qualifier)])
        if fields:
            return _expand_star(b, node, node.this, fields, scope)
    row = _row_column(b, node, name, scope)
    if row is not None:
        check_arguments(node.this, set(), b.text)
        return _fields_of_row(b, node, row, first)
    written = ".".join(map(str, name))
    raise NotFound(f"table '{written}' is not in FROM", code="TABLE_NOT_FOUND", position=b.position(node))


def _row_column(b: Binder, node: exp.Expr, name: Sequence[Name], scope: Scope) -> Expression | None:
    """t.r of t.r.*, where r is a row; a single name is a table's."""
    try:
        expression = scope.resolve(name, b.position(node)) if len(name) > 1 else None
    except (NotFound, UserError):
        return None
    return expression if expression is not None and isinstance(expression.type, Row) else None


def _fields_of_row(b: Binder, node: exp.Expr, row: Expression, first: int) -> list[Item]:
    if not isinstance(row.type, Row):
        raise TypeMismatch(f".* takes a table or a row, not {row.type}", position=b.position(node))
    pairs = enumerate(zip(row.type.fields, row_fields(row, b.position(node)), strict=True), start=first)
    return [Item(f.name or generated_name(i), expression, node) for i, (f, expression) in pairs]


def _renamed(b: Binder, items: list[Item], names: Sequence[exp.Expr], node: exp.Expr) -> list[Item]:
    if isinstance(node.this, exp.Star):
        raise SyntaxFault("* takes no list of names; t.* does", position=b.position(node))
    if len(names) != len(items):
        raise UserError(
            f"the column list has {len(names)} names for {len(items)} columns",
            code="MISMATCHED_COLUMN_ALIASES",
            position=b.position(node),
        )
    return [replace(item, name=name_of(name).folded) for item, name in zip(items, names, strict=True)]


def _expand_star(
    b: Binder, node: exp.Expr, star: exp.Star, fields: Sequence[Field], scope: Scope
) -> list[Item]:
    check_arguments(star, {"except_", "replace"}, b.text)
    position = b.position(node)
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
    ids = matches(name.folded, [(f.name, f.id) for f in fields])
    if not ids:
        raise NotFound(
            f"column '{name}' is not among the columns of *",
            code="COLUMN_NOT_FOUND",
            position=b.position(node),
        )
    return ids[0]
