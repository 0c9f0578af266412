"""What a statement that is being typed says so far: its tables, their aliases, and what may come next."""

from __future__ import annotations

from collections.abc import Sequence

from sqe.cli.tokens import Token, tokens
from sqe.foundation.record import record
from sqe.sql.keywords import KEYWORDS

# Behind these stands a table.
_BEFORE_TABLES = {"FROM", "JOIN", "INTO", "UPDATE", "USING", "TABLE", "DESCRIBE", "DESC", "VIEW", "EXISTS"}
# These begin a part of a statement, and so end a list of tables.
_CLAUSES = {
    *("SELECT", "FROM", "WHERE", "GROUP", "HAVING", "WINDOW", "QUALIFY", "ORDER", "LIMIT", "OFFSET", "FETCH"),
    *("ON", "SET", "VALUES", "UNION", "INTERSECT", "EXCEPT", "WHEN", "INTO", "UPDATE", "USING", "TABLE"),
    *("DESCRIBE", "DESC", "SHOW", "USE", "VIEW", "JOIN", "RETURNING", "PROPERTIES"),
}
# What stands in these are expressions.
_EXPRESSIONS = {
    *("SELECT", "WHERE", "GROUP", "HAVING", "WINDOW", "QUALIFY", "ORDER", "ON", "SET", "VALUES", "WHEN"),
}
_SCHEMA_SHOWS = {"TABLES", "VIEWS"}

Path = tuple[str, ...]


@record
class Place:
    """What the word at the cursor is.

    kind: beginning, table, schema, catalog, expression, keyword, file, or nothing.
    `path` are the names before it, each followed by a dot; `word` is what there is of it, from `start`.
    """

    kind: str
    path: Path = ()
    word: str = ""
    start: int = 0
    quoted: bool = False


def place_at(text: str) -> Place:
    """`text` is a statement up to the cursor."""
    pieces = list(tokens(text))
    last = pieces[-1] if pieces else None
    if last is not None and last.open and last.kind in ("string", "comment"):
        before = pieces[:-1]
        is_file = last.kind == "string" and bool(before) and before[-1].upper in ("FROM", "JOIN", ",", "(")
        if is_file and _clause(before) in ("FROM", "JOIN"):
            return Place("file", word=last.text[1:], start=last.start + 1)
        return Place("nothing")
    word, start, is_quoted = "", len(text), False
    if last is not None and last.end == len(text) and last.kind in ("word", "number", "quoted"):
        if last.kind == "number" or (last.kind == "quoted" and not last.open):
            return Place("nothing")
        word, start, is_quoted = last.text, last.start, last.kind == "quoted"
        if is_quoted:
            word = last.name
        pieces.pop()
    path: list[str] = []
    while len(pieces) >= 2 and pieces[-1].text == "." and pieces[-2].is_name:
        path.insert(0, pieces[-2].name)
        del pieces[-2:]
    if pieces and pieces[-1].text == ".":
        return Place("nothing")
    return Place(_kind(pieces), tuple(path), word, start, is_quoted)


def _kind(before: Sequence[Token]) -> str:
    if not before:
        return "beginning"
    last, words = before[-1].upper, [token.upper for token in before]
    if words in (["EXPLAIN"], ["AS"], ["EXPLAIN", "ANALYZE"], ["EXPLAIN", "ANALYZE", "VERBOSE"]):
        return "beginning"
    if words[0] == "USE":
        return "schema"
    if words[0] == "SHOW" and last in ("FROM", "IN"):
        return "schema" if words[1] in _SCHEMA_SHOWS else "catalog" if words[1] == "SCHEMAS" else "table"
    if last == "SCHEMA" and words[0] in ("DROP", "ALTER", "SHOW"):
        return "schema"
    clause = _clause(before)
    if last in _BEFORE_TABLES and not (last == "EXISTS" and words[0] not in ("DROP", "ALTER")):
        return "table"
    if last == "," and clause in ("FROM", "JOIN"):
        return "table"
    if clause in _EXPRESSIONS or (clause == "" and last in ("(", ",")):
        return "expression"
    return "keyword"


def _clause(before: Sequence[Token]) -> str:
    """The keyword that began the part of the statement at the end of `before`, within its parentheses."""
    stack = [""]
    for token in before:
        if token.text == "(":
            stack.append("")
        elif token.text == ")" and len(stack) > 1:
            stack.pop()
        elif token.upper in _CLAUSES:
            stack[-1] = token.upper
    if stack[-1] or len(stack) == 1:
        return stack[-1]
    # In the parentheses of a call, what stands around the call.
    around = next((clause for clause in reversed(stack) if clause), "")
    return around if around in _EXPRESSIONS else ""


def tables_of(statement: str) -> dict[str, Path]:
    """The tables that a statement names, by the name that its columns are written with: alias or name."""
    words = [token for token in tokens(statement) if token.kind != "comment"]
    tables: dict[str, Path] = {}
    in_list = False
    at = 0
    while at < len(words):
        word = words[at].upper
        starts = word in ("FROM", "JOIN", "INTO", "UPDATE", "USING", "TABLE") or (word == "," and in_list)
        if word in _CLAUSES and not starts:
            in_list = False
        at += 1
        if not starts:
            continue
        in_list = word in ("FROM", "JOIN", ",")
        path: list[str] = []
        while at < len(words) and words[at].is_name and (path or words[at].upper not in KEYWORDS):
            path.append(words[at].name)
            at += 1
            if at >= len(words) or words[at].text != ".":
                break
            at += 1
        if not path:
            continue
        if at < len(words) and words[at].upper == "AS":
            at += 1
        alias = path[-1]
        if at < len(words) and words[at].is_name and words[at].upper not in KEYWORDS:
            alias = words[at].name
            at += 1
        tables[alias] = tuple(path)
    return tables


def named_queries(statement: str) -> list[str]:
    """The names that WITH gives."""
    words = list(tokens(statement))
    return [
        name.name
        for name, word, mark in zip(words, words[1:], words[2:], strict=False)
        if name.is_name and word.upper == "AS" and mark.text == "(" and name.upper not in KEYWORDS
    ]
