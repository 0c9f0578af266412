"""An engine in a process of its own, so that what it uses is counted apart from the others."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import time
from multiprocessing.connection import Connection as Pipe
from typing import TYPE_CHECKING

from sqe.bench import processes
from sqe.bench.compare import Row
from sqe.bench.engines import Engine, Place, engine
from sqe.foundation.record import record

if TYPE_CHECKING:
    import pyarrow as pa


@record
class Measured:
    """`seconds` end when all rows are there, as Arrow. The answer's rows come only when asked for."""

    seconds: float
    cpu: float | None
    peak: int | None
    count: int
    lane: str | None
    reason: str | None
    names: tuple[str, ...] = ()
    rows: list[Row] | None = None


class Failed(Exception):
    """The engine's own words, without a trace."""


class Worker:
    def __init__(self, name: str, place: Place, *, timeout: float) -> None:
        self.name = name
        self.dialect = engine(name).dialect
        self._place = place
        self._timeout = timeout
        self._start()

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._pipe, theirs = context.Pipe()
        self._process = context.Process(target=_serve, args=(theirs, self.name, self._place))
        self._process.start()
        theirs.close()
        self._ask(None)

    def prepare(self, sql: str) -> None:
        self._ask(("prepare", sql))

    def run(self, sql: str, *, keep: bool = False) -> Measured:
        done = self._ask(("keep" if keep else "run", sql))
        assert isinstance(done, Measured)
        return done

    def _ask(self, request: tuple[str, str] | None) -> object:
        if request is not None:
            self._pipe.send(request)
        if not self._pipe.poll(self._timeout):
            self._kill()
            self._start()
            raise Failed(f"no answer in {self._timeout:g} s")
        try:
            good, reply = self._pipe.recv()
        except EOFError:
            self._kill()
            if request is not None:
                self._start()
            raise Failed("its process has ended") from None
        if not good:
            raise Failed(str(reply))
        return reply

    def _kill(self) -> None:
        assert self._process.pid is not None
        # What it started sees by itself that it is gone, unless it is too busy.
        for pid in reversed(processes.tree(self._process.pid)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self._process.join()

    def close(self) -> None:
        with contextlib.suppress(OSError):
            self._pipe.send(None)
        self._process.join(30)
        if self._process.is_alive():
            self._kill()


def _serve(pipe: Pipe, name: str, place: Place) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    made = engine(name)
    try:
        made.open(place)
        pipe.send((True, None))
    except Exception as error:
        pipe.send((False, _words(error)))
        return
    while (request := pipe.recv()) is not None:
        kind, sql = request
        try:
            if kind == "prepare":
                made.prepare(sql)
                pipe.send((True, None))
            else:
                pipe.send((True, _measure(made, sql, kind == "keep")))
        except Exception as error:
            pipe.send((False, _words(error)))
    made.close()


def _measure(made: Engine, sql: str, keep: bool) -> Measured:
    me = os.getpid()
    processes.forget_peaks(me)
    before = processes.cpu_seconds(me)
    begin = time.perf_counter()
    answer = made.answer(sql)
    seconds = time.perf_counter() - begin
    after = processes.cpu_seconds(me)
    return Measured(
        seconds,
        None if before is None or after is None else after - before,
        processes.peak_bytes(me),
        answer.rows.num_rows,
        answer.lane,
        answer.reason,
        tuple(answer.rows.column_names),
        _rows(answer.rows) if keep else None,
    )


def _rows(table: pa.Table) -> list[Row]:
    columns = [column.to_pylist() for column in table.columns]
    return list(zip(*columns, strict=True))


def _words(error: Exception) -> str:
    lines = str(error).strip().splitlines()
    return f"{type(error).__name__}: {lines[0][:300]}" if lines else type(error).__name__
