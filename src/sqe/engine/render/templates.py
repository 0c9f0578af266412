"""Templates of SQL: texts with places for other texts.

{0} {1} … are the arguments of a call and {args} is all of them. Aggregates and window functions also have
{distinct} and {over}, and {nulls} where an engine wants IGNORE NULLS among the arguments. What fills a place
may become a part of another template, so that braces that mean themselves are escaped until the whole is
written: by control characters, which stand in no text (literals escape them, and a name that is not plain is
a token: quoting.py).
"""

from __future__ import annotations

import re
from collections.abc import Sequence

_OPEN, _CLOSE = "\1", "\2"
_PLACE = re.compile(r"\{(\d+|args)\}")


def escape(text: str) -> str:
    """A text with braces that mean themselves."""
    return text.replace("{", _OPEN).replace("}", _CLOSE) if "{" in text or "}" in text else text


def restore(text: str) -> str:
    """SQL out of a template whose places are all filled."""
    return text.replace(_OPEN, "{").replace(_CLOSE, "}")


def fill(template: str, texts: Sequence[str]) -> str:
    """The places of arguments filled; others stay."""

    def text(place: re.Match[str]) -> str:
        return ", ".join(texts) if place[1] == "args" else texts[int(place[1])]

    return _PLACE.sub(text, template)


def over_rows(
    template: str, *, distinct: bool = False, filter: str = "", nulls: str = "", window: str = ""
) -> str:
    """The SQL of an aggregate or a window function: each part where the template has a place for it."""
    if "{nulls}" in template:
        template, nulls = template.replace("{nulls}", nulls), ""
    if "{over}" not in template:
        template += "{over}"
    text = template.replace("{distinct}", "DISTINCT " if distinct else "")
    return restore(text.replace("{over}", escape(filter + nulls + window)))
