"""A child of the fast lane: runs one SELECT at a time in DuckDB, and ends with its coordinator.

One thread runs statements, the other listens to the coordinator: to cancel, or to notice that it is gone.
"""

from __future__ import annotations

import contextlib
import os
import queue
import select
import socket
import sys
import threading
import time
from typing import Any, NamedTuple, NoReturn

from sqe.engine.duckdb import wire

ROWS_A_BATCH = 100_000
PROGRESS_SECONDS = 0.5
IDLE_SECONDS = 2.0
INTERRUPT_SECONDS = 0.05
# A Python body that holds the GIL longer than this can only be stopped by ending the process.
STUCK_SECONDS = 60
# How often a statement is run to learn the error that an interrupt of DuckDB's own hides.
SEARCHES = 5
# After these DuckDB refuses everything else, or cannot be trusted with it.
FATAL = ("INTERNAL Error", "FATAL Error")
# What DuckDB says of a store's answer may have that answer in it.
FROM_STORES = ("HTTP Error", "IO Error")


# Not dataclasses: their module would be 10 ms of every start.
class Request(NamedTuple):
    """One statement; `tables` are Arrow streams, one for each of `names`, and `secrets` open object stores
    while it runs."""

    number: int
    sql: str
    mode: str
    key: str
    locations: list[str]
    secrets: list[dict[str, str]]
    extensions: list[str]
    bodies: list[dict[str, Any]]
    names: list[str]
    tables: list[bytearray]


class Running:
    """What the listening thread has to know of the statement that runs."""

    def __init__(self, number: int) -> None:
        self.number = number
        self.connection: Any = None
        self.cancelled = False
        self.rows = 0
        self.bytes = 0
        self.store_requests: int | None = None
        self.reported_at = time.monotonic()


class Cancelled(Exception):
    pass


