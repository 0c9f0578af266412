"""Two users of one server: neither can use what is the other's, nor learn that it exists."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import grpc
import pyarrow as pa
import pytest
from tests.flight_server import KEYS

from sqe.doors.flight import flight_pb2 as flight
from sqe.doors.flight import flight_sql_pb2 as sql
from sqe.doors.flight.messages import pack, unpack
from sqe.doors.flight.service import SERVICE
from sqe.doors.open import OpenServer

ENDLESS = (
    "SELECT count(*) FROM TABLE(sequence(1, 1000000)) AS a, TABLE(sequence(1, 1000000)) AS b"
    " WHERE (a.sequential_number * b.sequential_number) % 7 = 1"
)


class Client:
    """One user's calls, as plain as they can be made."""

    def __init__(self, port: int, authorization: str, cookie: str | None = None) -> None:
        self._channel = grpc.insecure_channel(f"127.0.0.1:{port}")
        self.headers = [("authorization", authorization)] + ([("cookie", cookie)] if cookie else [])

    def close(self) -> None:
        self._channel.close()

    def log_in(self) -> None:
        """A session of its own, instead of the one of all that send the same credentials."""
        call = self._channel.stream_stream(
            f"/{SERVICE}/Handshake",
            flight.HandshakeRequest.SerializeToString,
            flight.HandshakeResponse.FromString,
        )
        [answer] = call(iter([flight.HandshakeRequest()]), metadata=self.headers, timeout=60)
        self.headers = [("authorization", f"Bearer {answer.payload.decode()}")]

    def unary(self, name: str, request: Any, answer: Any) -> Any:
        call = self._channel.unary_unary(
            f"/{SERVICE}/{name}", type(request).SerializeToString, answer.FromString
        )
        return call(request, metadata=self.headers, timeout=60)

    def stream(self, name: str, request: Any, answer: Any) -> list[Any]:
        call = self._channel.unary_stream(
            f"/{SERVICE}/{name}", type(request).SerializeToString, answer.FromString
        )
        return list(call(request, metadata=self.headers, timeout=60))

    def info(self, command: Any) -> flight.FlightInfo:
        info: flight.FlightInfo = self.unary("GetFlightInfo", descriptor(command), flight.FlightInfo)
        return info

    def poll(self, cmd: bytes) -> flight.PollInfo:
        asked = flight.FlightDescriptor(type=flight.FlightDescriptor.CMD, cmd=cmd)
        info: flight.PollInfo = self.unary("PollFlightInfo", asked, flight.PollInfo)
        return info

    def schema(self, command: Any) -> flight.SchemaResult:
        result: flight.SchemaResult = self.unary("GetSchema", descriptor(command), flight.SchemaResult)
        return result

    def get(self, ticket: bytes) -> list[flight.FlightData]:
        return self.stream("DoGet", flight.Ticket(ticket=ticket), flight.FlightData)

    def act(self, name: str, body: bytes) -> list[bytes]:
        return [r.body for r in self.stream("DoAction", flight.Action(type=name, body=body), flight.Result)]

    def put(self, command: Any, table: pa.Table | None = None) -> list[flight.PutResult]:
        call = self._channel.stream_stream(
            f"/{SERVICE}/DoPut", flight.FlightData.SerializeToString, flight.PutResult.FromString
        )
        first = flight.FlightData(flight_descriptor=descriptor(command))
        messages = [first] if table is None else list(sent(first, table))
        return list(call(iter(messages), metadata=self.headers, timeout=60))

    def prepare(self, text: str) -> bytes:
        [body] = self.act(
            "CreatePreparedStatement", pack(sql.ActionCreatePreparedStatementRequest(query=text))
        )
        handle: bytes = unpack(body).prepared_statement_handle
        return handle


def descriptor(command: Any) -> flight.FlightDescriptor:
    return flight.FlightDescriptor(type=flight.FlightDescriptor.CMD, cmd=pack(command))


