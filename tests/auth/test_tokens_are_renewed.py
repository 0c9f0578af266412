"""A token is renewed before it expires, once, and whoever cannot renew it says so at once."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import pytest

from sqe.auth.tokens import RETRY_SECONDS, ClientToken, Issued, RenewedTokens, SessionTokens
from sqe.errors import SessionExpired, Unavailable
from sqe.session import Identity

ALICE = Identity("alice", frozenset({"analyst"}), issuer="https://idp", subject="1")


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


class Issuer:
    """Gives tokens that hold for 300 seconds, or fails."""

    def __init__(self, clock: Clock, identity: Identity = ALICE) -> None:
        self.clock = clock
        self.identity = identity
        self.renewals = 0
        self.failure: Exception | None = None
        self.revoked = threading.Event()
        self.wait: Callable[[], object] = lambda: None

    def first(self) -> Issued:
        return Issued("token-0", self.identity, self.clock() + 300, 300, "refresh-0")

    def renew(self, former: Issued) -> Issued:
        self.wait()
        self.renewals += 1
        if self.failure is not None:
            raise self.failure
        return Issued(f"token-{self.renewals}", self.identity, self.clock() + 300, 300, former.renewal)

    def revoke(self, last: Issued) -> None:
        self.revoked.set()


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def issuer(clock: Clock) -> Issuer:
    return Issuer(clock)


@pytest.fixture
def tokens(issuer: Issuer, clock: Clock) -> RenewedTokens:
    return RenewedTokens(issuer.first(), issuer.renew, buffer=60, revoke=issuer.revoke, clock=clock)


def test_it_is_renewed_before_it_expires(tokens: RenewedTokens, clock: Clock) -> None:
    clock.now += 239
    assert tokens.current() == "token-0"
    clock.now += 2
    assert tokens.current() == "token-1" == tokens.current()


def test_a_short_lived_one_is_not_renewed_with_every_use(issuer: Issuer, clock: Clock) -> None:
    short = Issued("token-0", ALICE, clock() + 60, 60, "refresh-0")
    tokens = RenewedTokens(short, issuer.renew, buffer=60, clock=clock)
    clock.now += 39
    assert tokens.current() == "token-0"
    clock.now += 2
    assert tokens.current() == "token-1"


def test_many_threads_renew_it_once(tokens: RenewedTokens, issuer: Issuer, clock: Clock) -> None:
    issuer.wait = lambda: time.sleep(0.05)
    clock.now += 301
    with ThreadPoolExecutor(16) as pool:
        assert set(pool.map(lambda _: tokens.current(), range(64))) == {"token-1"}
    assert issuer.renewals == 1


def test_one_that_still_holds_is_used_while_it_is_renewed(
    tokens: RenewedTokens, issuer: Issuer, clock: Clock
) -> None:
    renewing, may_go_on = threading.Event(), threading.Event()

    def wait() -> None:
        renewing.set()
        may_go_on.wait(10)

    issuer.wait = wait
    clock.now += 250
    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(tokens.current)
        renewing.wait(10)
        assert tokens.current() == "token-0"
        may_go_on.set()
        assert other.result() == "token-1"


def test_after_a_catalog_refused_it_there_is_another_once(tokens: RenewedTokens, issuer: Issuer) -> None:
    with ThreadPoolExecutor(16) as pool:
        assert set(pool.map(tokens.renewed_after, ["token-0"] * 64)) == {"token-1"}
    assert issuer.renewals == 1


def test_while_the_issuer_is_down_it_holds_until_it_ends(
    tokens: RenewedTokens, issuer: Issuer, clock: Clock
) -> None:
    issuer.failure = Unavailable("the identity provider is down")
    clock.now += 250
    assert tokens.current() == "token-0" == tokens.current()
    assert issuer.renewals == 1, "it is not asked each time"
    clock.now += 51
    for _ in range(3):
        with pytest.raises(Unavailable, match=r"cannot be renewed: the identity provider is down"):
            tokens.current()
    assert issuer.renewals == 2
    assert tokens.holds_for(ALICE), "a session goes on"
    issuer.failure = None
    clock.now += RETRY_SECONDS
    assert tokens.current() == "token-3"


def test_what_the_issuer_has_ended_is_over(tokens: RenewedTokens, issuer: Issuer, clock: Clock) -> None:
    issuer.failure = SessionExpired("the identity provider has ended the log-in", hint="log in again")
    clock.now += 250
    for _ in range(3):
        with pytest.raises(SessionExpired, match=r"has ended the log-in \(log in again\)"):
            tokens.current()
    assert issuer.renewals == 1
    assert not tokens.holds_for(ALICE)


def test_somebody_whose_roles_changed_is_told_to_log_in(
    tokens: RenewedTokens, issuer: Issuer, clock: Clock
) -> None:
    assert tokens.holds_for(ALICE)
    issuer.identity = Identity("alice", frozenset(), issuer="https://idp", subject="1")
    clock.now += 250
    assert not tokens.holds_for(ALICE)
    assert tokens.current() == "token-1"


def test_a_token_for_somebody_else_is_not_used(tokens: RenewedTokens, issuer: Issuer, clock: Clock) -> None:
    issuer.identity = Identity("bob", issuer="https://idp", subject="2")
    clock.now += 250
    for _ in range(2):
        with pytest.raises(SessionExpired):
            tokens.current()


def test_one_that_a_client_sent_ends_with_a_clear_error() -> None:
    token = ClientToken("token-0", time.time() + 0.05)
    assert token.current() == "token-0" and token.renewed_after("token-0") is None
    time.sleep(0.06)
    with pytest.raises(SessionExpired, match=r"the token that was sent has expired \(send a renewed one\)"):
        token.current()


def test_a_session_takes_the_newest_that_its_client_sends() -> None:
    now = time.time()
    session = SessionTokens()
    session.take(ClientToken("token-1", now + 100))
    session.take(ClientToken("token-2", now + 200))
    session.take(ClientToken("token-1", now + 100))
    assert session.current() == "token-2"
    assert session.renewed_after("token-1") == "token-2"
    assert session.renewed_after("token-2") is None
    session.close()
    with pytest.raises(SessionExpired):
        session.current()


def test_the_last_session_that_ends_logs_out(tokens: RenewedTokens, issuer: Issuer) -> None:
    first, second = SessionTokens(), SessionTokens()
    first.take(tokens)
    second.take(tokens)
    first.close()
    assert second.current() == "token-0" and not issuer.revoked.is_set()
    second.close()
    assert issuer.revoked.wait(5)
    assert tokens.ended


def test_no_token_is_shown(tokens: RenewedTokens, issuer: Issuer) -> None:
    session = SessionTokens()
    session.take(tokens)
    shown = repr((tokens, session, issuer.first(), ClientToken("token-0", 0.0)))
    assert "token-0" not in shown and "refresh-0" not in shown
