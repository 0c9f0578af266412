"""Commands packed by hand, sent by pyarrow's plain Flight client; by gRPC where it has no word for them."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import grpc
import pyarrow as pa
import pytest
from pyarrow import flight as arrow
from tests.clients.test_adbc_connections import LONG
from tests.flight_server import KEYS, Serve

from sqe.doors.flight import flight_pb2 as flight
from sqe.doors.flight import flight_sql_pb2 as sql
from sqe.doors.flight.messages import pack, unpack
from sqe.doors.flight.service import SERVICE
from sqe.doors.open import OpenServer
from sqe.server import kept_results

COOKIE = "arrow_flight_session_id"


class Client:
    """pyarrow's client and a channel of gRPC's, both as one user in one session."""

    def __init__(self, server: OpenServer, user: str = "ann") -> None:
        port = server.flight.port
        self.arrow = arrow.connect(f"grpc://127.0.0.1:{port}")
        name, value = self.arrow.authenticate_basic_token(user, KEYS[user])
        self.headers = [(name.decode(), value.decode())]
        self.options = arrow.FlightCallOptions(headers=[(name, value)], timeout=120)
        self._channel = grpc.insecure_channel(f"127.0.0.1:{port}")

    def close(self) -> None:
        self.arrow.close()
        self._channel.close()

    def unary(self, name: str, request: Any, answer: Any) -> Any:
        call = self._channel.unary_unary(
            f"/{SERVICE}/{name}", type(request).SerializeToString, answer.FromString
        )
        return call(request, metadata=self.headers, timeout=120)

    def info(self, command: Any) -> flight.FlightInfo:
        info: flight.FlightInfo = self.unary("GetFlightInfo", _descriptor(pack(command)), flight.FlightInfo)
        return info

    def poll(self, command: bytes) -> flight.PollInfo:
        info: flight.PollInfo = self.unary("PollFlightInfo", _descriptor(command), flight.PollInfo)
        return info

    def run(self, text: str) -> flight.FlightInfo:
        return self.info(sql.CommandStatementQuery(query=text))

    def get(self, endpoint: flight.FlightEndpoint) -> pa.Table:
        return self.arrow.do_get(arrow.Ticket(endpoint.ticket.ticket), self.options).read_all()

    def act(self, name: str, message: Any, answer: Any) -> Any:
        [result] = self.arrow.do_action(arrow.Action(name, message.SerializeToString()), self.options)
        return answer.FromString(result.body.to_pybytes())

    def set(self, **options: Any) -> dict[str, int]:
        asked = flight.SetSessionOptionsRequest()
        for name, (kind, value) in options.items():
            asked.session_options[name].SetInParent()
            if kind is not None:
                setattr(asked.session_options[name], kind, value)
        answer = self.act("SetSessionOptions", asked, flight.SetSessionOptionsResult)
        return {name: error.value for name, error in answer.errors.items()}

    def get_options(self) -> dict[str, str]:
        answer = self.act(
            "GetSessionOptions", flight.GetSessionOptionsRequest(), flight.GetSessionOptionsResult
        )
        return {name: value.string_value for name, value in answer.session_options.items()}


def _descriptor(command: bytes) -> flight.FlightDescriptor:
    return flight.FlightDescriptor(type=flight.FlightDescriptor.CMD, cmd=command)


@pytest.fixture
def client(server: OpenServer) -> Iterator[Client]:
    made = Client(server)
    yield made
    made.close()


@pytest.fixture(scope="module")
def spooling(serve: Serve) -> OpenServer:
    """Keeps nothing of a result in memory."""
    return serve("[results]\nmemory_window = 0\n[query]\nstream_idle_timeout_secs = 2\n")


def test_what_can_be_done_is_listed(client: Client) -> None:
    assert {action.type for action in client.arrow.list_actions(client.options)} >= {
        "CancelFlightInfo",
        "CancelQuery",
        "ClosePreparedStatement",
        "CloseSession",
        "CreatePreparedStatement",
        "GetSessionOptions",
        "RenewFlightEndpoint",
        "SetSessionOptions",
    }
    assert list(client.arrow.list_flights(options=client.options)) == []


def test_nothing_without_a_log_in(server: OpenServer) -> None:
    with arrow.connect(f"grpc://127.0.0.1:{server.flight.port}") as stranger:
        with pytest.raises(arrow.FlightUnauthenticatedError):
            list(stranger.list_actions())
        with pytest.raises(arrow.FlightUnauthenticatedError):
            stranger.authenticate_basic_token("ann", "wrong")


def test_the_schema_before_the_rows(client: Client) -> None:
    asked = arrow.FlightDescriptor.for_command(
        pack(sql.CommandStatementQuery(query="SELECT 1 AS x, 'a' AS y"))
    )
    announced = client.arrow.get_schema(asked, client.options).schema
    info = client.arrow.get_flight_info(asked, client.options)
    table = client.arrow.do_get(info.endpoints[0].ticket, client.options).read_all()
    assert announced == info.schema == table.schema == pa.schema([("x", pa.int32()), ("y", pa.string())])
    assert announced.field("x").metadata[b"ARROW:FLIGHT:SQL:TYPE_NAME"] == b"integer"
    assert (info.total_records, table.to_pylist()) == (1, [{"x": 1, "y": "a"}])


def test_a_small_result_is_fetched_once(client: Client) -> None:
    [endpoint] = client.run("SELECT 1 AS x").endpoint
    assert not endpoint.HasField("expiration_time")
    assert client.get(endpoint).num_rows == 1
    with pytest.raises(KeyError, match="no such statement"):
        client.get(endpoint)


def test_a_statement_that_is_an_update_runs_once_by_either_way(client: Client) -> None:
    client.run("CREATE TABLE plain (a bigint)")
    info = client.run("INSERT INTO plain VALUES (1), (2)")
    assert (info.total_records, client.get(info.endpoint[0]).num_columns) == (2, 0)
    asked = arrow.FlightDescriptor.for_command(
        pack(sql.CommandStatementUpdate(query="INSERT INTO plain VALUES (3)"))
    )
    writer, reader = client.arrow.do_put(asked, pa.schema([]), client.options)
    with writer:
        writer.done_writing()
        told = sql.DoPutUpdateResult.FromString(reader.read().to_pybytes())
    assert told.record_count == 1
    assert client.get(client.run("SELECT sum(a) AS s FROM plain").endpoint[0]).to_pylist() == [{"s": 6}]
    client.run("DROP TABLE plain")


def test_polling_to_the_end(client: Client) -> None:
    numbers = "UNNEST(sequence(1, 10000)) AS a(x) CROSS JOIN UNNEST(sequence(1, 3000)) AS b(y)"
    text = f"SELECT count(*) AS n FROM {numbers}"
    answer = client.poll(pack(sql.CommandStatementQuery(query=text)))
    progress = [answer.progress]
    while answer.HasField("flight_descriptor"):
        assert answer.HasField("expiration_time")
        answer = client.poll(answer.flight_descriptor.cmd)
        progress.append(answer.progress)
    assert progress == sorted(progress) and progress[-1] == 1.0
    assert client.get(answer.info.endpoint[0]).to_pylist() == [{"n": 30_000_000}]


def test_polling_a_failure(client: Client) -> None:
    with pytest.raises(grpc.RpcError) as caught:
        answer = client.poll(
            pack(sql.CommandStatementQuery(query="SELECT 1 / (n - n) FROM (VALUES 1) AS t(n)"))
        )
        while answer.HasField("flight_descriptor"):
            answer = client.poll(answer.flight_descriptor.cmd)
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert dict(caught.value.trailing_metadata())["x-sqe-error-code"] == "DIVISION_BY_ZERO"


@pytest.mark.parametrize("old", [False, True])
def test_cancelling_what_runs(client: Client, server: OpenServer, old: bool) -> None:
    answer = client.poll(pack(sql.CommandStatementQuery(query=LONG)))
    info = flight.FlightInfo(flight_descriptor=answer.flight_descriptor)
    if old:
        request = sql.ActionCancelQueryRequest(info=info.SerializeToString())
        [result] = client.arrow.do_action(arrow.Action("CancelQuery", pack(request)), client.options)
        told = unpack(result.body.to_pybytes())
        assert told.result == sql.ActionCancelQueryResult.CANCEL_RESULT_CANCELLED
    else:
        told = client.act(
            "CancelFlightInfo", flight.CancelFlightInfoRequest(info=info), flight.CancelFlightInfoResult
        )
        assert told.status == flight.CANCEL_STATUS_CANCELLED
    with pytest.raises(grpc.RpcError) as caught:
        client.poll(answer.flight_descriptor.cmd)
    assert caught.value.code() is grpc.StatusCode.NOT_FOUND
    again = flight.CancelFlightInfoRequest(info=info)
    with pytest.raises(KeyError, match="no such statement"):
        client.act("CancelFlightInfo", again, flight.CancelFlightInfoResult)


def test_large_results_without_an_order_come_in_parts(
    spooling: OpenServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_results, "PART_BYTES", 1 << 20)
    client = Client(spooling)
    client.run("CREATE TABLE spread AS SELECT n FROM UNNEST(sequence(1, 10000)) AS t(n)")
    text = "SELECT (b.n - 1) * 10000 + a.n AS v FROM spread a CROSS JOIN spread b WHERE b.n <= 200"
    answer = client.poll(pack(sql.CommandStatementQuery(query=text)))
    while answer.HasField("flight_descriptor"):
        answer = client.poll(answer.flight_descriptor.cmd)
    parts = [client.get(endpoint) for endpoint in answer.info.endpoint]
    ordered = client.run(text + " ORDER BY 1")
    client.close()
    assert not answer.info.ordered
    assert 1 < len(parts) <= kept_results.MOST_PARTS
    assert sum(part.num_rows for part in parts) == 2_000_000
    values = pa.chunked_array([chunk for part in parts for chunk in part.column("v").chunks])
    assert len(values.unique()) == 2_000_000
    assert len(ordered.endpoint) == 1 and ordered.ordered


def test_what_lasts_is_fetched_again_renewed_and_expires(spooling: OpenServer) -> None:
    client = Client(spooling)
    info = client.run("SELECT n FROM UNNEST(sequence(1, 1000)) AS t(n)")
    [endpoint] = info.endpoint
    assert endpoint.HasField("expiration_time")
    assert client.get(endpoint) == client.get(endpoint)
    asked = flight.RenewFlightEndpointRequest(endpoint=endpoint)
    renewed = client.act("RenewFlightEndpoint", asked, flight.FlightEndpoint)
    assert renewed.ticket == endpoint.ticket
    assert renewed.expiration_time.ToSeconds() >= endpoint.expiration_time.ToSeconds()
    end = time.monotonic() + 60
    while len(spooling.clients.running):
        assert time.monotonic() < end
        time.sleep(0.1)
    with pytest.raises(KeyError, match="has expired"):
        client.get(endpoint)
    with pytest.raises(KeyError, match="has expired"):
        client.act("RenewFlightEndpoint", asked, flight.FlightEndpoint)
    client.close()


def test_session_options(client: Client) -> None:
    bad_name, bad_value = (
        flight.SetSessionOptionsResult.INVALID_NAME,
        flight.SetSessionOptionsResult.INVALID_VALUE,
    )
    assert client.set(catalog=("string_value", "system"), schema=("string_value", "runtime")) == {}
    assert (client.get_options()["catalog"], client.get_options()["schema"]) == ("system", "runtime")
    assert client.set(lane=("string_value", "spark"), time_zone_id=("string_value", "Asia/Tokyo")) == {}
    assert client.get_options()["lane"] == "spark"
    refused = client.set(
        nonsense=("string_value", "1"),
        catalog=("string_value", "nowhere"),
        schema=("bool_value", True),
        lane=("int64_value", 7),
        query_max_run_time=("double_value", 1.5),
        time_zone_id=("string_value", "UTC"),
    )
    assert refused == {"nonsense": bad_name} | dict.fromkeys(
        ("catalog", "schema", "lane", "query_max_run_time"), bad_value
    )
    assert client.get_options()["time_zone_id"] == "UTC"
    # What has no value is erased.
    assert client.set(catalog=(None, None), schema=(None, None), lane=(None, None)) == {}
    assert (client.get_options()["catalog"], client.get_options()["lane"]) == ("lake", "auto")


def test_a_closed_session_is_over(client: Client) -> None:
    info = client.run("SELECT 1")
    told = client.act("CloseSession", flight.CloseSessionRequest(), flight.CloseSessionResult)
    assert told.status == flight.CloseSessionResult.CLOSED
    with pytest.raises(arrow.FlightUnauthenticatedError, match="session has ended"):
        client.get(info.endpoint[0])


def test_a_cookie_is_given_and_finds_the_session(server: OpenServer) -> None:
    with grpc.insecure_channel(f"127.0.0.1:{server.flight.port}") as channel:
        call = channel.unary_unary(
            f"/{SERVICE}/GetFlightInfo",
            flight.FlightDescriptor.SerializeToString,
            flight.FlightInfo.FromString,
        )
        asked = _descriptor(pack(sql.CommandStatementQuery(query="SELECT 1")))
        # A name of its own, so that no other test's session is found by the credentials.
        headers = [("authorization", f"Bearer {KEYS['joe']}"), ("x-sqe-session", "with-a-cookie")]
        _, first = call.with_call(asked, metadata=headers, timeout=60)
        cookie = dict(first.initial_metadata())["set-cookie"].partition(";")[0]
        assert cookie.startswith(f"{COOKIE}=")
        before = len(server.clients.sessions)
        _, second = call.with_call(asked, metadata=[headers[0], ("cookie", cookie)], timeout=60)
        assert "set-cookie" not in dict(second.initial_metadata())
        assert len(server.clients.sessions) == before


@pytest.mark.parametrize("codec", ["lz4", "zstd"])
def test_compressed_results(serve: Serve, codec: str) -> None:
    client = Client(serve(coordinator=f'flight_compression = "{codec}"'))
    info = client.run(
        "SELECT n, ARRAY[CAST(n AS varchar), NULL] AS a FROM UNNEST(sequence(1, 10000)) AS t(n)"
    )
    table = client.get(info.endpoint[0])
    client.close()
    assert table.num_rows == 10_000
    assert sorted(table.to_pylist(), key=lambda row: row["n"])[41] == {"n": 42, "a": ["42", None]}


@pytest.mark.parametrize(
    ("command", "code"),
    [
        (b"", arrow.FlightServerError),
        (b"nonsense", arrow.FlightServerError),
        (pack(sql.CommandStatementSubstraitPlan()), arrow.FlightServerError),
        (pack(sql.CommandStatementQuery(query="SELECT 1", transaction_id=b"t")), arrow.FlightServerError),
    ],
)
def test_other_commands_are_refused(client: Client, command: bytes, code: type[Exception]) -> None:
    with pytest.raises((code, pa.ArrowInvalid, pa.ArrowNotImplementedError)) as caught:
        client.arrow.get_flight_info(arrow.FlightDescriptor.for_command(command), client.options)
    assert "Traceback" not in str(caught.value)
