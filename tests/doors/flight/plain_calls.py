"""Calls of Flight's RPCs as bytes, for what no driver would send."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import grpc
import pyarrow as pa

from sqe.doors.flight import flight_pb2 as flight
from sqe.doors.flight import flight_sql_pb2 as sql
from sqe.doors.flight.messages import pack, unpack
from sqe.doors.flight.service import SERVICE

Header = tuple[str, str | bytes]
# Hours of the fast lane's work, and nothing to keep.
ENDLESS = (
    "SELECT count(*) FROM TABLE(sequence(1, 3000000)) AS a, TABLE(sequence(1, 3000000)) AS b"
    " WHERE a.sequential_number * b.sequential_number % 7 = 3"
)
# Some of it.
LONG = ENDLESS.replace("3000000", "8000")


class Plain:
    """One client; `headers` go with each of its calls."""

    def __init__(self, port: int, *headers: Header, credentials: Any = None, host: str = "127.0.0.1") -> None:
        options = [("grpc.max_send_message_length", -1), ("grpc.max_receive_message_length", -1)]
        address = f"{host}:{port}"
        self.channel = (
            grpc.insecure_channel(address, options)
            if credentials is None
            else grpc.secure_channel(address, credentials, options)
        )
        self.headers = headers

    def __enter__(self) -> Plain:
        return self

    def __exit__(self, *_: object) -> None:
        self.channel.close()

    def call(
        self,
        name: str,
        requests: Iterable[bytes],
        *headers: Header,
        timeout: float | None = 60,
        service: str = SERVICE,
    ) -> Any:
        """A call that has begun; what it answers is iterated over."""
        rpc = self.channel.stream_stream(f"/{service}/{name}")
        return rpc(iter(requests), metadata=(*self.headers, *headers), timeout=timeout)

    def ask(self, name: str, *requests: bytes) -> list[bytes]:
        return list(self.call(name, requests))

    def info(self, command: Any) -> flight.FlightInfo:
        [answer] = self.ask("GetFlightInfo", described(pack(command)))
        info: flight.FlightInfo = flight.FlightInfo.FromString(answer)
        return info

    def query(self, text: str) -> flight.FlightInfo:
        return self.info(sql.CommandStatementQuery(query=text))

    def get(self, info: flight.FlightInfo) -> list[bytes]:
        return self.ask("DoGet", info.endpoint[0].ticket.SerializeToString())

    def act(self, name: str, body: bytes = b"") -> list[bytes]:
        answers = self.ask("DoAction", flight.Action(type=name, body=body).SerializeToString())
        return [flight.Result.FromString(answer).body for answer in answers]

    def prepare(self, text: str) -> bytes:
        [body] = self.act(
            "CreatePreparedStatement", pack(sql.ActionCreatePreparedStatementRequest(query=text))
        )
        handle: bytes = unpack(body).prepared_statement_handle
        return handle

    def log_in(self) -> str:
        """The bearer of a new session."""
        call = self.call("Handshake", ())
        list(call)
        return str(dict(call.trailing_metadata())["authorization"])


def described(cmd: bytes) -> bytes:
    made = flight.FlightDescriptor(type=flight.FlightDescriptor.CMD, cmd=cmd)
    return bytes(made.SerializeToString())


def sent(cmd: bytes, table: pa.Table, compression: str | None = None) -> Iterator[bytes]:
    """What a client puts: a table, with the command in its first message."""
    for number, (header, body) in enumerate(messages(table, compression)):
        data = flight.FlightData(data_header=header, data_body=body)
        if not number:
            data.flight_descriptor.ParseFromString(described(cmd))
        yield data.SerializeToString()


def messages(table: pa.Table, compression: str | None = None) -> list[tuple[bytes, bytes]]:
    """Header and body of each message of Arrow's stream format."""
    sink = pa.BufferOutputStream()
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with pa.ipc.new_stream(sink, table.schema, options=options) as writer:
        writer.write_table(table)
    return [
        (m.metadata.to_pybytes(), b"" if m.body is None else m.body.to_pybytes())
        for m in pa.ipc.MessageReader.open_stream(sink.getvalue())
    ]


def failure(error: BaseException) -> tuple[grpc.StatusCode, str, dict[str, Any]]:
    """What somebody learns of a call that failed."""
    heard: Any = error
    return heard.code(), heard.details(), dict(heard.trailing_metadata() or ())
