"""Room for deep statements in Python's own stack of calls."""

from __future__ import annotations

import sys

MAX_NESTING = 256
_FRAMES_A_LEVEL = 40


def make_room() -> None:
    """Lets trees of MAX_NESTING levels be walked. Raised for good: to lower it again would hit other
    threads in the middle of theirs."""
    needed = _FRAMES_A_LEVEL * MAX_NESTING
    if sys.getrecursionlimit() < needed:
        sys.setrecursionlimit(needed)
