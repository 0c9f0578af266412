"""A server under readers and writers of one row at a time, and what becomes of its memory:
python -m benchmarks.soak --seconds 540"""

from __future__ import annotations

import argparse
import json
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from benchmarks.flight.served import Served, served
from sqe.bench import processes
from sqe.bench.plot import lines
from sqe.foundation.record import record

READERS, WRITERS = 6, 2
SAMPLE_SECONDS = 2.0
_TABLE = "soaked"


@record
class Soak:
    """`memory` is (seconds since the start, bytes of the server without Spark and the fast lane's children).
    `stored` is how many rows are there in the end, `acknowledged` how many writers were told of."""

    statements: int
    acknowledged: int
    stored: int
    errors: tuple[str, ...]
    memory: tuple[tuple[float, int], ...]

    @property
    def growth(self) -> float:
        """The mean of the last tenth of the samples over that of the second, which has warmed up."""
        samples = [size for _, size in self.memory]
        part = max(1, len(samples) // 10)
        early, late = samples[part : 2 * part] or samples, samples[-part:]
        return (sum(late) / len(late)) / (sum(early) / len(early))


def soak(seconds: float, *, readers: int = READERS, writers: int = WRITERS) -> Soak:
    with tempfile.TemporaryDirectory(prefix="sqe-soak-") as place, served(Path(place)) as server:
        server.wait_until_ready()
        server.wait_for_spark()
        connection = server.connect()
        try:
            _ask(connection, f"CREATE TABLE {_TABLE} (id bigint)")
            _ask(connection, f"INSERT INTO {_TABLE} VALUES 0")
            outcome = _run(server, seconds, readers, writers)
            ((stored,),) = _ask(connection, f"SELECT count(*) FROM {_TABLE}")
        finally:
            connection.close()
        statements, written, errors, memory = outcome
        return Soak(statements, written + 1, int(stored), tuple(errors), tuple(memory))


def _run(
    server: Served, seconds: float, readers: int, writers: int
) -> tuple[int, int, list[str], list[tuple[float, int]]]:
    begin = time.monotonic()
    statements, written, errors = [0] * (readers + writers), [0] * writers, list[str]()

    def work(number: int, statement: Callable[[], str]) -> None:
        try:
            connection = server.connect()
            try:
                while time.monotonic() - begin < seconds:
                    _ask(connection, statement())
                    statements[number] += 1
                    if number < writers:
                        written[number] += 1
            finally:
                connection.close()
        except Exception as error:
            errors.append(f"{type(error).__name__}: {error}")

    def insert() -> str:
        return f"INSERT INTO {_TABLE} VALUES {time.monotonic_ns()}"

    def read() -> str:
        # Texts differ, as those of people do.
        return f"SELECT count(*), max(id) FROM {_TABLE} WHERE id <> {time.monotonic_ns() % 1000}"

    threads = [
        threading.Thread(target=work, args=(n, insert if n < writers else read), name=f"sqe-soak-{n}")
        for n in range(readers + writers)
    ]
    for thread in threads:
        thread.start()
    memory = []
    while any(thread.is_alive() for thread in threads):
        memory.append((time.monotonic() - begin, processes.resident_bytes([server.process.pid])))
        time.sleep(SAMPLE_SECONDS)
    return sum(statements), sum(written), errors, memory


def _ask(connection: Any, sql: str) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(sql)
        return [] if cursor.description is None else list(cursor.fetchall())


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak", description=__doc__)
    parser.add_argument("--seconds", type=float, default=540, metavar="S")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the figures too")
    parser.add_argument("--plot", type=Path, metavar="FILE", help="draw the memory, as SVG")
    options = parser.parse_args(arguments)
    outcome = soak(options.seconds)
    megabytes = [(at, size / 1e6) for at, size in outcome.memory]
    figures = {
        "seconds": options.seconds,
        "statements": outcome.statements,
        "acknowledged_rows": outcome.acknowledged,
        "stored_rows": outcome.stored,
        "errors": list(outcome.errors),
        "first_mb": round(megabytes[0][1], 1),
        "last_mb": round(megabytes[-1][1], 1),
        "growth": round(outcome.growth, 3),
    }
    print(json.dumps(figures, indent=2))
    if options.json is not None:
        options.json.write_text(json.dumps({**figures, "memory_mb": megabytes}), encoding="utf-8")
    if options.plot is not None:
        options.plot.write_text(
            lines("memory of the server", "MB", "s", {"server": megabytes}), encoding="utf-8"
        )
    return 1 if outcome.errors or outcome.stored != outcome.acknowledged else 0


if __name__ == "__main__":
    raise SystemExit(main())
