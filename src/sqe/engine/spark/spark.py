"""A Spark that is started when it is first needed, and the sessions of many identities on it.

A `SparkSession` outlives the server behind it: when the server died, its running statements fail, and
the next one starts a new server and a new Connect session with the same catalogs.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import secrets
import threading
import time
from collections import Counter
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sqe.config.spark import SparkSettings
from sqe.engine.spark.errors import SessionGone
from sqe.engine.spark.jars import JARS, Jar
from sqe.engine.spark.session_conf import SESSION_CONF
from sqe.engine.spark.types import spark_type
from sqe.errors import Cancelled, InternalError, LimitExceeded, SqeError, Unavailable
from sqe.foundation.record import record

if TYPE_CHECKING:
    import pyarrow as pa

    from sqe.engine.spark.connect import ConnectSession, Progress
    from sqe.engine.spark.metrics import Operator
    from sqe.engine.spark.server import SparkServer

log = logging.getLogger(__name__)

# How often to check whether a server has lost cores, and how long other statements may then take to finish.
WATCH_SECONDS = 5.0
RUNAWAY_SECONDS = 60.0
# A session that was idle for this long is released: each takes a part of Spark's heap.
SESSION_IDLE_SECONDS = 600.0
# A Connect server takes messages of up to 128 MB.
LOCAL_BYTES = 100 << 20
_SESSION_KEYS = "spark.sql.catalog."
Files = Mapping[str, tuple[str, Sequence[str]]]
"""Temporary views that a statement needs: name -> (format, paths)."""
Tables = Mapping[str, "pa.Table"]
"""Temporary views of rows that we have ourselves, by name."""


@record
class _Link:
    """A server that answers. `server` is None where it is not ours."""

    server: SparkServer | None
    channel: Any
    user_id: str | None

    @property
    def usable(self) -> bool:
        return self.server is None or self.server.alive

    def end(self, *, wait: float = 0) -> None:
        if self.server is not None:
            self.server.stop(wait=wait)
        self.channel.close()


class Spark:
    """`cache_dir` holds what is fetched or built once: jars and the class archive. `jars` are those that a
    server of ours has beside Spark's own."""

    def __init__(self, config: SparkSettings, cache_dir: Path, jars: Sequence[Jar] = JARS) -> None:
        self._settings = config
        self._cache = cache_dir
        self._jars = jars
        self._lock = threading.Lock()
        self._link_lock = threading.Lock()
        self._link: _Link | None = None
        self._closed = False
        self._starting: threading.Thread | None = None
        self._failure = ""
        self._sessions: dict[str, SparkSession] = {}

    @property
    def started(self) -> bool:
        """Whether a statement would find Spark running."""
        link = self._link
        return link is not None and link.usable

    @property
    def state(self) -> str:
        """ready, starting, not started, or why it did not start."""
        if self.started:
            return "ready"
        starting = self._starting is not None and self._starting.is_alive()
        if starting or self._link_lock.locked():
            return "starting"
        return self._failure or "not started"

    def start(self) -> None:
        """Starts Spark in the background; calling it again does nothing."""
        if self.started or self._closed or (self._starting is not None and self._starting.is_alive()):
            return

        def start() -> None:
            # The statement that needs it tries again, and reports the failure.
            with contextlib.suppress(SqeError):
                _warm_up(self.link())

        self._starting = threading.Thread(target=start, name="sqe-spark-start", daemon=True)
        self._starting.start()

    def session(self, identity_key: str, conf: Mapping[str, str]) -> SparkSession:
        """The session of an identity. Spark reads a catalog's conf once, so another conf is another
        session; statements that still run on the old one finish there."""
        wrong = next((key for key in conf if not key.startswith(_SESSION_KEYS)), None)
        assert wrong is None, f"not a setting of a catalog: {wrong}"
        with self._lock:
            current = self._sessions.get(identity_key)
            if current is not None and current.conf == conf and not current.closed:
                current.used()
                return current
            fresh = self._sessions[identity_key] = SparkSession(self, identity_key, conf)
        if current is not None:
            current.close(wait_for_statements=True)
        self.release_idle()
        return fresh

    def cancel(self, statement_id: str) -> None:
        """Ends a statement of whichever session; its stream raises Cancelled. Nothing happens if it has
        ended."""
        with self._lock:
            sessions = list(self._sessions.values())
        for session in sessions:
            session.cancel(statement_id)

    def release_idle(self) -> None:
        """Ends sessions that nobody has used for a while; whoever comes back gets another."""
        with self._lock:
            idle = {key: session for key, session in self._sessions.items() if session.is_idle}
            for key in idle:
                del self._sessions[key]
        for session in idle.values():
            session.close(wait_for_statements=True)

    def close(self, *, wait: float = 0) -> None:
        """Ends every session and, if it is ours, the server; with `wait`, until it has ended."""
        with self._lock:
            self._closed = True
            sessions, self._sessions = list(self._sessions.values()), {}
            link, self._link = self._link, None
        if link is not None:
            if link.server is None:
                for session in sessions:
                    session.close()
            # The sessions of our own server end with it.
            link.end(wait=wait)

    def link(self) -> _Link:
        """A server that answers: the one there is, or a new one, which takes seconds."""
        link = self._link
        if link is not None and link.usable:
            return link
        with self._link_lock:
            if self._link is not None and not self._link.usable:
                self._link.end()
                self._link = None
            if self._closed:
                raise Unavailable("the Spark lane is closed")
            if self._link is not None:
                return self._link
            try:
                link = self._install(self._make_link())
            except SqeError as error:
                self._failure = str(error)
                raise
            self._failure = ""
            return link

    def _install(self, link: _Link) -> _Link:
        with self._lock:
            if not self._closed:
                self._link = link
                if link.server is not None:
                    threading.Thread(
                        target=self._watch, args=(link,), name="sqe-spark-watch", daemon=True
                    ).start()
                return link
        # It was closed while it started.
        link.end()
        raise Unavailable("the Spark lane is closed")

    def _watch(self, link: _Link) -> None:
        """Puts another server in the place of one whose cores are kept by statements that were cancelled."""
        assert link.server is not None
        while self._link is link and link.usable:
            time.sleep(WATCH_SECONDS)
            self.release_idle()
            if link.server.has_runaways:
                self._replace(link)

    def _replace(self, link: _Link) -> None:
        with self._lock:
            if self._link is not link:
                return
            self._link = None
        log.warning("Spark is started anew: tasks of cancelled statements went on")
        self.start()
        # What runs there may end by itself, or wait for those cores for ever.
        deadline = time.monotonic() + RUNAWAY_SECONDS
        while self._runs_on(link) and time.monotonic() < deadline and link.usable and not self._closed:
            time.sleep(0.1)
        link.end()

    def _runs_on(self, link: _Link) -> bool:
        with self._lock:
            return any(session.runs_on(link) for session in self._sessions.values())

    def _make_link(self) -> _Link:
        if self._settings.remote is not None:
            from sqe.engine.spark.connect import open_channel, parse_remote

            endpoint = parse_remote(self._settings.remote)
            return _Link(None, open_channel(endpoint), endpoint.user_id)
        from sqe.engine.spark.server import SparkServer

        server = SparkServer(self._settings, self._cache, self._jars)
        try:
            # The client is imported while the JVM starts.
            from sqe.engine.spark.connect import Endpoint, open_channel

            port = server.wait()
        except BaseException:
            server.stop(wait=1)
            raise
        return _Link(server, open_channel(Endpoint(f"127.0.0.1:{port}", server.token)), None)


