"""What a server lets its clients take, how long it waits for them, and what it says when it does not."""

from __future__ import annotations

import base64
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

import grpc
import pyarrow as pa
import pytest
import trustme
from grpc_health.v1 import health_pb2
from grpc_reflection.v1alpha import reflection_pb2
from tests.doors.flight.plain_calls import ENDLESS, LONG, Plain, described, failure, sent
from tests.flight_server import KEYS, Serve

from sqe.auth.passwords import hash_password
from sqe.doors.flight import flight_pb2 as flight
from sqe.doors.flight import flight_sql_pb2 as sql
from sqe.doors.flight.messages import pack, unpack
from sqe.doors.open import OpenServer
from sqe.server import call_limits, statement_quota

WAIT = 60
HEALTH = "grpc.health.v1.Health"


@pytest.fixture
def own(serve: Serve) -> Iterator[Serve]:
    """A server of the test's own, which ends with it."""
    made: list[OpenServer] = []

    def start(more: str = "", **keywords: Any) -> OpenServer:
        made.append(serve(more, **keywords))
        return made[-1]

    yield start
    for server in made:
        server.close()


def client(server: OpenServer, user: str = "ann", **more: Any) -> Plain:
    return Plain(server.flight.port, ("authorization", f"Bearer {KEYS[user]}"), **more)


def until(state: Callable[[], bool]) -> None:
    """Waits for a state that will come; how soon is no matter here."""
    end = time.monotonic() + WAIT
    while not state():
        assert time.monotonic() < end
        time.sleep(0.02)


def refused(call: Callable[[], object]) -> tuple[grpc.StatusCode, str, str]:
    with pytest.raises(grpc.RpcError) as caught:
        call()
    status, text, trailers = failure(caught.value)
    return status, text, trailers.get("x-sqe-error-name", "")


def answers(of: Plain) -> bool:
    """Whether a statement gives its one batch of rows."""
    return len(of.get(of.query("SELECT current_user"))) == 2


def begin(of: Plain, text: str = ENDLESS) -> bytes:
    """The ticket of a statement that runs, or waits for its turn, without a call."""
    [answer] = of.ask("PollFlightInfo", described(pack(sql.CommandStatementQuery(query=text))))
    ticket: bytes = flight.PollInfo.FromString(answer).flight_descriptor.cmd
    return ticket


def cancel(of: Plain, ticket: bytes) -> None:
    info = flight.FlightInfo(endpoint=[flight.FlightEndpoint(ticket=flight.Ticket(ticket=ticket))])
    of.act("CancelFlightInfo", flight.CancelFlightInfoRequest(info=info).SerializeToString())


def statement(server: OpenServer, ticket: bytes) -> Any:
    handle = unpack(ticket).statement_handle
    return next(running for running in server.clients.running.all() if running.handle == handle)


@pytest.fixture
def pool() -> Iterator[ThreadPoolExecutor]:
    with ThreadPoolExecutor(8) as made:
        yield made


def test_as_many_statements_run_as_may(own: Serve, pool: ThreadPoolExecutor) -> None:
    server = own("[query]\nmax_concurrent_queries = 1\nqueue_timeout_secs = 60\n")
    with client(server) as ann, client(server, "joe") as joe:
        running = begin(ann)
        until(lambda: server.admission.running == 1)
        second = pool.submit(joe.query, "SELECT 1")
        until(lambda: server.admission.waiting == 1)
        cancel(ann, running)
        assert len(joe.get(second.result(WAIT))) == 2
        until(lambda: server.admission.running == 0)


def test_one_user_does_not_stop_another(own: Serve) -> None:
    server = own("[query]\nmax_concurrent_per_user = 1\nqueue_timeout_secs = 1\n")
    with client(server) as ann, client(server, "joe") as joe:
        running = begin(ann)
        until(lambda: server.admission.running == 1)
        assert answers(joe)
        status, text, name = refused(lambda: ann.query("SELECT 1"))
        assert (status, name) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "QUERY_QUEUE_TIMEOUT")
        assert "query.max_concurrent_per_user (1)" in text
        cancel(ann, running)


