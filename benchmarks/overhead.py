"""What SQE adds: cold starts, planning, and the Spark lane against bare PySpark.

    python -m benchmarks.overhead [cold] [planning] [spark] [--runs N] [--scale F]

Figures are for comparing within one run; machines differ, and so do their loads.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from typing import Any

from sqe.api.connection import Connection, connect
from sqe.bench.engines.bare_spark import bare_session
from sqe.bench.load import create_empty, load_generated
from sqe.bench.suites import queries
from sqe.statement import Statement, plan

PARTS = ("cold", "planning", "spark")
_numbers = itertools.count(1)


def main() -> None:
    summary = (__doc__ or "").split("\n")[0]
    arguments = argparse.ArgumentParser(prog="python -m benchmarks.overhead", description=summary)
    arguments.add_argument("parts", nargs="*", help=f"of {', '.join(PARTS)}; all without any")
    arguments.add_argument("--runs", type=int, default=3, help="repetitions; the median counts")
    arguments.add_argument("--scale", type=float, default=0.1, help="TPC-H scale factor of the spark part")
    options = arguments.parse_args()
    wrong = set(options.parts) - set(PARTS)
    if wrong:
        arguments.error(f"unknown part: {', '.join(sorted(wrong))}")
    for part in options.parts or PARTS:
        {"cold": cold, "planning": planning, "spark": spark}[part](options)


def cold(options: argparse.Namespace) -> None:
    """Whole processes, from nothing to the answer."""
    print("| cold process | seconds (median) | bare Python start |")
    print("|---|---|---|")
    bare = _median(options.runs, partial(_process, "-c", "pass"))
    for name, sql in (
        ('`sqe -e "SELECT 1"`', "SELECT 1"),
        ("first write: `CREATE TABLE t AS SELECT 1 AS a`", "CREATE TABLE t AS SELECT 1 AS a"),
        ("metadata only: `CREATE TABLE t (a bigint)`", "CREATE TABLE t (a bigint)"),
    ):
        seconds = _median(options.runs, partial(_process, "-m", "sqe", "--memory", "-e", sql))
        print(f"| {name} | {seconds:.2f} | {bare:.2f} |")


def planning(options: argparse.Namespace) -> None:
    """parse + bind + secure + route + render of the TPC-DS queries, warm."""
    times: dict[str, float] = {}
    with connect(memory=True) as connection:
        create_empty(connection, "tpcds")
        for name, sql in queries("tpcds").items():
            times[name] = _median(options.runs + 1, partial(_plan, connection, sql))
    slowest = max(times, key=lambda name: times[name])
    print("| planning of 99 TPC-DS queries | milliseconds |")
    print("|---|---|")
    print(f"| median | {statistics.median(times.values()) * 1000:.1f} |")
    print(f"| slowest ({slowest}) | {times[slowest] * 1000:.1f} |")


def spark(options: argparse.Namespace) -> None:
    """The TPC-H queries through SQE and through a plain Connect client of the same server, in turns."""
    with connect(memory=True) as connection:
        load_generated(connection, "tpch", options.scale)
        bare = bare_session(connection, "tpch")
        ours: dict[str, float] = {}
        theirs: dict[str, float] = {}
        for name, sql in queries("tpch").items():
            _plain(bare, sql), _through(connection, sql)  # warm both
            pairs = [(_through(connection, sql), _plain(bare, sql)) for _ in range(options.runs)]
            ours[name] = statistics.median(a for a, _ in pairs)
            theirs[name] = statistics.median(b for _, b in pairs)
        bare.stop()
    ratio = sum(ours.values()) / sum(theirs.values())
    worst = max(ours, key=lambda name: ours[name] / theirs[name])
    print(f"| TPC-H, 22 queries, scale {options.scale} | seconds |")
    print("|---|---|")
    print(f"| through SQE | {sum(ours.values()):.2f} |")
    print(f"| bare PySpark (Connect, same server, same tables) | {sum(theirs.values()):.2f} |")
    print(f"| ratio | {ratio:.2f} |")
    print(f"| highest ratio of one query ({worst}) | {ours[worst] / theirs[worst]:.2f} |")


def _plan(connection: Connection, sql: str) -> float:
    # A text of its own each time: a plan that was made before is used again.
    statement = Statement(f"{sql}\n-- {next(_numbers)}", connection.session)
    begin = time.perf_counter()
    plan(statement, connection.coordinator)
    return time.perf_counter() - begin


def _through(connection: Connection, sql: str) -> float:
    begin = time.perf_counter()
    connection.execute(sql).fetch_arrow_table()
    return time.perf_counter() - begin


def _plain(session: Any, sql: str) -> float:
    begin = time.perf_counter()
    session.sql(sql).toArrow()
    return time.perf_counter() - begin


def _process(*arguments: str) -> float:
    with tempfile.TemporaryDirectory() as home:
        begin = time.perf_counter()
        subprocess.run([sys.executable, *arguments], check=True, capture_output=True, cwd=home)
        return time.perf_counter() - begin


def _median(runs: int, measure: Callable[[], float]) -> float:
    return statistics.median(measure() for _ in range(runs))


if __name__ == "__main__":
    main()
