"""Sessions of a server: whose they are, and when they end."""

from __future__ import annotations

import threading

from sqe.config import SessionSettings
from sqe.session import Identity, Session
from sqe.sessions import ServerSession, Sessions

ANN, JOE = Identity("ann"), Identity("joe")


def sessions(ended: list[ServerSession] | None = None, *, idle: int = 900) -> Sessions:
    settings = SessionSettings(idle_timeout=idle, absolute_timeout=0, sweep_interval=60, max_sessions=100)
    return Sessions(settings, lambda who: Session(who, "lake"), (ended if ended is not None else []).append)


def test_a_call_cannot_enter_a_session_that_has_ended() -> None:
    ended: list[ServerSession] = []
    known = sessions(ended)
    session, _ = known.begin(ANN)
    assert known.enter(session, "peer")
    known.close(session)
    known.close(session)
    assert ended == [session]
    assert not known.enter(session, "peer")


def test_a_session_in_use_does_not_end_however_long_it_is_idle() -> None:
    known = sessions(idle=1)
    session, bearer = known.begin(ANN)
    known.enter(session, "peer")
    session.used -= 3600
    known.sweep()
    assert known.of_bearer(bearer) is session
    known.leave(session)
    session.used -= 3600
    known.sweep()
    assert len(known) == 0


def test_many_calls_at_once_are_counted_right() -> None:
    known = sessions()
    session, _ = known.begin(ANN)

    def use() -> None:
        for _ in range(2000):
            assert known.enter(session, "peer")
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
