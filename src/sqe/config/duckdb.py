"""What an operator may choose about the fast lane."""

from __future__ import annotations

import os
from pathlib import Path

from sqe.foundation.record import record

MIB = 1 << 20
GIB = 1 << 30


@record
class FastSettings:
    """`[engine.fast]` of the configuration; sizes in bytes. 0 processes or threads are as many as there
    are cores; without `spill_dir` the system's temporary directory is used."""

    enabled: bool = True
    processes: int = 0
    threads: int = 0
    memory_limit: int = 2 * GIB
    spill_dir: Path | None = None
    max_spill: int = 16 * GIB
    max_scan_bytes: int = 8 * GIB

    @property
    def most_children(self) -> int:
        return self.processes or _cores()

    @property
    def threads_each(self) -> int:
        return self.threads or _cores()


def _cores() -> int:
    """Those that this process may use, which a container limits."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1
