"""The path language of SQL/JSON: the text of a path to a tree of tuples.

Each node is its kind and its parts: `("member", base, name)`. The grammar is Trino's, and closed: what it
does not have is an error with its place in the text.
"""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

Node = tuple[Any, ...]

METHODS = ("abs", "ceiling", "double", "floor", "keyvalue", "size", "type")
COMPARISONS = ("==", "<>", "!=", "<", ">", "<=", ">=")
# In Trino's grammar, and refused there too.
_UNBUILT = {"datetime": "the datetime() method", "like_regex": "the like_regex predicate"}
# What is evaluated by recursion must end before the stack does.
_MAX_NESTING = 64
_MAX_TOKENS = 400
_TOKEN = re.compile(
    r"""[ \r\n\t]*(?:
    (?P<double>(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)[eE][+-]?[0-9]+)
    |(?P<decimal>[0-9]+\.[0-9]*|\.[0-9]+)
    |(?P<integer>[0-9]+)
    |(?P<string>"(?:[^"]|"")*")
    |(?P<variable>\$[A-Za-z_][A-Za-z_0-9]*)
    |(?P<name>[A-Za-z_][A-Za-z_0-9]*)
    |(?P<symbol>==|<>|!=|<=|>=|&&|\|\||\.\.|[-+*/%.$@?()\[\],<>!])
    |(?P<end>$)
    )""",
    re.VERBOSE,
)


class PathError(ValueError):
    """Where a path is wrong, with the name of Trino's error. Without an offset, the whole path is meant."""

    def __init__(self, message: str, offset: int | None = None, code: str = "SYNTAX_ERROR") -> None:
        super().__init__(message)
        self.offset = offset
        self.code = code


class Path:
    """A path that was read: its mode, its tree, and the variables that it names."""

    def __init__(self, lax: bool, root: Node, variables: tuple[str, ...]) -> None:
        self.lax = lax
        self.root = root
        self.variables = variables


def parse(text: str) -> Path:
    return _Parser(text).path()


