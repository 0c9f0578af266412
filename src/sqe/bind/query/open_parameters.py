"""Which type a `?` without a value gets as an argument of an overloaded function."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress

from sqe.bind.query import constant_times
from sqe.errors import Position, TypeMismatch
from sqe.functions import registry
from sqe.functions.signatures import Argument
from sqe.tree.expressions import Parameter
from sqe.types import sql_types as t

# Clients convert values to the type that we announce, and lose least with these.
_GUESSES = (t.DOUBLE, t.VARCHAR, t.Timestamp(6), t.DATE, t.DAY_SECOND, t.VARBINARY)
# NULL resolves to the narrowest type of number, which holds few values.
_NARROW = (t.TINYINT, t.SMALLINT, t.REAL)


def resolve(
    function: registry.Function,
    types: Sequence[Argument],
    bound: Sequence[object],
    position: Position | None,
) -> registry.Resolution:
    """`types` are those of the `bound` arguments. Statements that run have values: nothing is guessed."""
    shown = constant_times.resolved(function.name, bound, position)
    if shown is not None:
        return shown
    if not any(isinstance(argument, Parameter) for argument in bound):
        return registry.resolve(function, types, position)
    with suppress(TypeMismatch):
        resolution = registry.resolve(function, types, position)
        pairs = zip(resolution.parameters, bound, strict=True)
        guesses = {kind for kind, argument in pairs if isinstance(argument, Parameter)}
        if not any(kind in _NARROW and kind not in types for kind in guesses):
            return resolution
    for guess in _guesses(types):
        filled = [guess if isinstance(b, Parameter) else g for g, b in zip(types, bound, strict=True)]
        with suppress(TypeMismatch):
            return registry.resolve(function, filled, position)
    return registry.resolve(function, types, position)


def _guesses(types: Sequence[Argument]) -> Iterator[t.Type]:
    """The types of the other arguments first."""
    yield from (kind for kind in types if isinstance(kind, t.Type) and kind != t.UNKNOWN)
    yield from _GUESSES
