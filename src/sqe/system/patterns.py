"""LIKE, for names that are listed without an engine."""

from __future__ import annotations

import re

from sqe.errors import InvalidArgument


def like(pattern: str | None, escape: str | None = None) -> re.Pattern[str]:
    """What a pattern matches, as a whole; None matches everything."""
    if pattern is None:
        return re.compile("", re.DOTALL)
    parts, escaped = [], False
    for char in pattern:
        if escaped:
            if char not in ("%", "_", escape):
                raise InvalidArgument("the escape character must stand before %, _ or itself")
            parts.append(re.escape(char))
            escaped = False
        elif char == escape:
            escaped = True
        else:
            parts.append({"%": ".*", "_": "."}.get(char) or re.escape(char))
    if escaped:
        raise InvalidArgument("the pattern ends with its escape character")
    return re.compile("".join(parts) + r"\Z", re.DOTALL)


def literal(pattern: str, escape: str | None = None) -> str | None:
    """The one text that a pattern without wildcards matches; None where it has some."""
    text, escaped = "", False
    for char in pattern:
        if not escaped and char == escape:
            escaped = True
            continue
        if not escaped and char in "%_":
            return None
        text, escaped = text + char, False
    return None if escaped else text
