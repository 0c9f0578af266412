"""Statements of Flight's clients: started once, read by ticket, and given up when nobody comes."""

from __future__ import annotations

import contextlib
import itertools
import math
import secrets
import threading
import time
from collections.abc import Iterator
from typing import Any

import pyarrow as pa

from sqe.coordinator import Coordinator
from sqe.doors.flight import stream
from sqe.doors.flight.calls import when_left
from sqe.doors.flight.column_metadata import described
from sqe.doors.flight.flight_pb2 import FlightDescriptor, FlightEndpoint, FlightInfo, PollInfo, Ticket
from sqe.doors.flight.flight_sql_pb2 import TicketStatementQuery
from sqe.doors.flight.messages import pack, unpack
from sqe.doors.flight.status_metadata import so_far
from sqe.errors import LimitExceeded, NotFound, SessionExpired, SqeError
from sqe.results.result import Result
from sqe.server.sessions import ServerSession
from sqe.session import Identity
from sqe.statement import Statement, run
from sqe.tree.expressions import Expression

# So long a first answer waits for the first rows: most errors are heard at once, and the rest is known.
FIRST_ROWS_SECONDS = 2.0
LAST_ROWS_SECONDS = 0.02
# So long a poll waits for something new, and so often it looks.
POLL_SECONDS = 5.0
LOOK_SECONDS = 0.2
# A call that ends so shortly before its deadline was ended by it.
LATE_SECONDS = 0.1
# A client that was told of its result comes for it within this time, if it comes.
FETCH_SECONDS = 5.0
# Results larger than this are handed out in several parts, if their rows are in no order.
ENDPOINT_BYTES = 256 << 20
MOST_ENDPOINTS = 4
# Of one user, fetched or not.
MOST_KEPT = 1000
_HANDLE = 24
_NO_ROWS = pa.schema([])


class Query:
    """One statement. `owner` alone may see it, by its handle."""

    def __init__(self, statement: Statement, session: ServerSession) -> None:
        self.handle = secrets.token_bytes(_HANDLE)
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
        self.polled = False
        # Whether somebody was told that it may be fetched more than once.
        self.lasting = False

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


