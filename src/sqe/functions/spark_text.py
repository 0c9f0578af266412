"""Pieces of Spark SQL that several families need: literals, shared arguments, constants of a call."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

# One way to write a literal, with braces and control characters escaped: they mean something in templates.
from sqe.engine.spark.literals import string as string
from sqe.errors import NotSupported, UserError
from sqe.functions.function import Renderer, fill
from sqe.tree.expressions import Cast, Literal

_PLACEHOLDER = re.compile(r"\{(\d+)\}")
# Beyond this, a text that a template repeats is computed once instead: repeating doubles with each nesting.
_SHORT = 60
_ARGUMENT = "arg_"


def refuse(message: str, code: str = "INVALID_FUNCTION_ARGUMENT") -> str:
    """An expression that fails when it is computed, with an error of ours."""
    return f"raise_error({string(f'SQE:{code}:{message}')})"


def share(template: str, texts: Sequence[str]) -> str:
    """Fill a template; long texts that it uses more than once are bound to a name and computed once."""
    uses = [int(index) for index in _PLACEHOLDER.findall(template)]
    if all(len(texts[index]) <= _SHORT or uses.count(index) == 1 for index in set(uses)):
        return fill(template, texts)
    # SQL has no LET: a lambda over an array of one struct is Spark's nearest.
    fields = ", ".join(f"'a{index}', {texts[index]}" for index in sorted(set(uses)))
    body = _PLACEHOLDER.sub(lambda found: f"{_ARGUMENT}.a{found[1]}", template)
    return f"transform(array(named_struct({fields})), {_ARGUMENT} -> {body})[0]"


def shared(template: str) -> Renderer:
    """A renderer of a template that uses an argument more than once."""

    def render(call: Any, texts: Sequence[str]) -> str:
        return share(template, texts)

    return render


MISSING = object()


def constant(expression: Any) -> object:
    """The value of a literal, through coercions of ours; MISSING where it is not one."""
    while isinstance(expression, Cast) and expression.implicit:
        expression = expression.operand
    return expression.value if isinstance(expression, Literal) else MISSING


def nonzero(expression: Any) -> bool:
    """Whether it is a constant other than zero and NULL."""
    value = constant(expression)
    return value is not MISSING and value is not None and value != 0


def is_number(expression: Any) -> bool:
    """Whether it is a constant that is neither NULL nor NaN."""
    value = constant(expression)
    return isinstance(value, (int, float)) and not math.isnan(value) if value is not None else False


def constant_text(call: Any, index: int, what: str) -> str | None:
    """A text that must be known before the query runs; None is NULL."""
    value = constant(call.arguments[index])
    if value is None or isinstance(value, str):
        return value
    raise NotSupported(f"{call.function}: {what} must be a constant", position=call.position)


def constant_integer(call: Any, index: int, what: str) -> int | None:
    value = constant(call.arguments[index])
    if isinstance(value, int) or value is None:
        return value
    # -1 arrives as a negation of 1.
    negated = _negated(call.arguments[index])
    if negated is not None:
        return negated
    raise NotSupported(f"{call.function}: {what} must be a constant", position=call.position)


def _negated(expression: Any) -> int | None:
    while isinstance(expression, Cast) and expression.implicit:
        expression = expression.operand
    if getattr(expression, "function", None) != "$neg":
        return None
    value = constant(expression.arguments[0])
    return -value if isinstance(value, int) else None


def invalid(call: Any, message: str) -> UserError:
    return UserError(message, code="INVALID_FUNCTION_ARGUMENT", position=call.position)
