"""DuckDB in a few processes, which run the statements of many identities."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import select
import threading
import time
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any

from sqe.config.duckdb import FastSettings
from sqe.engine.duckdb import wire
from sqe.engine.duckdb.errors import FastLaneFailed, cancelled, ended, too_late, translate
from sqe.engine.duckdb.pool import Child, Pool
from sqe.errors import SqeError
from sqe.foundation.record import record

if TYPE_CHECKING:
    import pyarrow as pa

# How long a child may take to obey before it is ended.
OBEY_SECONDS = 5.0
LOOK_SECONDS = 1.0
# How long a statement that can run elsewhere waits while no child becomes free: a few long statements must
# not hold up all others.
STANDSTILL_SECONDS = 5.0
_ANSWERS = wire.SCHEMA + wire.BATCH + wire.PROGRESS + wire.FAILED + wire.END


@record
class Progress:
    """`share` of the work is between 0 and 1, or None while DuckDB does not know it; rows and bytes are
    those of the answer."""

    share: float | None
    rows: int
    bytes: int


Secrets = Callable[[], Sequence[Mapping[str, str]]]
"""The secrets of object stores, asked for at the moment of use: keys end."""


@record
class Job:
    """What a child is asked to do."""

    sql: str
    mode: str
    identity_key: str
    locations: tuple[str, ...]
    tables: Mapping[str, pa.Table]
    bodies: tuple[str, ...]
    extensions: tuple[str, ...]
    secrets: Secrets | None = field(default=None, repr=False)

    @property
    def key(self) -> str:
        """Whose instance it needs. An identity's key may be made of a token, which stays here."""
        return hashlib.sha256(self.identity_key.encode()).hexdigest()


class Processes:
    """Starts nothing by itself; `close()` ends every child."""

    def __init__(self, settings: FastSettings) -> None:
        self.settings = settings
        self._pool = Pool(settings)
        self._lock = threading.Lock()
        self._running: dict[str, ProcessStream] = {}

    def start(self, children: int = 1) -> None:
        """The first child at once, as it takes milliseconds to ask for; the others in the background."""
        self._pool.start(1)
        if children > 1:
            threading.Thread(
                target=self._pool.start, args=(children,), name="sqe-fast-start", daemon=True
            ).start()

    def run(
        self,
        sql: str,
        *,
        statement_id: str,
        identity_key: str,
        locations: Sequence[str] = (),
        secrets: Secrets | None = None,
        tables: Mapping[str, pa.Table] | None = None,
        bodies: Sequence[str] = (),
        extensions: Sequence[str] = (),
        on_progress: Callable[[Progress], None] | None = None,
        deadline: float | None = None,
        mode: str = "rows",
        patient: bool = True,
    ) -> ProcessStream:
        """Returns at once; the stream takes a child when it is read, and waits for one if need be: one that
        is not `patient` fails where all are busy for long. `deadline` is of time.monotonic()."""
        job = Job(
            sql,
            mode,
            identity_key,
            tuple(sorted(set(locations))),
            dict(tables or {}),
            tuple(bodies),
            tuple(extensions),
            secrets,
        )
        stream = ProcessStream(self, job, statement_id, on_progress, deadline, patient)
        with self._lock:
            assert statement_id not in self._running, "a statement runs once"
            self._running[statement_id] = stream
        return stream

    def explain(self, sql: str, *, analyze: bool = False, **arguments: Any) -> str:
        """DuckDB's plan as JSON; with `analyze` the statement is run, and its rows are counted."""
        mode = "profile" if analyze else "plan"
        batches = list(self.run(sql, mode=mode, **arguments))
        return "\n".join(text for batch in batches for text in batch.column(0).to_pylist())

    def cancel(self, statement_id: str) -> None:
        """Ends a statement; its stream raises Cancelled. Nothing happens if it has ended."""
        with self._lock:
            stream = self._running.get(statement_id)
        if stream is not None:
            stream.cancel()

    def children(self) -> list[int]:
        """The process ids of those there are."""
        return self._pool.children()

    def close(self) -> None:
        """Statements that still run fail."""
        self._pool.close()

    @contextlib.contextmanager
    def child(self, stream: ProcessStream, key: str) -> Iterator[Child]:
        """For one statement. A child that was left in the middle of its answer is not used again."""
        child = self._pool.take(key, stream.wait_for_child)
        try:
            yield child
        finally:
            if stream.answered:
                child.remember(key)
                self._pool.give_back(child)
            else:
                self._pool.drop(child)

    @property
    def standstill(self) -> float:
        return self._pool.standstill

    def wake(self) -> None:
        self._pool.wake()

    def ended(self, stream: ProcessStream) -> None:
        with self._lock:
            self._running.pop(stream.statement_id, None)


