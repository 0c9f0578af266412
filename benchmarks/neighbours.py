"""What one user of a Spark can take from another: `python -m benchmarks.neighbours`.

A small statement is run again and again, alone and beside somebody whose statements pad texts to `--length`
characters as fast as they can. A length over the bound is refused, which is what the experiment shows.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import threading
import time

from sqe.api.connection import Connection, connect
from sqe.config.spark import SparkSettings
from sqe.engine.spark.jars import default_cache
from sqe.engine.spark.spark import Spark
from sqe.errors import SqeError

SMALL = "SELECT count(*) FROM (VALUES 1, 2, 3) AS t (x) WHERE x > 1"
GREEDY = "SELECT max(length(rpad(x, {length}, 'ab'))) FROM (VALUES 'a', 'b', 'c', 'd', 'e', 'f') AS t (x)"


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.neighbours")
    parser.add_argument("--seconds", type=float, default=20, help="of each part (20)")
    parser.add_argument("--length", type=int, default=1 << 20, help="of the neighbour's texts (1048576)")
    options = parser.parse_args(arguments)
    lane = Spark(SparkSettings(), default_cache())
    try:
        with connect(memory=True, spark=lane) as quiet, connect(memory=True, spark=lane) as greedy:
            for connection in (quiet, greedy):
                connection.execute("SET SESSION lane = 'spark'")
                connection.execute(SMALL).fetchall()
            _report("alone", _times(quiet, options.seconds))
            stop = threading.Event()
            neighbour = threading.Thread(target=_take, args=(greedy, options.length, stop), daemon=True)
            neighbour.start()
            _report("beside the neighbour", _times(quiet, options.seconds))
            stop.set()
            neighbour.join(60)
    finally:
        lane.close(wait=60)
    return 0


def _times(connection: Connection, seconds: float) -> list[float]:
    """At least one, however long it takes."""
    end = time.monotonic() + seconds
    times: list[float] = []
    while not times or time.monotonic() < end:
        began = time.monotonic()
        connection.execute(SMALL).fetchall()
        times.append(time.monotonic() - began)
    return times


def _take(connection: Connection, length: int, stop: threading.Event) -> None:
    done, refused = 0, ""
    while not stop.is_set():
        try:
            connection.execute(GREEDY.format(length=length)).fetchall()
            done += 1
        except SqeError as error:
            refused = str(error)
    print(f"neighbour: {done} statements" + (f"; refused: {refused}" if refused else ""))


def _report(what: str, times: list[float]) -> None:
    middle, longest = statistics.median(times), max(times)
    print(f"{what}: {len(times)} statements, median {middle * 1000:.0f} ms, longest {longest * 1000:.0f} ms")


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
