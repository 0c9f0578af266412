"""What the terminal behind a stream can show."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TextIO

from sqe.foundation.record import record

# Where a terminal does not say how large it is.
USUAL_SIZE = (80, 24)


@record
class Terminal:
    """`escapes`: understands codes that move the cursor. `colour`: and may be coloured."""

    width: int
    height: int
    escapes: bool
    colour: bool
    unicode: bool


def terminal_of(stream: TextIO, environ: Mapping[str, str] | None = None) -> Terminal | None:
    """None for a pipe or a file. Asked anew each time, because windows change their size."""
    environ = os.environ if environ is None else environ
    try:
        if not stream.isatty():
            return None
        columns, lines = os.get_terminal_size(stream.fileno())
    except (OSError, ValueError):
        return None
    escapes = environ.get("TERM", "dumb") not in ("dumb", "")
    return Terminal(
        columns or USUAL_SIZE[0],
        lines or USUAL_SIZE[1],
        escapes,
        escapes and not environ.get("NO_COLOR"),
        escapes and (stream.encoding or "").lower().replace("-", "") == "utf8",
    )