class Child:
    def __init__(self, sock: socket.socket) -> None:
        self._sock = sock
        self._sending = threading.Lock()
        self._pending = b""
        self._requests: queue.SimpleQueue[Request] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._running: Running | None = None
        self._busy = False
        self._cancelled = -1
        self._spill = ""
        self._owner = 0

    def serve(self) -> NoReturn:
        # The slow part of a start, while the coordinator loads its own. `pathlib` is what DuckDB would
        # otherwise import at its first connection.
        from sqe.engine.duckdb.instances import Instances, Limits  # first: it hides what Arrow need not load

        import pathlib  # noqa: F401  # isort: skip
        import pyarrow  # noqa: F401  # isort: skip

        try:
            hello = wire.decode(wire.receive(self._sock, wire.HELLO)[1])
        except (wire.Gone, wire.Garbled):
            os._exit(0)
        self._spill, self._owner = hello["spill"], hello["owner"]
        limits = Limits(self._spill, hello["memory_limit"], hello["max_spill"], hello["threads"])
        instances = Instances(limits)
        threading.Thread(target=self._listen, daemon=True).start()
        instances.prepare()
        while True:
            try:
                request = self._requests.get(timeout=IDLE_SECONDS)
            except queue.Empty:
                instances.prepare()
                continue
            self._run(request, instances)
            instances.trim()

    def _run(self, request: Request, instances: Any) -> None:
        running = Running(request.number)
        with self._lock:
            self._running = running
            running.cancelled = self._cancelled >= request.number
        failure = None
        connection = None
        try:
            instance = instances.get(request.key, request.locations, request.extensions)
            connection = instance.connection
            instance.unlock_stores(request.secrets)
            self._answer(request, running, instance)
        except wire.Gone:
            self._end()
        except Exception as error:
            text = str(error)[:4000]
            if text.startswith("INTERRUPT Error") and not running.cancelled:
                text = self._search(request, running, connection) or text
            text = _without_secrets(text, request.secrets)
            failure = {"kind": type(error).__name__, "text": text, "fatal": text.startswith(FATAL)}
        with self._lock:
            self._running = running.connection = None
            self._busy = False
        with contextlib.suppress(wire.Gone):
            if failure is None:
                totals = {"rows": running.rows, "bytes": running.bytes}
                self._say(wire.END, {**totals, "store_requests": running.store_requests})
            else:
                self._say(wire.FAILED, failure)
        if failure is not None and failure["fatal"]:
            os._exit(1)
        if connection is not None:
            _tidy(connection, request.names)
        instances.lock_stores()

    def _answer(self, request: Request, running: Running, instance: Any) -> None:
        import pyarrow as pa

        connection = instance.connection
        statement = instance.select(request.sql)
        if request.mode != "rows":
            form = "ANALYZE, FORMAT JSON" if request.mode == "profile" else "FORMAT JSON"
            statement = f"EXPLAIN ({form}) {request.sql}"
        instance.register(request.bodies)
        for name, data in zip(request.names, request.tables, strict=True):
            with pa.ipc.open_stream(pa.py_buffer(data)) as stream:
                connection.register(name, stream.read_all())
        running.connection = connection
        if running.cancelled:
            raise Cancelled
        with _guard(request.bodies), _counted(request, running, instance):
            connection.execute(statement)
            if request.mode != "rows":
                self._send_plan(connection.fetchall(), running)
            else:
                self._send_rows(connection.to_arrow_reader(ROWS_A_BATCH), running)

    def _search(self, request: Request, running: Running, connection: Any) -> str:
        """The error that one thread failed with. It interrupts the others, and DuckDB may report that instead
        (duckdb/duckdb#25902)."""
        for _ in range(SEARCHES):
            try:
                with (
                    _guard(request.bodies),
                    connection.execute(request.sql).to_arrow_reader(ROWS_A_BATCH) as reader,
                ):
                    for _ in reader:
                        if running.cancelled:
                            return ""
            except Exception as error:
                text = str(error)[:4000]
                if running.cancelled or not text.startswith("INTERRUPT Error"):
                    return text
        return ""

    def _send_rows(self, reader: Any, running: Running) -> None:
        with reader:
            self._send(wire.SCHEMA, reader.schema.serialize(), more=True)
            for batch in reader:
                if running.cancelled:
                    raise Cancelled
                data = batch.serialize()
                running.rows += batch.num_rows
                running.bytes += data.size
                # One that is not full is the last.
                self._send(wire.BATCH, data, more=batch.num_rows < ROWS_A_BATCH)

    def _send_plan(self, plan: list[tuple[str, str]], running: Running) -> None:
        import pyarrow as pa

        batch = pa.record_batch({"plan": [text for _, text in plan]})
        self._send(wire.SCHEMA, batch.schema.serialize())
        running.rows = batch.num_rows
        self._send(wire.BATCH, batch.serialize())

    def _send(self, kind: bytes, payload: Any, *, more: bool = False) -> None:
        """With `more` to come at once, a small frame goes with it: the coordinator wakes up once for both."""
        frame = wire.small(kind, payload) if more else None
        if frame is not None:
            self._pending += frame
            return
        before, self._pending = self._pending, b""
        with self._sending:
            wire.send(self._sock, kind, payload, before=before)

    def _say(self, kind: bytes, message: dict[str, Any]) -> None:
        self._send(*wire.encode(kind, message))

    def _listen(self) -> None:
        poll = select.poll()
        poll.register(self._sock, select.POLLIN)
        while True:
            ready = poll.poll(1000 * self._patience())
            try:
                if ready:
                    self._hear()
            except (wire.Gone, wire.Garbled):
                self._end()
            # A forked process of the coordinator may hold the other end open.
            if os.getppid() != self._owner:
                self._end()
            with self._lock:
                running = self._running
            if running is not None:
                self._tell(running)

    def _patience(self) -> float:
        with self._lock:
            if not self._busy:
                return IDLE_SECONDS
            cancelled = self._running is not None and self._running.cancelled
        return INTERRUPT_SECONDS if cancelled else PROGRESS_SECONDS

    def _hear(self) -> None:
        kind, payload = wire.receive(self._sock, wire.RUN + wire.CANCEL)
        message = wire.decode(payload)
        if kind == wire.CANCEL:
            with self._lock:
                self._cancelled = max(self._cancelled, message["number"])
                if self._running is not None and self._running.number <= self._cancelled:
                    self._running.cancelled = True
            return
        tables = [wire.receive(self._sock, wire.TABLE)[1] for _ in message["names"]]
        request = Request(**message, tables=tables)
        with self._lock:
            self._busy = True
        self._requests.put(request)

    def _tell(self, running: Running) -> None:
        if running.cancelled:
            # Again until it ends: an interrupt before DuckDB has begun is forgotten. With the lock, since
            # the connection's next statement is not to be interrupted.
            with self._lock:
                if running.connection is not None:
                    running.connection.interrupt()
            return
        connection = running.connection
        now = time.monotonic()
        if connection is None or now - running.reported_at < PROGRESS_SECONDS:
            return
        running.reported_at = now
        share = connection.query_progress()
        message = {"share": share, "rows": running.rows, "bytes": running.bytes}
        # The thread that listens to the coordinator must not wait for it.
        if self._sending.acquire(blocking=False):
            try:
                wire.offer(self._sock, *wire.encode(wire.PROGRESS, message))
            finally:
                self._sending.release()

    def _end(self) -> NoReturn:
        """The coordinator is gone: one that lives would have killed this child. Also while a statement runs:
        DuckDB's threads are not waited for."""
        with contextlib.suppress(Exception):
            _remove(self._spill)
            _remove_if_last(os.path.dirname(self._spill))
        os._exit(0)


