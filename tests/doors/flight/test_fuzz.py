"""Whatever is sent is answered: with a status that says whose fault it is, and nothing of the inside."""

from __future__ import annotations

import datetime as dt
import decimal
import gc
import os
import random
import resource
import sys
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import grpc
import pyarrow as pa
import pytest
from google.protobuf.descriptor import FieldDescriptor
from tests.doors.flight.plain_calls import Plain, described, failure, messages
from tests.flight_server import KEYS, Serve

from sqe.doors.flight import flight_pb2 as flight
from sqe.doors.flight import flight_sql_pb2 as sql
from sqe.doors.flight.messages import pack
from sqe.doors.open import OpenServer

# OK is no error at all; neither UNKNOWN nor INTERNAL is an answer.
ALLOWED = {
    grpc.StatusCode.ALREADY_EXISTS,
    grpc.StatusCode.INVALID_ARGUMENT,
    grpc.StatusCode.NOT_FOUND,
    grpc.StatusCode.PERMISSION_DENIED,
    grpc.StatusCode.RESOURCE_EXHAUSTED,
    grpc.StatusCode.UNAUTHENTICATED,
    grpc.StatusCode.UNIMPLEMENTED,
}
SECRETS = (
    "Traceback",
    "site-packages",
    sys.prefix,
    "sqe_ann_",
    "sqe-session-",
    "a bug of ours",
    "object at 0x",
)
MESSAGES = [getattr(sql, name) for name in sorted(sql.DESCRIPTOR.message_types_by_name)]
ACTIONS = [
    "BeginTransaction",
    "CancelFlightInfo",
    "CancelQuery",
    "ClosePreparedStatement",
    "CloseSession",
    "CreatePreparedStatement",
    "CreatePreparedSubstraitPlan",
    "GetSessionOptions",
    "RenewFlightEndpoint",
    "SetSessionOptions",
    "nope",
]
REQUESTS = {
    "Handshake": flight.HandshakeRequest,
    "ListFlights": flight.Criteria,
    "GetFlightInfo": flight.FlightDescriptor,
    "PollFlightInfo": flight.FlightDescriptor,
    "GetSchema": flight.FlightDescriptor,
    "DoGet": flight.Ticket,
    "DoPut": flight.FlightData,
    "DoExchange": flight.FlightData,
    "DoAction": flight.Action,
    "ListActions": flight.Empty,
}
TEXTS = ["", "x", "lake", "default", "information_schema", "%", "\\", "SELECT 1", "SELECT ?", "SELEC", "é%_"]
TEXTS += ["a" * 3000, "SELECT * FROM nope", "SHOW TABLES", "EXPLAIN SELECT 1", "USE nope", "\x00", "1;2"]
NUMBERS = [0, 1, 2, -1, 7, (1 << 31) - 1, -(1 << 31)]
# One seed for the short run; the long one takes as many as it can within some minutes.
SHORT, LONG = [1], list(range(2, 42))
SEEDS = [*SHORT, *(pytest.param(seed, marks=pytest.mark.long) for seed in LONG)]


@pytest.fixture(scope="module")
def target(serve: Serve) -> OpenServer:
    """Gives up early what nobody fetches, and does not mind wrong log-ins."""
    return serve(
        "[query]\nstream_idle_timeout_secs = 3\n[rate_limit]\nauth_attempts_per_minute = 1000000\n"
        "[session]\nmax_sessions = 20\n"
    )


@pytest.fixture
def ann(target: OpenServer) -> Iterator[Plain]:
    with Plain(target.flight.port, ("authorization", f"Bearer {KEYS['ann']}")) as client:
        yield client


@pytest.fixture(autouse=True)
def nothing_grows(target: OpenServer, ann: Plain) -> Iterator[None]:
    ann.query("SELECT 1")
    before = _held()
    yield
    ann.act("CloseSession")
    # It is alive, and answers right.
    assert len(ann.get(ann.query("SELECT 42"))) == 2
    until = time.monotonic() + 60
    while len(target.clients.running) or target.admission.running:
        assert time.monotonic() < until, "a statement is kept for ever"
        time.sleep(0.1)
    for session in target.clients.sessions.all():
        target.clients.sessions.close(session)
    assert len(target.clients.prepared) == 0
    gc.collect()
    threads, files, memory = _held()
    assert threads <= before[0] + 4
    assert files <= before[1] + 30
    assert memory <= before[2] + (1 << 30)