def test_the_queue_has_an_end(own: Serve) -> None:
    server = own("[query]\nmax_concurrent_queries = 1\nmax_queued = 1\n")
    with client(server) as ann:
        running = begin(ann)
        until(lambda: server.admission.running == 1)
        waiting = begin(ann, "SELECT 1")
        until(lambda: server.admission.waiting == 1)
        status, text, name = refused(lambda: ann.query("SELECT 1"))
        assert (status, name) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "QUERY_QUEUE_FULL")
        assert "query.max_queued" in text
        # Somebody who waits may give up.
        cancel(ann, waiting)
        until(lambda: server.admission.waiting == 0)
        cancel(ann, running)


def test_what_waits_is_read_when_it_has_run_and_its_error_heard(own: Serve) -> None:
    server = own("[query]\nmax_concurrent_queries = 1\n")
    with client(server) as ann:
        running = begin(ann)
        until(lambda: server.admission.running == 1)
        right, wrong = begin(ann, "SELECT 42"), begin(ann, "SELECT 1/0 FROM (VALUES 1) AS t")
        until(lambda: server.admission.waiting == 2)
        failing = statement(server, wrong)
        reading = ann.call("DoGet", [flight.Ticket(ticket=right).SerializeToString()])
        cancel(ann, running)
        assert len(list(reading)) == 2
        # It failed while nobody asked.
        until(lambda: failing.done)
        status, text, _ = refused(lambda: ann.ask("PollFlightInfo", described(wrong)))
        assert status is grpc.StatusCode.INVALID_ARGUMENT
        assert "Division by zero" in text
        assert len(server.clients.running) == 0


def test_time_limits_are_those_of_roles(own: Serve, tmp_path: Path) -> None:
    server = own(
        "[query]\ntimeout_secs = 1\n[query.role_overrides]\npatient = 3600\n"
        + users(tmp_path, "pat", "patience", 'roles = ["patient"]')
    )
    with client(server) as ann, Plain(server.flight.port, basic("pat:patience")) as pat:
        running = begin(pat)
        until(lambda: server.admission.running == 1)
        hurried = begin(ann)
        until(lambda: server.admission.running == 1 and statement(server, hurried).done)
        status, _, name = refused(lambda: ann.ask("PollFlightInfo", described(hurried)))
        assert (status, name) == (grpc.StatusCode.DEADLINE_EXCEEDED, "EXCEEDED_TIME_LIMIT")
        assert not statement(server, running).done
        cancel(pat, running)


def test_texts_of_errors_fit_into_headers(own: Serve) -> None:
    with client(own()) as ann:
        status, text, name = refused(lambda: ann.query("SELECT " + "ü" * 300_000))
        assert (status, name) == (grpc.StatusCode.INVALID_ARGUMENT, "COLUMN_NOT_FOUND")
        assert text.startswith("line 1:8: column 'üüü")
        assert len(text) < 4096


def silence(event: threading.Event, *first: bytes) -> Iterator[bytes]:
    yield from first
    event.wait(WAIT)


def test_who_sends_nothing_is_not_waited_for(own: Serve) -> None:
    server = own("[query]\nstream_idle_timeout_secs = 1\n", coordinator="auth_handshake_timeout_secs = 1")
    end = threading.Event()
    first = flight.FlightData()
    with client(server) as ann, Plain(server.flight.port) as nobody:
        handle = ann.prepare("SELECT ?")
        command = sql.CommandPreparedStatementQuery(prepared_statement_handle=handle)
        first.flight_descriptor.ParseFromString(described(pack(command)))
        calls = [
            nobody.call("Handshake", silence(end)),
            ann.call("GetFlightInfo", silence(end)),
            ann.call("DoPut", silence(end)),
            ann.call("DoPut", silence(end, first.SerializeToString())),
        ]
        for call in calls:
            assert refused(partial(list, call))[0] is grpc.StatusCode.CANCELLED
        end.set()
        until(lambda: not any(session.busy for session in server.clients.sessions.all()))