class ProcessStream:
    """The answer of one statement: Arrow batches, once, in the thread that asks for them."""

    _numbers = itertools.count(1)
    commits = ()
    scanned = None

    def __init__(
        self,
        lane: Processes,
        job: Job,
        statement_id: str,
        on_progress: Callable[[Progress], None] | None,
        deadline: float | None,
        patient: bool = True,
    ) -> None:
        self.statement_id = statement_id
        self._patient = patient
        self._asked_at = time.monotonic()
        self.cancelled = False
        self.rows = 0
        self.bytes = 0
        self.store_requests: int | None = None
        """Those that the child has counted, where it was asked to."""
        self.answered = False
        """Whether the child has said its last word, and can take another statement."""
        self._lane = lane
        self._job = job
        self._on_progress = on_progress
        self._deadline = deadline
        self._number = next(self._numbers)
        self._lock = threading.Lock()
        self._child: Child | None = None
        self._sent = False
        self._heard = False
        self._told_to_stop: float | None = None
        self._late = False
        self._poll = select.poll()
        self._batches: Generator[pa.RecordBatch] = self._run()
        self._ahead: list[pa.RecordBatch] = []
        self._schema: pa.Schema | None = None

    @property
    def schema(self) -> pa.Schema:
        """DuckDB's own names and types; known as soon as the answer begins."""
        if self._schema is None:
            self._ahead.extend(itertools.islice(self._batches, 1))
        return self._schema

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        while self._ahead:
            yield self._ahead.pop()
        # Not `yield from`: a loop that is left early would close the statement with it.
        for batch in self._batches:  # noqa: UP028
            yield batch

    def cancel(self) -> None:
        self.cancelled = True
        self._lane.wake()
        self._stop()

    def close(self) -> None:
        """Ends the statement if it still runs."""
        self._batches.close()
        self._lane.ended(self)

    def wait_for_child(self, changed: threading.Condition) -> None:
        self._check()
        left = LOOK_SECONDS
        if self._deadline is not None:
            left = min(left, self._deadline - time.monotonic())
        changed.wait(max(0.0, left))
        self._check()
        waited = min(time.monotonic() - self._asked_at, self._lane.standstill)
        if not self._patient and waited > STANDSTILL_SECONDS:
            raise FastLaneFailed("all its processes are busy (engine.fast.processes)")

    def _check(self) -> None:
        if self.cancelled:
            raise cancelled()
        if self._deadline is not None and time.monotonic() >= self._deadline:
            raise too_late()

    def _run(self) -> Generator[pa.RecordBatch]:
        try:
            self._check()
            request = _request(self._job, self._number)
            outcome = yield from self._ask(request)
            if isinstance(outcome, FastLaneFailed) and not self._heard:
                # It had died before it was asked, and the system had not told us yet.
                outcome = yield from self._ask(request)
            # The child is free for others before anybody looks at what it said.
            if outcome is not None:
                raise outcome
        finally:
            self._lane.ended(self)

    def _ask(self, request: list[tuple[bytes, Any]]) -> Generator[pa.RecordBatch, None, SqeError | None]:
        self._sent = False
        with self._lane.child(self, self._job.key) as child:
            return (yield from self._answer(child, request))

    def _answer(
        self, child: Child, request: list[tuple[bytes, Any]]
    ) -> Generator[pa.RecordBatch, None, SqeError | None]:
        """The child's batches, and then the error of the statement if it has one."""
        frames = wire.Frames(child.sock, self._wait)
        self._poll.register(child.sock, select.POLLIN)
        with self._lock:
            self._child = child
        try:
            for kind, payload in request:
                wire.send(child.sock, kind, payload, self._wait)
            with self._lock:
                self._sent = True
                if self._told_to_stop is not None:
                    self._say_stop(child)
            if self.cancelled:
                self._stop()
            return (yield from self._read(frames))
        except GeneratorExit:
            self._abandon(frames)
            raise
        except (wire.Gone, wire.Garbled):
            return self._verdict(ended())
        finally:
            with self._lock:
                self._child = None
            self._poll.unregister(child.sock)

    def _read(self, frames: wire.Frames) -> Generator[pa.RecordBatch, None, SqeError | None]:
        while True:
            # Here too: an answer that flows without a pause never waits.
            self._stop_if_late()
            kind, payload = frames.next(_ANSWERS)
            self._heard = True
            if kind == wire.SCHEMA:
                self._schema = _schema(payload)
            elif kind == wire.BATCH:
                batch = _batch(payload, self._schema)
                self.rows += batch.num_rows
                self.bytes += len(payload)
                if self._told_to_stop is None:
                    yield batch
            elif kind == wire.PROGRESS:
                self._report_progress(wire.decode(payload))
            elif kind == wire.FAILED:
                message = wire.decode(payload)
                self.answered = not message.get("fatal")
                return self._verdict(_failure(message))
            else:
                self.answered = True
                requests = wire.decode(payload).get("store_requests")
                self.store_requests = requests if isinstance(requests, int) else None
                return self._verdict(None)

    def _abandon(self, frames: wire.Frames) -> None:
        """Nobody wants the rest: the child stops, and what it has sent is thrown away."""
        self._stop()
        with contextlib.suppress(wire.Gone, wire.Garbled):
            while True:
                kind, payload = frames.next(_ANSWERS)
                if kind in (wire.FAILED, wire.END):
                    self.answered = not wire.decode(payload).get("fatal")
                    return

    def _report_progress(self, message: dict[str, Any]) -> None:
        if self._on_progress is None:
            return
        share = message.get("share")
        fraction = share / 100 if isinstance(share, (int, float)) and 0 <= share <= 100 else None
        self._on_progress(Progress(fraction, self.rows, self.bytes))

    def _verdict(self, error: SqeError | None) -> SqeError | None:
        """Why the statement ended, which may not be what the child says."""
        if self._late:
            return too_late()
        return cancelled() if self.cancelled else error

    def _wait(self, event: int) -> None:
        """Until the child has said something, or heard it. One that does not stop when told to is ended."""
        child = self._child
        assert child is not None
        self._poll.modify(child.sock, event)
        while True:
            self._stop_if_late()
            now = time.monotonic()
            patience = LOOK_SECONDS
            if self._told_to_stop is not None:
                patience = min(patience, self._told_to_stop + OBEY_SECONDS - now)
                if patience <= 0:
                    raise wire.Gone
            elif self._deadline is not None:
                patience = max(0.0, min(patience, self._deadline - now))
            if self._poll.poll(1000 * patience):
                return

    def _stop_if_late(self) -> None:
        if self._deadline is None or self._told_to_stop is not None:
            return
        if time.monotonic() >= self._deadline:
            self._late = True
            self._stop()

    def _stop(self) -> None:
        with self._lock:
            if self._child is None or self._told_to_stop is not None:
                return
            self._told_to_stop = time.monotonic()
            if self._sent:
                self._say_stop(self._child)

    def _say_stop(self, child: Child) -> None:
        # A child that does not take even this is ended when its time is over.
        with contextlib.suppress(wire.Gone):
            wire.offer(child.sock, *wire.encode(wire.CANCEL, {"number": self._number}))