class Queries:
    """The statements of all sessions, by handle."""

    def __init__(self, coordinator: Coordinator, *, compression: str = "none") -> None:
        self._coordinator = coordinator
        self._codec = None if compression == "none" else compression
        self._lock = threading.Lock()
        self._by_handle: dict[bytes, Query] = {}
        self._idle = coordinator.config.query.stream_idle_timeout_secs

    def __len__(self) -> int:
        return len(self._by_handle)

    def awaited(self) -> bool:
        """Whether some result is being read, or is probably about to be."""
        recently = time.monotonic() - FETCH_SECONDS
        with self._lock:
            return any(q.readers or (not q.read and q.used > recently) for q in self._by_handle.values())

    # Starting -----------------------------------------------------------------------------------------

    def start(
        self,
        session: ServerSession,
        text: str,
        *,
        context: Any,
        parameters: tuple[Expression, ...] = (),
        rows: int = 1,
    ) -> Query:
        """Runs it; rows may still be arriving. A client that goes away meanwhile cancels it."""
        query = self._new(session, text, parameters, rows)
        answered = when_left(context, lambda: self.cancel(query))
        try:
            self._run(query)
            self._check(query)
            if query.result is not None:
                query.result.wait_for_rows(FIRST_ROWS_SECONDS)
                # Most results are whole a moment later, and need not be kept once they were read.
                query.result.wait(LAST_ROWS_SECONDS)
        except SqeError as error:
            raise self._blame(query, error) from None
        finally:
            answered.set()
        return query

    def start_in_background(
        self,
        session: ServerSession,
        text: str,
        *,
        parameters: tuple[Expression, ...] = (),
        rows: int = 1,
    ) -> Query:
        query = self._new(session, text, parameters, rows)
        query.polled = True
        threading.Thread(target=self._run, args=(query,), name="sqe-flight-poll", daemon=True).start()
        return query

    def _new(self, session: ServerSession, text: str, parameters: tuple[Expression, ...], rows: int) -> Query:
        query = Query(Statement(text, session.session, parameters=parameters, rows=rows), session)
        self._make_room(query.owner)
        with self._lock:
            self._by_handle[query.handle] = query
        if session.closed:
            self.close(query)
            raise SessionExpired("the session has ended", hint="log in again")
        return query

    def _make_room(self, owner: Identity) -> None:
        """Gives up the oldest result of somebody who fetches none of them."""
        with self._lock:
            if len(self._by_handle) < MOST_KEPT:
                return
            theirs = [query for query in self._by_handle.values() if query.owner == owner]
            if len(theirs) < MOST_KEPT:
                return
            oldest = next((query for query in theirs if query.done and not query.readers), None)
        if oldest is None:
            raise LimitExceeded(f"one user has at most {MOST_KEPT} statements", code="TOO_MANY_STATEMENTS")
        self.close(oldest)

    def _run(self, query: Query) -> None:
        try:
            run(query.statement, self._coordinator)
        except SqeError as error:
            error.query_id = query.statement.id
            query.error = error
        finally:
            query.started.set()
            # It was given up before there was a result to close.
            if query.closed:
                self.close(query)

    def _check(self, query: Query) -> None:
        if query.error is not None:
            raise query.error

    def _blame(self, query: Query, error: SqeError) -> SqeError:
        error.query_id = query.statement.id
        self.close(query)
        return error

    # Finding ------------------------------------------------------------------------------------------

    def find(self, handle: bytes, identity: Identity) -> Query:
        """Somebody else's is as unknown as one that never was."""
        query = self._by_handle.get(handle[:_HANDLE])
        if query is None or query.owner != identity:
            raise NotFound(
                "there is no such statement: it was fetched, cancelled, or has expired", code="NOT_FOUND"
            )
        query.used = time.monotonic()
        return query

    def find_in(self, info: FlightInfo, identity: Identity) -> Query:
        places = [endpoint.ticket.ticket for endpoint in info.endpoint[:MOST_ENDPOINTS]]
        for ticket in [*places, info.flight_descriptor.cmd]:
            with contextlib.suppress(SqeError):
                command = unpack(ticket)
                if isinstance(command, TicketStatementQuery):
                    return self.find(command.statement_handle, identity)
        return self.find(b"", identity)

    # Telling ------------------------------------------------------------------------------------------

    def info(self, query: Query, descriptor: FlightDescriptor) -> FlightInfo:
        query.started.wait()
        self._check(query)
        result = query.result
        known = result is not None and result.done
        if result is None:
            total = -1 if query.statement.updated is None else query.statement.updated
        else:
            total = result.rows if known else -1
        # What is in memory, and whole, is handed out once; and so is what is being read already.
        query.lasting = query.lasting or (
            result is not None and (not known or result.spooled) and not query.readers
        )
        return FlightInfo(
            schema=stream.schema_bytes(self.schema(query)),
            flight_descriptor=descriptor,
            endpoint=self._endpoints(query),
            total_records=total,
            total_bytes=result.bytes if result is not None and known else -1,
            ordered=query.statement.ordered,
            app_metadata=so_far(query.statement, self._coordinator),
        )

    def poll(self, query: Query, descriptor: FlightDescriptor, *, context: Any, first: bool) -> PollInfo:
        """With endpoints once all rows are there: then it is known how many parts are worth while. A client
        that breaks the call off cancels the statement; one that sets it a deadline may come again."""
        answered = when_left(context, lambda: None if _is_late(context) else self.cancel(query))
        with self._lock:
            query.polls += 1
        try:
            done = self._wait(query, 0.05 if first else POLL_SECONDS)
        finally:
            with self._lock:
                query.polls -= 1
            query.used = time.monotonic()
            answered.set()
        if not done:
            # The command to come again with is also the ticket, for those who will not wait for the end.
            again = FlightDescriptor(type=FlightDescriptor.CMD, cmd=self._ticket(query))
            info = FlightInfo(
                flight_descriptor=again,
                total_records=-1,
                total_bytes=-1,
                ordered=True,
                app_metadata=so_far(query.statement, self._coordinator),
            )
            if query.started.is_set():
                info.schema = stream.schema_bytes(self.schema(query))
            answer = PollInfo(info=info, flight_descriptor=again, progress=query.progress)
        else:
            answer = PollInfo(info=self.info(query, descriptor), progress=1.0)
        answer.expiration_time.FromSeconds(self._expires())
        return answer

    def _wait(self, query: Query, seconds: float) -> bool:
        """Whether everything has arrived. Returns early if there is something to tell."""
        until = time.monotonic() + seconds
        before = so_far(query.statement, self._coordinator)
        while (left := until - time.monotonic()) > 0:
            if self._wait_a_moment(query, min(left, LOOK_SECONDS)):
                return True
            if so_far(query.statement, self._coordinator) != before:
                return False
        return False

    def _wait_a_moment(self, query: Query, seconds: float) -> bool:
        until = time.monotonic() + seconds
        if not query.started.wait(seconds):
            return False
        try:
            self._check(query)
            if query.result is None:
                return True
            return query.result.wait(max(0.0, until - time.monotonic()))
        except SqeError as error:
            raise self._blame(query, error) from None

    def schema(self, query: Query) -> pa.Schema:
        return _NO_ROWS if query.result is None else described(query.result.fields)

    def _endpoints(self, query: Query) -> list[FlightEndpoint]:
        result = query.result
        pieces = 1
        if (
            query.lasting
            and result is not None
            and result.done
            and result.spooled
            and not query.statement.ordered
        ):
            pieces = min(MOST_ENDPOINTS, math.ceil(result.bytes / ENDPOINT_BYTES), max(result.parts, 1))
        if pieces == 1:
            return [self._endpoint(query, b"")]
        assert result is not None
        edges = [result.parts * n // pieces for n in range(pieces + 1)]
        return [
            self._endpoint(query, f"{first}-{last}".encode()) for first, last in itertools.pairwise(edges)
        ]

    def _endpoint(self, query: Query, part: bytes) -> FlightEndpoint:
        endpoint = FlightEndpoint(ticket=Ticket(ticket=self._ticket(query, part)))
        if query.lasting:
            endpoint.expiration_time.FromSeconds(self._expires())
        return endpoint

    def renew(self, endpoint: FlightEndpoint, identity: Identity) -> FlightEndpoint:
        command = unpack(endpoint.ticket.ticket)
        handle = command.statement_handle if isinstance(command, TicketStatementQuery) else b""
        query = self.find(handle, identity)
        query.lasting = True
        return self._endpoint(query, handle[_HANDLE:])

    def _expires(self) -> int:
        return int(time.time()) + (self._idle or 24 * 3600)

    def _ticket(self, query: Query, part: bytes = b"") -> bytes:
        return pack(TicketStatementQuery(statement_handle=query.handle + part))

    # Reading ------------------------------------------------------------------------------------------

    def read(self, handle: bytes, identity: Identity, *, context: Any) -> Iterator[bytes]:
        """A client that breaks off while the statement runs cancels it: that is how drivers cancel, and
        nothing of ours is resumed to notice while it waits for rows."""
        query = self.find(handle, identity)
        first, last = _part(handle[_HANDLE:], query)
        with self._lock:
            query.readers += 1
        query.read = True
        over = when_left(context, lambda: self._left(query))
        try:
            query.started.wait()
            self._check(query)
            schema = self.schema(query)
            if query.result is None:
                yield from stream.frames(schema, ())
            else:
                result = query.result
                if self._codec is None:
                    batches = result.frames(first, last)
                else:
                    batches = stream.compressed(result.batches(first, last), result.schema, self._codec)
                yield from stream.frames(schema, batches)
        except SqeError as error:
            # Whoever polls it is to hear the same.
            query.error, error.query_id = error, query.statement.id
            if query.result is not None:
                query.result.close()
            raise error from None
        except BaseException:
            # The client went away in the middle. What may be fetched again stays for a while.
            if not query.lasting:
                self.close(query)
            raise
        finally:
            over.set()
            with self._lock:
                query.readers -= 1
            query.used = time.monotonic()
        if not query.lasting:
            self.close(query)

    def _left(self, query: Query) -> None:
        if query.readers == 1 and not query.done:
            self.cancel(query)

    # Ending -------------------------------------------------------------------------------------------

    def cancel(self, query: Query) -> None:
        self._cancel(query)
        self.close(query)

    def _cancel(self, query: Query) -> None:
        statement = query.statement
        statement.cancelled = True
        self._coordinator.cancel(query.owner, statement.id)

    def close(self, query: Query) -> None:
        with self._lock:
            query.closed = True
            self._by_handle.pop(query.handle, None)
        if not query.started.is_set():
            self._cancel(query)
        if query.result is not None:
            query.result.close()

    def close_session(self, session_id: str) -> None:
        with self._lock:
            theirs = [query for query in self._by_handle.values() if query.session.id == session_id]
        for query in theirs:
            self.cancel(query)

    def sweep(self) -> None:
        """Gives up what nobody has asked for in a while."""
        if not self._idle:
            return
        before = time.monotonic() - self._idle
        with self._lock:
            old = [q for q in self._by_handle.values() if q.used < before and not q.readers and not q.polls]
        for query in old:
            if query.done or query.lasting or query.polled or query.error is not None:
                self.cancel(query)


def _is_late(context: Any) -> bool:
    left = context.time_remaining()
    return left is not None and left < LATE_SECONDS


def _part(text: bytes, query: Query) -> tuple[int, int | None]:
    """Tickets of parts are given out once all are there; any other was made up."""
    if not text:
        return 0, None
    first, dash, last = text.partition(b"-")
    parts = query.result.parts if query.done and query.result is not None else 0
    known = dash and first.isdigit() and last.isdigit() and len(text) <= 20
    if not known or not int(first) < int(last) <= parts:
        raise NotFound("there is no such part of a result", code="NOT_FOUND")
    return int(first), int(last)
