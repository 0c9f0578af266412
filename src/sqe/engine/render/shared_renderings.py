"""Renderings that both engines share."""

from __future__ import annotations

from collections.abc import Sequence

from sqe.engine.render.renderings import AggregateOrWindow, AggregateRenderer, Renderer
from sqe.errors import NotSupported
from sqe.functions.constants import constant, constant_integer, constant_text, invalid
from sqe.functions.index import TRY_PREFIX
from sqe.tree.expressions import Call
from sqe.types.sql_types import APPROXIMATE, Decimal, Type, is_integer

Texts = Sequence[str]


def chained(word: str) -> Renderer:
    """AND and OR."""

    def render(call: Call, texts: Texts) -> str:
        return "(" + f" {word} ".join(texts) + ")"

    return render


def count(call: AggregateOrWindow, texts: Texts) -> str:
    return f"count({{distinct}}{texts[0]}){{over}}" if texts else "count(*){over}"


def shifted(name: str, nulls: str = "") -> AggregateRenderer:
    """lag and lead; Spark wants a constant offset. DuckDB wants IGNORE NULLS among the arguments."""

    def render(call: AggregateOrWindow, texts: Texts) -> str:
        arguments = [texts[0]]
        if len(texts) > 1:
            offset = constant_integer(call, 1, "the offset")
            if offset is None or offset < 0:
                raise invalid(call, "Offset must be at least 0")
            arguments.append(str(offset))
        arguments.extend(texts[2:])
        return f"{name}({', '.join(arguments)}{nulls}){{over}}"

    return render


def framed(name: str, nulls: str = "") -> AggregateRenderer:
    """first_value and last_value."""

    def render(call: AggregateOrWindow, texts: Texts) -> str:
        return f"{name}({texts[0]}{nulls}){{over}}"

    return render


def nth_value(nulls: str = "") -> AggregateRenderer:
    def render(call: AggregateOrWindow, texts: Texts) -> str:
        position = constant_integer(call, 1, "the position")
        if position is None or position < 1:
            raise invalid(call, "Offset must be at least 1")
        return f"nth_value({texts[0]}, {position}{nulls}){{over}}"

    return render


def ntile(call: AggregateOrWindow, texts: Texts) -> str:
    count = constant_integer(call, 0, "the number of buckets")
    if count is None or count < 1:
        raise invalid(call, "Buckets must be greater than 0")
    return f"CAST(ntile({count}){{over}} AS BIGINT)"


_FORMS = ("NFC", "NFD", "NFKC", "NFKD")


def normalize(call: Call, texts: Texts) -> str:
    form = constant_text(call, 1, "the form")
    if form not in _FORMS:
        raise invalid(call, f"Normalization form must be one of {', '.join(_FORMS)}")
    return f"sqe_texts_normalize({texts[0]}, {texts[1]})"


def with_json_path(body: str) -> Renderer:
    """A path that is a constant is checked before the statement runs, and so raises for no row."""

    def render(call: Call, texts: Texts) -> str:
        path = constant(call.arguments[1])
        if isinstance(path, str):
            from sqe.functions.bodies.arrow import BodyError
            from sqe.functions.bodies.json_text import steps

            try:
                steps(path)
            except BodyError:
                raise invalid(call, f"Invalid JSON path: '{path}'") from None
        return f"sqe_json_text_{body}({texts[0]}, {texts[1]})"

    return render


def require_numbers(call: Call) -> None:
    """TRY of arithmetic is for numbers alone."""
    if any(not _is_number(argument.type) for argument in call.arguments):
        name = call.function.removeprefix(TRY_PREFIX).removeprefix("$")
        raise NotSupported(f"TRY of {name} of dates or intervals", position=call.position)


def _is_number(t: Type) -> bool:
    return is_integer(t) or isinstance(t, Decimal) or t in APPROXIMATE