class SparkSession:
    """What one identity runs on Spark. Made by `Spark.session`."""

    def __init__(self, lane: Spark, identity_key: str, conf: Mapping[str, str]) -> None:
        self.conf = dict(conf)
        self.closed = False
        self._lane = lane
        self._identity_key = identity_key
        self._lock = threading.Lock()
        self._link: _Link | None = None
        self._connect: ConnectSession | None = None
        self._running: dict[str, Stream] = {}
        self._views_lock = threading.Lock()
        self._views: Counter[str] = Counter()
        self._last_used = time.monotonic()

    def used(self) -> None:
        self._last_used = time.monotonic()

    @property
    def is_idle(self) -> bool:
        return not self._running and time.monotonic() - self._last_used > SESSION_IDLE_SECONDS

    def run(
        self,
        sql: str,
        *,
        statement_id: str,
        user: str = "",
        files: Files | None = None,
        tables: Tables | None = None,
        bodies: Sequence[str] = (),
        on_progress: Callable[[Progress], None] | None = None,
        on_metrics: Callable[[list[Operator]], None] | None = None,
        deadline: float | None = None,
    ) -> Stream:
        """Returns at once; the stream starts Spark if need be, and has to be drained without a pause,
        because Spark keeps in its heap what is not taken. `deadline` is of time.monotonic(). `user` is
        whose pool it belongs to, as soon as Connect lets a client choose one."""
        stream = Stream(
            self,
            sql,
            statement_id,
            files or {},
            tables or {},
            bodies,
            on_progress=on_progress,
            on_metrics=on_metrics,
            deadline=deadline,
        )
        with self._lock:
            if self.closed:
                raise Unavailable("the Spark session is closed")
            assert statement_id not in self._running, "a statement runs once"
            self._running[statement_id] = stream
        return stream

    def runs_on(self, link: _Link) -> bool:
        with self._lock:
            return any(stream.link in (None, link) for stream in self._running.values())

    def cancel(self, statement_id: str) -> None:
        """Ends a statement; its stream raises Cancelled. Nothing happens if it has ended."""
        with self._lock:
            stream = self._running.get(statement_id)
            connect = self._connect
        if stream is None:
            return
        stream.cancelled = True
        if connect is not None:
            with contextlib.suppress(Unavailable):
                connect.interrupt(statement_id)

    def explain(
        self,
        sql: str,
        *,
        statement_id: str | None = None,
        bodies: Sequence[str] = (),
        deadline: float | None = None,
    ) -> str:
        """Spark's plan. As SQL, since asking for the plan of a command by RPC would run the command."""
        statement_id = statement_id or f"explain-{secrets.token_hex(8)}"
        explained = f"EXPLAIN FORMATTED {sql}"
        stream = self.run(explained, statement_id=statement_id, bodies=bodies, deadline=deadline)
        plan = "\n".join(str(value) for batch in list(stream) for value in batch.column(0).to_pylist())
        if plan.startswith("Error occurred during query planning"):
            # Spark answers with an error's text, which suggests names that its author may not know.
            raise InternalError("Spark cannot plan what was rendered")
        return plan

    def close(self, *, wait_for_statements: bool = False) -> None:
        with self._lock:
            self.closed = True
            if wait_for_statements and self._running:
                return
            connect, self._connect = self._connect, None
        if connect is not None:
            connect.release()

    def connected(self) -> tuple[_Link, ConnectSession]:
        """The Connect session, made anew if the server was, with the catalogs configured in it."""
        link = self._lane.link()
        with self._lock:
            if self._connect is None or self._link is not link:
                from sqe.engine.spark.connect import ConnectSession

                # Spark writes it into logs, and an identity's key may be made of a token.
                user_id = link.user_id or hashlib.sha256(self._identity_key.encode()).hexdigest()[:32]
                connect = ConnectSession(link.channel, user_id, lambda: link.usable)
                connect.configure({**SESSION_CONF, **self.conf})
                self._link, self._connect = link, connect
            return link, self._connect

    def ended(self, stream: Stream) -> None:
        self.used()
        with self._lock:
            self._running.pop(stream.statement_id, None)
            last_one = self.closed and not self._running
        if last_one:
            self.close()

    @contextlib.contextmanager
    def views(self, connect: ConnectSession, files: Files, tables: Tables) -> Iterator[None]:
        """Temporary views. Statements at once may share one of files, and the last of them drops it."""
        names = []
        try:
            for name, table in tables.items():
                connect.create_local_view(name, _as_stream(table))
                with self._views_lock:
                    self._views[name] += 1
                names.append(name)
            for name, (file_format, paths) in files.items():
                with self._views_lock:
                    connect.create_view(name, file_format, paths)
                    self._views[name] += 1
                names.append(name)
            yield
        finally:
            for name in names:
                with self._views_lock, contextlib.suppress(Unavailable):
                    self._views[name] -= 1
                    if not self._views[name]:
                        del self._views[name]
                        connect.drop_view(name)

    def register(self, connect: ConnectSession, bodies: Sequence[str]) -> None:
        """Python bodies that this session has not had yet."""
        for name in bodies:
            with self._views_lock:
                if name in connect.registered:
                    continue
                from sqe.functions.bodies import bodies as all_bodies

                body = all_bodies()[name]
                connect.register_function(name, body.function(), spark_type(body.result))
                connect.registered.add(name)

    def forget(self, connect: ConnectSession) -> None:
        """The server no longer knows this session: the next statement makes another."""
        with self._lock:
            if self._connect is connect:
                self._connect = None