class _Parser:
    def __init__(self, text: str) -> None:
        self.tokens = _tokens(text)
        if len(self.tokens) > _MAX_TOKENS:
            raise PathError(f"a path has at most {_MAX_TOKENS} words", self.tokens[_MAX_TOKENS][2])
        self.at = 0
        self.depth = 0
        self.variables: list[str] = []
        self.predicates: dict[int, tuple[Node, int] | PathError] = {}

    def path(self) -> Path:
        mode = self._word("lax", "strict")
        if mode is None:
            raise self._unexpected("lax or strict")
        root = self._sum()
        if self._kind() != "end":
            raise self._unexpected("the end of the path")
        return Path(mode == "lax", root, tuple(dict.fromkeys(self.variables)))

    def _kind(self) -> str:
        return self.tokens[self.at][0]

    def _text(self) -> str:
        return self.tokens[self.at][1]

    def _unexpected(self, wanted: str) -> PathError:
        _, text, offset = self.tokens[self.at]
        return PathError(
            f"found {text!r} where {wanted} should be" if text else f"{wanted} is missing", offset
        )

    def _symbol(self, *symbols: str) -> str | None:
        if self._kind() == "symbol" and self._text() in symbols:
            self.at += 1
            return self.tokens[self.at - 1][1]
        return None

    def _word(self, *words: str) -> str | None:
        if self._kind() == "name" and self._text() in words:
            self.at += 1
            return self.tokens[self.at - 1][1]
        return None

    def _expect(self, symbol: str) -> None:
        if self._symbol(symbol) is None:
            raise self._unexpected(symbol)

    def _sum(self) -> Node:
        self.depth += 1
        if self.depth > _MAX_NESTING:
            raise PathError(f"a path has at most {_MAX_NESTING} levels", self.tokens[self.at][2])
        node = self._product()
        while operator := self._symbol("+", "-"):
            node = _arithmetic(operator, node, self._product())
        self.depth -= 1
        return node

    def _product(self) -> Node:
        node = self._signed()
        while operator := self._symbol("*", "/", "%"):
            node = _arithmetic(operator, node, self._signed())
        return node

    def _signed(self) -> Node:
        signs = []
        while self._text() in ("+", "-") and self._kind() == "symbol":
            # The minus of a number is its own: -2.75.floor() is -3.
            if self._text() == "-" and self.tokens[self.at + 1][0] in ("double", "decimal", "integer"):
                break
            signs.append(self._text())
            self.at += 1
        node = self._accessors()
        for sign in reversed(signs):
            node = ("sign", sign, node)
        return node

    def _accessors(self) -> Node:
        node = self._primary()
        while True:
            if self._symbol(".."):
                node = ("descendants", node, self._member_name())
            elif self._symbol("."):
                node = self._member(node)
            elif self._symbol("["):
                node = self._subscripts(node)
            elif self._symbol("?"):
                self._expect("(")
                node = ("filter", node, self._disjunction())
                self._expect(")")
            else:
                return node

    def _member(self, base: Node) -> Node:
        if self._symbol("*"):
            return ("member", base, None)
        name = self._text()
        called = self._kind() == "name" and self.tokens[self.at + 1][1] == "("
        if called and name in _UNBUILT:
            raise PathError(f"{_UNBUILT[name]} of a JSON path is not supported", None, "NOT_SUPPORTED")
        if called and name in METHODS:
            self.at += 1
            self._expect("(")
            self._expect(")")
            return ("method", base, name)
        return ("member", base, self._member_name())

    def _member_name(self) -> str:
        kind, text, _ = self.tokens[self.at]
        if kind not in ("name", "string"):
            raise self._unexpected("the name of a member")
        self.at += 1
        return _unquoted(text) if kind == "string" else text

    def _subscripts(self, base: Node) -> Node:
        if self._symbol("*"):
            self._expect("]")
            return ("subscripts", base, ())
        found = []
        while True:
            first = self._sum()
            found.append((first, self._sum() if self._word("to") else None))
            if not self._symbol(","):
                break
        self._expect("]")
        return ("subscripts", base, tuple(found))

    def _primary(self) -> Node:
        if self._symbol("("):
            node = self._sum()
            self._expect(")")
            return node
        if self._symbol("$"):
            return ("context",)
        if self._symbol("@"):
            return ("item",)
        start = self.at
        negative = self._symbol("-") is not None
        kind, text, offset = self.tokens[self.at]
        if kind in ("integer", "decimal", "double"):
            self.at += 1
            return ("literal", *_number(kind, "-" + text if negative else text, offset))
        self.at = start
        self.at += 1
        if kind == "string" and not negative:
            return ("literal", "varchar", _unquoted(text))
        if kind == "variable" and not negative:
            self.variables.append(text[1:])
            return ("variable", text[1:])
        if kind == "name" and text in ("true", "false"):
            return ("literal", "boolean", text == "true")
        if kind == "name" and text == "null":
            return ("null",)
        if kind == "name" and text == "last":
            return ("last",)
        self.at = start
        raise self._unexpected("a path")

    def _disjunction(self) -> Node:
        node = self._conjunction()
        while self._symbol("||"):
            node = ("or", node, self._conjunction())
        return node

    def _conjunction(self) -> Node:
        node = self._predicate()
        while self._symbol("&&"):
            node = ("and", node, self._predicate())
        return node

    def _predicate(self) -> Node:
        if self._symbol("!"):
            return ("not", self._delimited())
        if self._kind() == "name" and self._text() == "exists":
            return self._delimited()
        failure = None
        if self._kind() == "symbol" and self._text() == "(":
            # What is in parentheses may be a predicate, or a path that is compared.
            start = self.at
            try:
                node = self._delimited()
                if self._word("is"):
                    if self._word("unknown") is None:
                        raise self._unexpected("unknown")
                    return ("unknown", node)
                if self._kind() == "end" or self._text() in (")", "&&", "||"):
                    return node
            except PathError as error:
                failure = error
            self.at = start
        try:
            return self._comparison()
        except PathError as error:
            if failure is not None and (failure.offset or 0) > (error.offset or 0):
                raise failure from None
            raise

    def _delimited(self) -> Node:
        if self._word("exists"):
            self._expect("(")
            path = self._sum()
            self._expect(")")
            return ("exists", path)
        start = self.at
        known = self.predicates.get(start)
        if isinstance(known, PathError):
            raise known
        if known is not None:
            node, self.at = known
            return node
        depth = self.depth
        try:
            self._expect("(")
            self.depth += 1
            if self.depth > _MAX_NESTING:
                raise PathError(f"a path has at most {_MAX_NESTING} levels", self.tokens[self.at][2])
            node = self._disjunction()
            self._expect(")")
        except PathError as error:
            self.predicates[start] = error
            raise
        finally:
            self.depth = depth
        self.predicates[start] = (node, self.at)
        return node

    def _comparison(self) -> Node:
        depth = self.depth
        left = self._sum()
        self.depth = depth
        operator = self._symbol(*COMPARISONS)
        if operator is not None:
            return ("compare", operator, left, self._sum())
        if self._word("starts"):
            if self._word("with") is None:
                raise self._unexpected("with")
            if self._kind() not in ("string", "variable"):
                raise self._unexpected("a text or a variable")
            return ("starts", left, self._primary())
        if self._word("like_regex"):
            raise PathError(
                f"{_UNBUILT['like_regex']} of a JSON path is not supported", None, "NOT_SUPPORTED"
            )
        raise self._unexpected("a comparison")


def _tokens(text: str) -> list[tuple[str, str, int]]:
    found, at = [], 0
    while True:
        match = _TOKEN.match(text, at)
        if match is None:
            at += len(text[at:]) - len(text[at:].lstrip(" \r\n\t"))
            raise PathError(f"{text[at]!r} has no meaning in a path", at)
        kind = match.lastgroup
        assert kind is not None
        found.append((kind, match[kind], match.start(kind)))
        if kind == "end":
            return found
        at = match.end()


def _unquoted(text: str) -> str:
    return text[1:-1].replace('""', '"')


def _number(kind: str, text: str, offset: int) -> tuple[Any, ...]:
    if kind == "double":
        return "double", float(text)
    if kind == "integer":
        integer = int(text) if len(text) < 40 else 1 << 64
        if -(1 << 31) <= integer < 1 << 31:
            return "integer", integer
        if -(1 << 63) <= integer < 1 << 63:
            return "bigint", integer
        raise PathError(f"{text} is no bigint", offset)
    whole, _, fraction = text.lstrip("-").partition(".")
    precision = len(whole.lstrip("0")) + len(fraction)
    if precision > 38:
        raise PathError(f"{text} has more than 38 digits", offset, "INVALID_LITERAL")
    number = Decimal(text)
    return "decimal", number if number else abs(number), max(precision, 1)


def _arithmetic(operator: str, left: Node, right: Node) -> Node:
    if left[0] == right[0] == "literal" and {left[1], right[1]} & {"varchar", "boolean"}:
        raise PathError(f"{left[1]} {operator} {right[1]} is no arithmetic", None, "INVALID_PATH")
    return ("arithmetic", operator, left, right)
