"""Runs the Spark JVM and ends it when its owner is gone, even if the owner was killed with -9.

Run as a script of its own (nothing of ours is imported, so it starts in 20 ms and stays small):

    watchdog.py RUN_DIRECTORY PENDING FINAL COMMAND...

Standard input is a pipe whose other end only the owner holds: its end of file is the owner's end.
A forked child of the owner might hold the pipe too, so a changed parent counts as well. The owner
may write `t` (trained): only then is the class archive worth keeping. Works on Linux and macOS.
"""

from __future__ import annotations

import contextlib
import os
import select
import shutil
import signal
import sys
import time
from collections.abc import Callable

GRACE_SECONDS = 8.0
ARCHIVE_SECONDS = 45.0


def main(arguments: list[str]) -> int:
    run_directory, pending, final, *command = arguments
    owner = os.getppid()
    wake_read, wake_write = os.pipe()
    os.set_blocking(wake_write, False)
    signal.set_wakeup_fd(wake_write)
    for number in (signal.SIGCHLD, signal.SIGTERM):
        signal.signal(number, lambda *_: None)
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    jvm = _spawn(command)
    with open(os.path.join(run_directory, "pid"), "w") as file:
        file.write(str(jvm))
    trained, status = _watch(jvm, owner, wake_read)
    if status is not None:
        # It ended by itself: the owner still wants to read why, and removes the directory then.
        _keep_archive(pending, final, trained=False)
        return status
    status = _end(jvm, ARCHIVE_SECONDS if pending and trained else GRACE_SECONDS)
    # A JVM that had to be killed has left half an archive.
    _keep_archive(pending, final, trained=trained and status != 128 + signal.SIGKILL)
    shutil.rmtree(run_directory, ignore_errors=True)
    return status


def _keep_archive(pending: str, final: str, *, trained: bool) -> None:
    if not pending:
        return
    with contextlib.suppress(OSError):
        if trained:
            os.replace(pending, final)
        else:
            os.unlink(pending)


def _spawn(command: list[str]) -> int:
    death_signal = _parent_death_signal()
    child = os.fork()
    if child:
        return child
    try:
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        if death_signal is not None:
            death_signal()
        os.execv(command[0], command)
    finally:
        os._exit(127)


def _parent_death_signal() -> Callable[[], object] | None:
    """On Linux the JVM also dies with this process, should someone kill that with -9."""
    if sys.platform != "linux":
        return None
    import ctypes

    prctl = ctypes.CDLL(None, use_errno=True).prctl
    pr_set_pdeathsig = 1
    return lambda: prctl(pr_set_pdeathsig, signal.SIGKILL, 0, 0, 0)


def _watch(jvm: int, owner: int, wake: int) -> tuple[bool, int | None]:
    """Until the JVM ended (then its status) or the owner did (then None)."""
    trained = False
    while True:
        ready, _, _ = select.select([0, wake], [], [], 1.0)
        status = _reap(jvm)
        if status is not None:
            return trained, status
        if wake in ready and signal.SIGTERM in os.read(wake, 64):
            return trained, None
        if 0 in ready:
            message = os.read(0, 64)
            if not message:
                return trained, None
            trained = trained or b"t" in message
        if os.getppid() != owner:
            return trained, None


def _end(jvm: int, grace: float) -> int:
    # SIGTERM lets Spark's jobs abort, Iceberg delete their half-written files, and the JVM write
    # its archive; whoever takes longer is killed.
    os.kill(jvm, signal.SIGTERM)
    deadline = time.monotonic() + grace
    while time.monotonic() < deadline:
        status = _reap(jvm)
        if status is not None:
            return status
        time.sleep(0.02)
    os.kill(jvm, signal.SIGKILL)
    return _exit_code(os.waitpid(jvm, 0)[1])


def _reap(jvm: int) -> int | None:
    pid, status = os.waitpid(jvm, os.WNOHANG)
    return _exit_code(status) if pid else None


def _exit_code(status: int) -> int:
    code = os.waitstatus_to_exitcode(status)
    return code if code >= 0 else 128 - code


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
