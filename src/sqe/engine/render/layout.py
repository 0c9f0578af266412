"""How rendered SQL is broken into lines.

A text of one line is opaque: it may be put behind another one, into parentheses or further to the right,
and what stands in it, a user's name for example, is never looked at. Only marks of our own may be in it,
where a query inside an expression has its breaks; no text of a user's can hold them (quoting.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterable

# The depth of its indentation, and its text.
Line = tuple[int, str]
Lines = tuple[Line, ...]

_WIDTH = 90
_BREAK, _DEEPER, _BACK = "\x1c", "\x1d", "\x1e"
_MARKS = re.compile(f"[{_BREAK}{_DEEPER}{_BACK}]")


def line(text: str) -> Lines:
    return ((0, text),)


def deeper(lines: Lines) -> Lines:
    return tuple((depth + 1, text) for depth, text in lines)


def before(prefix: str, lines: Lines) -> Lines:
    (depth, first), *rest = lines
    return ((depth, prefix + first), *rest)


def after(lines: Lines, suffix: str) -> Lines:
    *rest, (depth, last) = lines
    return (*rest, (depth, last + suffix))


def listed(first: str, texts: Iterable[str], rest: str = "", end: str = "") -> Lines:
    """A text a line: `first` stands before the first, `rest` before the others, `end` after all but the
    last."""
    shown = [(0, first + text) if not number else (1, rest + text) for number, text in enumerate(texts)]
    return (*((depth, text + end) for depth, text in shown[:-1]), *shown[-1:])


def derived(lines: Lines) -> Lines:
    """A query in parentheses, on one line if it is short."""
    return line(f"({flat(lines)})") if _is_short(lines) else ((0, "("), *deeper(lines), (0, ")"))


def inner(lines: Lines) -> str:
    """The same as a text that may stand in an expression."""
    if _is_short(lines):
        return f"({flat(lines)})"
    pieces = ["(", _DEEPER]
    at = 0
    for depth, text in lines:
        pieces += [_DEEPER * (depth - at), _BACK * (at - depth), _BREAK, text]
        at = depth
    return "".join((*pieces, _BACK * (at + 1), _BREAK, ")"))


def _is_short(lines: Lines) -> bool:
    return sum(len(text) + 1 for _, text in lines) - 1 <= _WIDTH


def fits(text: str) -> bool:
    return len(text) <= _WIDTH


def flat(lines: Lines) -> str:
    return " ".join(text for _, text in lines)


def laid_out(lines: Lines) -> str:
    return "\n".join(
        "  " * depth + (_broken(text, depth) if _BREAK in text else text) for depth, text in lines
    )


def _broken(text: str, depth: int) -> str:
    if _BREAK not in text:
        return text

    def mark(match: re.Match[str]) -> str:
        nonlocal depth
        depth += (match[0] == _DEEPER) - (match[0] == _BACK)
        return "\n" + "  " * depth if match[0] == _BREAK else ""

    return _MARKS.sub(mark, text)
