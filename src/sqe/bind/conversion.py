"""The closed door between sqlglot's syntax and our tree.

A table of conversions knows, for each syntax class, the function that converts it and the arguments
that this function reads. A class that is not in the table, or an argument that is set but not read,
is an error: nothing passes by being overlooked.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sqlglot import exp

from sqe.errors import NotSupported
from sqe.foundation.record import record
from sqe.sql.parse import position_of

# What an option that is not given looks like in sqlglot's trees.
_ABSENT: tuple[object, ...] = (None, False, "", [])


@record
class Conversion:
    convert: Callable[..., Any]
    arguments: frozenset[str]


class Conversions:
    """The syntax classes that may stand in one kind of place (expression, relation, query, statement)."""

    def __init__(self, place: str) -> None:
        self.place = place
        self.table: dict[type, Conversion] = {}

    def of(self, *classes: type, reads: str = "") -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Register a conversion; `reads` names the arguments it takes, separated by blanks."""

        def register(convert: Callable[..., Any]) -> Callable[..., Any]:
            for syntax in classes:
                assert syntax not in self.table, syntax
                self.table[syntax] = Conversion(convert, frozenset(reads.split()))
            return convert

        return register

    def find(self, node: exp.Expr, text: str) -> Callable[..., Any]:
        conversion = self.table.get(type(node))
        if conversion is None:
            raise NotSupported(f"{describe(node)} is not supported here", position=position_of(node, text))
        check_arguments(node, conversion.arguments, text)
        return conversion.convert


def check_arguments(node: exp.Expr, supported: frozenset[str] | set[str], text: str) -> None:
    """Refuse arguments that are set on a node and not `supported`."""
    for name, value in node.args.items():
        if name not in supported and not any(value is absent or value == absent for absent in _ABSENT):
            raise NotSupported(
                f"{describe(node)} with {name.strip('_').replace('_', ' ').upper()} is not supported",
                position=position_of(node, text),
            )


def describe(node: exp.Expr) -> str:
    """A syntax class in words that a user may know: NullSafeEQ -> NULL SAFE EQ."""
    if isinstance(node, exp.Command):
        return f"this form of {str(node.this).upper()}"
    if isinstance(node, exp.Anonymous) and node.this:
        return f"{node.name}()"
    words = ""
    for char in type(node).__name__:
        words += f" {char}" if char.isupper() and words and not words[-1].isupper() else char
    return words.upper()


# The four kinds of places. The modules of this room fill them as they are imported.
EXPRESSIONS = Conversions("an expression")
RELATIONS = Conversions("FROM")
QUERIES = Conversions("a query")
STATEMENTS = Conversions("a statement")
