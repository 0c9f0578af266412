"""Private directories of this process, which do not outlive it for long, however it ends."""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import shutil
import tempfile
from pathlib import Path


class Scratch:
    """A directory that only this user may enter. Its lock, held until `remove()` or the end of the
    process, tells later processes whether it is still in use."""

    def __init__(self, prefix: str, parent: Path | None = None) -> None:
        parent = parent or Path(tempfile.gettempdir())
        # Locked before it gets the name by which others look for dead ones.
        directory = Path(tempfile.mkdtemp(prefix=f".{prefix}", dir=parent))
        self._lock = os.open(directory / "lock", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        fcntl.flock(self._lock, fcntl.LOCK_EX)
        self.path = parent / f"{prefix}{os.getpid()}-{secrets.token_hex(4)}"
        directory.rename(self.path)

    def __enter__(self) -> Path:
        return self.path

    def __exit__(self, *_: object) -> None:
        self.remove()

    def remove(self) -> None:
        shutil.rmtree(self.path, ignore_errors=True)
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1


def remove_stale(prefix: str, parent: Path | None = None) -> None:
    """Removes the directories of processes that ended without doing so: their locks are free."""
    for directory in (parent or Path(tempfile.gettempdir())).glob(f"{prefix}*"):
        with contextlib.suppress(OSError):
            if directory.stat().st_uid != os.geteuid():
                continue
            lock = os.open(directory / "lock", os.O_RDWR | os.O_CLOEXEC)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                shutil.rmtree(directory, ignore_errors=True)
            finally:
                os.close(lock)
