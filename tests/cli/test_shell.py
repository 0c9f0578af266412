"""The interactive loop, in a real terminal."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import time
from pathlib import Path

import sqe

SOURCE = Path(sqe.__file__).parent.parent


class Terminal:
    """`sqe --memory` on a terminal of its own."""

    def __init__(self, home: Path) -> None:
        self.screen, inside = pty.openpty()
        # Ctrl-C is a signal on a terminal that is one's own. Taken by the child itself: gRPC, which this
        # process may be using, does not survive the plain fork that preexec_fn needs.
        own = "import fcntl, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0)"
        code = f"{own}; import sys; from sqe.cli.main import sqe; sys.exit(sqe())"
        self.process = subprocess.Popen(
            [sys.executable, "-c", code, "--memory"],
            stdin=inside,
            stdout=inside,
            stderr=inside,
            start_new_session=True,
            env={**os.environ, "HOME": str(home), "PYTHONPATH": str(SOURCE), "TERM": "dumb"},
        )
        os.close(inside)

    def type(self, text: str) -> None:
        os.write(self.screen, text.encode())

    def until(self, text: str) -> str:
        """What appeared, up to and with `text`."""
        seen = ""
        deadline = time.monotonic() + 60
        while text not in seen:
            ready, _, _ = select.select([self.screen], [], [], max(0.0, deadline - time.monotonic()))
            assert ready, f"{text!r} did not appear: {seen!r}"
            seen += os.read(self.screen, 4096).decode()
        return seen

    def interrupt_until(self, text: str) -> str:
        """Presses Ctrl-C until `text` appears: readline loses one that comes right after its prompt."""
        seen = ""
        deadline = time.monotonic() + 60
        while text not in seen:
            assert time.monotonic() < deadline, f"{text!r} did not appear: {seen!r}"
            self.type("\x03")
            while select.select([self.screen], [], [], 1.0)[0] and text not in seen:
                seen += os.read(self.screen, 4096).decode()
        return seen

    def __enter__(self) -> Terminal:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()
        os.close(self.screen)


def test_statements_over_several_lines(tmp_path: Path) -> None:
    with Terminal(tmp_path) as terminal:
        terminal.until("sqe> ")
        terminal.type("CREATE SCHEMA\n")
        terminal.until("...> ")
        terminal.type("shop;\n")
        assert "CREATE SCHEMA" in terminal.until("sqe> ")
        terminal.type("SELEC 1;\n")
        assert "error: [SYNTAX_ERROR] line 1:" in terminal.until("sqe> ")
        terminal.type("CREATE SCHEMA shop;\n")
        assert "SCHEMA_ALREADY_EXISTS" in terminal.until("sqe> ")
        terminal.type(".quit\n")
        assert terminal.process.wait(timeout=60) == 0
    history = tmp_path / ".sqe_history"
    assert "CREATE SCHEMA" in history.read_text()
    assert history.stat().st_mode & 0o077 == 0


def test_an_interrupt_drops_the_line_and_the_end_of_input_leaves(tmp_path: Path) -> None:
    with Terminal(tmp_path) as terminal:
        terminal.until("sqe> ")
        terminal.type("CREATE\n")
        terminal.until("...> ")
        terminal.interrupt_until("sqe> ")
        terminal.type(".tables\n")
        assert "not built yet" in terminal.until("sqe> ")
        terminal.type("\x04")
        assert terminal.process.wait(timeout=60) == 0