def test_few_may_be_about_to_log_in(own: Serve) -> None:
    server = own()
    end = threading.Event()
    with Plain(server.flight.port) as nobody, client(server) as ann:
        waiting = [nobody.call("Handshake", silence(end)) for _ in range(64)]
        # A few are heard at once, and the others wait for that.
        until(lambda: server.flight._service._calls._greeting._value == 0)
        assert len(server.clients.silent) == 4
        status, _, name = refused(lambda: list(nobody.call("Handshake", silence(end))))
        assert (status, name) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "TOO_MANY_HANDSHAKES")
        # Those who say at once who they are do not wait with them.
        assert answers(ann)
        assert ann.log_in().startswith("Bearer ")
        end.set()
        for call in waiting:
            assert refused(partial(list, call))[0] is grpc.StatusCode.UNAUTHENTICATED


def test_what_nobody_fetches_is_given_up(own: Serve) -> None:
    server = own("[query]\nstream_idle_timeout_secs = 1\n")
    with client(server) as ann:
        whole, endless = ann.query("SELECT 1"), begin(ann)
        until(lambda: len(server.clients.running) == 0)
        assert refused(lambda: ann.get(whole))[0] is grpc.StatusCode.NOT_FOUND
        assert refused(lambda: ann.ask("PollFlightInfo", described(endless)))[0] is grpc.StatusCode.NOT_FOUND
        until(lambda: server.admission.running == 0)


def test_who_reads_nothing_is_not_waited_for(own: Serve) -> None:
    server = own("[query]\nstream_idle_timeout_secs = 1\n")
    with client(server) as ann:
        info = ann.query("SELECT sequential_number, 'some text' FROM TABLE(sequence(1, 3000000))")
        reading = ann.call("DoGet", [info.endpoint[0].ticket.SerializeToString()], timeout=None)
        next(reading)
        until(lambda: len(server.clients.running) == 0)
        assert refused(lambda: list(reading))[0] is grpc.StatusCode.CANCELLED
        until(lambda: server.coordinator.spools.spooled == 0)


VANISHING = """
import sys
from plain_calls import Plain, ENDLESS
with Plain(int(sys.argv[1]), ("authorization", sys.argv[2])) as client:
    info = client.query(ENDLESS)
    print("told", flush=True)
    client.get(info)
"""


@pytest.mark.parametrize("told", [False, True])
def test_the_statement_of_a_client_that_vanished_ends(own: Serve, told: bool) -> None:
    server = own()
    paths = os.pathsep.join([str(Path(__file__).parent), *sys.path])
    vanishing = subprocess.Popen(
        [sys.executable, "-c", VANISHING, str(server.flight.port), f"Bearer {KEYS['ann']}"],
        env={**os.environ, "PYTHONPATH": paths},
        stdout=subprocess.PIPE,
    )
    until(lambda: server.admission.running == 1)
    if told:
        assert vanishing.stdout is not None
        vanishing.stdout.readline()
        until(lambda: any(running.readers for running in server.clients.running.all()))
    vanishing.send_signal(signal.SIGKILL)
    vanishing.communicate()
    until(lambda: server.admission.running == 0)
    until(lambda: not any(running.readers for running in server.clients.running.all()))


