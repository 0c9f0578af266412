"""Whoever has not logged in makes the server hold next to nothing, whatever they send and however often."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import grpc
import pyarrow as pa
import pytest
from tests.doors.flight.plain_calls import Plain, described, failure, sent
from tests.flight_server import KEYS, Serve

from sqe.doors.flight import flight_pb2 as flight
from sqe.doors.flight import flight_sql_pb2 as sql
from sqe.doors.flight.messages import pack
from sqe.doors.flight.service import SERVICE

MIB = 1 << 20
HUGE = 200 * MIB
AT_ONCE = 8
RPCS = [
    *(f"/{SERVICE}/{name}" for name in ("Handshake", "GetFlightInfo", "DoPut", "DoAction", "DoExchange")),
    "/grpc.health.v1.Health/Check",
]
SERVER = """
import sys
from pathlib import Path
from sqe.config.config import load
from sqe.doors.open import OpenServer
server = OpenServer(load(Path(sys.argv[1]), {}))
server.start()
print(server.flight.port, flush=True)
sys.stdin.read()
server.close()
"""


@pytest.fixture(scope="module")
def stranger_to(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, int]]:
    """Process id and port of a server, in a process whose memory is its own."""
    home = tmp_path_factory.mktemp("server")
    (home / "sqe.toml").write_text(
        "[coordinator]\nflight_sql_port = 0\ntrino_http_port = 0\n"
        "[metrics]\nprometheus_port = 0\nhealth_port = 0\n"
        '[engine]\nlane = "fast"\n'
        '[[auth.providers]]\ntype = "api_key"\n[[auth.providers.keys]]\nuser = "ann"\n'
        f'hash = "sha256:{"0" * 64}"\n[catalogs.lake.backend]\ntype = "sqlite"\nwarehouse = "{home}/lake"\n'
    )
    server = subprocess.Popen(
        [sys.executable, "-c", SERVER, str(home / "sqe.toml")], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert server.stdout is not None
    yield server.pid, int(server.stdout.readline())
    server.communicate(timeout=60)


@pytest.mark.spark
@pytest.mark.parametrize("compression", [grpc.Compression.NoCompression, grpc.Compression.Gzip])
def test_memory_does_not_grow_with_what_strangers_send(
    stranger_to: tuple[int, int], compression: grpc.Compression
) -> None:
    pid, port = stranger_to
    message = bytes(HUGE)
    Path(f"/proc/{pid}/clear_refs").write_text("5")
    before = _peak(pid)
    for rpc in RPCS:
        options = [("grpc.max_send_message_length", -1), ("grpc.use_local_subchannel_pool", 1)]
        with (
            grpc.insecure_channel(f"127.0.0.1:{port}", options, compression) as channel,
            ThreadPoolExecutor(AT_ONCE) as pool,
        ):

            def send(_: int, call: object = channel.stream_stream(rpc)) -> None:
                try:
                    list(call(iter([message]), timeout=60))  # type: ignore[operator]
                except grpc.RpcError as error:
                    assert error.code() in REFUSALS, error

            # One compresses on the client's side, which takes its time: all do the same.
            list(pool.map(send, range(AT_ONCE if compression is grpc.Compression.NoCompression else 2)))
    grown = _peak(pid) - before
    assert grown < HUGE // 2, f"the server's peak grew by {grown // MIB} MiB"


REFUSALS = (
    grpc.StatusCode.UNAUTHENTICATED,
    grpc.StatusCode.RESOURCE_EXHAUSTED,
    grpc.StatusCode.UNIMPLEMENTED,
)


def test_a_request_is_no_larger_than_its_kind_can_need(serve: Serve) -> None:
    server = serve()
    with Plain(server.flight.port, ("authorization", f"Bearer {KEYS['ann']}")) as ann:
        text = "SELECT '" + "x" * (2 * MIB) + "'"
        for name, request in {
            "GetFlightInfo": described(pack(sql.CommandStatementQuery(query=text))),
            "DoGet": flight.Ticket(ticket=bytes(2 * MIB)).SerializeToString(),
            "DoAction": flight.Action(type="x", body=bytes(6 * MIB)).SerializeToString(),
            "ListActions": bytes(2 * MIB),
        }.items():
            with pytest.raises(grpc.RpcError) as caught:
                ann.ask(name, request)
            status, _, trailers = failure(caught.value)
            assert status is grpc.StatusCode.RESOURCE_EXHAUSTED
            assert trailers["x-sqe-error-name"] == "EXCEEDED_REQUEST_SIZE"


def test_a_batch_as_large_as_drivers_send_is_taken(serve: Serve) -> None:
    """ADBC sends messages of up to 16 MiB, unless it is told otherwise."""
    server = serve()
    table = pa.table({"x": pa.array(range(2_000_000))})
    kinds = sql.CommandStatementIngest.TableDefinitionOptions
    options = kinds(
        if_not_exist=kinds.TABLE_NOT_EXIST_OPTION_CREATE, if_exists=kinds.TABLE_EXISTS_OPTION_FAIL
    )
    command = pack(sql.CommandStatementIngest(table_definition_options=options, table="wide", catalog="lake"))
    messages = list(sent(command, table))
    assert 15 * MIB < max(map(len, messages)) < 16 * MIB
    with Plain(server.flight.port, ("authorization", f"Bearer {KEYS['ann']}")) as ann:
        [answer] = ann.call("DoPut", messages, timeout=300)
        updated = sql.DoPutUpdateResult.FromString(flight.PutResult.FromString(answer).app_metadata)
        assert updated.record_count == 2_000_000


def _peak(pid: int) -> int:
    text = Path(f"/proc/{pid}/status").read_text()
    return int(text.split("VmHWM:")[1].split()[0]) << 10