def _held() -> tuple[int, int, int]:
    """Threads besides those that wait for calls, open files, and the most memory there was."""
    threads = [t for t in threading.enumerate() if not t.name.startswith("sqe-flight_")]
    unit = 1 if sys.platform == "darwin" else 1024
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    return len(threads), len(os.listdir("/dev/fd")), most


def check(call: Callable[[], object]) -> bool:
    """Whether it went well; if not, then as it should."""
    try:
        call()
        return True
    except grpc.RpcError as error:
        status, text, trailers = failure(error)
        told = f"{text} {trailers}"
        assert status in ALLOWED, told
        assert not [secret for secret in SECRETS if secret in told], told
        assert len(text) <= 4096
        return False


@pytest.mark.parametrize("seed", SEEDS)
def test_commands(ann: Plain, seed: int) -> None:
    chance = random.Random(seed)
    handle = ann.prepare("SELECT ? + 1")
    ticket = ann.query("SELECT 1").endpoint[0].ticket.ticket
    known = [handle, ticket, ticket[-24:], ticket + b"0-1"]
    well = 0
    for _ in range(1500):
        body = _filled(chance.choice(MESSAGES), chance, known)
        command = pack(body) if chance.random() < 0.9 else body.SerializeToString()
        if chance.random() < 0.4:
            command = _mutated(command, chance)
        well += check(partial(_send, ann, chance, command))
    # Some of them are right, else nothing was tried.
    assert well > 50


def _send(client: Plain, chance: random.Random, command: bytes) -> None:
    rpc = chance.choice(["GetFlightInfo", "PollFlightInfo", "GetSchema", "DoGet", "DoPut", "DoAction"])
    if rpc == "DoAction":
        client.act(chance.choice(ACTIONS), command)
    elif rpc == "DoGet":
        client.ask(rpc, flight.Ticket(ticket=command).SerializeToString())
    elif rpc == "DoPut":
        data = flight.FlightData(data_header=chance.choice([b"", b"", chance.randbytes(40)]))
        data.flight_descriptor.ParseFromString(described(command))
        client.ask(rpc, data.SerializeToString())
    else:
        client.ask(rpc, described(command))


