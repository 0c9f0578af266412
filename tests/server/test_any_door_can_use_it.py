"""What doors share needs no Flight: a door of a few lines logs in, runs, reads, prepares and cancels."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from sqe.auth.credentials import Bearer, Credentials, Grant, refused
from sqe.catalog.catalogs import embedded
from sqe.config.config import load
from sqe.coordinator import Coordinator
from sqe.errors import AuthenticationFailed, LimitExceeded, NotFound, SessionExpired, SqeError
from sqe.policy.decision import AllowAll
from sqe.server import call_limits, kept_results
from sqe.server.client import Client
from sqe.server.clients import Clients
from sqe.server.silent_clients import SilentClients
from sqe.session import Identity

ENDLESS = (
    "SELECT count(*) FROM TABLE(sequence(1, 3000000)) AS a, TABLE(sequence(1, 3000000)) AS b"
    " WHERE a.sequential_number * b.sequential_number % 7 = 3"
)


class Caller:
    """A call of a door that has no wire."""

    def __init__(self, token: str | None = "joe", **headers: str) -> None:
        self.headers: Mapping[str, str] = (
            headers if token is None else {"authorization": f"Bearer {token}", **headers}
        )
        self.connection, self.host = "192.0.2.1:5000", "192.0.2.1"
        self.session_cookie: str | None = None
        self.is_late = self.is_cancelled = False
        self._gone: list[tuple[threading.Event, Callable[[], None]]] = []

    def keep_cookie(self, value: str) -> None:
        self.session_cookie = value

    def when_gone(self, act: Callable[[], None]) -> threading.Event:
        over = threading.Event()
        self._gone.append((over, act))
        return over

    def cancel(self) -> None:
        self.is_cancelled = True

    def leave(self) -> None:
        for over, act in self._gone:
            if not over.is_set():
                act()


def log_in(credentials: Credentials, peer: str) -> Grant:
    """Whoever says a name has it."""
    if not isinstance(credentials, Bearer):
        raise refused()
    return Grant(Identity(credentials.token), lambda: lambda: True)


@pytest.fixture(scope="module")
def clients(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Clients]:
    warehouse: Path = tmp_path_factory.mktemp("shared")
    catalogs = embedded(warehouse=warehouse, catalogs=None, memory=False)
    coordinator = Coordinator(load(None, {}), catalogs, policy=AllowAll())
    clients = Clients(coordinator, log_in)
    clients.start()
    yield clients
    clients.close()
    coordinator.close()


def rows(clients: Clients, caller: Caller, text: str) -> list[object]:
    with clients.calls.begin(caller) as call:
        running = clients.running.start(call.session, text, client=caller)
        with clients.running.reading(running, caller):
            assert running.result is not None
            return [row for batch in running.result.batches(0, None) for row in batch.to_pylist()]


def test_no_door_is_loaded() -> None:
    code = "import sys, sqe.server.server; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert [name for name in done.stdout.split() if name.startswith(("sqe.doors", "grpc"))] == []


def test_a_statement_is_run_and_read_once(clients: Clients) -> None:
    assert rows(clients, Caller(), "SELECT 1 AS a") == [{"a": 1}]
    assert len(clients.running) == 0


def test_who_says_nothing_is_nobody(clients: Clients) -> None:
    with pytest.raises(AuthenticationFailed), clients.calls.begin(Caller(None)):
        raise AssertionError("let in")


def test_a_session_is_found_by_connection_by_name_and_by_cookie(clients: Clients) -> None:
    def session_of(caller: Caller) -> str:
        with clients.calls.begin(caller) as call:
            return call.session.id

    first, again = Caller("ann"), Caller("ann")
    known = session_of(first)
    assert session_of(again) == known
    named = session_of(Caller("ann", **{"x-sqe-session": "mine"}))
    assert named != known and session_of(Caller("ann", **{"x-sqe-session": "mine"})) == named
    elsewhere = Caller("ann")
    elsewhere.connection, elsewhere.session_cookie = "192.0.2.9:1", first.session_cookie
    assert session_of(elsewhere) == known
    thief = Caller("max")
    thief.session_cookie = first.session_cookie
    assert session_of(thief) != known
    with pytest.raises(SessionExpired):
        session_of(Caller("ann", **{"x-sqe-session": "lost", "x-sqe-session-known": "1"}))


def test_a_bearer_stands_for_a_session(clients: Clients) -> None:
    caller = Caller()
    bearer = clients.calls.bearer(caller, Bearer("joe"))
    with clients.calls.begin(Caller(bearer)) as call:
        assert call.identity == Identity("joe")
        assert call.existing_session is call.session


def test_a_caller_that_leaves_cancels(clients: Clients) -> None:
    caller = Caller()
    leaving = threading.Timer(0.5, caller.leave)
    leaving.start()
    with clients.calls.begin(caller) as call, pytest.raises(SqeError) as caught:
        running = clients.running.start(call.session, ENDLESS, client=caller)
        with clients.running.reading(running, caller):
            assert running.result is not None
            list(running.result.batches(0, None))
    leaving.join()
    assert caught.value.code == "USER_CANCELED"
    assert len(clients.running) == 0


def test_one_in_the_background_is_polled(clients: Clients) -> None:
    caller = Caller()
    with clients.calls.begin(caller) as call:
        running = clients.running.start_in_background(call.session, "SELECT 42", client=caller)
        end = time.monotonic() + 30
        while not clients.running.wait_for_news(running, caller, 1, lambda: running.progress):
            assert time.monotonic() < end
        assert clients.running.find(running.handle, call.identity) is running
        with pytest.raises(NotFound):
            clients.running.find(running.handle, Identity("ann"))
        clients.running.close(running)


def test_a_statement_is_prepared_and_described(clients: Clients) -> None:
    caller = Caller()
    with clients.calls.begin(caller) as call:
        prepared = clients.prepared.create("SELECT CAST(? AS bigint) AS a", call.session, caller)
        assert prepared.description.returns_rows and len(prepared.description.parameters) == 1
        with pytest.raises(SqeError, match="1 parameters, and none were given"):
            prepared.values()
        assert clients.prepared.find(prepared.handle, call.identity) is prepared
        clients.sessions.close(call.session)
        assert len(clients.prepared) == 0


def test_the_end_of_a_session_ends_what_it_runs(clients: Clients) -> None:
    caller = Caller("eve")
    with clients.calls.begin(caller) as call:
        running = clients.running.start_in_background(call.session, ENDLESS, client=caller)
        clients.sessions.close(call.session)
    assert running.started.wait(30) and running.closed


def test_parts_are_those_that_were_told(clients: Clients) -> None:
    caller = Caller()
    with clients.calls.begin(caller) as call:
        running = clients.running.start(call.session, "SELECT 1", client=caller)
        assert kept_results.parts_of(running) is None
        for part in ((0, 2), (1, 1), (-1, 1), (5, 9)):
            with pytest.raises(NotFound):
                kept_results.check_part(running, part)
        clients.running.close(running)


def test_one_user_has_as_many_calls_as_one_may(clients: Clients, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(call_limits, "MOST_PER_USER", 1)
    limits = call_limits.CallLimits()
    with limits.counted("joe"), limits.counted("ann"), pytest.raises(LimitExceeded), limits.counted("joe"):
        raise AssertionError("counted")
    with limits.counted("joe"):
        pass


def test_a_client_that_is_silent_for_too_long_is_cancelled() -> None:
    silent = SilentClients(0.01)
    quick, slow = Caller(), Caller()
    clients: list[Client] = [quick, slow]
    assert list(silent.messages(clients[0], iter([b"a", b"b"]))) == [b"a", b"b"]
    with silent.waiting(clients[1]):
        assert len(silent) == 1
        time.sleep(0.05)
        silent.sweep()
    silent.sweep()
    assert slow.is_cancelled and not quick.is_cancelled and len(silent) == 0
