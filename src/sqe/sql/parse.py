"""Text to syntax tree, behind guards that hold before any recursion starts."""

from __future__ import annotations

import bisect
import itertools
import re
from bisect import bisect_right
from functools import lru_cache

from sqlglot import exp
from sqlglot.errors import ParseError, TokenError
from sqlglot.tokenizer_core import Token, TokenType

from sqe.errors import LimitExceeded, NotSupported, Position, SyntaxFault
from sqe.foundation.record import record
from sqe.foundation.recursion import MAX_NESTING, deep_recursion
from sqe.sql.dialect import Sqe
from sqe.sql.keywords import BEGINNINGS
from sqe.sql.split import find_unquoted

MAX_BYTES = 1 << 20

_GAP = r"(?>\s|--[^\n]*\n|/\*.*?\*/)"
_OPTION = rf"(?:TYPE|FORMAT)\b{_GAP}+\w+"
_EXPLAIN_OPTION = re.compile(rf"(TYPE|FORMAT)\b{_GAP}+(\w+)", re.IGNORECASE | re.DOTALL)
# What there is of each option, and what of it is built.
_EXPLAIN_TYPES = {"LOGICAL": True, "DISTRIBUTED": True, "VALIDATE": True, "IO": False}
_EXPLAIN_FORMATS = {"TEXT": True, "JSON": False, "GRAPHVIZ": False}
_EXPLAIN = re.compile(
    rf"{_GAP}*EXPLAIN\b(?:{_GAP}+(?P<analyze>ANALYZE)\b)?(?:{_GAP}+(?P<verbose>VERBOSE|FULL)\b)?"
    # As Trino, which takes no query in parentheses for these.
    rf"(?:{_GAP}*\((?P<options>{_GAP}*{_OPTION}(?:{_GAP}*,{_GAP}*{_OPTION})*{_GAP}*)\))?",
    re.IGNORECASE | re.DOTALL,
)
_OPENING = frozenset("([{")
_CLOSING = frozenset(")]}")
_DIALECT = Sqe()
NUMBER = "number"
_FIRST = "first"


@record
class Syntax:
    """A parsed statement. `explain` if EXPLAIN stood before it, `validate` if that only asks whether it can
    be planned; `parameters` is the number of its `?`."""

    node: exp.Expr
    text: str
    explain: bool = False
    parameters: int = 0
    analyze: bool = False
    verbose: bool = False
    validate: bool = False


@deep_recursion()
def parse(text: str, *, max_bytes: int = MAX_BYTES) -> Syntax:
    """One statement; an error has the position where it stopped making sense."""
    _guard_size(text, max_bytes)
    body = text
    explain = _EXPLAIN.match(text)
    validate = False
    if explain:
        validate = _explained_type(explain, text) == "VALIDATE"
        verbose = (explain["verbose"] or "").upper()
        if verbose and not (explain["analyze"] and verbose == "VERBOSE"):
            raise NotSupported(
                f"EXPLAIN {verbose} is not supported",
                position=position_at(text, explain.start("verbose")),
                hint="EXPLAIN, EXPLAIN ANALYZE and EXPLAIN ANALYZE VERBOSE are",
            )
        # Blanks keep every position what it is in the whole text.
        body = re.sub(r"[^\n]", " ", text[: explain.end()]) + text[explain.end() :]
    backquote = find_unquoted(text, "`")
    if backquote is not None:
        raise SyntaxFault(
            "names in backquotes are not supported",
            position=position_at(text, backquote),
            hint='quote names with double quotes: "name"',
        )
    tokens = _tokenize(body, text)
    _guard_nesting(tokens, text)
    _guard_aliases(tokens, text)
    _guard_options(tokens, text)
    _guard_offset(tokens, text)
    _guard_names(tokens, text)
    try:
        nodes = [n for n in _DIALECT.parser().parse(tokens, body) if n is not None]
    except ParseError as error:
        raise _syntax_fault(error, text, tokens) from None
    except RecursionError:
        raise _too_nested(None) from None
    nodes = [n for n in nodes if not isinstance(n, exp.Semicolon)]
    if not nodes:
        raise SyntaxFault("the statement is empty", position=Position(1, 1))
    if len(nodes) > 1:
        raise SyntaxFault("expected one statement", hint="send statements one at a time")
    node = nodes[0]
    assert isinstance(node, exp.Expr)
    if isinstance(node, (exp.Condition, exp.Alias)) and not isinstance(node, exp.Query):
        raise _no_statement(tokens[0], text)
    analyze, verbose = (explain["analyze"], explain["verbose"]) if explain else (None, None)
    return Syntax(node, text, bool(explain), _number_parameters(node), bool(analyze), bool(verbose), validate)