def test_results_that_nobody_fetches_make_room(own: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(statement_quota, "MOST_PER_USER", 3)
    server = own()
    with client(server) as ann, client(server, "joe") as joe:
        kept = [ann.query("SELECT 1") for _ in range(5)]
        assert len(server.clients.running) == 3
        assert refused(lambda: ann.get(kept[0]))[0] is grpc.StatusCode.NOT_FOUND
        assert len(ann.get(kept[4])) == 2
        of_joe = joe.query("SELECT 1")
        ann.query("SELECT 1")
        assert len(joe.get(of_joe)) == 2


def test_nobody_takes_all_threads(own: Serve, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(call_limits, "MOST_PER_USER", 2)
    server = own()
    end = threading.Event()
    with client(server) as ann, client(server, "joe") as joe:
        held = [ann.call("DoPut", silence(end)) for _ in range(2)]
        until(lambda: len(server.clients.silent) == 2)
        status, _, name = refused(lambda: ann.query("SELECT 1"))
        assert (status, name) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "TOO_MANY_CALLS")
        assert answers(joe)
        end.set()
        for call in held:
            assert refused(partial(list, call))[0] is grpc.StatusCode.INVALID_ARGUMENT
        assert answers(ann)


MIB = 1 << 20


def zeros() -> tuple[pa.Array, str | None]:
    return pa.array([bytes(300 * MIB)], pa.large_binary()), "zstd"


def one_long_text_for_all() -> tuple[pa.Array, str | None]:
    indices = pa.array([0] * 50_000, pa.int32())
    return pa.DictionaryArray.from_arrays(indices, pa.array(["x" * MIB], pa.large_string())), None


def views_of_one_text() -> tuple[pa.Array, str | None]:
    text = b"x" * MIB
    view = len(text).to_bytes(4, "little") + text[:4] + bytes(8)
    buffers = [None, pa.py_buffer(view * 50_000), pa.py_buffer(text)]
    return pa.Array.from_buffers(pa.string_view(), 50_000, buffers), None


def rows_of_nothing() -> tuple[pa.Array, str | None]:
    return pa.Array.from_buffers(pa.null(), (1 << 31) - 1, [None]), None


@pytest.mark.parametrize("bomb", [zeros, one_long_text_for_all, views_of_one_text, rows_of_nothing])
def test_a_small_message_does_not_become_a_large_one(
    own: Serve, bomb: Callable[[], tuple[pa.Array, str | None]]
) -> None:
    server = own()
    column, compression = bomb()
    with client(server) as ann:
        handle = ann.prepare("SELECT ?")
        cmd = pack(sql.CommandPreparedStatementQuery(prepared_statement_handle=handle))
        stream = list(sent(cmd, pa.table({"x": column}), compression))
        assert sum(map(len, stream)) < 3 * MIB
        del column
        before = pa.total_allocated_bytes()
        status, _, _ = refused(lambda: ann.ask("DoPut", *stream))
        assert status in (grpc.StatusCode.RESOURCE_EXHAUSTED, grpc.StatusCode.INVALID_ARGUMENT)
        assert pa.total_allocated_bytes() <= before


def test_a_message_is_as_long_as_it_says(own: Serve) -> None:
    """Else the next ones would be taken for the rest of it, and all be held."""
    with client(own()) as ann:
        handle = ann.prepare("SELECT ?")
        cmd = pack(sql.CommandPreparedStatementQuery(prepared_statement_handle=handle))
        [schema, rows] = sent(cmd, pa.table({"x": pa.array(range(1000))}))
        cut = flight.FlightData.FromString(rows)
        cut.data_body = cut.data_body[:-8]
        status, text, _ = refused(lambda: ann.ask("DoPut", schema, cut.SerializeToString(), rows))
        assert (status, text) == (
            grpc.StatusCode.INVALID_ARGUMENT,
            "what was sent is not a stream of Arrow batches",
        )


def test_parameters_have_an_end(own: Serve) -> None:
    with client(own()) as ann:
        handle = ann.prepare("SELECT ?")
        cmd = pack(sql.CommandPreparedStatementQuery(prepared_statement_handle=handle))
        table = pa.table({"x": pa.array(range(100_001))})
        status, _, name = refused(lambda: ann.ask("DoPut", *sent(cmd, table)))
        assert (status, name) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "EXCEEDED_PARAMETER_ROWS")


def test_there_are_as_many_sessions_as_may_be(own: Serve) -> None:
    server = own("[session]\nmax_sessions = 2\n")
    with client(server) as ann:
        bearers = [ann.log_in(), ann.log_in()]
        status, text, name = refused(ann.log_in)
        assert (status, name) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "TOO_MANY_SESSIONS")
        assert "session.max_sessions" in text
        with Plain(server.flight.port, ("authorization", bearers[0])) as first:
            first.act("CloseSession")
        assert len(server.clients.sessions) == 1
        assert ann.log_in() not in bearers


