"""A cache that travels to an engine's worker by value: what functools wraps is pickled by its name."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

Made = TypeVar("Made")


def kept(function: Callable[[str], Made]) -> Callable[[str], Made]:
    """What a function makes of the last few texts."""
    known: dict[str, Made] = {}

    def look_up(text: str) -> Made:
        if text not in known:
            if len(known) >= 256:
                known.clear()
            known[text] = function(text)
        return known[text]

    return look_up
