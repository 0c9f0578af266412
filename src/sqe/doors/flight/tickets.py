"""Statements as Flight's clients know them: infos, endpoints, and tickets that read a result."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

import pyarrow as pa

from sqe.doors.flight import stream
from sqe.doors.flight.column_metadata import result_schema
from sqe.doors.flight.flight_pb2 import FlightDescriptor, FlightEndpoint, FlightInfo, PollInfo, Ticket
from sqe.doors.flight.flight_sql_pb2 import TicketStatementQuery
from sqe.doors.flight.messages import pack, unpack
from sqe.doors.flight.status_metadata import status_metadata
from sqe.errors import SqeError
from sqe.server.calls import Call
from sqe.server.clients import Clients
from sqe.server.kept_results import Part, check_part, keep_if_large, no_such_part, parts_of
from sqe.server.running_statements import HANDLE_BYTES, RunningStatement
from sqe.session import Identity

# How long the first poll, and each later one, waits for something new.
FIRST_POLL_SECONDS = 0.05
POLL_SECONDS = 5.0
# Of an info that a client sends back, the endpoints that are looked at.
MOST_ENDPOINTS = 4
_NO_ROWS = pa.schema([])


class Tickets:
    """A ticket is a statement's handle, and the part of its result that it stands for."""

    def __init__(self, clients: Clients, *, compression: str = "none") -> None:
        self._coordinator = clients.coordinator
        self._running = clients.running
        self._codec = None if compression == "none" else compression

    def find(self, command: TicketStatementQuery, identity: Identity) -> RunningStatement:
        return self._running.find(command.statement_handle[:HANDLE_BYTES], identity)

    def find_in(self, info: FlightInfo, identity: Identity) -> RunningStatement:
        tickets = [endpoint.ticket.ticket for endpoint in info.endpoint[:MOST_ENDPOINTS]]
        for ticket in [*tickets, info.flight_descriptor.cmd]:
            with contextlib.suppress(SqeError):
                command = unpack(ticket)
                if isinstance(command, TicketStatementQuery):
                    return self.find(command, identity)
        return self._running.find(b"", identity)

    def info(self, running: RunningStatement, descriptor: FlightDescriptor) -> FlightInfo:
        running.wait_until_started()
        result = running.result
        is_whole = result is not None and result.done
        if result is None:
            total = -1 if running.statement.updated is None else running.statement.updated
        else:
            total = result.rows if is_whole else -1
        keep_if_large(running)
        return FlightInfo(
            schema=stream.schema_bytes(_schema(running)),
            flight_descriptor=descriptor,
            endpoint=self._endpoints(running),
            total_records=total,
            total_bytes=result.bytes if result is not None and is_whole else -1,
            ordered=running.statement.ordered,
            app_metadata=self._status(running),
        )

    def poll(
        self, call: Call, running: RunningStatement, descriptor: FlightDescriptor, *, first: bool
    ) -> PollInfo:
        """With endpoints once all rows are there: then it is known how many parts are worth while."""
        seconds = FIRST_POLL_SECONDS if first else POLL_SECONDS
        done = self._running.wait_for_news(running, call.client, seconds, lambda: self._status(running))
        if done:
            answer = PollInfo(info=self.info(running, descriptor), progress=1.0)
        else:
            # The command to come again with is also the ticket, for those who will not wait for the end.
            again = FlightDescriptor(type=FlightDescriptor.CMD, cmd=_ticket(running))
            info = FlightInfo(
                flight_descriptor=again,
                total_records=-1,
                total_bytes=-1,
                ordered=True,
                app_metadata=self._status(running),
            )
            if running.started.is_set():
                info.schema = stream.schema_bytes(_schema(running))
            answer = PollInfo(info=info, flight_descriptor=again, progress=running.progress)
        answer.expiration_time.FromSeconds(self._running.expires_at())
        return answer

    def renew(self, endpoint: FlightEndpoint, identity: Identity) -> FlightEndpoint:
        command = unpack(endpoint.ticket.ticket)
        if not isinstance(command, TicketStatementQuery):
            command = TicketStatementQuery()
        running = self.find(command, identity)
        running.lasting = True
        return self._endpoint(running, command.statement_handle[HANDLE_BYTES:])

    def frames(self, call: Call, command: TicketStatementQuery) -> Iterator[bytes]:
        """The rows that a ticket stands for."""
        running = self.find(command, call.identity)
        part = _part(command.statement_handle[HANDLE_BYTES:])
        if part is not None:
            check_part(running, part)
        first, last = (0, None) if part is None else part
        with self._running.reading(running, call.client):
            result = running.result
            if result is None:
                batches: Iterator[bytes] = iter(())
            elif self._codec is None:
                batches = result.frames(first, last)
            else:
                batches = stream.compressed(result.batches(first, last), result.schema, self._codec)
            yield from stream.frames(_schema(running), batches)

    def _endpoints(self, running: RunningStatement) -> list[FlightEndpoint]:
        parts = parts_of(running)
        if parts is None:
            return [self._endpoint(running, b"")]
        return [self._endpoint(running, f"{first}-{last}".encode()) for first, last in parts]

    def _endpoint(self, running: RunningStatement, part: bytes) -> FlightEndpoint:
        endpoint = FlightEndpoint(ticket=Ticket(ticket=_ticket(running, part)))
        if running.lasting:
            endpoint.expiration_time.FromSeconds(self._running.expires_at())
        return endpoint

    def _status(self, running: RunningStatement) -> bytes:
        return status_metadata(running.statement, self._coordinator)


def _ticket(running: RunningStatement, part: bytes = b"") -> bytes:
    return pack(TicketStatementQuery(statement_handle=running.handle + part))


def _schema(running: RunningStatement) -> pa.Schema:
    return _NO_ROWS if running.result is None else result_schema(running.result.fields)


def _part(text: bytes) -> Part | None:
    """None stands for all rows."""
    if not text:
        return None
    first, dash, last = text.partition(b"-")
    if not (dash and first.isdigit() and last.isdigit() and len(text) <= 20):
        raise no_such_part()
    return int(first), int(last)