def _explained_type(explain: re.Match[str], text: str) -> str | None:
    """Of EXPLAIN (TYPE …, FORMAT …): logical and distributed plans are one and the same here."""
    kind: str | None = None
    for option in _EXPLAIN_OPTION.finditer(explain["options"] or ""):
        name, value = option[1].upper(), option[2].upper()
        known = _EXPLAIN_TYPES if name == "TYPE" else _EXPLAIN_FORMATS
        position = position_at(text, explain.start("options") + option.start(2))
        if value not in known:
            expected = ", ".join(f"'{each}'" for each in sorted(known))
            raise SyntaxFault(f"mismatched input '{option[2]}'. Expecting: {expected}", position=position)
        if not known[value] or explain["analyze"]:
            raise NotSupported(f"EXPLAIN ({name} {value}) is not supported", position=position)
        kind = value if name == "TYPE" else kind
    return kind


def _number_parameters(node: exp.Expr) -> int:
    """Gives each `?` its number in the order of the text, which is not the order of binding."""
    placeholders = sorted(node.find_all(exp.Placeholder), key=lambda p: int(p.meta.get("start", 0)))
    for number, placeholder in enumerate(placeholders):
        placeholder.meta[NUMBER] = number
    return len(placeholders)


def position_at(text: str, offset: int) -> Position:
    starts = _line_starts(text)
    line = bisect_right(starts, offset)
    return Position(line, offset - starts[line - 1] + 1)


@lru_cache(maxsize=4)
def _line_starts(text: str) -> list[int]:
    return [0, *(newline.end() for newline in re.finditer("\n", text))]


def position_of(node: exp.Expr, text: str) -> Position:
    """Where a node begins: its own place, or the first of what is below it, or the statement's."""
    first = _first_place(node)
    return position_at(text, len(text) - len(text.lstrip()) if first is None else first)


def _first_place(node: exp.Expr) -> int | None:
    """Cached in each node: of a long chain every node is asked for, and each lies below the one before."""
    waiting = [node]
    while waiting:
        below = list(waiting[-1].iter_expressions())
        unknown = [child for child in below if _FIRST not in child.meta]
        if unknown:
            waiting += unknown
            continue
        last = waiting.pop()
        places = [last.meta.get("start"), *(child.meta[_FIRST] for child in below)]
        last.meta[_FIRST] = min((place for place in places if place is not None), default=None)
    first: int | None = node.meta[_FIRST]
    return first


def _guard_size(text: str, max_bytes: int) -> None:
    size = len(text.encode(errors="surrogatepass"))
    if size > max_bytes:
        raise LimitExceeded(
            f"the statement has {size} bytes, more than query.max_sql_bytes = {max_bytes}",
            code="QUERY_TEXT_TOO_LARGE",
            hint="raise the limit, or write its rows by several statements",
        )
    bad = re.search(r"[\x00-\x08\x0b\x0e-\x1f\x7f\ud800-\udfff\ufffd]", text)
    if bad:
        raise SyntaxFault(
            f"the statement contains the character U+{ord(bad[0]):04X}",
            position=position_at(text, bad.start()),
            hint="is this text, in UTF-8?",
        )


