"""Calls that are not plain functions: TRY, NORMALIZE, IFF, NVL2, current_timestamp(6) and the like."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable

from sqlglot import exp

from sqe.bind.binder import Binder, unify
from sqe.bind.conversion import EXPRESSIONS
from sqe.bind.query import literals
from sqe.bind.query.constants import SESSION_FUNCTIONS
from sqe.bind.query.expressions import bind_condition, bind_expression, call
from sqe.bind.query.scope import Scope
from sqe.errors import NotSupported, UserError
from sqe.tree.expressions import Call, Case, Expression, Literal
from sqe.types import sql_types as t
from sqe.types.zones import zone

_UNICODE_FORMS = ("nfc", "nfd", "nfkc", "nfkd")


def _arguments(b: Binder, node: exp.Anonymous, *counts: int) -> list[exp.Expr]:
    arguments = list(node.expressions)
    if len(arguments) not in counts:
        expected = " or ".join(map(str, counts))
        plural = "s" if expected != "1" else ""
        raise UserError(
            f"{node.name.lower()} takes {expected} argument{plural}, not {len(arguments)}",
            code="INVALID_ARGUMENTS" if node.name.lower() == "try" else "FUNCTION_NOT_FOUND",
            position=b.position(node),
        )
    return arguments


def _try(b: Binder, node: exp.Anonymous, scope: Scope) -> Expression:
    from sqe.bind.query.try_functions import guard_failures

    (operand,) = _arguments(b, node, 1)
    return guard_failures(bind_expression(b, operand, scope), b.position(node))


def _normalize(b: Binder, node: exp.Anonymous, scope: Scope) -> Expression:
    """The form is a keyword, and not a column of that name."""
    arguments = _arguments(b, node, 1, 2)
    text = bind_expression(b, arguments[0], scope)
    form: Expression = literals.string("NFC")
    if len(arguments) == 2:
        second = arguments[1]
        word = second.name.lower() if isinstance(second, exp.Column) and not second.table else ""
        is_keyword = word in _UNICODE_FORMS
        form = literals.string(word.upper()) if is_keyword else bind_expression(b, second, scope)
    return call("normalize", (text, form), b.position(node))


def _iff(b: Binder, node: exp.Anonymous, scope: Scope) -> Expression:
    condition, *results = _arguments(b, node, 3)
    return _conditional(b, node, bind_condition(b, condition, scope, "the condition of IFF"), results, scope)


def _nvl2(b: Binder, node: exp.Anonymous, scope: Scope) -> Expression:
    value, *results = _arguments(b, node, 3)
    condition = call("$not", (call("$is_null", (bind_expression(b, value, scope),)),))
    return _conditional(b, node, condition, results, scope)


def _conditional(
    b: Binder, node: exp.Anonymous, condition: Expression, results: list[exp.Expr], scope: Scope
) -> Expression:
    bound = [bind_expression(b, n, scope) for n in results]
    unified, common = unify(bound, f"the results of {node.name.upper()}", b.position(node))
    return Case(common, ((condition, unified[0]),), unified[1])


def _moment(b: Binder, node: exp.Anonymous, scope: Scope) -> Expression:
    """current_timestamp(6) and the like: with a precision in digits of a second."""
    (argument,) = _arguments(b, node, 1)
    precision = bind_expression(b, argument, scope)
    digits = precision.value if isinstance(precision, Literal) else None
    if not isinstance(digits, int) or isinstance(digits, bool):
        raise UserError("the precision is a number", code="SYNTAX_ERROR", position=b.position(node))
    if not 0 <= digits <= 6:
        raise NotSupported("a moment here has at most 6 digits of a second", position=b.position(node))
    name = node.name.lower()
    b.session_values.add("current_timestamp")
    unit = 10 ** (6 - digits)
    moment = b.now.astimezone(zone(b.session.time_zone))
    moment = moment.replace(microsecond=moment.microsecond // unit * unit)
    if name == "current_timestamp":
        return Literal(t.TimestampTz(digits, b.session.time_zone), moment)
    if name == "localtime":
        return Literal(t.Time(digits), moment.time())
    return Literal(t.Timestamp(digits), moment.replace(tzinfo=None))


def _groups(b: Binder, node: exp.Anonymous, scope: Scope) -> Expression:
    """Of who asks, sorted."""
    _arguments(b, node, 0)
    b.session_values.add("current_groups")
    groups = tuple(Literal(t.VARCHAR, group) for group in sorted(b.session.identity.groups))
    return Call(t.Array(t.VARCHAR), "$array", groups, b.position(node))


def _word_stem(b: Binder, node: exp.Anonymous, scope: Scope) -> Expression:
    arguments = [bind_expression(b, n, scope) for n in _arguments(b, node, 1, 2)]
    language = arguments[1] if len(arguments) == 2 else literals.string("en")
    return call("word_stem", (arguments[0], language), b.position(node))


def _drawn(b: Binder, node: exp.Anonymous, scope: Scope) -> Expression:
    from sqe.bind.query import colors

    return colors.FORMS[node.name.lower()](b, node, scope)


def _no_time_with_zone(b: Binder, node: exp.Expr, scope: Scope) -> Expression:
    raise NotSupported(
        "current_time is a time with time zone, which only literals are here",
        position=b.position(node),
        hint="use localtime",
    )


@EXPRESSIONS.of(exp.CurrentTime)
def _current_time(b: Binder, node: exp.Expr, scope: Scope) -> Expression:
    return _no_time_with_zone(b, node, scope)


@EXPRESSIONS.of(exp.Localtime)
def _localtime(b: Binder, node: exp.Expr, scope: Scope) -> Expression:
    value = SESSION_FUNCTIONS["localtimestamp"](b).value
    assert isinstance(value, dt.datetime)
    return Literal(t.Time(3), value.time())


@EXPRESSIONS.of(exp.UnicodeString, reads="this escape")
def _unicode_text(b: Binder, node: exp.UnicodeString, scope: Scope) -> Expression:
    """U&'\\00e9', with four digits, or six after a plus."""
    escape = node.args.get("escape")
    return literals.unicode_string(node.this, escape.name if escape else "\\", b.position(node))


FORMS: dict[str, Callable[[Binder, exp.Anonymous, Scope], Expression]] = {
    "try": _try,
    "normalize": _normalize,
    "iff": _iff,
    "nvl2": _nvl2,
    "current_timestamp": _moment,
    "localtimestamp": _moment,
    "localtime": _moment,
    "current_time": _no_time_with_zone,
    "current_groups": _groups,
    "word_stem": _word_stem,
    **dict.fromkeys(("bar", "color", "render", "rgb"), _drawn),
}
