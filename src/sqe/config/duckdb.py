"""What an operator may choose about the fast lane."""

from __future__ import annotations

import os
from pathlib import Path

from sqe.config.keys import count, flag, path, setting, size
from sqe.foundation.record import record


@record
class FastSettings:
    """`[engine.fast]` of the configuration; sizes in bytes."""

    enabled: bool = setting(flag("Without it `auto` is always Spark.", True))
    processes: int = setting(
        count("Statements that it runs at once, each in a process; 0 is as many as cores.", 0)
    )
    threads: int = setting(count("Threads of one statement; 0 is as many as cores.", 0))
    memory_limit: int = setting(size("Memory of one statement, before it spills.", "2GB", least="32MB"))
    spill_dir: Path | None = setting(
        path("Directory to spill to; default: one of the system's temporary directory.")
    )
    max_spill: int = setting(size("Most that one statement may spill.", "16GB"))
    max_scan_bytes: int = setting(size("A statement that reads more than this is for Spark.", "8GB"))

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
