"""The first provider that knows the credentials decides, and whatever goes wrong refuses."""

from __future__ import annotations

import logging
import traceback
from collections.abc import Callable, Sequence
from contextlib import suppress

import pytest

from sqe.auth.chain import NOBODY, RESULTS, Chain
from sqe.auth.credentials import Bearer, Credentials, Password, Provider, refused
from sqe.auth.limiter import Limiter
from sqe.errors import AuthenticationFailed, LimitExceeded
from sqe.session import Identity

PEER = "ipv4:192.0.2.1:5000"
TOKEN = "tok-3f9a7c51d2"


class Says:
    """A provider of the test's: it answers whatever it is told to."""

    def __init__(self, name: str, answer: Callable[[Credentials], object]) -> None:
        self.name = name
        self.answer = answer
        self.asked = 0

    def authenticate(self, credentials: Credentials) -> Identity | None:
        self.asked += 1
        return self.answer(credentials)  # type: ignore[return-value]


def knows(user: str, *roles: str, groups: Sequence[str] = ()) -> Callable[[Credentials], Identity]:
    return lambda _: Identity(user, frozenset(roles), frozenset(groups))


def refuses(_: Credentials) -> None:
    raise refused()


def breaks(credentials: Credentials) -> None:
    raise KeyError(f"no such token: {credentials.token}" if isinstance(credentials, Bearer) else "x")


def passes(_: Credentials) -> None:
    return None


def chain(*providers: Provider, heard: list[tuple[str, str]] | None = None, most: int = 100) -> Chain:
    on_attempt = None if heard is None else lambda outcome: heard.append((outcome.provider, outcome.result))
    return Chain(providers, limiter=Limiter(most), on_attempt=on_attempt)


def test_the_first_that_knows_decides() -> None:
    last = Says("last", knows("other"))
    asked = chain(Says("first", passes), Says("second", knows("ann", "analyst")), last)
    assert asked.authenticate(Bearer(TOKEN), peer=PEER) == Identity("ann", frozenset({"analyst"}))
    assert last.asked == 0
    assert asked.names == ("first", "second", "last")


@pytest.mark.parametrize(
    "answer",
    [refuses, breaks, lambda _: True, lambda _: "ann", lambda _: Identity("")],
    ids=["refuses", "breaks", "true", "a text", "nobody"],
)
def test_nobody_is_asked_after_a_refusal(answer: Callable[[Credentials], object]) -> None:
    last = Says("last", knows("other"))
    with pytest.raises(AuthenticationFailed):
        chain(Says("first", answer), last).authenticate(Bearer(TOKEN), peer=PEER)
    assert last.asked == 0


@pytest.mark.parametrize("credentials", [None, Bearer(TOKEN), Password("ann", TOKEN)])
def test_without_a_provider_that_knows_nobody_gets_in(credentials: Credentials) -> None:
    with pytest.raises(AuthenticationFailed):
        chain(Says("only", passes)).authenticate(credentials, peer=PEER)
    with pytest.raises(AuthenticationFailed):
        chain().authenticate(credentials, peer=PEER)


def test_every_refusal_is_the_same_to_the_client() -> None:
    def talks(_: Credentials) -> None:
        raise AuthenticationFailed(f"the token {TOKEN} has ended", hint="get another")

    said = set()
    for answer in (refuses, breaks, passes, talks):
        with pytest.raises(AuthenticationFailed) as caught:
            chain(Says("p", answer)).authenticate(Bearer(TOKEN), peer=PEER)
        error = caught.value
        # Not even hidden in what the error came from.
        assert error.__context__ is None and error.__cause__ is None
        said.add((str(error), error.args, error.code, error.hint))
    assert said == {("authentication failed", ("authentication failed",), "AUTHENTICATION_FAILED", None)}


