"""What a poll says of a statement whose progress is unknown, and tickets that nobody was given."""

from __future__ import annotations

from collections.abc import Iterator

import grpc
import pytest
from tests.doors.flight.plain_calls import ENDLESS, Plain, described, failure
from tests.flight_server import KEYS, Serve

from sqe.doors.flight import flight_pb2 as flight
from sqe.doors.flight import flight_sql_pb2 as sql
from sqe.doors.flight.messages import pack, unpack
from sqe.doors.open import OpenServer


@pytest.fixture
def ann(server: OpenServer) -> Iterator[Plain]:
    with Plain(server.flight.port, ("authorization", f"Bearer {KEYS['ann']}")) as client:
        yield client


def poll(of: Plain, cmd: bytes) -> flight.PollInfo:
    [answer] = of.ask("PollFlightInfo", described(cmd))
    info: flight.PollInfo = flight.PollInfo.FromString(answer)
    return info


def test_progress_is_told_when_it_is_known(serve: Serve) -> None:
    server = serve("[query]\nmax_concurrent_queries = 1\n")
    with Plain(server.flight.port, ("authorization", f"Bearer {KEYS['ann']}")) as ann:
        running = poll(ann, pack(sql.CommandStatementQuery(query=ENDLESS)))
        told = waiting = poll(ann, pack(sql.CommandStatementQuery(query="SELECT 1")))
        assert waiting.HasField("flight_descriptor") and not waiting.HasField("progress")
        handle = unpack(running.flight_descriptor.cmd).statement_handle
        [query] = [statement for statement in server.clients.running.all() if statement.handle == handle]
        query.statement.progress = (1, 4)
        assert query.progress == 0.25
        ann.act("CancelFlightInfo", flight.CancelFlightInfoRequest(info=running.info).SerializeToString())
        while told.HasField("flight_descriptor"):
            told = poll(ann, told.flight_descriptor.cmd)
        assert told.progress == 1.0
    server.close()


@pytest.mark.parametrize("part", [b"5-9", b"0-0", b"1-0", b"0-2", b"1-1", b"0", b"-1", b"x-y", b"0-1-2"])
def test_there_are_no_parts_but_those_that_were_given_out(ann: Plain, part: bytes) -> None:
    info = ann.query("SELECT 42")
    handle = unpack(info.endpoint[0].ticket.ticket).statement_handle
    forged = flight.Ticket(ticket=pack(sql.TicketStatementQuery(statement_handle=handle + part)))
    with pytest.raises(grpc.RpcError) as caught:
        ann.ask("DoGet", forged.SerializeToString())
    assert failure(caught.value)[0] is grpc.StatusCode.NOT_FOUND
    # The result is still there.
    assert len(ann.get(info)) == 2
