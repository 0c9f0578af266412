"""Small statements of this checkout and of another commit, in turns on the same machine.

    python -m benchmarks.against COMMIT [--rounds N] [--cold | --without-spark]

Each has a process and a Spark of its own, and runs one statement after the other has. With --cold a process
for each statement, from nothing to its first write; each with a class archive that it has made before. With
--without-spark what the fast lane answers: in a process, from a server, and by new processes.
"""

from __future__ import annotations

import argparse
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path

import sqe
from benchmarks.flight.clients import Adbc, Client, Pyarrow
from benchmarks.flight.served import served

# Runs a statement at a place, by its name, and says how many seconds it took.
Ask = Callable[[str, str], float]
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
FAST_STATEMENTS = {
    "SELECT of a constant": "SELECT {}",
    "one row of 1,000": "SELECT a FROM t WHERE a = {}",
    "the same again": "SELECT a FROM t WHERE a = 7",
    "planning (EXPLAIN of a join)": "EXPLAIN SELECT x.a FROM t AS x JOIN t AS y ON x.a = y.a + {} GROUP BY 1",
}
SERVED_STATEMENTS = {name: sql for name, sql in FAST_STATEMENTS.items() if "EXPLAIN" not in sql}
FIRST_WRITE = "CREATE TABLE t AS SELECT 1 AS a"
PARTS = 4
FLIGHT = "src/sqe/doors/flight"


def main() -> None:
    summary = (__doc__ or "").split("\n")[0]
    arguments = argparse.ArgumentParser(prog="python -m benchmarks.against", description=summary)
    arguments.add_argument("commit")
    arguments.add_argument("--rounds", type=int, default=200)
    kind = arguments.add_mutually_exclusive_group()
    kind.add_argument("--cold", action="store_true", help="first writes of new processes")
    kind.add_argument("--without-spark", action="store_true", help="what the fast lane answers")
    given = arguments.parse_args()
    with checkout(given.commit) as other:
        places = {HERE: ROOT, THERE: other}
        if given.cold:
            cold(places, max(3, given.rounds // 40))
        elif given.without_spark:
            without_spark(places, given.rounds)
        else:
            warm(places, given.rounds)


@contextmanager
def checkout(commit: str) -> Iterator[Path]:
    with tempfile.TemporaryDirectory(prefix="sqe-against-") as home:
        place = Path(home) / "checkout"
        git = ["git", "-C", str(ROOT), "worktree"]
        subprocess.run([*git, "add", "--quiet", "--detach", str(place), commit], check=True)
        # What is made when the package is built, and not in a checkout.
        for made in (ROOT / FLIGHT).glob("*_pb2.py"):
            shutil.copy(made, place / FLIGHT)
        try:
            yield place
        finally:
            subprocess.run([*git, "remove", "--force", str(place)], check=True)


def environment(place: Path, **more: str) -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": f"{place / 'src'}{os.pathsep}{place}", **more}


def warm(places: Mapping[str, Path], rounds: int) -> None:
    with workers(places) as ask:
        for sql in SETUP:
            for name in places:
                ask(name, sql)
        compare(ask, STATEMENTS, rounds)


def without_spark(places: Mapping[str, Path], rounds: int) -> None:
    with tempfile.TemporaryDirectory(prefix="sqe-against-") as home:
        warehouse = Path(home) / "warehouse"
        with sqe.connect(warehouse=warehouse) as connection:
            connection.execute(SETUP[0])
        with workers(places, str(warehouse)) as ask:
            compare(ask, FAST_STATEMENTS, rounds)
        with ExitStack() as servers:
            compare_servers(places, warehouse, servers, rounds)
        new_processes(places, rounds)


@contextmanager
def workers(places: Mapping[str, Path], *given: str) -> Iterator[Ask]:
    started = {
        name: subprocess.Popen(
            [sys.executable, str(Path(__file__).with_name("against_worker.py")), *given],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=place,
            env=environment(place),
        )
        for name, place in places.items()
    }

    def ask(name: str, sql: str) -> float:
        worker = started[name]
        assert worker.stdin is not None and worker.stdout is not None
        worker.stdin.write(sql + "\n")
        worker.stdin.flush()
        return float(worker.stdout.readline())

    try:
        yield ask
    finally:
        for worker in started.values():
            worker.communicate()


def compare(ask: Ask, statements: Mapping[str, str], rounds: int, where: str = "") -> None:
    head(f"medians in ms, of {rounds // PARTS} each{where}")
    for part in range(PARTS):
        taken: dict[tuple[str, str], list[float]] = {}
        for number in range(rounds // PARTS):
            # Whoever comes second finds a machine that is warm from the first.
            for what, sql in statements.items():
                for name in (HERE, THERE) if number % 2 else (THERE, HERE):
                    seconds = ask(name, sql.format(number + part * rounds))
                    taken.setdefault((what, name), []).append(1000 * seconds)
        for what in statements:
            here, there = (statistics.median(taken[what, name]) for name in (HERE, THERE))
            row(f"{what}, part {part + 1}", here, there)


def head(what: str) -> None:
    print(f"| {what} | {HERE} | {THERE} | ratio |\n|---|---|---|---|")


def row(what: str, here: float, there: float) -> None:
    print(f"| {what} | {here:.2f} | {there:.2f} | {here / there:.2f} |", flush=True)


def compare_servers(places: Mapping[str, Path], warehouse: Path, opened: ExitStack, rounds: int) -> None:
    """Each server with its Spark up and quiet, since it starts one whatever is asked."""
    servers = {
        name: opened.enter_context(
            served(warehouse, environment(place), trino=(place / "src/sqe/doors/trino").is_dir())
        )
        for name, place in places.items()
    }
    for server in servers.values():
        server.wait_until_ready()
        server.wait_for_spark()
    for kind in (Pyarrow, Adbc):
        clients = {name: kind(server) for name, server in servers.items()}

        def ask(name: str, sql: str, clients: Mapping[str, Client] = clients) -> float:
            begin = time.perf_counter()
            clients[name].ask(sql)
            return time.perf_counter() - begin

        before = {name: servers[name].cpu_seconds() for name in servers}
        compare(ask, SERVED_STATEMENTS, rounds, f", through {kind.name}")
        here, there = (servers[name].cpu_seconds() - before[name] for name in (HERE, THERE))
        asked = rounds // PARTS * PARTS * len(SERVED_STATEMENTS)
        row("CPU of the server a statement", 1000 * here / asked, 1000 * there / asked)
        for client in clients.values():
            client.close()


def new_processes(places: Mapping[str, Path], rounds: int) -> None:
    def ask(name: str, sql: str) -> float:
        command = [sys.executable, "-m", "sqe", "--memory", "-e", sql]
        begin = time.perf_counter()
        place = places[name]
        subprocess.run(command, check=True, cwd=place, env=environment(place), capture_output=True)
        return time.perf_counter() - begin

    compare(ask, {"a process until SELECT of a constant": "SELECT {}"}, max(PARTS, rounds // 5))


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
    head(f"medians in s, of {rounds} each")
    row("a process until its first write", here, there)


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