@pytest.mark.parametrize("seed", SEEDS)
def test_requests_that_are_not_even_messages(ann: Plain, seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(1000):
        rpc = chance.choice(sorted(REQUESTS))
        request = _filled(REQUESTS[rpc], chance, []).SerializeToString()
        request = chance.choice([request, _mutated(request, chance), chance.randbytes(chance.randrange(60))])
        check(partial(ann.ask, rpc, *[request] * chance.choice([0, 1, 1, 1, 2])))


def test_nesting_has_an_end(ann: Plain) -> None:
    nested = b""
    for _ in range(2000):
        nested = b"\x0a" + flight.Ticket(ticket=nested).SerializeToString()[1:]
    for rpc in REQUESTS:
        check(partial(ann.ask, rpc, nested))


def _answers(client: Plain, rpc: str, body: list[bytes], headers: list[tuple[str, str]]) -> list[bytes]:
    return list(client.call(rpc, body, *headers))


@pytest.mark.parametrize("seed", SEEDS)
def test_headers(target: OpenServer, ann: Plain, seed: int) -> None:
    chance = random.Random(seed)
    key = KEYS["ann"]
    bearer = ann.log_in()
    prefixes = ["Bearer ", "bearer", "Basic ", "Basic", "", "Digest ", "Bearer sqe-session-", "Basic YTpi"]
    with Plain(target.flight.port) as nobody:
        for _ in range(500):
            text = chance.choice(prefixes) + chance.choice(
                [key, key[:-1], bearer.partition(" ")[2], _printable(chance), "YTpi", "YTpi=", "====", "a:b"]
            )
            headers = [("authorization", text)]
            if chance.random() < 0.5:
                headers.append(("cookie", f"arrow_flight_session_id={_printable(chance)}"))
            if chance.random() < 0.5:
                headers.append(
                    (chance.choice(["x-sqe-session", "x-request-id", "cookie"]), _printable(chance))
                )
            request = described(pack(sql.CommandGetCatalogs()))
            rpc, body = chance.choice([("GetFlightInfo", [request]), ("Handshake", []), ("DoPut", [])])
            check(partial(_answers, nobody, rpc, body, headers))
    ann.call("DoAction", [flight.Action(type="CloseSession").SerializeToString()], ("authorization", bearer))


@pytest.mark.parametrize("seed", SEEDS)
def test_session_options(ann: Plain, seed: int) -> None:
    chance = random.Random(seed)
    names = ["catalog", "schema", "db_schema", "lane", "query_max_run_time", "time_zone_id", "nope", ""]
    for _ in range(300):
        request = flight.SetSessionOptionsRequest()
        for name in chance.sample(names, chance.randrange(4)):
            _fill(request.session_options[name], chance, [])
        for place in ("../../etc/passwd", "9" * 400 + "d", "lake", "0s"):
            if chance.random() < 0.1:
                request.session_options[chance.choice(names)].string_value = place
        check(partial(ann.act, "SetSessionOptions", request.SerializeToString()))
        check(lambda: ann.query("SELECT 1"))


N = 40
COLUMNS: dict[str, pa.Array] = {
    "bigint": pa.array(range(N)),
    "text": pa.array([f"v{i}" if i % 3 else None for i in range(N)]),
    "large": pa.array(["zz"] * N, pa.large_string()),
    "bytes": pa.array([b"xx"] * N),
    "flag": pa.array([True, False] * (N // 2)),
    "half": pa.array([1.5] * N, pa.float16()),
    "null": pa.nulls(N),
    "day": pa.array([dt.date(2020, 1, 1)] * N),
    "time": pa.array([dt.time(1, 2)] * N, pa.time64("ns")),
    "moment": pa.array([dt.datetime(2020, 1, 1)] * N, pa.timestamp("ns", "Europe/Paris")),
    "span": pa.array([dt.timedelta(1)] * N),
    "months": pa.array([(1, 2, 3)] * N, pa.month_day_nano_interval()),
    "decimal": pa.array([decimal.Decimal("1.23")] * N, pa.decimal128(20, 2)),
    "wide": pa.array([decimal.Decimal("1.23")] * N, pa.decimal256(50, 2)),
    "uuid": pa.array([b"0" * 16] * N, pa.uuid()),
    "dictionary": pa.array([f"k{i % 4}" for i in range(N)]).dictionary_encode(),
    "lists by index": pa.DictionaryArray.from_arrays(
        pa.array([0, 1] * (N // 2), pa.int8()), pa.array([[1, 2], [3]])
    ),
    "indexes in lists": pa.ListArray.from_arrays(
        pa.array(range(N + 1), pa.int32()), pa.array(["x", "y"] * (N // 2)).dictionary_encode()
    ),
    "list": pa.array([[1, 2]] * N),
    "pair": pa.array([[1, 2]] * N, pa.list_(pa.int32(), 2)),
    "row": pa.array([{"a": 1, "b": "x"}] * N),
    "map": pa.array([[("a", 1)]] * N, pa.map_(pa.string(), pa.int32())),
    "view": pa.array([f"a text that is longer than a view {i}" for i in range(N)], pa.string_view()),
    "list view": pa.array([[1, 2, 3]] * N, pa.list_view(pa.int64())),
    "runs": pa.RunEndEncodedArray.from_arrays(pa.array([10, N], pa.int32()), pa.array(["a", "b"])),
    "dense": pa.UnionArray.from_dense(
        pa.array([0, 1] * (N // 2), pa.int8()),
        pa.array([i // 2 for i in range(N)], pa.int32()),
        [pa.array(range(N // 2)), pa.array(["x"] * (N // 2))],
    ),
    "sparse": pa.UnionArray.from_sparse(
        pa.array([0, 1] * (N // 2), pa.int8()), [pa.array(range(N)), pa.array(["x"] * N)]
    ),
}


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("command", ["bind", "ingest"])
def test_arrow_that_is_not(ann: Plain, command: str, seed: int) -> None:
    chance = random.Random(seed)
    if command == "bind":
        by_width = [ann.prepare("SELECT " + ", ".join("?" * width)) for width in (1, 2, 3)]
        cmds = [pack(sql.CommandPreparedStatementQuery(prepared_statement_handle=h)) for h in by_width]
    else:
        check(lambda: ann.query("CREATE TABLE fuzzed (other bigint)"))
        kinds = sql.CommandStatementIngest.TableDefinitionOptions
        options = kinds(
            if_not_exist=kinds.TABLE_NOT_EXIST_OPTION_CREATE, if_exists=kinds.TABLE_EXISTS_OPTION_APPEND
        )
        cmds = [pack(sql.CommandStatementIngest(table_definition_options=options, table="fuzzed"))] * 3
    for _ in range(700):
        width = chance.choice([1, 1, 2, 3])
        names = chance.sample(sorted(COLUMNS), width)
        table = pa.table({name: COLUMNS[name] for name in names})
        parts = messages(table, chance.choice([None, None, "lz4", "zstd"]))
        place = chance.randrange(len(parts))
        header, body = parts[place]
        if chance.random() < 0.6:
            header = _mutated(header, chance)
        else:
            body = _mutated(body, chance)
        parts[place] = (header, body)
        stream = [flight.FlightData(data_header=header, data_body=body) for header, body in parts]
        stream[0].flight_descriptor.ParseFromString(described(chance.choice([cmds[width - 1], *cmds])))
        check(partial(ann.ask, "DoPut", *(data.SerializeToString() for data in stream)))


def _filled(kind: Any, chance: random.Random, known: list[bytes]) -> Any:
    message = kind()
    _fill(message, chance, known)
    return message


def _fill(message: Any, chance: random.Random, known: list[bytes], depth: int = 0) -> None:
    for field in message.DESCRIPTOR.fields:
        if chance.random() < 0.4 or (field.name == "transaction_id" and chance.random() < 0.8):
            continue
        entry = field.message_type is not None and field.message_type.GetOptions().map_entry
        if entry or depth > 3:
            continue
        if field.type == FieldDescriptor.TYPE_MESSAGE:
            inner = getattr(message, field.name)
            _fill(inner.add() if field.is_repeated else inner, chance, known, depth + 1)
        elif field.is_repeated:
            getattr(message, field.name).append(_value(field, chance, known))
        else:
            setattr(message, field.name, _value(field, chance, known))


def _value(field: Any, chance: random.Random, known: list[bytes]) -> Any:
    match field.type:
        case FieldDescriptor.TYPE_STRING:
            return chance.choice(TEXTS)
        case FieldDescriptor.TYPE_BYTES:
            return chance.choice([*known, b"", chance.randbytes(chance.randrange(40))])
        case FieldDescriptor.TYPE_BOOL:
            return chance.random() < 0.5
        case FieldDescriptor.TYPE_DOUBLE | FieldDescriptor.TYPE_FLOAT:
            return chance.choice([0.0, -1.5, float("nan"), float("inf")])
        case FieldDescriptor.TYPE_UINT32 | FieldDescriptor.TYPE_UINT64:
            return abs(chance.choice(NUMBERS[:6]))
        case FieldDescriptor.TYPE_ENUM:
            return chance.choice([0, 1, 2, 3])
        case _:
            return chance.choice(NUMBERS)


def _mutated(data: bytes, chance: random.Random) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.choice([1, 1, 1, 2, 4])):
        if not changed:
            break
        place = chance.randrange(len(changed))
        match chance.randrange(5):
            case 0:
                changed[place] = chance.choice([0, 1, 0x7F, 0x80, 0xFF])
            case 1:
                changed[place] ^= 1 << chance.randrange(8)
            case 2:
                number = chance.choice([0, 1, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, len(changed) * 2])
                changed[place & ~3 : (place & ~3) + 4] = number.to_bytes(4, "little")
            case 3:
                number = chance.choice([0, 1 << 33, 1 << 40, 1 << 62, (1 << 63) - 1, 1 << 63, (1 << 64) - 1])
                changed[place & ~7 : (place & ~7) + 8] = number.to_bytes(8, "little")
            case _:
                del changed[place:]
    return bytes(changed)


def _printable(chance: random.Random) -> str:
    return "".join(chr(chance.randrange(32, 127)) for _ in range(chance.choice([0, 3, 40, 2000])))
