"""Pieces of DuckDB's SQL that several families need: literals, shared arguments, errors."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqe.engine.duckdb.literals import string as plain_string
from sqe.engine.render.failures import Failure
from sqe.engine.render.renderings import Renderer
from sqe.engine.render.templates import escape, fill
from sqe.tree.expressions import Call

_PLACEHOLDER = re.compile(r"\{(\d+)\}")
# DuckDB computes what stands twice in a text once, mostly. A long text is bound to a name: repeating
# doubles with each nesting.
_SHORT = 120
_ARGUMENT = "arg_"


def string(value: str) -> str:
    """A string literal in a template."""
    return escape(plain_string(value))


def struct(**fields: str) -> str:
    """A struct in a template."""
    parts = ", ".join(f"'{name}': {text}" for name, text in fields.items())
    return escape("{") + parts + escape("}")


def refuse(message: str, code: str = "INVALID_FUNCTION_ARGUMENT") -> str:
    """An expression that fails when it is computed, with an error of ours."""
    return str(Failure(code, message))


def give_up(what: str) -> str:
    """An expression that fails for what this lane cannot compute, with no error of ours: Spark takes over."""
    return f"error({string(f'the fast lane has no {what}')})"


def share(template: str, texts: Sequence[str]) -> str:
    """Fill a template; long texts that it uses more than once are bound to a name and computed once."""
    uses = [int(index) for index in _PLACEHOLDER.findall(template)]
    if all(len(texts[index]) <= _SHORT or uses.count(index) == 1 for index in set(uses)):
        return fill(template, texts)
    # SQL has no LET: a lambda over a list of one struct is the nearest.
    fields = struct(**{f"a{index}": texts[index] for index in sorted(set(uses))})
    body = _PLACEHOLDER.sub(lambda place: f"{_ARGUMENT}.a{place[1]}", template)
    return f"list_transform([{fields}], lambda {_ARGUMENT}: {body})[1]"


def shared(template: str) -> Renderer:
    """A renderer of a template that uses an argument more than once."""

    def render(call: Call, texts: Sequence[str]) -> str:
        return share(template, texts)

    return render


def applied(function: str, arguments: Sequence[str]) -> str:
    """The body of a lambda, each of its parameters bound to an argument."""
    names, body = function.removeprefix("lambda ").split(": ", 1)
    for name, argument in reversed(list(zip(names.split(", "), arguments, strict=True))):
        body = f"list_transform([{argument}], lambda {name}: {body})[1]"
    return body
