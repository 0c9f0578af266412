"""Rules of policies: expressions of our dialect, bound to the raw columns of the table that they are on.

A rule is what an administrator has written, or a server that the configuration trusts. Its subqueries read
whole tables, whoever asks: a filter by a table of who may see what would else need that table to be open to
everybody. What cannot be bound denies, and says nothing of the rule.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace

from sqlglot import exp

from sqe.bind.binder import Binder, coerce
from sqe.bind.conversion import check_arguments
from sqe.bind.query.expressions import bind_expression, refuse_calls
from sqe.bind.query.scope import Scope, Visible
from sqe.catalog.iceberg.table import Table
from sqe.errors import AccessDenied, LimitExceeded, NotSupported, SqeError, SyntaxFault, TypeMismatch
from sqe.policy.decision import AllowAll
from sqe.policy.secure import Guard, without_rules
from sqe.sql.parse import parse
from sqe.tree.expressions import Expression, Field, Ref, transform, walk
from sqe.tree.relations import FileScan, Relation
from sqe.tree.rules import Rule
from sqe.types.sql_types import Type, coerces

log = logging.getLogger("sqe.policy")
MAX_BYTES = 16 << 10
MAX_PARTS = 1000
_SELECT = "SELECT\n{}"


def bind_rule(
    b: Binder, rule: Rule, table: Table, raw: Mapping[int, Expression], type_: Type
) -> Expression:
    """`raw` are the columns that the rule may read, by id; `type_` is what its value has to be."""
    try:
        return _bound(b, rule, table, raw, type_)
    except SqeError as error:
        log.warning("a rule on %s cannot be applied: %s", table.name, error.code)
        raise AccessDenied(f"cannot read '{table.name}': a rule on it cannot be applied") from None


def check_rule(b: Binder, rule: Rule, table: Table, type_: Type) -> None:
    """For whoever writes it: raises what is wrong with it."""
    fields = {c.field_id: b.fresh(c.name, c.type) for c in table.columns}
    _bound(b, rule, table, {key: Ref(field.type, field) for key, field in fields.items()}, type_)


def reads_tables(sql: str) -> bool:
    """Whether a rule has subqueries."""
    _, node = _parsed(sql)
    return node.find(exp.Query, exp.Table) is not None


def _bound(
    b: Binder, rule: Rule, table: Table, raw: Mapping[int, Expression], type_: Type
) -> Expression:
    text, node = _parsed(rule.sql)
    inner = replace(
        b,
        text=text,
        session=replace(b.session, catalog=table.name.catalog, namespace=table.name.namespace),
        guard=Guard(AllowAll(()), b.session.identity),
        ctes={},
        inside=(),
        parameters=(),
        warnings=[],
    )
    today = tuple((c.name, c.field_id) for c in table.columns)
    names = today if rule.columns is None else rule.columns
    qualifier = (table.name.catalog, *table.name.namespace, table.name.name)
    visible = [Visible(qualifier, _field(raw[key], name)) for name, key in names if key in raw]
    expression = bind_expression(inner, node, Scope(tuple(visible)))
    refuse_calls(inner, expression, node, "a rule")
    if not coerces(expression.type, type_):
        raise TypeMismatch(f"the rule is of type {expression.type}, and has to be {type_}")
    return _trusted(coerce(expression, type_))


def _parsed(sql: str) -> tuple[str, exp.Expr]:
    """One expression with nothing around it, and the text that its positions are of."""
    text = _SELECT.format(sql)
    syntax = parse(text, max_bytes=MAX_BYTES)
    select = syntax.node
    if not isinstance(select, exp.Select) or len(select.expressions) != 1 or syntax.parameters:
        raise SyntaxFault("a rule is one expression")
    check_arguments(select, {"expressions"}, text)
    node: exp.Expr = select.expressions[0]
    if isinstance(node, exp.Alias) or node.is_star:
        raise SyntaxFault("a rule is one expression")
    if sum(1 for _ in node.walk()) > MAX_PARTS:
        raise LimitExceeded(f"a rule has at most {MAX_PARTS} parts")
    return text, node


def _field(raw: Expression, name: str) -> Field:
    assert isinstance(raw, Ref)
    return Field(raw.field.id, name, raw.field.type)


def _trusted(expression: Expression) -> Expression:
    if any(isinstance(node, FileScan) for node in walk(expression)):
        raise NotSupported("a rule cannot read files")
    trusted = transform(expression, lambda node: without_rules(node) if isinstance(node, Relation) else node)
    assert isinstance(trusted, Expression)
    return trusted
