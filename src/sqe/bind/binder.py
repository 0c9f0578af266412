"""What all parts of binding share: the text, the session, the catalogs, and fresh field numbers."""

from __future__ import annotations

import datetime as dt
import decimal
import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from sqlglot import exp

from sqe.errors import Position, TypeMismatch, UserError
from sqe.policy.secure import Guard
from sqe.session import Session
from sqe.sql.parse import NUMBER, position_of
from sqe.tree.expressions import Cast, Expression, Field, Literal, Parameter
from sqe.tree.relations import Cte, TableName
from sqe.types import sql_types as t

if TYPE_CHECKING:
    from sqe.catalog.catalogs import Catalogs
    from sqe.catalog.iceberg.table import Table
    from sqe.catalog.iceberg.view import View
    from sqe.tree.rules import Rule


@dataclass(slots=True)
class CteEntry:
    """A WITH query that names can refer to; `fields` are its output columns."""

    id: int
    fields: tuple[Field, ...]
    used: bool = False


@dataclass(slots=True)
class Binder:
    """One binding of one statement, or of the text of a view in it.

    `inside` are the views that we are in, outermost first, and `place` is where the statement names the
    outermost; `inlined` counts how often the whole statement reads each view. `guard` says what exists for
    this user. `parameters` are the values of the statement's `?`; `staged` maps the names of rows that were
    sent with it to their files.
    """

    text: str
    session: Session
    catalogs: Catalogs
    guard: Guard
    staged: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    now: dt.datetime = field(default_factory=lambda: dt.datetime.now(dt.UTC))
    tables: dict[TableName, Table] = field(default_factory=dict)
    ctes: dict[str, CteEntry | None] = field(default_factory=dict)
    bound_ctes: dict[int, Cte] = field(default_factory=dict)
    inside: tuple[View, ...] = ()
    place: Position | None = None
    inlined: Counter[TableName] = field(default_factory=Counter)
    parameters: tuple[Expression, ...] = ()
    parameter_types: dict[int, t.Type] = field(default_factory=dict)
    # By the number of a `?`, the target of a CAST around it: any type will do there, and this one is best.
    cast_parameters: dict[int, t.Type] = field(default_factory=dict)
    warnings: list[str] = field(default_factory=list)
    # Session functions (current_user, now() and the like) that binding has replaced by constants.
    session_values: set[str] = field(default_factory=set)
    _ids: itertools.count[int] = field(default_factory=lambda: itertools.count(1))

    def fresh(self, name: str, type_: t.Type) -> Field:
        return Field(next(self._ids), name, type_)

    def number(self) -> int:
        return next(self._ids)

    def parameter(self, node: exp.Expr) -> Expression:
        """The value of a `?`."""
        number: int = node.meta[NUMBER]
        if self.inside or number >= len(self.parameters):
            raise UserError(
                f"there is no value for parameter {number + 1}",
                code="INVALID_PARAMETER_USAGE",
                position=self.position(node),
                hint="give one value for each ?",
            )
        return self.parameters[number]

    @property
    def describes(self) -> bool:
        """Whether the statement is bound without values for its `?`, and will not run."""
        return any(isinstance(value, Parameter) for value in self.parameters)

    def warn(self, text: str) -> None:
        """Warn the user about a statement that runs all the same."""
        if text not in self.warnings:
            self.warnings.append(text)

    def position(self, node: exp.Expr) -> Position | None:
        # A place in a view's text means nothing in the user's.
        return position_of(node, self.text) if not self.inside else self.place

    @property
    def catalog(self) -> str:
        """The catalog of names without one."""
        return self.inside[-1].default_catalog if self.inside else self.session.catalog

    @property
    def namespace(self) -> tuple[str, ...]:
        """The schema of names without one."""
        return self.inside[-1].default_namespace if self.inside else self.session.namespace

    def bind_rule(self, rule: Rule, table: Table, raw: Mapping[int, Expression], type_: t.Type) -> Expression:
        # Where nothing is restricted none is bound.
        from sqe.bind.rules import bind_rule

        return bind_rule(self, rule, table, raw, type_)

    def within(self, view: View, place: Position | None) -> Binder:
        """The binder of a view's text: it sees none of our WITH queries, and shares the ids and everything
        else that is kept for the whole statement."""
        return replace(self, text=view.sql, ctes={}, inside=(*self.inside, view), place=place)


def coerce(expression: Expression, target: t.Type) -> Expression:
    """The expression as `target`, by an implicit cast that loses nothing."""
    if expression.type == target:
        return expression
    if isinstance(expression, Literal):
        if expression.value is None:
            return Literal(target, None)
        value = _value_as(expression, target)
        if value is not None:
            return Literal(target, value)
    return Cast(target, expression, implicit=True)


def _value_as(literal: Literal, target: t.Type) -> object | None:
    """A constant's value in another type; None where it takes a cast."""
    value = literal.value
    if isinstance(target, t.ConstantTime):
        from sqe.bind.query.folded_times import coerced  # which few statements need

        return coerced(literal, target)
    if isinstance(target, t.Varchar) and isinstance(literal.type, t.Varchar):
        return value
    if not t.is_exact(literal.type) or not isinstance(value, (int, decimal.Decimal)):
        return None
    if t.is_integer(target):
        return value if t.is_integer(literal.type) else None
    if isinstance(target, t.Decimal):
        return decimal.Decimal(value)
    return float(value) if target == t.DOUBLE else None


def unify(
    expressions: Sequence[Expression], what: str, position: Position | None
) -> tuple[list[Expression], t.Type]:
    """Bring alternatives (CASE branches, VALUES rows, array elements, IN items) to one type."""
    common: t.Type = t.UNKNOWN
    for expression in expressions:
        wider = t.common_type(common, expression.type)
        if wider is None:
            raise TypeMismatch(
                f"{what} must be of one type, not {common} and {expression.type}",
                position=position,
                hint="add a CAST",
            )
        common = wider
    return [coerce(e, common) for e in expressions], common
