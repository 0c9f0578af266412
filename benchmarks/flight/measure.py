"""The parts of the measurement, each with its table."""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.flight import sessions, streams
from benchmarks.flight.large import large_table
from benchmarks.flight.served import served
from benchmarks.many_files import table_of_files
from sqe.bench.place import Kept
from sqe.foundation.record import record

Line = dict[str, object]
PARTS = ("start", "stream", "end-to-end", "small", "latency", "idle")
_SMALL_FILES = 10


@record
class Sizes:
    gigabytes: float
    seconds: float
    runs: int
    connections: int
    sessions: Sequence[int]
    idle: int
    spark: bool


def measure(kept: Kept, parts: Sequence[str], sizes: Sizes) -> Iterator[tuple[str, list[Line]]]:
    """Each part's name and lines, as soon as they are there."""
    with kept.connect() as connection:
        small = table_of_files(connection, _SMALL_FILES)
        large = ""
        if "stream" in parts or "end-to-end" in parts:
            kept.tell(f"a table of {sizes.gigabytes:g} GB")
            large = large_table(connection, sizes.gigabytes)
    if "start" in parts:
        kept.tell("starts")
        yield "start", [_starts(kept.warehouse, sizes.runs)]
    if not set(parts) - {"start"}:
        return
    ends: list[Line] = []
    with served(kept.warehouse) as server:
        server.wait_until_ready()
        if sizes.spark:
            server.wait_for_spark()
        if "stream" in parts:
            kept.tell("one stream from the spool")
            yield "stream", list(streams.from_spool(server, large, sizes.runs))
        if "end-to-end" in parts:
            kept.tell("end to end")
            lanes = ("fast", "spark") if sizes.spark else ("fast",)
            ends = [streams.end_to_end(server, large, lane) for lane in lanes]
        if "small" in parts:
            kept.tell(f"small queries over {sizes.connections} connections")
            yield "small", list(sessions.rates(server, small, sizes.connections, sizes.seconds))
        if "latency" in parts:
            kept.tell("latencies")
            yield "latency", [sessions.latencies(server, small, n, sizes.seconds) for n in sizes.sessions]
        if "idle" in parts:
            kept.tell(f"{sizes.idle} idle sessions")
            yield "idle", [sessions.idle_memory(server, small, sizes.idle)]
    if ends:
        if sizes.spark:
            # With the server gone, so that there are never two Sparks at once.
            bare = streams.bare_spark(kept, large, ends[-1])
            ends = streams.of_spark([*ends, bare])
        yield "end-to-end", ends


def _starts(warehouse: Path, runs: int) -> Line:
    """From the start of the process. Spark comes up behind."""
    # The client's own start is not the server's.
    import adbc_driver_flightsql.dbapi  # noqa: F401

    times: list[tuple[float, float, float]] = []
    for _ in range(runs):
        begin = time.perf_counter()
        with served(warehouse) as server:
            server.wait_until_ready()
            ready = time.perf_counter() - begin
            with server.connect() as connection, connection.cursor() as cursor:
                cursor.execute("SELECT 1")
                assert cursor.fetchall() == [(1,)]
            times.append((server.listened, ready, time.perf_counter() - begin))
    names = ("listens after s", "/readyz after s", "SELECT 1 answered after s")
    return {
        "`sqe server`": f"median of {runs}",
        **{
            name: round(statistics.median(of), 2)
            for name, of in zip(names, zip(*times, strict=True), strict=True)
        },
    }
