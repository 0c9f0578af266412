"""Sessions of a server: whose they are, and when they end."""

from __future__ import annotations

import threading

import pytest

from sqe.auth.credentials import Grant
from sqe.config.config import SessionSettings
from sqe.errors import LimitExceeded, SessionExpired
from sqe.server.sessions import ServerSession, Sessions
from sqe.session import Identity, Session

ANN, JOE = Identity("ann"), Identity("joe")


def sessions(ended: list[ServerSession] | None = None, *, idle: int = 900, most: int = 100) -> Sessions:
    settings = SessionSettings(idle_timeout=idle, absolute_timeout=0, sweep_interval=60, max_sessions=most)
    return Sessions(settings, lambda who: Session(who, "lake"), (ended if ended is not None else []).append)


def begun(known: Sessions, who: Identity = ANN) -> tuple[ServerSession, str]:
    bearer = known.begin(Grant(who, lambda: lambda: True))
    found = known.of_bearer(bearer)
    assert found is not None
    return found, bearer


def test_a_call_cannot_enter_a_session_that_has_ended() -> None:
    ended: list[ServerSession] = []
    known = sessions(ended)
    session, _ = begun(known)
    assert known.enter(session)
    known.close(session)
    known.close(session)
    assert ended == [session]
    assert not known.enter(session)


def test_a_session_in_use_does_not_end_however_long_it_is_idle() -> None:
    known = sessions(idle=1)
    session, bearer = begun(known)
    known.enter(session)
    session.used -= 3600
    known.sweep()
    assert known.of_bearer(bearer) is session
    known.leave(session)
    session.used -= 3600
    known.sweep()
    assert len(known) == 0


def test_many_calls_at_once_are_counted_right() -> None:
    known = sessions()
    session, _ = begun(known)

    def use() -> None:
        for _ in range(2000):
            assert known.enter(session)
            known.leave(session)

    threads = [threading.Thread(target=use) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert session.busy == 0


def test_the_same_credentials_of_somebody_else_are_another_session() -> None:
    known = sessions()
    of_ann = known.of_credentials("Basic x", ANN)
    assert known.of_credentials("Basic x", ANN) is of_ann
    of_joe = known.of_credentials("Basic x", JOE)
    assert of_joe is not None
    assert of_joe.identity == JOE
    assert len(known) == 2


def test_a_session_ends_when_what_let_its_client_in_is_gone() -> None:
    entries = ["key"]
    known = sessions()
    bearer = known.begin(Grant(ANN, lambda: lambda: "key" in entries))
    assert known.of_bearer(bearer) is not None
    entries.clear()
    with pytest.raises(SessionExpired):
        known.of_bearer(bearer)
    assert len(known) == 0


def test_where_there_are_too_many_the_one_left_for_longest_ends() -> None:
    known = sessions(most=2)
    first, _ = begun(known)
    second, bearer = begun(known)
    with pytest.raises(LimitExceeded):
        begun(known)
    first.used -= 3600
    second.used -= 7200
    known.enter(second)
    begun(known)
    assert first.closed and known.of_bearer(bearer) is second
    # Those of others stay.
    second.used -= 7200
    with pytest.raises(LimitExceeded):
        begun(known, JOE)


@pytest.mark.parametrize("swept", [True, False])
def test_an_end_is_said_once_to_a_client_that_had_set_something(swept: bool) -> None:
    known = sessions(idle=1)
    session = known.of_credentials("Basic x", ANN)
    other = known.of_credentials("Basic y", ANN)
    assert session is not None and other is not None
    session.session.namespace = ("r",)
    cookie = session.cookie
    for each in (session, other):
        each.used -= 3600
    if swept:
        known.sweep()
        assert len(known) == 0
    with pytest.raises(SessionExpired, match="USE"):
        known.of_credentials("Basic x", ANN)
    again = known.of_credentials("Basic x", ANN)
    assert again is not None and again.session.namespace == ("default",)
    # Somebody else learns nothing from it, and takes nothing away.
    assert known.of_cookie(cookie, JOE) is None
    with pytest.raises(SessionExpired, match="USE"):
        known.of_cookie(cookie, ANN)
    assert known.of_cookie(cookie, ANN) is None
    # As a new one would be, so that nobody misses it.
    assert known.of_credentials("Basic y", ANN) is not None


def test_a_client_that_has_had_a_session_hears_that_it_is_unknown() -> None:
    known = sessions()
    with pytest.raises(SessionExpired):
        known.of_credentials("named x", ANN, known=True)
    assert known.of_credentials("named x", ANN) is not None
