"""What was typed, kept in ~/.sqe_history for its owner alone. Shells at the same time add to one file."""

from __future__ import annotations

import contextlib
import os
import stat
import time
from collections.abc import Iterable
from pathlib import Path

from prompt_toolkit.history import History

from sqe.cli.secret_text import holds_secret

FILE = Path("~/.sqe_history")


class StatementHistory(History):
    """An entry is a whole statement: a line `# time`, then its lines, each behind a `+`.

    What holds a secret can be recalled while the shell runs, and is never written. A history that cannot
    be read or written is not worth an error.
    """

    def __init__(self, file: Path | None = None) -> None:
        super().__init__()
        self._file = (file or FILE).expanduser()

    def load_history_strings(self) -> Iterable[str]:
        """The newest first."""
        entries: list[list[str]] = []
        with contextlib.suppress(OSError), self._file.open(encoding="utf-8", errors="replace") as lines:
            os.fchmod(lines.fileno(), stat.S_IRUSR | stat.S_IWUSR)
            for line in lines:
                if line.startswith("# "):
                    entries.append([])
                elif line.startswith("+") and entries:
                    entries[-1].append(line[1:].rstrip("\n"))
        return ["\n".join(entry) for entry in reversed(entries) if entry]

    def store_string(self, string: str) -> None:
        if holds_secret(string):
            return
        lines = "".join(f"+{line}\n" for line in string.split("\n"))
        entry = f"# {time.strftime('%Y-%m-%d %H:%M:%S')}\n{lines}".encode(errors="replace")
        with contextlib.suppress(OSError):
            file = os.open(self._file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, stat.S_IRUSR | stat.S_IWUSR)
            try:
                os.fchmod(file, stat.S_IRUSR | stat.S_IWUSR)
                os.write(file, entry)
            finally:
                os.close(file)