# A sign directly after an exponent, which sqlglot would take into the number. Strings, names in quotes and
# comments are passed over.
_SIGN_AFTER_EXPONENT = re.compile(
    r"'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|--[^\n]*|/\*.*?\*/|(?P<number>\d\.?[eE]\d+)(?=[+-])", re.DOTALL
)


def _tokenize(body: str, text: str) -> list[Token]:
    blanks: list[int] = []
    pieces: list[str] = []
    end = 0
    for found in _SIGN_AFTER_EXPONENT.finditer(body):
        if found["number"]:
            blanks.append(found.end())
            pieces += [body[end : found.end()], " "]
            end = found.end()
    if not blanks:
        return _tokens(body, text)
    tokens = _tokens("".join([*pieces, body[end:]]), text)
    places = [blank + number for number, blank in enumerate(blanks)]
    for token in tokens:
        # Where it is in the user's text, which has no such blanks.
        before = bisect.bisect_right(places, token.start)
        token.start, token.end = token.start - before, token.end - before
    return tokens


def _tokens(body: str, text: str) -> list[Token]:
    try:
        return list(_DIALECT.tokenize(body))
    except TokenError as error:
        place = re.search(r"at (\d+):(\d+)|[Ll]ine (\d+), [Cc]ol:? (\d+)", str(error))
        numbers = [int(n) for n in place.groups() if n] if place else []
        position = Position(numbers[0], max(1, numbers[1])) if numbers else position_at(text, len(text))
        raise SyntaxFault("the text ends inside a string, name or comment", position=position) from None


# sqlglot forgives a comma before these.
_AFTER_NO_COMMA = {
    *(TokenType.FROM, TokenType.WHERE, TokenType.GROUP_BY, TokenType.HAVING, TokenType.ORDER_BY),
    *(TokenType.LIMIT, TokenType.UNION, TokenType.INTERSECT, TokenType.EXCEPT),
    *(TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.SEMICOLON),
}


def _guard_aliases(tokens: list[Token], text: str) -> None:
    """`1_000` and `1abc` would be read as a number and its alias, and `a:b` as a and its alias."""
    inside: list[bool] = []
    for before, token in zip([None, *tokens], tokens, strict=False):
        if token.token_type == TokenType.L_PAREN:
            inside.append(before is not None and before.text.lower() == "json_object")
        elif token.token_type == TokenType.R_PAREN and inside:
            inside.pop()
        elif token.token_type == TokenType.COLON and not (inside and inside[-1]):
            raise SyntaxFault("mismatched input ':'", position=position_at(text, token.start))
    for before, comma, after in zip(tokens, tokens[1:], [*tokens[2:], None], strict=False):
        if comma.token_type != TokenType.COMMA:
            continue
        if after is None or after.token_type in _AFTER_NO_COMMA:
            raise SyntaxFault("something is missing after ','", position=position_at(text, comma.start))
        if before.token_type == TokenType.NUMBER and text[: before.start].rstrip().upper().endswith("LIMIT"):
            raise SyntaxFault(
                "mismatched input ','", position=position_at(text, comma.start), hint="OFFSET 2 LIMIT 5"
            )
    for number, following in itertools.pairwise(tokens):
        glued = following.start == number.end + 1 and text[following.start].isidentifier()
        if number.token_type == TokenType.NUMBER and glued:
            raise SyntaxFault(
                f"'{number.text}{following.text}' is neither a number nor a name",
                position=position_at(text, number.start),
                hint="write numbers without underscores, and quote names that begin with a digit",
            )


