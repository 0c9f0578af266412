"""How a command's process ends: threads and exit handlers as ever, but the interpreter is not taken apart,
which would take it 20 ms to free what the system frees at once."""

from __future__ import annotations

import atexit
import os
import sys
from collections.abc import Callable


def leaving(command: Callable[[], int]) -> int:
    """What the command returns, which has to be the process's exit code. What it raises ends as usual."""
    code: int | None = None

    def leave() -> None:
        if code is None:
            return
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        except (OSError, ValueError):
            return  # the interpreter has a code for that
        os._exit(code)

    # Before all others, which are then called before it.
    atexit.register(leave)
    code = command()
    return code
