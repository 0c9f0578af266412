"""Servers that a run shares end with it, also when it is killed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from stack.component import running, start_process

from stack import s3

ROOT = Path(__file__).parents[2]
SLEEPS = [sys.executable, "-c", "import time; time.sleep(600)"]
# It uses the servers of a directory, as tests do, and says so.
USER = """
import sys, time
from pathlib import Path
from stack import servers
servers.PROGRAMS = ()
with servers.shared_servers(Path(sys.argv[1])):
    print("uses them", flush=True)
    time.sleep(600)
"""
FAILS = """
import sys, time
from pathlib import Path
from stack import servers
def fail(home, **more):
    time.sleep(1)
    sys.exit(3)
servers.start_all = fail
with servers.shared_servers(Path(sys.argv[1])):
    pass
"""


def environment() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "src"), str(ROOT)])}


def user_of(home: Path) -> subprocess.Popen[str]:
    process = subprocess.Popen(
        [sys.executable, "-c", USER, str(home)], stdout=subprocess.PIPE, text=True, env=environment()
    )
    assert process.stdout is not None and process.stdout.readline() == "uses them\n"
    return process


def killed(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGKILL)
    process.wait()
    assert process.stdout is not None
    process.stdout.close()


def test_they_end_when_the_last_user_is_killed(tmp_path: Path) -> None:
    home = tmp_path / s3.NAME
    server = start_process(s3.NAME, home, SLEEPS, environment={}, facts={}, is_ready=lambda: True, seconds=20)
    try:
        first, second = user_of(tmp_path), user_of(tmp_path)
        killed(first)
        time.sleep(0.5)
        assert running(s3.NAME, home) is not None
        killed(second)
        deadline = time.monotonic() + 20
        while running(s3.NAME, home) is not None:
            assert time.monotonic() < deadline, "it still runs"
            time.sleep(0.1)
    finally:
        server.stop()


def test_users_whose_servers_cannot_be_had_do_not_wait_for_each_other(tmp_path: Path) -> None:
    users = [subprocess.Popen([sys.executable, "-c", FAILS, str(tmp_path)], env=environment()) for _ in "ab"]
    assert [user.wait(timeout=30) for user in users] == [3, 3]
