"""A client in a process of its own, so that what it uses is counted apart: pyarrow's, taking one stream."""

from __future__ import annotations

import multiprocessing
import os
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from typing import Any, TypeVar

from benchmarks.flight.clients import descriptor, log_in, start
from sqe.bench import processes
from sqe.foundation.record import record

LOOK_SECONDS = 0.05
_T = TypeVar("_T")


@record
class Transfer:
    """`seconds` are those of the stream alone; `waited` those before it, from the statement on."""

    bytes: int
    rows: int
    waited: float
    seconds: float
    peak: int


def elsewhere(work: Callable[..., _T], *arguments: Any) -> _T:
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, mp_context=context) as pool:
        return pool.submit(work, *arguments).result()


def take_spooled(
    uri: str, sql: str, lane: str, plain_uri: str, times: int
) -> tuple[list[Transfer], list[Transfer]]:
    """The stream, each time after its last row has arrived at the server; and in turns with it one of a
    server that has nothing else to do."""
    import pyarrow.flight as flight

    client, options = log_in(uri)
    plain = flight.connect(plain_uri)
    begin = time.perf_counter()
    info = _execute(client, options, sql, lane)
    ticket = info.endpoints[0].ticket
    while info.total_records < 0:
        time.sleep(LOOK_SECONDS)
        info = client.get_flight_info(descriptor(ticket.ticket), options)
    waited = time.perf_counter() - begin
    size = str(info.total_bytes).encode()
    ours, others = [], []
    for _ in range(times):
        ours.append(_take(client, options, ticket, waited))
        others.append(_take(plain, None, flight.Ticket(size), 0.0))
    return ours, others


def take_at_once(uri: str, sql: str, lane: str) -> Transfer:
    """The stream while the engine is still answering, for the second time: a JVM's first is several times
    as slow, whoever asks."""
    client, options = log_in(uri)
    _take(client, options, _execute(client, options, sql, lane).endpoints[0].ticket, 0.0)
    begin = time.perf_counter()
    info = _execute(client, options, sql, lane)
    return _take(client, options, info.endpoints[0].ticket, time.perf_counter() - begin)


def _execute(client: Any, options: Any, sql: str, lane: str) -> Any:
    start(client, options, f"SET SESSION lane = '{lane}'")
    return start(client, options, sql)


def _take(client: Any, options: Any, ticket: Any, waited: float) -> Transfer:
    """Batch by batch: a client that kept them all would measure its memory."""
    processes.forget_peaks(os.getpid())
    size = rows = 0
    begin = time.perf_counter()
    for chunk in client.do_get(ticket, options):
        size += chunk.data.nbytes
        rows += chunk.data.num_rows
    seconds = time.perf_counter() - begin
    return Transfer(size, rows, waited, seconds, processes.peak_of([os.getpid()]))