def sent(first: flight.FlightData, table: pa.Table) -> Iterator[flight.FlightData]:
    """A table as a client sends it."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    for message in pa.ipc.MessageReader.open_stream(sink.getvalue()):
        made = flight.FlightData(
            data_header=message.metadata.to_pybytes(),
            data_body=b"" if message.body is None else message.body.to_pybytes(),
        )
        if first is not None:
            made.flight_descriptor.CopyFrom(first.flight_descriptor)
            first = None  # type: ignore[assignment]
        yield made


@pytest.fixture
def ann(server: OpenServer) -> Iterator[Client]:
    client = Client(server.flight.port, f"Bearer {KEYS['ann']}")
    yield client
    client.close()


@pytest.fixture
def joe(server: OpenServer) -> Iterator[Client]:
    client = Client(server.flight.port, f"Bearer {KEYS['joe']}")
    yield client
    client.close()


def refusal(call: Callable[[], object]) -> tuple[grpc.StatusCode, str, tuple[Any, ...]]:
    """All that somebody learns of a call that fails."""
    with pytest.raises(grpc.RpcError) as caught:
        call()
    error: Any = caught.value
    names = tuple(sorted((k, v) for k, v in error.trailing_metadata() or () if k.startswith("x-sqe")))
    return error.code(), error.details(), names


def same_as_unknown(other: Callable[[bytes], object], real: bytes) -> None:
    """What is somebody else's gives the answer that what never was gives."""
    absent = bytes(len(real) - 8) + b"\x01" * 8
    assert refusal(lambda: other(real)) == refusal(lambda: other(absent))
    assert refusal(lambda: other(real))[0] is grpc.StatusCode.NOT_FOUND


def ticket_of(handle: bytes) -> bytes:
    return pack(sql.TicketStatementQuery(statement_handle=handle))


def handle_of(info: flight.FlightInfo) -> bytes:
    handle: bytes = unpack(info.endpoint[0].ticket.ticket).statement_handle
    return handle


def test_a_ticket_is_of_who_got_it(ann: Client, joe: Client) -> None:
    info = ann.info(sql.CommandStatementQuery(query="SELECT 42"))
    handle = handle_of(info)
    same_as_unknown(lambda h: joe.get(ticket_of(h)), handle)
    assert len(ann.get(info.endpoint[0].ticket.ticket)) == 2


def test_somebody_else_cannot_poll_cancel_or_renew(ann: Client, joe: Client, server: OpenServer) -> None:
    first = ann.poll(pack(sql.CommandStatementQuery(query=ENDLESS)))
    handle = unpack(first.flight_descriptor.cmd).statement_handle

    def info_of(h: bytes) -> flight.FlightInfo:
        endpoint = flight.FlightEndpoint(ticket=flight.Ticket(ticket=ticket_of(h)))
        return flight.FlightInfo(endpoint=[endpoint])

    same_as_unknown(lambda h: joe.poll(ticket_of(h)), handle)
    same_as_unknown(lambda h: joe.get(ticket_of(h)), handle)
    same_as_unknown(
        lambda h: joe.act(
            "CancelFlightInfo", flight.CancelFlightInfoRequest(info=info_of(h)).SerializeToString()
        ),
        handle,
    )
    same_as_unknown(
        lambda h: joe.act(
            "CancelQuery", pack(sql.ActionCancelQueryRequest(info=info_of(h).SerializeToString()))
        ),
        handle,
    )
    same_as_unknown(
        lambda h: joe.act(
            "RenewFlightEndpoint",
            flight.RenewFlightEndpointRequest(endpoint=info_of(h).endpoint[0]).SerializeToString(),
        ),
        handle,
    )
    same_as_unknown(
        lambda h: joe.info(sql.TicketStatementQuery(statement_handle=h)),
        handle,
    )
    # It was not disturbed, and its owner may end it.
    assert ann.poll(ticket_of(handle)).HasField("flight_descriptor")
    [answer] = ann.act(
        "CancelFlightInfo", flight.CancelFlightInfoRequest(info=info_of(handle)).SerializeToString()
    )
    assert flight.CancelFlightInfoResult.FromString(answer).status == flight.CANCEL_STATUS_CANCELLED
    assert server.admission.wait_until_idle(60)


def test_a_prepared_statement_is_of_who_made_it(ann: Client, joe: Client) -> None:
    handle = ann.prepare("SELECT ? AS x")
    row = pa.table({"x": ["secret of ann"]})
    ann.put(sql.CommandPreparedStatementQuery(prepared_statement_handle=handle), row)
    query, update = sql.CommandPreparedStatementQuery, sql.CommandPreparedStatementUpdate
    same_as_unknown(lambda h: joe.info(query(prepared_statement_handle=h)), handle)
    same_as_unknown(lambda h: joe.schema(query(prepared_statement_handle=h)), handle)
    same_as_unknown(lambda h: joe.put(query(prepared_statement_handle=h), row), handle)
    same_as_unknown(lambda h: joe.put(update(prepared_statement_handle=h), row), handle)
    same_as_unknown(lambda h: joe.poll(pack(query(prepared_statement_handle=h))), handle)
    close = sql.ActionClosePreparedStatementRequest
    same_as_unknown(
        lambda h: joe.act("ClosePreparedStatement", pack(close(prepared_statement_handle=h))), handle
    )
    info = ann.info(query(prepared_statement_handle=handle))
    assert b"secret of ann" in b"".join(m.data_body for m in ann.get(info.endpoint[0].ticket.ticket))
    ann.act("ClosePreparedStatement", pack(close(prepared_statement_handle=handle)))