class Stream:
    """The answer of one statement: Arrow batches, once, in the thread that asks for them."""

    def __init__(
        self,
        session: SparkSession,
        sql: str,
        statement_id: str,
        files: Files,
        tables: Tables,
        bodies: Sequence[str],
        *,
        on_progress: Callable[[Progress], None] | None,
        on_metrics: Callable[[list[Operator]], None] | None,
        deadline: float | None,
    ) -> None:
        self.statement_id = statement_id
        self.cancelled = False
        self.link: _Link | None = None
        self._session = session
        self._sql = sql
        self._files = files
        self._tables = tables
        self._bodies = bodies
        self._on_progress = on_progress
        self._on_metrics = on_metrics
        self._deadline = deadline
        self._batches: Generator[pa.RecordBatch] = self._run()
        self._ahead: list[pa.RecordBatch] = []
        self._schema: pa.Schema | None = None

    @property
    def schema(self) -> pa.Schema:
        """Spark's own names and types; known with the first batch, which an empty answer has too."""
        if self._schema is None:
            import pyarrow as pa

            first = next(self._batches, None)
            self._schema = pa.schema([]) if first is None else first.schema
            if first is not None:
                self._ahead.append(first)
        return self._schema

    def __iter__(self) -> Iterator[pa.RecordBatch]:
        while self._ahead:
            yield self._ahead.pop()
        for batch in self._batches:
            self._schema = batch.schema
            yield batch

    def close(self) -> None:
        """Ends the statement if it still runs."""
        self._batches.close()
        self._session.ended(self)

    def _run(self) -> Generator[pa.RecordBatch]:
        try:
            link, connect = self._connected()
            try:
                try:
                    yield from self._answer(connect)
                except SessionGone:
                    # It was refused before it ran, so that it can be sent once more even if it writes.
                    self._session.forget(connect)
                    link, connect = self._connected()
                    yield from self._answer(connect)
            except Unavailable as error:
                raise _reason(link, error) from None
            if link.server is not None:
                link.server.trained()
        finally:
            self._session.ended(self)

    def _connected(self) -> tuple[_Link, ConnectSession]:
        self.link, connect = self._session.connected()
        if self.cancelled:
            raise Cancelled("the statement was cancelled")
        return self.link, connect

    def _answer(self, connect: ConnectSession) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        self._session.register(connect, self._bodies)
        with self._session.views(connect, self._files, self._tables):
            answers = connect.run(
                self._sql,
                tag=self.statement_id,
                deadline=self._deadline,
                on_progress=self._on_progress,
                on_metrics=self._on_metrics,
                is_cancelled=lambda: self.cancelled,
            )
            for data in answers:
                with pa.ipc.open_stream(data) as reader:
                    yield from reader


def _as_stream(table: pa.Table) -> bytes:
    import pyarrow as pa

    if table.nbytes > LOCAL_BYTES:
        raise LimitExceeded(
            f"rows of {table.nbytes} bytes were to be sent to Spark, which takes {LOCAL_BYTES} at most",
            hint="insert fewer rows at once, or ask for fewer columns of the system table",
        )
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    data: bytes = sink.getvalue().to_pybytes()
    return data


def _warm_up(link: _Link) -> None:
    """Loads in the background what every first statement would load."""
    from sqe.engine.spark.connect import ConnectSession

    connect = ConnectSession(link.channel, "sqe", lambda: link.usable)
    sql = "SELECT id % 2 AS k, count(*) AS n FROM range(4) GROUP BY id % 2 ORDER BY k"
    for _ in connect.run(sql, tag="sqe-warm-up"):
        pass
    connect.release()


def _reason(link: _Link, error: Unavailable) -> SqeError:
    """A lost connection to a server of ours is most often its end, which has a reason."""
    if link.server is None:
        return error
    failure = link.server.failure()
    if failure is not None:
        return failure
    if link.server.alive:
        return error
    return Unavailable(
        "the Spark server ended while the statement ran", hint="the next statement starts a new one"
    )
