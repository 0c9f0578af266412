"""What a process and those that it started have used, as Linux counts it."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

_PROC = Path("/proc")


def tree(root: int) -> list[int]:
    """The process and all that descend from it."""
    children: dict[int, list[int]] = {}
    for pid in _pids():
        with contextlib.suppress(OSError):
            children.setdefault(int(_stat(pid)[1]), []).append(pid)
    pids = [root]
    for pid in pids:
        pids.extend(children.get(pid, ()))
    return pids


def cpu_seconds(root: int) -> float | None:
    """CPU seconds of the tree, and of what it has already waited for. None where there is no /proc."""
    if not _PROC.is_dir():
        return None
    ticks = 0
    for pid in tree(root):
        with contextlib.suppress(OSError):
            ticks += sum(int(field) for field in _stat(pid)[11:15])
    return ticks / os.sysconf("SC_CLK_TCK")


def forget_peaks(root: int) -> None:
    for pid in tree(root):
        with contextlib.suppress(OSError):
            (_PROC / str(pid) / "clear_refs").write_text("5")


def peak_bytes(root: int) -> int | None:
    """The sum of what each process of the tree had at its peak since `forget_peaks`."""
    if not _PROC.is_dir():
        return None
    return peak_of(tree(root))


def peak_of(pids: Iterable[int]) -> int:
    return sum(_status(pid, "VmHWM:") for pid in pids)


def names(root: int) -> list[str]:
    """The programs of the tree: `java` is a JVM."""
    return [found for found in map(name, tree(root)) if found]


def name(pid: int) -> str:
    """Its program's; nothing if it has ended."""
    with contextlib.suppress(OSError):
        return (_PROC / str(pid) / "comm").read_text().strip()
    return ""


def resident_bytes(pids: Iterable[int]) -> int:
    """What they have now. Pages that several share count for each."""
    return sum(_status(pid, "VmRSS:") for pid in pids)


def _pids() -> Iterator[int]:
    if _PROC.is_dir():
        yield from (int(entry.name) for entry in _PROC.iterdir() if entry.name.isdigit())


def _status(pid: int, name: str) -> int:
    """Bytes; none if it has ended."""
    with contextlib.suppress(OSError):
        for line in (_PROC / str(pid) / "status").read_text().splitlines():
            if line.startswith(name):
                return int(line.split()[1]) * 1024
    return 0


def _stat(pid: int) -> list[str]:
    """From the state on: the name before it may hold anything."""
    return (_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