def test_nobody_takes_all_sessions(own: Serve) -> None:
    server = own("[session]\nmax_sessions = 10\n")
    with client(server) as ann, client(server, "joe") as joe:
        for _ in range(9):
            ann.log_in()
        assert refused(ann.log_in)[2] == "TOO_MANY_SESSIONS"
        assert joe.log_in().startswith("Bearer ")
        assert refused(joe.log_in)[2] == "TOO_MANY_SESSIONS"


def test_one_user_has_as_many_sessions_as_one_may(own: Serve) -> None:
    server = own("[session]\nmax_sessions_per_user = 2\n")
    with client(server) as ann, client(server, "joe") as joe:
        bearers = [ann.log_in(), ann.log_in()]
        status, text, name = refused(ann.log_in)
        assert (status, name) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "TOO_MANY_SESSIONS")
        assert "session.max_sessions_per_user" in text
        assert joe.log_in().startswith("Bearer ")
        with Plain(server.flight.port, ("authorization", bearers[0])) as first:
            first.act("CloseSession")
        assert ann.log_in() not in bearers


def test_idle_sessions_end_and_say_so(own: Serve) -> None:
    server = own("[session]\nidle_timeout_secs = 1\nexpiry_sweep_interval_secs = 1\n")
    with client(server) as ann:
        bearer = ann.log_in()
    with Plain(server.flight.port, ("authorization", bearer)) as again:
        again.prepare("SELECT 1")
        again.query("SELECT 1")
        until(lambda: len(server.clients.sessions) == 0)
        status, text, name = refused(lambda: again.query("SELECT 1"))
        assert (status, name) == (grpc.StatusCode.UNAUTHENTICATED, "SESSION_EXPIRED")
        assert "log in again" in text
    assert len(server.clients.running) == len(server.clients.prepared) == 0


def test_a_session_is_used_by_what_belongs_to_it(own: Serve) -> None:
    """Prepared statements and results are used by handle alone."""
    server = own()
    with client(server) as ann:
        handle = ann.prepare("SELECT 1")
        [session] = server.clients.sessions.all()
        prepared = sql.CommandPreparedStatementQuery(prepared_statement_handle=handle)
        before = session.used
        info = ann.info(prepared)
        assert session.used > before
        before = session.used
        ann.get(info)
        assert session.used > before
        assert session.busy == 0


def test_the_same_credentials_are_one_session_however_many_come_at_once(
    own: Serve, pool: ThreadPoolExecutor
) -> None:
    server = own()
    with client(server) as ann:
        for done in [pool.submit(ann.query, "SELECT 1") for _ in range(40)]:
            done.result(WAIT)
        [session] = server.clients.sessions.all()
        assert session.busy == 0


def health(of: Plain) -> Any:
    request = health_pb2.HealthCheckRequest().SerializeToString()
    [answer] = of.call("Check", [request], service=HEALTH)
    return health_pb2.HealthCheckResponse.FromString(answer).status


def test_a_server_that_drains_finishes_what_runs(own: Serve, pool: ThreadPoolExecutor) -> None:
    server = own(coordinator="shutdown_drain_secs = 60")
    with client(server) as ann, client(server, "joe") as joe:
        assert health(joe) == health_pb2.HealthCheckResponse.SERVING
        endless, unread = begin(ann), ann.query("SELECT 42")
        running = pool.submit(lambda: ann.get(ann.query(LONG)))
        until(lambda: server.admission.running == 2 or running.done())
        draining = pool.submit(server.drain)
        until(lambda: health(joe) == health_pb2.HealthCheckResponse.NOT_SERVING)
        status, _, name = refused(lambda: joe.query("SELECT 1"))
        assert (status, name) == (grpc.StatusCode.UNAVAILABLE, "SERVER_SHUTTING_DOWN")
        assert len(running.result(WAIT)) == 2
        assert len(ann.get(unread)) == 2
        assert not statement(server, endless).done
        cancel(ann, endless)
        draining.result(WAIT)
        assert refused(lambda: joe.query("SELECT 1"))[0] is grpc.StatusCode.UNAVAILABLE


