"""How names are folded and compared."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

from sqlglot import exp

from sqe.foundation.record import record

T = TypeVar("T")


@record
class Name:
    """An identifier as written. Unquoted ones fold to lower case."""

    text: str
    quoted: bool

    @property
    def folded(self) -> str:
        return self.text if self.quoted else self.text.lower()

    def __str__(self) -> str:
        return self.folded


def name_of(node: exp.Expr) -> Name:
    return Name(node.name, bool(node.args.get("quoted")))


def matches(name: str, candidates: Sequence[tuple[str, T]]) -> list[T]:
    """The candidates of exactly this name, else those that differ only in case."""
    exact = [value for candidate, value in candidates if candidate == name]
    if exact:
        return exact
    lower = name.lower()
    return [value for candidate, value in candidates if candidate.lower() == lower]
