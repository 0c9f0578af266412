"""The statements of a server's clients: started once, found by handle, and given up when nobody comes."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial

from sqe.coordinator import Coordinator
from sqe.errors import NotFound, SessionExpired, SqeError
from sqe.foundation.idle_threads import IdleThreads
from sqe.observe.request_ids import request_ids
from sqe.results.result import Result
from sqe.server.client import Client
from sqe.server.sessions import ServerSession
from sqe.server.statement_quota import evictable
from sqe.session import Identity, Session
from sqe.statement import Statement, run
from sqe.tree.expressions import Expression

HANDLE_BYTES = 24
# How long a first answer waits for the first rows: most errors are heard at once, and the rest is known.
FIRST_ROWS_SECONDS = 2.0
LAST_ROWS_SECONDS = 0.02
# How often a call that waits for news looks for some.
LOOK_SECONDS = 0.2
# A client that was told of its result comes for it within this time, if it comes.
FETCH_SECONDS = 5.0
_threads = IdleThreads("sqe-background")


class RunningStatement:
    """A statement and its result, until it was fetched, cancelled or given up. `owner` alone may see it, by
    its handle."""

    def __init__(self, statement: Statement, session: ServerSession) -> None:
        self.handle = secrets.token_bytes(HANDLE_BYTES)
        self.statement = statement
        self.owner = session.identity
        self.session = session
        self.used = time.monotonic()
        self.readers = 0
        self.read = False
        self.polls = 0
        self.started = threading.Event()
        self.error: SqeError | None = None
        self.closed = False
        # Whether it runs without a call that waits for it.
        self.in_background = False
        # Whether somebody was told that its result may be fetched more than once.
        self.lasting = False
        # Called when it is closed, perhaps more than once.
        self.on_close: Callable[[], None] = lambda: None

    @property
    def result(self) -> Result | None:
        return self.statement.result

    @property
    def done(self) -> bool:
        return self.started.is_set() and (self.result is None or self.result.done)

    @property
    def progress(self) -> float | None:
        """None while nothing is known of it."""
        if self.done:
            return 1.0
        done, total = self.statement.progress or (0, 0)
        return min(done / total, 0.99) if total else None

    def check(self) -> None:
        """Raises the error that it ended by."""
        if self.error is not None:
            raise self.error

    def wait_until_started(self) -> None:
        """Until it is known whether it has rows."""
        self.started.wait()
        self.check()


class RunningStatements:
    """Those of all sessions, by handle."""

    def __init__(self, coordinator: Coordinator) -> None:
        self._coordinator = coordinator
        self._lock = threading.Lock()
        self._by_handle: dict[bytes, RunningStatement] = {}
        self._idle_seconds = coordinator.config.query.stream_idle_timeout_secs

    def __len__(self) -> int:
        return len(self._by_handle)

    def all(self) -> list[RunningStatement]:
        with self._lock:
            return list(self._by_handle.values())

    def awaited(self) -> bool:
        """Whether some result is being read, or is probably about to be."""
        recently = time.monotonic() - FETCH_SECONDS
        return any(
            running.readers or (not running.read and running.used > recently) for running in self.all()
        )

    def start(
        self,
        session: ServerSession,
        text: str,
        *,
        client: Client,
        parameters: tuple[Expression, ...] = (),
        rows: int = 1,
    ) -> RunningStatement:
        """Runs it; rows may still be arriving. A client that goes away meanwhile cancels it."""
        running = self._add(session, text, client, parameters, rows)
        answered = client.when_gone(lambda: self.cancel(running))
        try:
            self._run(running)
            running.check()
            if running.result is not None:
                running.result.wait_for_rows(FIRST_ROWS_SECONDS)
                # Most results are whole a moment later, and need not be kept once they were read.
                running.result.wait(LAST_ROWS_SECONDS)
        except SqeError as error:
            raise self._ended_by(running, error) from None
        finally:
            answered.set()
        return running

    def start_in_background(
        self,
        session: ServerSession,
        text: str,
        *,
        client: Client,
        parameters: tuple[Expression, ...] = (),
        rows: int = 1,
    ) -> RunningStatement:
        running = self._add(session, text, client, parameters, rows)
        self.begin(running)
        return running

    def announce(
        self, session: ServerSession, text: str, *, client: Client, settings: Session
    ) -> RunningStatement:
        """One that does not run before `begin`, and is given up like any other if that never comes.
        `settings` are those of this statement alone, in a protocol without sessions."""
        running = self._add(session, text, client, (), 1, settings)
        running.in_background = True
        return running

    def begin(self, running: RunningStatement) -> None:
        running.in_background = True
        _threads.run(partial(self._run, running))

    @contextmanager
    def attended(self, statement: Statement, client: Client) -> Iterator[None]:
        """While a statement without a handle runs. A client that goes away cancels it."""

        def abandon() -> None:
            if statement.ended is None:
                self._cancel(statement)

        over = client.when_gone(abandon)
        try:
            yield
        except SqeError as error:
            error.query_id = statement.id
            raise
        finally:
            over.set()

    def find(self, handle: bytes, identity: Identity) -> RunningStatement:
        """Somebody else's is as unknown as one that never was."""
        running = self._by_handle.get(handle)
        if running is None or running.owner != identity:
            raise NotFound(
                "there is no such statement: it was fetched, cancelled, or has expired", code="NOT_FOUND"
            )
        running.used = time.monotonic()
        return running

    def wait_for_news(
        self, running: RunningStatement, client: Client, seconds: float, news: Callable[[], object]
    ) -> bool:
        """Whether everything has arrived; returns early when `news` changes. A client that breaks the call
        off cancels the statement; one that gave the call a deadline may come again."""
        answered = client.when_gone(lambda: None if client.is_late else self.cancel(running))
        with self._lock:
            running.polls += 1
        try:
            return self._wait(running, seconds, news)
        finally:
            with self._lock:
                running.polls -= 1
            running.used = time.monotonic()
            answered.set()

    @contextmanager
    def reading(self, running: RunningStatement, client: Client) -> Iterator[None]:
        """While a client reads the result. One that breaks off while the statement runs cancels it: that is
        how drivers cancel, and nothing of ours is resumed to notice while it waits for rows."""
        with self._lock:
            running.readers += 1
        running.read = True
        over = client.when_gone(lambda: self._reader_left(running))
        try:
            running.wait_until_started()
            yield
        except SqeError as error:
            # Whoever polls it gets the same error.
            running.error, error.query_id = error, running.statement.id
            if running.result is not None:
                running.result.close()
            raise error from None
        except BaseException:
            # The client went away in the middle. What may be fetched again stays for a while.
            if not running.lasting:
                self.close(running)
            raise
        finally:
            over.set()
            with self._lock:
                running.readers -= 1
            running.used = time.monotonic()
        if not running.lasting:
            self.close(running)

    def cancel(self, running: RunningStatement) -> None:
        self._cancel(running.statement)
        self.close(running)

    def close(self, running: RunningStatement) -> None:
        with self._lock:
            running.closed = True
            self._by_handle.pop(running.handle, None)
        if not running.started.is_set():
            self._cancel(running.statement)
        if running.result is not None:
            running.result.close()
        running.on_close()

    def close_session(self, session_id: str) -> None:
        for running in self.all():
            if running.session.id == session_id:
                self.cancel(running)

    def sweep(self) -> None:
        """Gives up what nobody has asked for in a while."""
        if not self._idle_seconds:
            return
        before = time.monotonic() - self._idle_seconds
        for running in self.all():
            if running.used >= before or running.readers or running.polls:
                continue
            if running.done or running.lasting or running.in_background or running.error is not None:
                self.cancel(running)

    def expires_at(self) -> int:
        """Until when what is used now is kept, in seconds since the epoch."""
        return int(time.time()) + (self._idle_seconds or 24 * 3600)

    def _add(
        self,
        session: ServerSession,
        text: str,
        client: Client,
        parameters: tuple[Expression, ...],
        rows: int,
        settings: Session | None = None,
    ) -> RunningStatement:
        ids = request_ids(client.headers)
        own = session.session if settings is None else settings
        statement = Statement(text, own, parameters=parameters, rows=rows, request=ids)
        running = RunningStatement(statement, session)
        with self._lock:
            oldest = evictable(self._by_handle.values(), running.owner)
        if oldest is not None:
            self.close(oldest)
        with self._lock:
            self._by_handle[running.handle] = running
        if session.closed:
            self.close(running)
            raise SessionExpired("the session has ended", hint="log in again")
        return running

    def _run(self, running: RunningStatement) -> None:
        try:
            run(running.statement, self._coordinator)
        except SqeError as error:
            error.query_id = running.statement.id
            running.error = error
        finally:
            running.started.set()
            # It was given up before there was a result to close.
            if running.closed:
                self.close(running)

    def _ended_by(self, running: RunningStatement, error: SqeError) -> SqeError:
        error.query_id = running.statement.id
        self.close(running)
        return error

    def _wait(self, running: RunningStatement, seconds: float, news: Callable[[], object]) -> bool:
        deadline = time.monotonic() + seconds
        before = news()
        while (remaining := deadline - time.monotonic()) > 0:
            if self._wait_a_moment(running, min(remaining, LOOK_SECONDS)):
                return True
            if news() != before:
                return False
        return False

    def _wait_a_moment(self, running: RunningStatement, seconds: float) -> bool:
        deadline = time.monotonic() + seconds
        if not running.started.wait(seconds):
            return False
        try:
            running.check()
            if running.result is None:
                return True
            return running.result.wait(max(0.0, deadline - time.monotonic()))
        except SqeError as error:
            raise self._ended_by(running, error) from None

    def _reader_left(self, running: RunningStatement) -> None:
        if running.readers == 1 and not running.done:
            self.cancel(running)

    def _cancel(self, statement: Statement) -> None:
        statement.cancelled = True
        self._coordinator.cancel(statement.id)