def test_a_server_that_closes_ends_all_kinds_of_calls(own: Serve, pool: ThreadPoolExecutor) -> None:
    server = own("[query]\nmax_concurrent_queries = 1\n")
    end = threading.Event()
    with client(server) as ann:
        running = begin(ann)
        until(lambda: server.admission.running == 1)
        calls = [
            ann.call("GetFlightInfo", [described(pack(sql.CommandStatementQuery(query="SELECT 1")))]),
            ann.call("PollFlightInfo", [described(running)]),
            ann.call("DoGet", [flight.Ticket(ticket=running).SerializeToString()]),
            ann.call("DoPut", silence(end)),
        ]
        until(lambda: server.admission.waiting == 1)
        until(lambda: statement(server, running).readers == 1)
        server.close()
        for call in calls:
            status = refused(partial(list, call))[0]
            assert status in (grpc.StatusCode.CANCELLED, grpc.StatusCode.UNAVAILABLE)
        end.set()
    until(lambda: server.admission.running == server.admission.waiting == 0)
    assert len(server.clients.sessions) == len(server.clients.running) == 0


def basic(text: str, *, padded: bool = True) -> tuple[str, str]:
    encoded = base64.b64encode(text.encode()).decode()
    return "authorization", "Basic " + (encoded if padded else encoded.rstrip("="))


def users(folder: Path, user: str, password: str, more: str = "") -> str:
    """A provider with one user."""
    file = folder / "users.toml"
    file.touch(0o600)
    file.write_text(f'[users.{user}]\npassword = "{hash_password(password)}"\n{more}\n')
    return f'[[auth.providers]]\ntype = "users_file"\nusers_file = "{file}"\n'


@pytest.mark.parametrize("padded", [True, False])
@pytest.mark.parametrize("password", ["pass:word::", "p", "pä:"])
def test_passwords_in_headers(own: Serve, tmp_path: Path, password: str, padded: bool) -> None:
    server = own(users(tmp_path, "max", password))
    with Plain(server.flight.port, basic(f"max:{password}", padded=padded)) as client_of_max:
        assert answers(client_of_max)
        bearer = client_of_max.log_in()
    with Plain(server.flight.port, ("authorization", bearer)) as by_bearer:
        assert answers(by_bearer)


def test_a_password_in_a_message(own: Serve, tmp_path: Path) -> None:
    server = own(users(tmp_path, "max", "secret"))
    payload = flight.BasicAuth(username="max", password="secret").SerializeToString()
    with Plain(server.flight.port) as nobody:
        greeting = flight.HandshakeRequest(payload=payload).SerializeToString()
        [answer] = nobody.ask("Handshake", greeting)
        bearer = flight.HandshakeResponse.FromString(answer).payload.decode()
        assert refused(lambda: nobody.query("SELECT 1"))[0] is grpc.StatusCode.UNAUTHENTICATED
    with Plain(server.flight.port, ("authorization", f"Bearer {bearer}")) as known:
        assert answers(known)


def test_wrong_passwords_are_limited(own: Serve, tmp_path: Path) -> None:
    server = own("[rate_limit]\nauth_attempts_per_minute = 3\n" + users(tmp_path, "max", "secret"))
    with Plain(server.flight.port, basic("max:guess")) as guessing:
        for _ in range(3):
            status, text, name = refused(lambda: guessing.query("SELECT 1"))
            assert (status, text) == (grpc.StatusCode.UNAUTHENTICATED, "authentication failed")
            assert name == "AUTHENTICATION_FAILED"
        status, _, name = refused(lambda: guessing.query("SELECT 1"))
        assert (status, name) == (grpc.StatusCode.RESOURCE_EXHAUSTED, "TOO_MANY_ATTEMPTS")


def test_long_bearers_fit(own: Serve) -> None:
    key = "sqe_" + "k" * 50_000
    entry = f'[[auth.providers.keys]]\nuser = "max"\nhash = "sha256:{sha256(key.encode()).hexdigest()}"\n'
    # The first provider with keys is asked first, and refuses keys that are not its own.
    server = own(f'[[auth.providers]]\ntype = "api_key"\nkey_prefix = "long_"\n{entry}')
    long = key.replace("sqe_", "long_", 1)
    with Plain(server.flight.port, ("authorization", f"Bearer {long}")) as unknown:
        assert refused(lambda: unknown.query("SELECT 1"))[0] is grpc.StatusCode.UNAUTHENTICATED
    entry = entry.replace(sha256(key.encode()).hexdigest(), sha256(long.encode()).hexdigest())
    server = own(f'[[auth.providers]]\ntype = "api_key"\nkey_prefix = "long_"\n{entry}')
    with Plain(server.flight.port, ("authorization", f"Bearer {long}")) as known:
        assert answers(known)


