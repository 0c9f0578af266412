"""All servers of the stack, in one directory."""

from __future__ import annotations

import fcntl
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from sqe.errors import Unavailable
from stack import keycloak, nessie, s3
from stack.component import Component, Program, end_in, running

PROGRAMS: tuple[Program, ...] = (keycloak, s3, nessie)
"""In the order in which they are started; each may need those before it."""


def start_all(
    home: Path, *, any_ports: bool = False, tell: Callable[[str], None] = lambda text: None
) -> dict[str, Component]:
    """Those that run already are left as they are. Unavailable, if one cannot be had."""
    servers = running_in(home)
    for program in PROGRAMS:
        if program.NAME not in servers:
            port = None if any_ports else program.PORT
            if port is not None and _is_taken(port):
                raise Unavailable(f"{program.NAME} needs 127.0.0.1:{port}, where another program listens")
            tell(program.NAME)
            servers[program.NAME] = program.start(home / program.NAME, servers, port=port)
    return servers


def running_in(home: Path) -> dict[str, Component]:
    servers = {program.NAME: running(program.NAME, home / program.NAME) for program in PROGRAMS}
    return {name: server for name, server in servers.items() if server is not None}


def stop_all(home: Path) -> None:
    """Also one that has not finished its start."""
    for program in reversed(PROGRAMS):
        end_in(home / program.NAME)


def _is_taken(port: int) -> bool:
    """That one would answer in place of ours, which could not start."""
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


@contextmanager
def shared_servers(home: Path) -> Iterator[Mapping[str, Component]]:
    """One stack for the processes of a run. It ends when the last of them leaves, however that one ends."""
    home.mkdir(parents=True, exist_ok=True)
    with open(home / "users", "w") as users:
        fcntl.flock(users, fcntl.LOCK_SH)
        with open(home / "watch.log", "ab") as log:
            watch = subprocess.Popen(
                [sys.executable, "-m", "stack.watch", str(home)],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                cwd=Path(__file__).parent.parent,
                start_new_session=True,
            )
        try:
            with open(home / "starting", "w") as starting:
                fcntl.flock(starting, fcntl.LOCK_EX)
                servers = start_all(home, any_ports=True)
            yield servers
        finally:
            # It waits for the others too, which must not wait for this process.
            fcntl.flock(users, fcntl.LOCK_UN)
            watch.wait()
