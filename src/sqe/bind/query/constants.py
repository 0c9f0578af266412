"""Constants, and the session's values, which are constants of a statement."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable
from functools import partial

from sqlglot import exp

from sqe.bind.binder import Binder
from sqe.bind.conversion import EXPRESSIONS
from sqe.bind.query import literals
from sqe.bind.query.scope import Scope
from sqe.errors import NotSupported
from sqe.foundation.version import __version__
from sqe.tree.expressions import (
    Expression,
    Literal,
)
from sqe.types import sql_types as t
from sqe.types.zones import zone

converts = EXPRESSIONS.of


@converts(exp.Literal, reads="this is_string")
def _literal(b: Binder, node: exp.Literal, scope: Scope) -> Expression:
    return literals.string(node.this) if node.is_string else literals.number(node.this, b.position(node))


@converts(exp.Placeholder)
def _parameter(b: Binder, node: exp.Placeholder, scope: Scope) -> Expression:
    return b.parameter(node)


@converts(exp.Null)
def _null(b: Binder, node: exp.Null, scope: Scope) -> Expression:
    return Literal(t.UNKNOWN, None)


@converts(exp.Boolean, reads="this")
def _boolean(b: Binder, node: exp.Boolean, scope: Scope) -> Expression:
    return Literal(t.BOOLEAN, bool(node.this))


@converts(exp.HexString, reads="this")
def _hex(b: Binder, node: exp.HexString, scope: Scope) -> Expression:
    if b.text[node.meta.get("start", 0)] not in "xX":
        raise NotSupported("a binary constant is written X'1f'", position=b.position(node))
    return literals.binary(node.name, b.position(node))


@converts(exp.Interval, reads="this unit")
def _interval(b: Binder, node: exp.Interval, scope: Scope) -> Expression:
    unit = node.args.get("unit")
    position = b.position(node)
    sign, value = _signed(node.this)
    # sqlglot takes '2 hour' apart and forgets where it stood.
    if not isinstance(value, exp.Literal) or unit is None or "start" not in value.meta:
        raise NotSupported("an interval is written INTERVAL '3' DAY", position=position)
    if isinstance(unit, exp.IntervalSpan):
        return literals.interval(sign + value.name, unit.this.name, unit.expression.name, position)
    return literals.interval(sign + value.name, unit.name, None, position)


def _signed(node: exp.Expr | None) -> tuple[str, exp.Expr | None]:
    return ("-", node.this) if isinstance(node, exp.Neg) else ("", node)


@converts(exp.CurrentDate, exp.CurrentTimestamp, exp.Localtimestamp, exp.CurrentUser, exp.CurrentCatalog)
def _session_value(b: Binder, node: exp.Expr, scope: Scope) -> Expression:
    names: dict[type, str] = {
        exp.CurrentDate: "current_date",
        exp.CurrentTimestamp: "current_timestamp",
        exp.Localtimestamp: "localtimestamp",
        exp.CurrentUser: "current_user",
        exp.CurrentCatalog: "current_catalog",
    }
    return SESSION_FUNCTIONS[names[type(node)]](b)


def _now(b: Binder) -> Literal:
    name = b.session.time_zone
    moment = b.now.astimezone(zone(name))
    return Literal(t.TimestampTz(3, name), moment.replace(microsecond=moment.microsecond // 1000 * 1000))


def _localtimestamp(b: Binder) -> Literal:
    value = _now(b).value
    assert isinstance(value, dt.datetime)
    return Literal(t.Timestamp(3), value.replace(tzinfo=None))


def _today(b: Binder) -> Literal:
    value = _now(b).value
    assert isinstance(value, dt.datetime)
    return Literal(t.DATE, value.date())


# Session functions become constants here: one statement has one "now", on every lane.
_VALUES: dict[str, Callable[[Binder], Literal]] = {
    "now": _now,
    "current_timestamp": _now,
    "localtimestamp": _localtimestamp,
    "current_date": _today,
    "current_user": lambda b: Literal(t.VARCHAR, b.session.identity.user),
    "current_catalog": lambda b: Literal(t.VARCHAR, b.session.catalog),
    "current_schema": lambda b: Literal(t.VARCHAR, ".".join(b.session.namespace)),
    "version": lambda b: Literal(t.VARCHAR, __version__),
    "current_timezone": lambda b: Literal(t.VARCHAR, b.session.time_zone),
}


def _noted(name: str, value: Callable[[Binder], Literal], b: Binder) -> Literal:
    b.session_values.add(name)
    return value(b)


SESSION_FUNCTIONS: dict[str, Callable[[Binder], Literal]] = {
    name: partial(_noted, name, value) for name, value in _VALUES.items()
}
