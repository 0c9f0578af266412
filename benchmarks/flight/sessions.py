"""Small statements of many sessions: how many, how long, and how much memory."""

from __future__ import annotations

import statistics
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing

from benchmarks.flight.clients import Adbc, Client, Pyarrow
from benchmarks.flight.served import Served
from sqe.bench import processes

Line = dict[str, object]
Work = Callable[[Client, int], object]


def rates(served: Served, table: str, sessions: int, seconds: float) -> Iterator[Line]:
    """Of each driver. The empty handler is our server's answer to GetSessionOptions, asked for as often as
    a statement makes calls."""
    works: dict[str, Work] = {
        "an empty handler": lambda client, number: client.nothing(),
        "the same point query": lambda client, number: _point(client, table, 7),
        "another point query each time": _points(table),
    }
    for kind in (Pyarrow, Adbc):
        empty = 0.0
        for name, work in works.items():
            durations = _at_once(served, kind, sessions, seconds, work)
            rate = sum(map(len, durations)) / seconds
            empty = empty or rate
            yield {
                f"over {sessions} connections": f"{kind.name}, {kind.calls} calls: {name}",
                "a second": round(rate, 1),
                "of the empty handler": round(rate / empty, 2),
                **_percentiles(durations),
            }


def latencies(served: Served, table: str, sessions: int, seconds: float) -> Line:
    """Each session of ADBC asks again as soon as it is answered."""
    durations = _at_once(served, Adbc, sessions, seconds, _points(table))
    rate = sum(map(len, durations)) / seconds
    return {"sessions": sessions, "queries a second": round(rate, 1), **_percentiles(durations)}


def idle_memory(served: Served, table: str, sessions: int) -> Line:
    """Of sessions that were logged in and have run one statement, beyond what one of them leaves."""
    with ExitStack() as open_:
        _open(open_, served, table)
        before = processes.resident_bytes(served.pids)
        for _ in range(sessions):
            _open(open_, served, table)
        after = processes.resident_bytes(served.pids)
    return {
        "idle sessions": sessions,
        "before, MB": round(before / 1e6),
        "after, MB": round(after / 1e6),
        "a session, MB": round((after - before) / 1e6 / sessions, 3),
        "all over sessions, MB": round(after / 1e6 / sessions, 2),
    }


def _open(open_: ExitStack, served: Served, table: str) -> None:
    _point(open_.enter_context(closing(Adbc(served))), table, 7)


def _point(client: Client, table: str, number: int) -> None:
    assert client.ask(f"SELECT name FROM {table} WHERE id = {number}") == [f"name {number}"]


def _points(table: str) -> Work:
    """Of ids that are in the table, another each time for longer than plans are kept."""
    return lambda client, number: _point(client, table, number % 1000)


def _at_once(
    served: Served, kind: type[Client], sessions: int, seconds: float, work: Work
) -> list[list[float]]:
    """Seconds of each run in each session, begun together and until the time is over."""
    begin = threading.Barrier(sessions)
    durations: list[list[float]] = [[] for _ in range(sessions)]
    errors: list[BaseException] = []

    def run(number: int) -> None:
        try:
            with closing(kind(served)) as client:
                work(client, number)
                begin.wait()
                until = time.perf_counter() + seconds
                while (start := time.perf_counter()) < until:
                    work(client, len(durations[number]) * sessions + number)
                    durations[number].append(time.perf_counter() - start)
        except BaseException as error:
            errors.append(error)
            begin.abort()

    threads = [threading.Thread(target=run, args=(number,)) for number in range(sessions)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    causes = [error for error in errors if not isinstance(error, threading.BrokenBarrierError)]
    if causes:
        raise causes[0]
    return durations


def _percentiles(durations: list[list[float]]) -> Line:
    every = [1000 * seconds for session in durations for seconds in session]
    cuts = statistics.quantiles(every, n=100, method="inclusive") if len(every) > 1 else every * 99
    return {f"P{share}, ms": round(cuts[share - 1], 1) for share in (50, 95, 99)}
