"""One large result through the door: from its spool, and from its first row on."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Iterator
from contextlib import contextmanager

from benchmarks.flight.large import some_rows
from benchmarks.flight.served import Served
from benchmarks.flight.taking import Transfer, elsewhere, take_at_once, take_spooled
from sqe.bench import processes
from sqe.bench.place import Kept
from sqe.results.result import LARGEST_BATCH

Line = dict[str, object]


def from_spool(served: Served, table: str, runs: int) -> Iterator[Line]:
    """In turns with pyarrow's own server, which has a batch of the same kind in memory and sends it again and
    again: what a client can take from a server that has nothing to do."""
    processes.forget_peaks(served.process.pid)
    with _plain_server() as plain_uri:
        ours, plain = elsewhere(take_spooled, served.uri, _sql(table), "fast", plain_uri, runs)
    peak = processes.peak_of(served.pids)
    yield _line("SQE, from the spool", ours, peak, plain)
    yield _line("pyarrow's server, from memory", plain, None, plain)


def end_to_end(served: Served, table: str, lane: str) -> Line:
    processes.forget_peaks(served.process.pid)
    transfer = elsewhere(take_at_once, served.uri, _sql(table), lane)
    peak = processes.peak_of(served.pids)
    return {
        "end to end": f"SQE, {lane} lane",
        "GB": round(transfer.bytes / 1e9, 2),
        "seconds": round(transfer.waited + transfer.seconds, 2),
        "MB/s": round(transfer.bytes / 1e6 / (transfer.waited + transfer.seconds)),
        "first answer after s": round(transfer.waited, 2),
        "server's peak MB": round(peak / 1e6),
        "client's peak MB": round(transfer.peak / 1e6),
    }


def bare_spark(kept: Kept, table: str, like: Line) -> Line:
    """The same rows by PySpark's own client: all at once in its memory, which is all it offers."""
    from sqe.bench.worker import Worker

    schema, name = table.split(".")
    place = kept.place_of({name: ""}, schema)
    worker = Worker("pyspark", place, timeout=600)
    try:
        worker.run(_sql(name))
        done = worker.run(_sql(name))
    finally:
        worker.close()
    size = like["GB"]
    assert isinstance(size, float)
    return {
        "end to end": "PySpark, toArrow",
        "GB": size,
        "seconds": round(done.seconds, 2),
        "MB/s": round(1000 * size / done.seconds),
        "first answer after s": "",
        "server's peak MB": "",
        # What was counted has Spark in it.
        "client's peak MB": "",
    }


def of_spark(lines: list[Line]) -> list[Line]:
    """With each one's rate as a share of the last one's."""
    rates = [line["GB"] / line["seconds"] for line in lines]  # type: ignore[operator]
    return [
        {**line, "of PySpark": round(rate / rates[-1], 2)} for line, rate in zip(lines, rates, strict=True)
    ]


def _line(name: str, transfers: list[Transfer], peak: int | None, plain: list[Transfer]) -> Line:
    rate = _rate(transfers)
    return {
        "one stream": name,
        "GB": round(transfers[0].bytes / 1e9, 2),
        "GB/s": round(rate, 2),
        "of pyarrow's server": round(rate / _rate(plain), 2),
        "server's peak MB": "" if peak is None else round(peak / 1e6),
        "client's peak MB": round(max(one.peak for one in transfers) / 1e6),
    }


def _rate(transfers: list[Transfer]) -> float:
    return statistics.median(one.bytes / 1e9 / one.seconds for one in transfers)


def _sql(table: str) -> str:
    return f"SELECT * FROM {table}"


@contextmanager
def _plain_server() -> Iterator[str]:
    """A ticket says how many bytes it is for."""
    import pyarrow.flight as flight

    [batch] = some_rows(LARGEST_BATCH).to_batches()

    class Plain(flight.FlightServerBase):  # type: ignore[misc]
        def do_get(self, context: object, ticket: flight.Ticket) -> flight.GeneratorStream:
            times = max(1, int(ticket.ticket) // batch.nbytes)
            return flight.GeneratorStream(batch.schema, itertools.repeat(batch, times))

    with Plain("grpc://127.0.0.1:0") as server:
        yield f"grpc://127.0.0.1:{server.port}"
