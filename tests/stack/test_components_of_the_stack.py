"""What `make stack` starts can be found again, and ends."""

from __future__ import annotations

import stat
import sys
from pathlib import Path

import pytest
from stack.component import running, start_process

from sqe.errors import Unavailable

SLEEPS = [sys.executable, "-c", "import time; print('up', flush=True); time.sleep(60)"]
FAILS = [sys.executable, "-c", "import sys; sys.exit('no room on the disk')"]


def test_it_is_found_again_and_ends(tmp_path: Path) -> None:
    home = tmp_path / "sleeper"
    started = start_process(
        "sleeper",
        home,
        SLEEPS,
        environment={},
        facts={"url": "http://127.0.0.1:1"},
        is_ready=lambda: (home / "log").read_text() == "up\n",
        seconds=20,
    )
    try:
        known = running("sleeper", home)
        assert known == started
        assert stat.S_IMODE((home / "facts.json").stat().st_mode) == 0o600
    finally:
        started.stop()
    assert running("sleeper", home) is None


def test_the_process_of_somebody_else_is_not_taken_for_it(tmp_path: Path) -> None:
    (tmp_path / "pid").write_text("1")
    (tmp_path / "facts.json").write_text("{}")
    assert running("sleeper", tmp_path) is None


def test_one_that_does_not_start_says_why(tmp_path: Path) -> None:
    with pytest.raises(Unavailable, match="no room on the disk"):
        start_process(
            "failing",
            tmp_path,
            FAILS,
            environment={},
            facts={},
            is_ready=lambda: False,
            seconds=20,
        )
