"""Enough of Python's recursion for statements that are nested as deeply as we allow.

The limit is that of the whole process: planning in a thread would not spare the host program from it. A
process of ours raises it for good; in a host's it is raised only while one of our statements is at work.
"""

from __future__ import annotations

import sys
import threading
from contextlib import ContextDecorator

MAX_NESTING = 256
_FRAMES_A_LEVEL = 40
_NEEDED = _FRAMES_A_LEVEL * MAX_NESTING

_lock = threading.Lock()
_users = 0
_hosts_limit: int | None = None


def ensure_recursion_limit() -> None:
    """For a process that is ours alone: trees of MAX_NESTING levels can be walked from now on."""
    if sys.getrecursionlimit() < _NEEDED:
        sys.setrecursionlimit(_NEEDED)


class deep_recursion(ContextDecorator):
    """Trees of MAX_NESTING levels can be walked inside. The last thread to leave restores the limit, so that
    none of ours meets a lower one in the middle of a tree."""

    def __enter__(self) -> None:
        global _users, _hosts_limit
        with _lock:
            _users += 1
            limit = sys.getrecursionlimit()
            if limit < _NEEDED:
                _hosts_limit = limit
                sys.setrecursionlimit(_NEEDED)

    def __exit__(self, *_: object) -> None:
        global _users
        with _lock:
            _users -= 1
            if _users == 0 and _hosts_limit is not None:
                _restore()


def _restore() -> None:
    global _hosts_limit
    assert _hosts_limit is not None
    # A host that has set a limit of its own meanwhile keeps that.
    if sys.getrecursionlimit() == _NEEDED:
        try:
            sys.setrecursionlimit(_hosts_limit)
        except RecursionError:
            # We were called from deeper than that; the next statement restores it.
            return
    _hosts_limit = None
