"""A server in a process of its own: its directory has its log, its process id and what it listens on."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from typing import Protocol

import urllib3
from urllib3.exceptions import HTTPError

from sqe.errors import Unavailable

END_SECONDS = 10.0


@dataclass(frozen=True)
class Component:
    """One that runs. `facts` are what a client needs to know, and stand in `facts.json`."""

    name: str
    home: Path
    pid: int
    facts: Mapping[str, str]

    def stop(self) -> None:
        end_in(self.home)


NOTHING: Mapping[str, Component] = MappingProxyType({})


class Program(Protocol):
    """A module of this package that starts one server. `start` is told of those that run already, by name; in
    tests `port` is any that is free."""

    NAME: str
    PORT: int

    def start(
        self, home: Path, beside: Mapping[str, Component] = NOTHING, *, port: int | None = None
    ) -> Component: ...


def start_process(
    name: str,
    home: Path,
    command: Sequence[str],
    *,
    environment: Mapping[str, str],
    facts: Mapping[str, str],
    is_ready: Callable[[], bool],
    seconds: float,
) -> Component:
    """Returns when it is ready. Unavailable, with the end of its log, if it is not in time."""
    home.mkdir(parents=True, exist_ok=True)
    log = home / "log"
    with open(log, "wb") as output:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env={**os.environ, **environment},
            cwd=home,
            start_new_session=True,
        )
    (home / "pid").write_text(str(process.pid))
    deadline = time.monotonic() + seconds
    while not is_ready():
        if process.poll() is not None or time.monotonic() > deadline:
            end_process(process.pid)
            process.wait()
            raise Unavailable(f"{name} did not start; {log} ends with: {_end_of(log)}")
        time.sleep(0.2)
    write_private(home / "facts.json", json.dumps(dict(facts), indent=2))
    return Component(name, home, process.pid, facts)


def running(name: str, home: Path) -> Component | None:
    """The one that was started in a directory, if it still runs."""
    pid = _pid_in(home)
    try:
        facts = json.loads((home / "facts.json").read_text())
    except (OSError, ValueError):
        return None
    return Component(name, home, pid, facts) if pid is not None and _is_of(pid, home) else None


def end_in(home: Path) -> None:
    """Ends the one that was started in a directory, ready or not."""
    pid = _pid_in(home)
    if pid is not None and _is_of(pid, home):
        end_process(pid)
    for file in ("pid", "facts.json"):
        (home / file).unlink(missing_ok=True)


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def answers(url: str) -> bool:
    try:
        return urllib3.request("GET", url, timeout=2.0, retries=False).status == 200
    except HTTPError:
        return False


def write_private(path: Path, text: str) -> None:
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
        file.write(text)


def end_process(pid: int) -> None:
    """Asks first."""
    deadline = time.monotonic() + END_SECONDS
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGTERM)
        while _lives(pid) and time.monotonic() < deadline:
            time.sleep(0.1)
        os.kill(pid, signal.SIGKILL)


def _lives(pid: int) -> bool:
    """Not one that has ended, and whose parent has not asked for it yet."""
    with contextlib.suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)
    os.kill(pid, 0)
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        # It has ended just now, or this is no Linux.
        return not Path("/proc/self").exists()


def _pid_in(home: Path) -> int | None:
    try:
        return int((home / "pid").read_text())
    except (OSError, ValueError):
        return None


def _is_of(pid: int, home: Path) -> bool:
    """A process id may be another process's by now, which only Linux can tell."""
    try:
        if not Path("/proc/self/cwd").exists():
            os.kill(pid, 0)
            return True
        return os.readlink(f"/proc/{pid}/cwd") == str(home.resolve())
    except OSError:
        return False


def _end_of(log: Path) -> str:
    return log.read_text(errors="replace")[-2000:]