def test_the_log_tells_the_reason_but_no_credential(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    shown = []
    for answer in (refuses, breaks, passes):
        for credentials in (Bearer(TOKEN), Password("ann\n", TOKEN), Password(TOKEN * 4, "x")):
            try:
                chain(Says("p", answer)).authenticate(credentials, peer=PEER)
            except AuthenticationFailed:
                shown.append(traceback.format_exc())
    broken = [r for r in caplog.records if "a provider failed: KeyError" in r.getMessage()]
    assert len(broken) == 3 and all("test_chain.py" in str(vars(r)["places"]) for r in broken)
    refusals = [vars(record) for record in caplog.records if record.getMessage() == "a log-in was refused"]
    assert len(refusals) == 9
    assert {(r["provider"], r["result"]) for r in refusals} == {
        ("p", "refused"), ("p", "failed"), (NOBODY, "unknown"),
    }  # fmt: skip
    assert {r["peer"] for r in refusals} == {"192.0.2.1"}
    assert {r["user"] for r in refusals} == {None, "ann\n", "(looks like a secret)"}
    everything = "\n".join([*shown, *(str(vars(record)) for record in caplog.records), caplog.text])
    assert TOKEN not in everything


def test_who_sends_nothing_or_sends_on_does_not_fill_the_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    asked = chain(Says("p", passes), most=1)
    for credentials in (None, None, Bearer(TOKEN), Bearer(TOKEN), Bearer(TOKEN)):
        with pytest.raises((AuthenticationFailed, LimitExceeded)):
            asked.authenticate(credentials, peer=PEER)
    assert len(caplog.records) == 1


def test_attempts_are_heard() -> None:
    heard: list[tuple[str, str]] = []
    for answer in (knows("ann"), refuses, breaks, passes):
        with suppress(AuthenticationFailed):
            chain(Says("p", answer), heard=heard).authenticate(Bearer(TOKEN), peer=PEER)
    limited = chain(Says("p", refuses), heard=heard, most=1)
    for _ in range(2):
        with pytest.raises((AuthenticationFailed, LimitExceeded)):
            limited.authenticate(Bearer(TOKEN), peer=PEER)
    assert heard == [
        ("p", "accepted"), ("p", "refused"), ("p", "failed"), (NOBODY, "unknown"),
        ("p", "refused"), (NOBODY, "limited"),
    ]  # fmt: skip
    assert {result for _, result in heard} == set(RESULTS)


def test_no_provider_is_asked_beyond_the_limit() -> None:
    provider = Says("p", refuses)
    asked = chain(provider, most=3)
    for _ in range(3):
        with pytest.raises(AuthenticationFailed):
            asked.authenticate(Password("ann", TOKEN), peer=PEER)
    with pytest.raises(LimitExceeded) as caught:
        asked.authenticate(Password("ann", TOKEN), peer="ipv4:192.0.2.1:6000")
    assert caught.value.code == "TOO_MANY_ATTEMPTS"
    assert provider.asked == 3


def test_sending_nothing_is_no_attempt() -> None:
    provider = Says("p", passes)
    asked = chain(provider, most=1)
    for _ in range(5):
        with pytest.raises(AuthenticationFailed):
            asked.authenticate(None, peer=PEER)
    assert provider.asked == 5


def test_a_provider_that_breaks_counts_as_a_failure() -> None:
    """Many libraries say by an error of their own that a password is wrong."""
    asked = chain(Says("p", breaks), most=1)
    with pytest.raises(AuthenticationFailed):
        asked.authenticate(Bearer(TOKEN), peer=PEER)
    with pytest.raises(LimitExceeded):
        asked.authenticate(Bearer(TOKEN), peer=PEER)


def test_roles_and_groups_stand_for_roles() -> None:
    mapped = Chain(
        [Says("p", knows("ann", "staff", "writer", groups=["finance", "all"]))],
        limiter=Limiter(1),
        role_mappings={"staff": ["reader", "dashboards"], "finance": ["ledger"], "writer": []},
    )
    identity = mapped.authenticate(None, peer=PEER)
    assert identity.roles == {"reader", "dashboards", "ledger"}
    assert identity.groups == {"finance", "all"}