def certificate(folder: Path, name: str) -> tuple[Path, Path, Path]:
    """A key, its certificate, and that of the authority which vouches for it."""
    authority = trustme.CA()
    shown = authority.issue_cert("127.0.0.1", "localhost", common_name=name)
    key, cert, root = (folder / f"{name}.{kind}" for kind in ("key", "pem", "ca"))
    shown.private_key_pem.write_to_path(key)
    shown.cert_chain_pems[0].write_to_path(cert)
    authority.cert_pem.write_to_path(root)
    return key, cert, root


def test_tls(own: Serve, tmp_path: Path) -> None:
    key, cert, root = certificate(tmp_path, "server")
    server = own(coordinator=f'tls = {{ cert_file = "{cert}", key_file = "{key}" }}')
    credentials = grpc.ssl_channel_credentials(root.read_bytes())
    with client(server, credentials=credentials) as ann:
        assert answers(ann)
    with client(server) as plain:
        assert refused(lambda: plain.query("SELECT 1"))[0] is grpc.StatusCode.UNAVAILABLE


def test_mutual_tls(own: Serve, tmp_path: Path) -> None:
    key, cert, root = certificate(tmp_path, "server")
    own_key, own_cert, own_root = certificate(tmp_path, "client")
    other_key, other_cert, _ = certificate(tmp_path, "other")
    server = own(coordinator=f'tls = {{ cert_file = "{cert}", key_file = "{key}", ca_file = "{own_root}" }}')

    def shown(*files: Path) -> Any:
        private, chain = (file.read_bytes() for file in files) if files else (None, None)
        return client(server, credentials=grpc.ssl_channel_credentials(root.read_bytes(), private, chain))

    with shown(own_key, own_cert) as ann:
        assert answers(ann)
    for files in ((), (other_key, other_cert)):
        with shown(*files) as stranger:
            assert refused(partial(stranger.query, "SELECT 1"))[0] is grpc.StatusCode.UNAVAILABLE


def test_reflection_is_off_unless_it_is_switched_on(own: Serve) -> None:
    request = reflection_pb2.ServerReflectionRequest(list_services="").SerializeToString()
    service = "grpc.reflection.v1alpha.ServerReflection"
    with client(own()) as ann:
        status, _, _ = refused(lambda: list(ann.call("ServerReflectionInfo", [request], service=service)))
        assert status is grpc.StatusCode.UNIMPLEMENTED
    with client(own(coordinator="flight_reflection = true")) as ann:
        [answer] = ann.call("ServerReflectionInfo", [request], service=service)
        told = reflection_pb2.ServerReflectionResponse.FromString(answer)
        names = {found.name for found in told.list_services_response.service}
        assert {"arrow.flight.protocol.FlightService", HEALTH} <= names


def test_a_column_without_a_name_is_its_senders_to_mend(own: Serve) -> None:
    kinds = sql.CommandStatementIngest.TableDefinitionOptions
    options = kinds(
        if_not_exist=kinds.TABLE_NOT_EXIST_OPTION_CREATE, if_exists=kinds.TABLE_EXISTS_OPTION_FAIL
    )
    cmd = pack(sql.CommandStatementIngest(table_definition_options=options, table="t", catalog="lake"))
    with client(own()) as ann:
        for name in ("", " "):
            table = pa.table([pa.array([1])], names=[name])
            status, text, code = refused(partial(ann.ask, "DoPut", *sent(cmd, table)))
            assert (status, code) == (grpc.StatusCode.INVALID_ARGUMENT, "INVALID_COLUMN_NAME")
            assert "without a name" in text