def _tidy(connection: Any, names: list[str]) -> None:
    """What is left of an answer would keep its memory until the next one."""
    with contextlib.suppress(Exception):
        connection.execute("SELECT NULL").fetchall()
    for name in names:
        with contextlib.suppress(Exception):
            connection.unregister(name)


def _without_secrets(text: str, secrets: list[dict[str, str]]) -> str:
    """A store may send back what it was sent: of its answers the first line is enough, without keys."""
    if not secrets:
        return text
    if text.startswith(FROM_STORES):
        text = text.partition("\n")[0]
    for secret in secrets:
        for option in ("secret", "session_token", "key_id"):
            if secret.get(option):
                text = text.replace(secret[option], "...")
    return text


@contextlib.contextmanager
def _counted(request: Request, running: Running, instance: Any) -> Any:
    """Counts requests to stores where that is asked for."""
    if request.mode != "profile" or not request.secrets:
        yield
        return
    instance.begin_counting()
    try:
        yield
    finally:
        running.store_requests = instance.counted()


@contextlib.contextmanager
def _guard(bodies: list[dict[str, Any]]) -> Any:
    """A watchdog that does not need the GIL, for bodies that might never release it."""
    if not bodies:
        yield
        return
    import faulthandler

    def rearm() -> None:
        while not done.wait(STUCK_SECONDS / 4):
            faulthandler.dump_traceback_later(STUCK_SECONDS, exit=True, file=2)

    done = threading.Event()
    faulthandler.dump_traceback_later(STUCK_SECONDS, exit=True, file=2)
    watch = threading.Thread(target=rearm, daemon=True)
    watch.start()
    try:
        yield
    finally:
        done.set()
        watch.join()
        faulthandler.cancel_dump_traceback_later()


def _remove(directory: str) -> None:
    import shutil

    # Twice: DuckDB's threads may still have been writing.
    for _ in range(2):
        shutil.rmtree(directory, ignore_errors=True)


def _remove_if_last(scratch: str) -> None:
    """The last child removes what the coordinator would have removed."""
    if set(os.listdir(scratch)) <= {"lock"}:
        _remove(scratch)


def main() -> NoReturn:
    descriptor = int(sys.argv[1])
    os.umask(0o077)
    os.closerange(descriptor + 1, os.sysconf("SC_OPEN_MAX"))
    with contextlib.suppress(OSError, ValueError, ImportError):
        import resource

        # A core file would hold rows.
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    with contextlib.suppress(OSError), open("/proc/self/oom_score_adj", "w") as score:
        # Short of memory, the system ends a child and not the coordinator.
        score.write("500")
    Child(socket.socket(fileno=descriptor)).serve()
