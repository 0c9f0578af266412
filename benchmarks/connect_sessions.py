"""What a Spark Connect session costs: its first statement, and the heap that it holds.

    python -m benchmarks.connect_sessions [--sessions N]

Each identity has a session of its own; the same table is read by one identity, and by N of them.
"""

from __future__ import annotations

import argparse
import re
import statistics
import subprocess
import time
from dataclasses import replace

from sqe.api.connection import Connection, connect
from sqe.session import Identity
from sqe.statement import Statement, run

QUERY = "SELECT count(*) FROM t WHERE a > 0"


def main() -> None:
    summary = (__doc__ or "").split("\n")[0]
    arguments = argparse.ArgumentParser(prog="python -m benchmarks.connect_sessions", description=summary)
    arguments.add_argument("--sessions", type=int, default=50)
    count: int = arguments.parse_args().sessions
    with connect(memory=True) as connection:
        connection.execute("CREATE TABLE t AS SELECT * FROM TABLE(sequence(1, 1000)) AS s (a)")
        connection.execute("SET SESSION lane = 'spark'")
        for _ in range(20):
            seconds(connection, "warm")
        before = heap(connection)
        again = [seconds(connection, "warm") for _ in range(count)]
        one = heap(connection)
        first = [seconds(connection, f"user{number}") for number in range(count)]
        many = heap(connection)
        print("| | median ms | live heap, MB |")
        print("|---|---|---|")
        print(f"| {count} statements of one session | {_median(again)} | {one - before:+.1f} |")
        each = (many - one) / count
        print(f"| first of {count} sessions | {_median(first)} | {many - one:+.1f}, {each:.2f} each |")


def _median(times: list[float]) -> str:
    return f"{1000 * statistics.median(times):.0f}"


def seconds(connection: Connection, user: str) -> float:
    begin = time.perf_counter()
    statement = Statement(QUERY, replace(connection.session, identity=Identity(user)))
    run(statement, connection.coordinator)
    assert statement.result is not None and [b.to_pylist() for b in statement.result.batches()]
    return time.perf_counter() - begin


def heap(connection: Connection) -> float:
    """Megabytes that live after a collection, as Java's own tool counts them."""
    server = connection.coordinator.spark.link().server
    assert server is not None
    histogram = subprocess.run(
        ["jmap", "-histo:live", str(server.jvm)], capture_output=True, text=True, check=True
    ).stdout
    total = re.search(r"^Total\s+\d+\s+(\d+)", histogram, re.MULTILINE)
    assert total is not None
    return int(total[1]) / 1e6


if __name__ == "__main__":
    main()
