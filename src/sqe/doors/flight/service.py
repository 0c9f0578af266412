"""The RPCs of Arrow Flight SQL, one method each: what is asked, and who answers it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import grpc
import pyarrow as pa

from sqe.auth.authorization_header import credentials_of
from sqe.auth.credentials import Password
from sqe.doors.flight import flight_pb2 as flight
from sqe.doors.flight import flight_sql_pb2 as sql
from sqe.doors.flight import stream
from sqe.doors.flight.bound_rows import bind
from sqe.doors.flight.calls import GrpcCalls
from sqe.doors.flight.client import GrpcClient
from sqe.doors.flight.column_metadata import result_schema
from sqe.doors.flight.ingest import Ingest
from sqe.doors.flight.messages import pack, read, unpack
from sqe.doors.flight.metadata import COMMANDS, text_of
from sqe.doors.flight.parameters import schema_of
from sqe.doors.flight.session_options import get_options, set_options
from sqe.doors.flight.tickets import Tickets
from sqe.errors import InvalidArgument, NotSupported, SqeError
from sqe.server.calls import AUTHORIZATION, Call
from sqe.server.clients import Clients
from sqe.server.describe import Description
from sqe.server.prepared import Prepared, Values
from sqe.server.running_statements import RunningStatement
from sqe.server.sessions import ServerSession

SERVICE = "arrow.flight.protocol.FlightService"
_NOTHING = pa.schema([])


class Service:
    def __init__(self, clients: Clients) -> None:
        self._clients = clients
        self._coordinator = clients.coordinator
        self._calls = GrpcCalls(clients)
        self._tickets = Tickets(clients, compression=clients.coordinator.config.server.flight_compression)
        self._ingest = Ingest(clients)
        self._actions: dict[str, tuple[str, Callable[[Call, bytes], Iterator[bytes]]]] = {
            "CreatePreparedStatement": ("Describe a statement and keep it.", self._create_prepared),
            "ClosePreparedStatement": ("Forget a prepared statement.", self._close_prepared),
            "CancelQuery": ("Cancel a statement; CancelFlightInfo is its newer name.", self._cancel_query),
            "CancelFlightInfo": ("Cancel a statement.", self._cancel_flight_info),
            "RenewFlightEndpoint": ("Keep a result for longer.", self._renew),
            "SetSessionOptions": ("Set catalog, schema and session properties.", self._set_options),
            "GetSessionOptions": ("What they are.", self._get_options),
            "CloseSession": ("End the session and what belongs to it.", self._close_session),
        }

    def handlers(self) -> grpc.GenericRpcHandler:
        """Requests are read in calls.py; what streams to clients is bytes already."""
        unary, to_stream = self._calls.unary, self._calls.stream

        def text(message: Any) -> bytes:
            return bytes(message.SerializeToString())

        descriptor, data = flight.FlightDescriptor, flight.FlightData
        to_one = partial(grpc.stream_unary_rpc_method_handler, response_serializer=text)
        to_many = partial(grpc.stream_stream_rpc_method_handler, response_serializer=text)
        as_bytes = grpc.stream_stream_rpc_method_handler
        rpcs = {
            "Handshake": to_many(self._calls.before_log_in(self.handshake)),
            "ListFlights": to_many(to_stream(self.list_flights, flight.Criteria)),
            "GetFlightInfo": to_one(unary(self.get_flight_info, descriptor)),
            "PollFlightInfo": to_one(unary(self.poll_flight_info, descriptor)),
            "GetSchema": to_one(unary(self.get_schema, descriptor)),
            "DoGet": as_bytes(to_stream(self.do_get, flight.Ticket)),
            "DoPut": to_many(to_stream(self.do_put, data, many=True)),
            "DoExchange": as_bytes(to_stream(self.do_exchange, data, many=True)),
            "DoAction": to_many(to_stream(self.do_action, flight.Action)),
            "ListActions": to_many(to_stream(self.list_actions, flight.Empty)),
        }
        return grpc.method_handlers_generic_handler(SERVICE, rpcs)

    def handshake(self, client: GrpcClient, requests: Iterator[bytes]) -> Iterator[flight.HandshakeResponse]:
        """Credentials in a header, or in the first message as older clients have it."""
        credentials = credentials_of(client.headers.get(AUTHORIZATION))
        if credentials is None:
            first = self._calls.greeting(client, requests)
            payload = b"" if first is None else read(flight.HandshakeRequest, first).payload
            if payload:
                basic = read(flight.BasicAuth, payload)
                credentials = Password(basic.username, basic.password)
        bearer = self._clients.calls.bearer(client, credentials)
        header = ((AUTHORIZATION, f"Bearer {bearer}"),)
        client.context.send_initial_metadata(header)
        client.context.set_trailing_metadata(header)
        yield flight.HandshakeResponse(payload=bearer.encode())

    def get_flight_info(self, call: Call, descriptor: flight.FlightDescriptor) -> flight.FlightInfo:
        command = _command(descriptor)
        metadata = COMMANDS.get(type(command))
        if metadata is not None:
            return _metadata_info(descriptor, metadata.schema(command))
        if isinstance(command, sql.TicketStatementQuery):
            return self._tickets.info(self._statement(call, command), descriptor)
        text, session, values, rows = self._runnable(call, command)
        running = self._clients.running.start(session, text, client=call.client, parameters=values, rows=rows)
        return self._tickets.info(running, descriptor)

    def poll_flight_info(self, call: Call, descriptor: flight.FlightDescriptor) -> flight.PollInfo:
        command = _command(descriptor)
        metadata = COMMANDS.get(type(command))
        if metadata is not None:
            return flight.PollInfo(info=_metadata_info(descriptor, metadata.schema(command)), progress=1.0)
        if isinstance(command, sql.TicketStatementQuery):
            return self._tickets.poll(call, self._statement(call, command), descriptor, first=False)
        text, session, values, rows = self._runnable(call, command)
        running = self._clients.running.start_in_background(
            session, text, client=call.client, parameters=values, rows=rows
        )
        return self._tickets.poll(call, running, descriptor, first=True)

    def get_schema(self, call: Call, descriptor: flight.FlightDescriptor) -> flight.SchemaResult:
        command = _command(descriptor)
        metadata = COMMANDS.get(type(command))
        if metadata is not None:
            return flight.SchemaResult(schema=stream.schema_bytes(metadata.schema(command)))
        if isinstance(command, sql.CommandPreparedStatementQuery):
            prepared = self._prepared(call, command)
            return flight.SchemaResult(schema=_announced(prepared.description))
        if isinstance(command, sql.CommandStatementQuery):
            _refuse_transaction(command)
            description = self._clients.questions.describe(call.session, command.query, client=call.client)
            return flight.SchemaResult(schema=_announced(description))
        raise _not_a_query(command)

    def _runnable(self, call: Call, command: Any) -> tuple[str, ServerSession, Values, int]:
        """The text, the session, the values and the number of rows of what is to be run."""
        if isinstance(command, sql.CommandStatementQuery):
            _refuse_transaction(command)
            return command.query, call.session, (), 1
        if isinstance(command, sql.CommandPreparedStatementQuery):
            prepared = self._prepared(call, command)
            return prepared.text, prepared.session, *prepared.values()
        raise _not_a_query(command)

    def _prepared(self, call: Call, command: Any) -> Prepared:
        prepared = self._clients.prepared.find(command.prepared_statement_handle, call.identity)
        call.use(prepared.session)
        return prepared

    def _statement(self, call: Call, command: sql.TicketStatementQuery) -> RunningStatement:
        running = self._tickets.find(command, call.identity)
        call.use(running.session)
        return running

    def do_get(self, call: Call, ticket: flight.Ticket) -> Iterator[bytes]:
        command = unpack(ticket.ticket)
        metadata = COMMANDS.get(type(command))
        if metadata is not None:
            table = self._clients.questions.answer(
                call.session,
                text_of(command),
                client=call.client,
                label="metadata",
                work=lambda statement: metadata.table(command, statement, self._coordinator),
            )
            yield from stream.table_frames(table)
        elif isinstance(command, sql.TicketStatementQuery):
            self._statement(call, command)
            yield from self._tickets.frames(call, command)
        else:
            raise InvalidArgument("that is no ticket", code="INVALID_COMMAND")

    def do_put(self, call: Call, messages: Iterator[flight.FlightData]) -> Iterator[flight.PutResult]:
        first = next(messages, None)
        if first is None or not first.HasField("flight_descriptor"):
            raise InvalidArgument("the first message of a DoPut has a descriptor", code="INVALID_COMMAND")
        command = _command(first.flight_descriptor)
        match command:
            case sql.CommandStatementUpdate():
                _refuse_transaction(command)
                yield _updated(self._update(call, command.query))
            case sql.CommandPreparedStatementUpdate():
                prepared = self._prepared(call, command)
                bound = bind(prepared, first, messages)
                yield _updated(self._update(call, prepared.text, prepared, bound))
            case sql.CommandPreparedStatementQuery():
                prepared = self._prepared(call, command)
                bind(prepared, first, messages)
                yield _put(sql.DoPutPreparedStatementResult(prepared_statement_handle=prepared.handle))
            case sql.CommandStatementIngest():
                _refuse_transaction(command)
                yield _updated(self._ingest.run(call, command, first, messages))
            case sql.CommandStatementSubstraitPlan():
                raise _no_substrait()
            case _:
                raise InvalidArgument("nothing can be put there", code="INVALID_COMMAND")

    def _update(
        self, call: Call, text: str, prepared: Prepared | None = None, bound: list[Values] | None = None
    ) -> int:
        session = call.session if prepared is None else prepared.session
        if prepared is None:
            description = self._clients.questions.describe(session, text, client=call.client)
        else:
            description = prepared.description
        if description.returns_rows:
            raise InvalidArgument("the statement returns rows: it is a query and not an update")
        if prepared is not None and prepared.changes_nothing(bound):
            return 0
        values, rows = ((), 1) if prepared is None else prepared.values(bound)
        running = self._clients.running.start(session, text, client=call.client, parameters=values, rows=rows)
        self._clients.running.close(running)
        return running.statement.updated or 0

    def do_action(self, call: Call, action: flight.Action) -> Iterator[flight.Result]:
        handler = self._actions.get(action.type)
        if handler is not None:
            for body in handler[1](call, action.body):
                yield flight.Result(body=body)
        elif action.type in ("BeginTransaction", "EndTransaction", "BeginSavepoint", "EndSavepoint"):
            raise NotSupported("there are no transactions: each statement commits by itself")
        elif action.type == "CreatePreparedSubstraitPlan":
            raise _no_substrait()
        else:
            raise NotSupported("there is no such action", hint="ListActions lists them")

    def list_actions(self, call: Call, empty: flight.Empty) -> Iterator[flight.ActionType]:
        for name, (description, _) in self._actions.items():
            yield flight.ActionType(type=name, description=description)

    def _create_prepared(self, call: Call, body: bytes) -> Iterator[bytes]:
        request = _expect(sql.ActionCreatePreparedStatementRequest, body)
        _refuse_transaction(request)
        prepared = self._clients.prepared.create(request.query, call.session, call.client)
        description = prepared.description
        yield pack(
            sql.ActionCreatePreparedStatementResult(
                prepared_statement_handle=prepared.handle,
                dataset_schema=_schema(description) if description.returns_rows else b"",
                parameter_schema=stream.schema_bytes(schema_of(description.parameters))
                if description.parameters
                else b"",
                is_update=not description.returns_rows,
            )
        )

    def _close_prepared(self, call: Call, body: bytes) -> Iterator[bytes]:
        request = _expect(sql.ActionClosePreparedStatementRequest, body)
        prepared = self._clients.prepared
        prepared.close(prepared.find(request.prepared_statement_handle, call.identity))
        return iter(())

    def _cancel_query(self, call: Call, body: bytes) -> Iterator[bytes]:
        request = _expect(sql.ActionCancelQueryRequest, body)
        self._cancel(call, read(flight.FlightInfo, request.info))
        yield pack(sql.ActionCancelQueryResult(result=sql.ActionCancelQueryResult.CANCEL_RESULT_CANCELLED))

    def _cancel_flight_info(self, call: Call, body: bytes) -> Iterator[bytes]:
        request = read(flight.CancelFlightInfoRequest, body)
        self._cancel(call, request.info)
        answer = flight.CancelFlightInfoResult(status=flight.CANCEL_STATUS_CANCELLED)
        yield bytes(answer.SerializeToString())

    def _cancel(self, call: Call, info: flight.FlightInfo) -> None:
        self._clients.running.cancel(self._tickets.find_in(info, call.identity))

    def _renew(self, call: Call, body: bytes) -> Iterator[bytes]:
        request = read(flight.RenewFlightEndpointRequest, body)
        yield bytes(self._tickets.renew(request.endpoint, call.identity).SerializeToString())

    def _set_options(self, call: Call, body: bytes) -> Iterator[bytes]:
        request = read(flight.SetSessionOptionsRequest, body)
        # Catalogs are asked for the names in it, as USE asks them.
        answer = self._clients.questions.answer(
            call.session,
            text_of(request),
            client=call.client,
            label="use",
            work=lambda statement: set_options(request, call.session.session, self._coordinator),
        )
        yield bytes(answer.SerializeToString())

    def _get_options(self, call: Call, body: bytes) -> Iterator[bytes]:
        read(flight.GetSessionOptionsRequest, body)
        existing = call.existing_session
        session = self._coordinator.session(call.identity) if existing is None else existing.session
        yield bytes(get_options(session, self._coordinator).SerializeToString())

    def _close_session(self, call: Call, body: bytes) -> Iterator[bytes]:
        read(flight.CloseSessionRequest, body)
        session = call.existing_session
        if session is not None:
            self._clients.sessions.close(session)
        answer = flight.CloseSessionResult(status=flight.CloseSessionResult.CLOSED)
        yield bytes(answer.SerializeToString())

    def list_flights(self, call: Call, criteria: flight.Criteria) -> Iterator[flight.FlightInfo]:
        """There are none but those that are asked for."""
        return iter(())

    def do_exchange(self, call: Call, messages: Iterator[flight.FlightData]) -> Iterator[bytes]:
        raise NotSupported("DoExchange is no part of Flight SQL")


def _command(descriptor: flight.FlightDescriptor) -> Any:
    if descriptor.type != flight.FlightDescriptor.CMD:
        raise InvalidArgument("a descriptor has a command of Flight SQL", code="INVALID_COMMAND")
    return unpack(descriptor.cmd)


def _expect(kind: Any, body: bytes) -> Any:
    message = unpack(body)
    if not isinstance(message, kind):
        raise InvalidArgument("the action has another message than its name says", code="INVALID_COMMAND")
    return message


def _metadata_info(descriptor: flight.FlightDescriptor, schema: pa.Schema) -> flight.FlightInfo:
    """The command is its own ticket: nothing has to be kept for it."""
    ticket = flight.Ticket(ticket=descriptor.cmd)
    return flight.FlightInfo(
        schema=stream.schema_bytes(schema),
        flight_descriptor=descriptor,
        endpoint=[flight.FlightEndpoint(ticket=ticket)],
        total_records=-1,
        total_bytes=-1,
        ordered=True,
    )


def _announced(description: Description) -> bytes:
    if description.fields == ():
        raise InvalidArgument(
            "the columns depend on the values of the parameters", hint="CAST the parameters"
        )
    return _schema(description)


def _schema(description: Description) -> bytes:
    return stream.schema_bytes(_NOTHING if description.fields is None else result_schema(description.fields))


def _refuse_transaction(command: Any) -> None:
    if command.HasField("transaction_id") and command.transaction_id:
        raise NotSupported("there are no transactions: each statement commits by itself")


def _updated(rows: int) -> flight.PutResult:
    return _put(sql.DoPutUpdateResult(record_count=rows))


def _put(message: Any) -> flight.PutResult:
    return flight.PutResult(app_metadata=message.SerializeToString())


def _not_a_query(command: Any) -> SqeError:
    if isinstance(command, sql.CommandStatementSubstraitPlan):
        return _no_substrait()
    return InvalidArgument("the command is no query", code="INVALID_COMMAND")


def _no_substrait() -> SqeError:
    return NotSupported("Substrait plans are not supported", hint="send SQL")
