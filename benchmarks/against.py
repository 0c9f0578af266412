"""Small statements of this checkout and of another commit, in turns on the same machine.

    python -m benchmarks.against COMMIT [--rounds N] [--cold]

Each has a process and a Spark of its own, and runs one statement after the other has. With --cold a process
for each statement, from nothing to its first write; each with a class archive that it has made before.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

ROOT = Path(__file__).parent.parent
HERE, THERE = "this checkout", "the other commit"
SETUP = (
    "CREATE TABLE t AS SELECT * FROM TABLE(sequence(1, 1000)) AS s (a)",
    "CREATE TABLE w (a bigint)",
    "SET SESSION lane = 'spark'",
)
STATEMENTS = {
    "SELECT of a count": "SELECT count(*) FROM t WHERE a > {}",
    "INSERT of a row": "INSERT INTO w VALUES {}",
}
FIRST_WRITE = "CREATE TABLE t AS SELECT 1 AS a"
PARTS = 4


def main() -> None:
    summary = (__doc__ or "").split("\n")[0]
    arguments = argparse.ArgumentParser(prog="python -m benchmarks.against", description=summary)
    arguments.add_argument("commit")
    arguments.add_argument("--rounds", type=int, default=200)
    arguments.add_argument("--cold", action="store_true", help="first writes of new processes")
    given = arguments.parse_args()
    with checkout(given.commit) as other:
        places = {HERE: ROOT, THERE: other}
        if given.cold:
            cold(places, max(3, given.rounds // 40))
        else:
            warm(places, given.rounds)


@contextmanager
def checkout(commit: str) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="sqe-against-") as home:
        place = Path(home) / "checkout"
        git = ["git", "-C", str(ROOT), "worktree"]
        subprocess.run([*git, "add", "--quiet", "--detach", str(place), commit], check=True)
        try:
            yield place
        finally:
            subprocess.run([*git, "remove", "--force", str(place)], check=True)


def environment(place: Path, **more: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": f"{place / 'src'}{os.pathsep}{place}", **more}


def warm(places: Mapping[str, Path], rounds: int) -> None:
    workers = {
        name: subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("against_worker.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=place,
            env=environment(place),
        )
        for name, place in places.items()
    }

    def seconds(name: str, sql: str) -> float:
        worker = workers[name]
        assert worker.stdin is not None and worker.stdout is not None
        worker.stdin.write(sql + "\n")
        worker.stdin.flush()
        return float(worker.stdout.readline())

    for sql in SETUP:
        for name in workers:
            seconds(name, sql)
    print(f"| medians in ms, of {rounds // PARTS} each | {HERE} | {THERE} | ratio |\n|---|---|---|---|")
    for part in range(PARTS):
        taken: dict[tuple[str, str], list[float]] = {}
        for number in range(rounds // PARTS):
            # Whoever comes second finds a machine that is warm from the first.
            order = list(workers) if number % 2 else list(workers)[::-1]
            for what, sql in STATEMENTS.items():
                for name in order:
                    taken.setdefault((what, name), []).append(1000 * seconds(name, sql.format(number)))
        for what in STATEMENTS:
            here, there = (statistics.median(taken[what, name]) for name in (HERE, THERE))
            print(f"| {what}, part {part + 1} | {here:.0f} | {there:.0f} | {here / there:.2f} |", flush=True)
    for worker in workers.values():
        worker.communicate()


def cold(places: Mapping[str, Path], rounds: int) -> None:
    with tempfile.TemporaryDirectory(prefix="sqe-against-") as home:
        caches = {name: Path(home) / str(number) for number, name in enumerate(places)}
        for name, place in places.items():
            first_write(place, caches[name], Path(home))
            archive(caches[name])
        taken: dict[str, list[float]] = {name: [] for name in places}
        for number in range(rounds):
            for name in list(places) if number % 2 else list(places)[::-1]:
                taken[name].append(first_write(places[name], caches[name], Path(home)))
    here, there = (statistics.median(taken[name]) for name in (HERE, THERE))
    print(f"| medians in s, of {rounds} each | {HERE} | {THERE} | ratio |\n|---|---|---|---|")
    print(f"| a process until its first write | {here:.2f} | {there:.2f} | {here / there:.2f} |")


def first_write(place: Path, cache: Path, home: Path) -> float:
    jars = Path(os.environ.get("SQE_CACHE_DIR") or Path.home() / ".cache" / "sqe") / "jars"
    if not cache.exists():
        cache.mkdir()
        (cache / "jars").symlink_to(jars)
    with tempfile.TemporaryDirectory(dir=home) as warehouse:
        command = [sys.executable, "-m", "sqe", "--warehouse", warehouse, "-e", FIRST_WRITE]
        begin = time.perf_counter()
        variables = environment(place, SQE_CACHE_DIR=str(cache))
        subprocess.run(command, check=True, cwd=place, env=variables, capture_output=True)
        return time.perf_counter() - begin


def archive(cache: Path) -> None:
    """Until the first server, which ends after its client, has written it."""
    deadline = time.monotonic() + 120
    while not list((cache / "archive").glob("spark-*.jsa")):
        assert time.monotonic() < deadline, "no class archive was made"
        time.sleep(0.5)


if __name__ == "__main__":
    main()
