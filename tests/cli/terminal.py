"""The real shell on a terminal of its own, and what is to be seen there."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Callable
from pathlib import Path
from typing import Self

import pexpect
import pyte
from pexpect import fdpexpect
from tests.cli.command_line import environment

UP, TAB, ENTER, CTRL_C, CTRL_D, ALT_ENTER = "\x1b[A", "\t", "\r", "\x03", "\x04", "\x1b\r"


class _Screen(pyte.HistoryScreen):
    """Answers when a program asks where the cursor is."""

    def __init__(self, columns: int, lines: int, answer: Callable[[str], object]) -> None:
        super().__init__(columns, lines, history=1000)
        self._answer = answer

    def write_process_input(self, data: str) -> None:
        self._answer(data)


class Terminal:
    """`sqe` in a terminal; `kind` is what TERM says."""

    def __init__(
        self,
        home: Path,
        *words: str,
        kind: str = "xterm-256color",
        columns: int = 100,
        lines: int = 30,
        **environ: str,
    ) -> None:
        self._fd, inside = pty.openpty()
        self._set_size(columns, lines)
        # Ctrl-C is a signal on a terminal that is one's own. Taken by the child itself: gRPC, which this
        # process may be using, does not survive the plain fork that pexpect.spawn makes.
        own = "import fcntl, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0)"
        code = f"{own}; import sys; from sqe.cli.main import sqe; sys.exit(sqe())"
        self.process = subprocess.Popen(
            [sys.executable, "-c", code, *(words or ("--memory",))],
            stdin=inside,
            stdout=inside,
            stderr=inside,
            start_new_session=True,
            cwd=home,
            env={"LANG": "C.UTF-8", **environment(home), "TERM": kind, "LESS": "", **environ},
        )
        os.close(inside)
        self._child = fdpexpect.fdspawn(self._fd, timeout=1)
        self._screen = _Screen(columns, lines, self._child.send)
        self._stream = pyte.ByteStream(self._screen)
        self.everything = b""

    def type(self, text: str) -> None:
        self._child.send(text)

    def run(self, text: str, *, until: str | None = None) -> str:
        """Types a line, or ends the one that is typed, and waits for the next prompt or another text."""
        self.type(text)
        self.wait(lambda: not self.at_prompt(), "nothing was echoed")
        self.type(ENTER)
        return self.until(until) if until is not None else self.until_prompt()

    def until(self, text: str, *, seconds: float = 60) -> str:
        return self.wait(lambda: text in self.text, f"{text!r} did not appear", seconds=seconds)

    def until_prompt(self, *, seconds: float = 60) -> str:
        return self.wait(self.at_prompt, "there is no prompt", seconds=seconds)

    def at_prompt(self) -> bool:
        """Whether the cursor stands behind an empty prompt."""
        cursor = self._screen.cursor
        return self._screen.display[cursor.y].rstrip() == "sqe>" and cursor.x == len("sqe> ")

    def wait(self, ready: Callable[[], bool], otherwise: str, *, seconds: float = 60) -> str:
        deadline = time.monotonic() + seconds
        while True:
            ended = self.process.poll() is not None
            self._read()
            if ready():
                return self.text
            assert not ended, f"{otherwise}, and the shell has ended:\n{self.text}"
            assert time.monotonic() < deadline, f"{otherwise}:\n{self.text}"

    @property
    def text(self) -> str:
        """The screen, without what is blank at the ends of lines."""
        return "\n".join(line.rstrip() for line in self._screen.display).rstrip()

    @property
    def screen(self) -> pyte.HistoryScreen:
        return self._screen

    def resize(self, columns: int, lines: int) -> None:
        self._screen.resize(lines, columns)
        self._set_size(columns, lines)  # the kernel tells the shell

    def leave(self) -> int:
        """Ctrl-D, and the exit code."""
        self.type(CTRL_D)
        deadline = time.monotonic() + 60
        while self.process.poll() is None and time.monotonic() < deadline:
            self._read()
        return self.process.wait(timeout=1)

    def _read(self) -> None:
        with contextlib.suppress(pexpect.TIMEOUT, pexpect.EOF, OSError):
            while True:
                data = self._child.read_nonblocking(65536, timeout=0.05)
                self.everything += data
                self._stream.feed(data)

    def _set_size(self, columns: int, lines: int) -> None:
        fcntl.ioctl(self._fd, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        with contextlib.suppress(OSError):
            os.close(self._fd)
