"""Pieces of Spark SQL that several families need: literals, shared arguments, errors."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqe.engine.render.failures import Failure
from sqe.engine.render.renderings import Renderer
from sqe.engine.render.templates import fill

# One way to write a literal, with braces and control characters escaped: they mean something in templates.
from sqe.engine.spark.literals import string as string
from sqe.tree.expressions import Call

_PLACEHOLDER = re.compile(r"\{(\d+)\}")
# Beyond this, a text that a template repeats is computed once instead: repeating doubles with each nesting.
_SHORT = 60
_ARGUMENT = "arg_"


def refuse(message: str, code: str = "INVALID_FUNCTION_ARGUMENT") -> str:
    """An expression that fails when it is computed, with an error of ours."""
    return str(Failure(code, message))


def share(template: str, texts: Sequence[str]) -> str:
    """Fill a template; long texts that it uses more than once are bound to a name and computed once."""
    uses = [int(index) for index in _PLACEHOLDER.findall(template)]
    if all(len(texts[index]) <= _SHORT or uses.count(index) == 1 for index in set(uses)):
        return fill(template, texts)
    # SQL has no LET: a lambda over an array of one struct is Spark's nearest.
    fields = ", ".join(f"'a{index}', {texts[index]}" for index in sorted(set(uses)))
    body = _PLACEHOLDER.sub(lambda place: f"{_ARGUMENT}.a{place[1]}", template)
    return f"transform(array(named_struct({fields})), {_ARGUMENT} -> {body})[0]"


def shared(template: str) -> Renderer:
    """A renderer of a template that uses an argument more than once."""

    def render(call: Call, texts: Sequence[str]) -> str:
        return share(template, texts)

    return render