def _request(job: Job, number: int) -> list[tuple[bytes, Any]]:
    """The frames that ask for a statement."""
    message = {
        "number": number,
        "sql": job.sql,
        "mode": job.mode,
        "key": job.key,
        "locations": job.locations,
        "secrets": [] if job.secrets is None else job.secrets(),
        "extensions": _files(job.extensions),
        "bodies": _describe_bodies(job.bodies),
        "names": list(job.tables),
    }
    frames: list[tuple[bytes, Any]] = [wire.encode(wire.RUN, message)]
    frames += [(wire.TABLE, _as_stream(table)) for table in job.tables.values()]
    return frames


def _files(extensions: tuple[str, ...]) -> list[str]:
    if not extensions:
        return []
    from sqe.engine.duckdb.extensions import verified

    return verified(extensions)


def _describe_bodies(names: Sequence[str]) -> list[dict[str, Any]]:
    if not names:
        return []
    from sqe.engine.duckdb.types import duck_type
    from sqe.functions.bodies import bodies

    return [
        {
            "name": name,
            "parameters": [duck_type(parameter) for parameter in bodies()[name].parameters],
            "result": duck_type(bodies()[name].result),
        }
        for name in names
    ]


def _as_stream(table: pa.Table) -> pa.Buffer:
    import pyarrow as pa

    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    return sink.getvalue()


def _schema(data: bytearray) -> pa.Schema:
    import pyarrow as pa

    try:
        return pa.ipc.read_schema(pa.py_buffer(data))
    except pa.ArrowException:
        raise wire.Garbled from None


def _batch(data: bytearray, schema: pa.Schema | None) -> pa.RecordBatch:
    import pyarrow as pa

    if schema is None:
        raise wire.Garbled
    try:
        batch = pa.ipc.read_record_batch(pa.py_buffer(data), schema)
        batch.validate()
    except (pa.ArrowException, OSError):
        raise wire.Garbled from None
    return batch


def _failure(message: dict[str, Any]) -> SqeError:
    kind, text = str(message.get("kind")), str(message.get("text"))
    if kind == "NotASelect":
        return FastLaneFailed("the rendered text is not one SELECT")
    if kind == "NoSecret":
        return FastLaneFailed("DuckDB does not take the keys of the object store")
    # A streamed answer fails with an exception of Arrow's; the text is DuckDB's either way.
    return translate(text if " Error: " in text else f"{kind} Error: {text}")
