"""Cut a script into statements, without parsing it."""

from __future__ import annotations

import re

from sqe.foundation.record import record

# What can hide a semicolon: strings, quoted names, comments, $tag$ ... $tag$. An unterminated one
# runs to the end of the text and is the parser's to complain about.
_TOKEN = re.compile(
    r"""
    '(?:[^']|'')*(?:'|\Z)
  | "(?:[^"]|"")*(?:"|\Z)
  | --[^\n]*
  | /\*.*?(?:\*/|\Z)
  | (?P<tag>\$[A-Za-z_]*\$).*?(?:(?P=tag)|\Z)
  | (?P<end>;)
    """,
    re.VERBOSE | re.DOTALL,
)
_BLANK = re.compile(r"(?:\s+|--[^\n]*|/\*.*?(?:\*/|\Z))*", re.DOTALL)


@record
class StatementText:
    """One statement of a script; `line` and `column` say where it begins, counted from 1."""

    text: str
    line: int
    column: int


def split(script: str) -> list[StatementText]:
    """The statements of a script, without their semicolons; empty ones and mere comments are left out."""
    statements = []
    start = 0
    for match in _TOKEN.finditer(script):
        if match["end"]:
            statements.extend(_statement(script, start, match.start()))
            start = match.end()
    statements.extend(_statement(script, start, len(script)))
    return statements


def is_complete(script: str) -> bool:
    """Whether the last statement is ended by a semicolon (what a shell waits for)."""
    last = None
    for match in _TOKEN.finditer(script):
        if match["end"]:
            last = match.end()
    if last is None:
        return False
    blank = _BLANK.match(script, last)
    return blank is not None and blank.end() == len(script)


def find_unquoted(text: str, character: str) -> int | None:
    """Where a character stands outside of strings, quoted names and comments."""
    begin = 0
    for match in _TOKEN.finditer(text):
        offset = text.find(character, begin, match.start())
        if offset >= 0:
            return offset
        begin = match.end()
    offset = text.find(character, begin)
    return offset if offset >= 0 else None


def _statement(script: str, start: int, end: int) -> list[StatementText]:
    blank = _BLANK.match(script, start, end)
    begin = blank.end() if blank else start
    text = script[begin:end].rstrip()
    if not text:
        return []
    line = script.count("\n", 0, begin) + 1
    column = begin - (script.rfind("\n", 0, begin) + 1) + 1
    return [StatementText(text, line, column)]
