"""Arguments of a call that are constants: what can be said of them before the statement runs."""

from __future__ import annotations

import math

from sqe.errors import NotSupported, UserError
from sqe.tree.expressions import AggregateCall, Call, Cast, Expression, Literal, WindowCall

FunctionCall = Call | AggregateCall | WindowCall
MISSING = object()


def constant(expression: Expression) -> object:
    """The value of a literal, through implicit casts; MISSING where it is not one."""
    while isinstance(expression, Cast) and expression.implicit:
        expression = expression.operand
    return expression.value if isinstance(expression, Literal) else MISSING


def nonzero(expression: Expression) -> bool:
    """Whether it is a constant other than zero and NULL."""
    value = constant(expression)
    return value is not MISSING and value is not None and value != 0


def is_number(expression: Expression) -> bool:
    """Whether it is a constant that is neither NULL nor NaN."""
    value = constant(expression)
    return isinstance(value, (int, float)) and not math.isnan(value) if value is not None else False


def constant_text(call: FunctionCall, index: int, what: str) -> str | None:
    """A text that must be known before the query runs; None is NULL."""
    value = constant(call.arguments[index])
    if value is None or isinstance(value, str):
        return value
    raise NotSupported(f"{call.function}: {what} must be a constant", position=call.position)


def constant_integer(call: FunctionCall, index: int, what: str) -> int | None:
    value = constant(call.arguments[index])
    if isinstance(value, int) or value is None:
        return value
    # -1 arrives as a negation of 1.
    negated = _negated(call.arguments[index])
    if negated is not None:
        return negated
    raise NotSupported(f"{call.function}: {what} must be a constant", position=call.position)


def _negated(expression: Expression) -> int | None:
    while isinstance(expression, Cast) and expression.implicit:
        expression = expression.operand
    if not isinstance(expression, Call) or expression.function != "$neg":
        return None
    value = constant(expression.arguments[0])
    return -value if isinstance(value, int) else None


def invalid(call: FunctionCall, message: str) -> UserError:
    return UserError(message, code="INVALID_FUNCTION_ARGUMENT", position=call.position)