def test_a_cookie_opens_no_session_of_somebody_else(ann: Client, joe: Client, server: OpenServer) -> None:
    """Nor does an unknown one tell anything."""
    ann.log_in()
    options = flight.SetSessionOptionsRequest()
    options.session_options["query_max_run_time"].string_value = "17s"
    ann.act("SetSessionOptions", options.SerializeToString())
    [session] = [s for s in server.clients.sessions.all() if s.session.properties]
    thief = Client(server.flight.port, f"Bearer {KEYS['joe']}", f"arrow_flight_session_id={session.cookie}")
    stranger = Client(server.flight.port, f"Bearer {KEYS['joe']}", "arrow_flight_session_id=nonsense")
    asked = flight.GetSessionOptionsRequest().SerializeToString()
    try:
        assert thief.act("GetSessionOptions", asked) == stranger.act("GetSessionOptions", asked)
        assert b"17s" not in b"".join(thief.act("GetSessionOptions", asked))
        thief.act("CloseSession", flight.CloseSessionRequest().SerializeToString())
        assert b"17s" in b"".join(ann.act("GetSessionOptions", asked))
    finally:
        thief.close()
        stranger.close()
        ann.act("CloseSession", flight.CloseSessionRequest().SerializeToString())


def test_a_session_that_ends_takes_only_its_own(ann: Client, joe: Client) -> None:
    ann.log_in()
    joe.log_in()
    kept = joe.info(sql.CommandStatementQuery(query="SELECT 'of joe'"))
    gone = ann.info(sql.CommandStatementQuery(query="SELECT 'of ann'"))
    ann.act("CloseSession", flight.CloseSessionRequest().SerializeToString())
    ended, _, names = refusal(lambda: ann.get(gone.endpoint[0].ticket.ticket))
    assert ended is grpc.StatusCode.UNAUTHENTICATED
    assert ("x-sqe-error-code", "SESSION_EXPIRED") in names
    ann.headers = [("authorization", f"Bearer {KEYS['ann']}")]
    assert refusal(lambda: ann.get(gone.endpoint[0].ticket.ticket))[0] is grpc.StatusCode.NOT_FOUND
    assert len(joe.get(kept.endpoint[0].ticket.ticket)) == 2


def test_statements_of_others_are_not_listed(ann: Client, joe: Client) -> None:
    info = ann.info(sql.CommandStatementQuery(query="SELECT 'a text of ann'"))
    ann.get(info.endpoint[0].ticket.ticket)
    listed = joe.info(sql.CommandStatementQuery(query="SELECT query FROM system.runtime.queries"))
    assert b"a text of ann" not in b"".join(m.data_body for m in joe.get(listed.endpoint[0].ticket.ticket))


@pytest.mark.parametrize(
    "authorization",
    [
        "Bearer none 127.0.0.1",
        "Bearer none ipv4:127.0.0.1",
        f"Bearer Bearer {KEYS['ann']}",
        "Bearer sqe-session-nonsense",
        "Bearer ",
        "Basic",
        "Basic !!!",
        "Digest x",
        "",
    ],
)
def test_what_is_no_proof_opens_nothing(server: OpenServer, ann: Client, authorization: str) -> None:
    ann.info(sql.CommandStatementQuery(query="SELECT 1"))
    client = Client(server.flight.port, authorization)
    try:
        for call in (
            lambda: client.info(sql.CommandStatementQuery(query="SELECT 1")),
            lambda: client.act("GetSessionOptions", b""),
            lambda: client.get(pack(sql.CommandGetCatalogs())),
            lambda: client.stream("ListActions", flight.Empty(), flight.ActionType),
            lambda: client.put(sql.CommandStatementUpdate(query="DROP TABLE x")),
        ):
            assert refusal(call)[0] in (
                grpc.StatusCode.UNAUTHENTICATED,
                grpc.StatusCode.RESOURCE_EXHAUSTED,
            )
    finally:
        client.close()
