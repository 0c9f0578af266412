"""LIKE, for names that are listed without an engine."""

from __future__ import annotations

import re

from sqe.errors import InvalidArgument


def like(pattern: str | None, escape: str | None = None) -> re.Pattern[str]:
    """What a pattern matches, as a whole; None matches everything."""
    if pattern is None:
        return re.compile("", re.DOTALL)
    # The texts between the %s.
    parts, escaped = [""], False
    for char in pattern:
        if escaped:
            if char not in ("%", "_", escape):
                raise InvalidArgument("the escape character must stand before %, _ or itself")
            parts[-1] += re.escape(char)
            escaped = False
        elif char == escape:
            escaped = True
        elif char == "%":
            parts.append("")
        else:
            parts[-1] += "." if char == "_" else re.escape(char)
    if escaped:
        raise InvalidArgument("the pattern ends with its escape character")
    first, *between, last = parts if len(parts) > 1 else (parts[0], "")
    # The first place of each text is as good as any later one. Without (?>) a pattern of many %s would try
    # them all, for ever, and hold up the whole process.
    middle = "".join(f"(?>.*?{part})" for part in between if part)
    return re.compile(first + middle + (".*" if len(parts) > 1 else "") + last + r"\Z", re.DOTALL)


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