def _guard_options(tokens: list[Token], text: str) -> None:
    """Words after a CREATE that sqlglot reads and forgets: WITH and WITH NO without more, WITH (), and
    DEFINER alone."""
    if not tokens or tokens[0].text.upper() != "CREATE":
        return
    words = [token.text.upper() if token.token_type != TokenType.IDENTIFIER else "" for token in tokens]
    words += [""] * 3
    for index, token in enumerate(tokens):
        following = words[index + 1 : index + 3]
        forgotten = words[index] == "WITH" and (following[0] in ("", ";") or following == ["(", ")"])
        forgotten |= words[index] == "WITH" and following[0] == "NO" and following[1] != "DATA"
        forgotten |= words[index] == "DEFINER" and words[index - 1] != "SECURITY"
        if forgotten and token.token_type != TokenType.IDENTIFIER:
            raise SyntaxFault(f"mismatched input '{token.text}'", position=position_at(text, token.start))


def _guard_names(tokens: list[Token], text: str) -> None:
    for token in tokens:
        if token.token_type == TokenType.IDENTIFIER and not token.text:
            raise SyntaxFault(
                "Zero-length delimited identifier not allowed", position=position_at(text, token.start)
            )


def _guard_offset(tokens: list[Token], text: str) -> None:
    """BigQuery's UNNEST(...) WITH OFFSET counts from 0, and sqlglot makes WITH ORDINALITY of it."""
    for before, with_, word in zip(tokens, tokens[1:], tokens[2:], strict=False):
        after_call = before.token_type == TokenType.R_PAREN and with_.token_type == TokenType.WITH
        if after_call and word.token_type != TokenType.IDENTIFIER and word.text.upper() == "OFFSET":
            raise NotSupported("UNNEST takes WITH ORDINALITY", position=position_at(text, word.start))


def _guard_nesting(tokens: list[Token], text: str) -> None:
    depth = 0
    for token in tokens:
        if token.text in _OPENING or token.text.upper() == "CASE":
            depth += 1
            if depth > MAX_NESTING:
                raise _too_nested(position_at(text, token.start))
        elif token.text in _CLOSING or token.text.upper() == "END":
            depth -= 1


def _too_nested(position: Position | None) -> SyntaxFault:
    return SyntaxFault(
        f"the statement is nested more than {MAX_NESTING} levels deep",
        code="QUERY_NESTED_TOO_DEEPLY",
        position=position,
        hint="name parts of it in a WITH clause",
    )


def _no_statement(first: Token, text: str) -> SyntaxFault:
    import difflib

    close = difflib.get_close_matches(first.text.upper(), BEGINNINGS, n=1)
    return SyntaxFault(
        f"no statement begins with '{first.text[:40]}'",
        position=position_at(text, first.start),
        hint=f"did you mean {close[0]}?" if close else None,
    )


def _syntax_fault(error: ParseError, text: str, tokens: list[Token]) -> SyntaxFault:
    if tokens and tokens[0].token_type == TokenType.VAR and tokens[0].text.upper() not in BEGINNINGS:
        # The parser took it for an expression, and stumbled over what comes after it.
        return _no_statement(tokens[0], text)
    detail = error.errors[0] if error.errors else {}
    highlight = detail.get("highlight") or ""
    before = detail.get("start_context") or ""
    position = None
    line, col = detail.get("line"), detail.get("col")
    if line and col:
        # sqlglot counts to the end of the token.
        position = Position(line, max(1, col - len(highlight) + 1))
    description = str(detail.get("description") or "")
    missing = re.match(r"Required keyword: '(\w+)' missing for <class '.*?\.(\w+)'>", description)
    at_end = bool(tokens) and not (detail.get("end_context") or "").strip()
    if missing:
        message = f"something is missing after '{highlight}'" if highlight else "something is missing"
    elif description.startswith("Expecting"):
        message = f"expected {description[len('Expecting ') :]} near '{highlight}'"
    elif highlight:
        message = f"mismatched input '{highlight}'"
    else:
        message = "the statement ends too early" if at_end and not before.strip() else "syntax error"
    return SyntaxFault(message, position=position)
