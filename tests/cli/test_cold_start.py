"""What a command loads before its first answer, and how it leaves: counted, since times vary."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.cli.command_line import command, environment

from sqe.engine.duckdb import spawn

# With room for a few more; each takes a fifth of a millisecond.
# Of these, about twenty are the two lines that say what a room is for.
MOST_MODULES = 460
RARELY_NEEDED = [
    "fractions",
    "gzip",
    "jwt",
    "numpy",
    "pandas",
    "pyarrow.compute",
    "pyarrow.dataset",
    "pyiceberg",
    "pyspark",
    "prompt_toolkit",
    "sqe.auth",
    "sqlalchemy",
    "sqlglot.executor",
    "sqlglot.optimizer.optimizer",
    "sqlglot.planner",
    "sqe.commands.system_rows",
    "subprocess",
    "zoneinfo",
]


def python(home: Path, code: str, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", code, *words],
        capture_output=True,
        text=True,
        env=environment(home),
        timeout=120,
        check=False,
    )


@pytest.fixture
def counting(tmp_path: Path) -> list[str]:
    """The words of a command that counts a table's rows."""
    where = ["--warehouse", str(tmp_path / "w"), "-f", "csv"]
    done = command(tmp_path, *where, "-e", "CREATE SCHEMA s; CREATE TABLE s.t (a bigint)")
    assert done.returncode == 0, done.stderr
    return [*where, "-e", "SELECT count(*) FROM s.t"]


def test_a_count_loads_only_what_it_needs(tmp_path: Path, counting: list[str]) -> None:
    code = (
        "import json, sys\nfrom sqe.cli.main import sqe\n"
        "sqe(sys.argv[1:])\n"
        "print(json.dumps(sorted(sys.modules)), file=sys.stderr)"
    )
    done = python(tmp_path, code, *counting)
    assert done.stdout == "_col0\n0\n"
    loaded = json.loads(done.stderr)
    assert [name for name in RARELY_NEEDED if name in loaded] == []
    assert len(loaded) <= MOST_MODULES


def test_the_fast_lanes_process_is_started_before_our_own_modules_are_loaded(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom sqe.cli.main import sqe\nfrom sqe.engine.duckdb import spawn\n"
        "spawn.start_ahead = lambda: sys.exit(str(sorted(m for m in sys.modules if m.startswith('sqe.'))))\n"
        "sqe(['--memory', '-e', 'SELECT 1'])"
    )
    ours = ["api", "api.dbapi", "cli", "cli.arguments", "cli.leave", "cli.main"]
    ours += ["engine", "engine.duckdb", "engine.duckdb.spawn", "errors"]
    ours += ["foundation", "foundation.record", "foundation.recursion", "foundation.version"]
    assert python(tmp_path, code).stderr.strip() == str([f"sqe.{name}" for name in ours])


def test_that_process_loads_its_libraries_before_anybody_speaks_to_it() -> None:
    pid, sock = spawn.start()
    try:
        until = time.monotonic() + 60
        while "libarrow.so" not in (maps := Path(f"/proc/{pid}/maps").read_text()):
            assert time.monotonic() < until
            time.sleep(0.02)
        assert "_duckdb" in maps
    finally:
        sock.close()
        os.waitpid(pid, 0)


def test_exit_handlers_and_threads_end_before_the_process(tmp_path: Path) -> None:
    code = (
        "import atexit, sys, threading, time\nfrom sqe.cli.leave import leaving\n"
        "def work():\n    time.sleep(0.2)\n    print('thread')\n"
        "def run():\n"
        "    atexit.register(print, 'handler')\n"
        "    threading.Thread(target=work).start()\n"
        "    print('command')\n"
        "    return 3\n"
        "class Late:\n    def __del__(self):\n        print('taken apart')\n"
        "late = Late()\n"
        "sys.exit(leaving(run))"
    )
    done = python(tmp_path, code)
    assert (done.returncode, done.stdout, done.stderr) == (3, "command\nthread\nhandler\n", "")


@pytest.mark.parametrize(
    ("ends", "code"), [("raise SystemExit(4)", 4), ("raise ValueError", 1), ("return 0", 0), ("return 1", 1)]
)
def test_every_end_keeps_its_exit_code(tmp_path: Path, ends: str, code: int) -> None:
    text = f"import sys\nfrom sqe.cli.leave import leaving\ndef run():\n    {ends}\nsys.exit(leaving(run))"
    assert python(tmp_path, text).returncode == code


def test_output_that_cannot_be_written_at_the_end_is_no_success(tmp_path: Path) -> None:
    code = (
        "import sys\nfrom sqe.cli.leave import leaving\n"
        "def run():\n    sys.stdout = open('/dev/full', 'w')\n    print('lost')\n    return 0\n"
        "sys.exit(leaving(run))"
    )
    done = python(tmp_path, code)
    assert done.returncode == 120, done.stderr
