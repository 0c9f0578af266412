"""What a `?` without a value is taken for, where it is given to a function that takes several types."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

from sqe.errors import Position, TypeMismatch
from sqe.functions import registry
from sqe.functions.signatures import Argument
from sqe.tree.expressions import Parameter
from sqe.types import sql_types as t

# A client that sends what it is told to loses least so.
_GUESSES = (t.DOUBLE, t.VARCHAR, t.Timestamp(6), t.DATE, t.DAY_SECOND, t.VARBINARY)
# NULL fits best into the smallest of all numbers, and few values do.
_NARROW = (t.TINYINT, t.SMALLINT, t.REAL)


def resolve(
    function: registry.Function,
    given: Sequence[Argument],
    bound: Sequence[object],
    position: Position | None,
) -> registry.Resolution:
    """`given` are the types of what is `bound`. Statements that run have values, and nothing is guessed."""
    if not any(isinstance(argument, Parameter) for argument in bound):
        return registry.resolve(function, given, position)
    with suppress(TypeMismatch):
        found = registry.resolve(function, given, position)
        taken = {p for p, b in zip(found.parameters, bound, strict=True) if isinstance(b, Parameter)}
        if not any(kind in _NARROW and kind not in given for kind in taken):
            return found
    for guess in _guesses(given):
        filled = [guess if isinstance(b, Parameter) else g for g, b in zip(given, bound, strict=True)]
        with suppress(TypeMismatch):
            return registry.resolve(function, filled, position)
    return registry.resolve(function, given, position)


def _guesses(given: Sequence[Argument]) -> Iterator[t.Type]:
    """What stands beside it first."""
    yield from (kind for kind in given if isinstance(kind, t.Type) and kind != t.UNKNOWN)
    yield from _GUESSES
