"""How a written name finds a stored one: exactly, or else by the only match that differs in case."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sqe.errors import UserError
from sqe.tree.names import unspeakable

# Whether the user may know of a schema (its table is None) or of a table or view in it. What may not be
# known is treated as absent, in lookups and in hints alike.
Visible = Callable[[tuple[str, ...], str | None], bool]


def everything(namespace: tuple[str, ...], table: str | None) -> bool:
    return True


def match(name: str, stored: Iterable[str], *, kind: str) -> str | None:
    """The stored spelling; None if there is none. Two that differ only in case are ambiguous."""
    candidates = []
    for spelling in stored:
        if spelling == name:
            return spelling
        if spelling.lower() == name.lower():
            candidates.append(spelling)
    if len(candidates) > 1:
        choices = " or ".join(f'"{candidate}"' for candidate in sorted(candidates))
        raise UserError(
            f"{kind} name '{name}' is ambiguous: it matches {choices}",
            code="AMBIGUOUS_NAME",
            hint="write the exact name in double quotes",
        )
    return candidates[0] if candidates else None


def nearest(name: str, others: Iterable[str]) -> str | None:
    """A hint with the most similar name, if any is similar. Pass only names that the user may see."""
    import difflib

    by_lower = {other.lower(): other for other in others if not unspeakable(other)}
    close = difflib.get_close_matches(name.lower(), by_lower, n=1)
    return f"did you mean '{by_lower[close[0]]}'?" if close else None
