"""Starts a child's process, perhaps long before there is a pool that owns it.

Imports next to nothing: whoever starts one ahead does so before anything else is loaded, so that the child
imports DuckDB at the same time.
"""

from __future__ import annotations

import os
import socket
import sys

DESCRIPTOR = 3
# The package itself is not run in a child: it would load the API, for 10 ms.
BOOT = """\
import sys, types
sqe = sys.modules["sqe"] = types.ModuleType("sqe")
sqe.__path__ = [sys.argv[2]]
sys.path += sys.argv[3:]
from sqe.engine.duckdb.child import main
main()
"""
# A child inherits nothing else of the environment, where tokens may be.
ENVIRONMENT = ("LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH")
_waiting: list[tuple[int, int, socket.socket]] = []


def start_ahead() -> None:
    """One child, which the first pool of this process takes. It ends with this process if none does."""
    try:
        _waiting.append((os.getpid(), *start()))
    except OSError:
        # The pool tries again, and reports the failure.
        return


def take() -> tuple[int, socket.socket]:
    """A process id and our end of its socket: one that was started ahead, else a new one."""
    while _waiting:
        owner, pid, sock = _waiting.pop()
        # A fork of the process that started it is not its parent.
        if owner == os.getpid():
            return pid, sock
        sock.close()
    return start()


def start() -> tuple[int, socket.socket]:
    """With nothing of ours but one end of the socket; in a session of its own, so that Ctrl-C in the shell
    interrupts a statement and not the engine."""
    ours, theirs = socket.socketpair()
    package = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    arguments = [sys.executable, "-I", "-S", "-c", BOOT, str(DESCRIPTOR), package]
    arguments += [place for place in sys.path if os.path.isabs(place)]
    environment = {name: os.environ[name] for name in ENVIRONMENT if name in os.environ}
    try:
        pid = os.posix_spawn(
            sys.executable,
            arguments,
            {**environment, "TZ": "UTC", "LC_ALL": "C.UTF-8"},
            file_actions=[
                # First, as it may itself have one of the numbers below.
                (os.POSIX_SPAWN_DUP2, theirs.fileno(), DESCRIPTOR),
                (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDWR, 0),
                (os.POSIX_SPAWN_DUP2, 0, 1),
                (os.POSIX_SPAWN_DUP2, 0, 2),
            ],
            setsid=True,
        )
    except BaseException:
        ours.close()
        raise
    finally:
        theirs.close()
    ours.setblocking(False)
    return pid, ours
