"""The colours of SQL that is being typed."""

from __future__ import annotations

from collections.abc import Callable

from prompt_toolkit.document import Document
from prompt_toolkit.formatted_text import StyleAndTextTuples
from prompt_toolkit.lexers import Lexer
from prompt_toolkit.styles import Style

from sqe.cli.dot_commands import is_command
from sqe.cli.tokens import Token, tokens
from sqe.functions import registry
from sqe.sql.keywords import KEYWORDS, TYPES

# The terminal's own colours, which fit its background.
STYLE = Style.from_dict(
    {
        "prompt": "bold",
        "sql.keyword": "ansiblue bold",
        "sql.type": "ansicyan",
        "sql.function": "ansicyan",
        "sql.string": "ansigreen",
        "sql.number": "ansimagenta",
        "sql.comment": "ansibrightblack",
        "command": "ansiyellow",
    }
)
_FUNCTIONS = frozenset(registry.names())


class SqlLexer(Lexer):
    def lex_document(self, document: Document) -> Callable[[int], StyleAndTextTuples]:
        lines: list[StyleAndTextTuples] = [[]]
        for style, text in parts(document.text):
            for number, line in enumerate(text.split("\n")):
                if number:
                    lines.append([])
                lines[-1].append((style, line))
        return lambda number: lines[number] if number < len(lines) else []


def parts(text: str) -> list[tuple[str, str]]:
    """The whole text, each part with its style."""
    if is_command(text):
        name = text.split(" ")[0]
        return [("class:command", name), ("", text[len(name) :])]
    pieces = list(tokens(text, comments=True))
    result: list[tuple[str, str]] = []
    at = 0
    for index, token in enumerate(pieces):
        before = pieces[index - 1].text if index else ""
        after = pieces[index + 1].text if index + 1 < len(pieces) else ""
        result += [("", text[at : token.start]), (_style(token, before, after), token.text)]
        at = token.end
    return [*result, ("", text[at:])]


def _style(token: Token, before: str, after: str) -> str:
    if token.kind in ("string", "number", "comment"):
        return f"class:sql.{token.kind}"
    # Behind or before a dot, a word is a name.
    if token.kind == "word" and "." not in (before, after):
        if after == "(" and token.text.lower() in _FUNCTIONS:
            return "class:sql.function"
        if token.upper in TYPES:
            return "class:sql.type"
        if token.upper in KEYWORDS:
            return "class:sql.keyword"
    return ""
