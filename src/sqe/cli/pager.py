"""Output that begins on the screen and goes on in a pager where the screen is too small for it."""

from __future__ import annotations

import os
import re
import sys
from typing import TYPE_CHECKING

from sqe.cli.output import width_of
from sqe.cli.terminal import terminal_of

if TYPE_CHECKING:
    import subprocess

USUAL = "less -SRFX"
# Lines that the prompt and the footer take.
SPARE = 2
_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


class PagerLeft(Exception):
    """Whoever reads has seen enough."""


class PagedOutput:
    """Holds back what fits on the screen; beyond that, a pager gets it while it is being made."""

    def __init__(self) -> None:
        terminal = terminal_of(sys.stdout)
        self._command = pager_command() if terminal is not None and terminal.escapes else None
        self._width, self._room = (terminal.width, terminal.height - SPARE) if terminal else (80, 0)
        self._held: list[str] = []
        self._pager: subprocess.Popen[str] | None = None

    def write(self, text: str) -> None:
        if self._pager is not None:
            self._send(text)
            return
        if self._command is None:
            sys.stdout.write(text)
            return
        self._held.append(text)
        self._room -= sum(
            max(1, -(-width_of(_COLOUR.sub("", line)) // self._width)) for line in text.splitlines()
        )
        if self._room < 0:
            self._start(self._command)

    @property
    def paging(self) -> bool:
        return self._pager is not None

    def check(self) -> None:
        """While nothing is written: PagerLeft when the pager has ended."""
        if self._pager is not None and self._pager.poll() is not None:
            raise PagerLeft

    def close(self) -> None:
        """Shows what was held back, or waits until the pager is left."""
        if self._pager is None:
            sys.stdout.write("".join(self._held))
            sys.stdout.flush()
            self._held.clear()
            return
        pager, self._pager = self._pager, None
        self._command = None
        while True:
            try:
                if pager.stdin is not None and not pager.stdin.closed:
                    pager.stdin.close()
                pager.wait()
                return
            except BrokenPipeError:
                continue
            except KeyboardInterrupt:
                # On a terminal the pager hears Ctrl-C too, and means something else by it.
                continue

    def _start(self, command: str) -> None:
        import subprocess

        sys.stdout.flush()
        # PAGER is a line for a shell, by custom.
        self._pager = subprocess.Popen(
            command, shell=True, stdin=subprocess.PIPE, encoding="utf-8", errors="replace"
        )
        held, self._held = self._held, []
        self._send("".join(held))

    def _send(self, text: str) -> None:
        assert self._pager is not None and self._pager.stdin is not None
        try:
            self._pager.stdin.write(text)
            self._pager.stdin.flush()
        except BrokenPipeError:
            raise PagerLeft from None


def pager_command() -> str | None:
    """$PAGER (empty: none), else less where there is one."""
    command = os.environ.get("PAGER")
    if command is not None:
        return command.strip() or None
    import shutil

    return USUAL if shutil.which("less") else None
