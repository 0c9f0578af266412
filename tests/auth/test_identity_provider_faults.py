"""Whatever an identity provider does, log-ins end soon, and with a clear answer."""

from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.auth.fake_idp import FakeIdp
from tests.auth.provider_cases import configured, forged, identity_in

from sqe.auth.chain import Chain, from_config
from sqe.auth.credentials import Bearer, LoggedIn, Password, Provider
from sqe.auth.oidc import fetched, idp_http, remembered
from sqe.auth.oidc.verifier import Verifier
from sqe.config.config import load
from sqe.errors import AuthenticationFailed, LimitExceeded, Unavailable

PEER = "192.0.2.1"


@pytest.fixture
def idp() -> Iterator[FakeIdp]:
    idp = FakeIdp()
    yield idp
    idp.close()


def text(idp: FakeIdp, kind: str = "bearer_token", **more: object) -> str:
    lines: dict[str, object] = {"type": kind, "issuer": idp.issuer, "allow_insecure_jwks": True}
    if kind == "oidc_password":
        lines |= {"client_id": "sqe", "client_secret": "sqe-secret"}
    else:
        lines |= {"audience": "catalog"}
    return "\n".join(f"{key} = {json.dumps(value)}" for key, value in (lines | more).items())


def chain(folder: Path, *providers: str, more: str = "") -> Chain:
    file = folder / "sqe.toml"
    file.write_text("".join(f"[[auth.providers]]\n{provider}\n" for provider in providers) + more)
    return from_config(load(file, {}))


def let_in(provider: Provider, token: str) -> bool:
    try:
        return identity_in(provider.authenticate(Bearer(token))) is not None
    except AuthenticationFailed:
        return False


def test_each_forged_token_has_a_reason_in_the_log(
    idp: FakeIdp, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    asked = chain(tmp_path, text(idp), more="[rate_limit]\nauth_attempts_per_minute = 1000")
    reasons = {}
    for fault, token in forged(idp).items():
        caplog.clear()
        with pytest.raises(AuthenticationFailed, match=r"^authentication failed$"):
            asked.grant(Bearer(token), peer=PEER)
        (entry,) = [vars(record) for record in caplog.records if "refused" in record.getMessage()]
        reasons[fault] = entry["reason"]
    wrong_algorithm = "the token's algorithm is not allowed for its key"
    assert reasons == {
        "unsigned": wrong_algorithm,
        "signed with another key": "the token's signature is wrong",
        "signed with an unknown key": "the token is signed with a key that its issuer does not have",
        "signed with the public key as a secret": wrong_algorithm,
        "for another audience": "the token is for another audience",
        "for nobody": "the token has no claim aud",
        "expired": "the token has expired",
        "without an end": "the token has no claim exp",
        "ends at infinity": "the token is malformed",
        "not valid yet": "the token is not valid yet",
        "issued in the future": "the token is not valid yet",
        "of 20 KB": "the token has more than 16384 bytes",
        "bound to a key": "the token is bound to a key of its client",
        "without a user": "the token has no usable claim preferred_username, realm_access.roles or groups",
        "with a user that is no name": (
            "the token has no usable claim preferred_username, realm_access.roles or groups"
        ),
        "without a subject": "the token has no claim sub",
        "with roles that are no list": (
            "the token has no usable claim preferred_username, realm_access.roles or groups"
        ),
    }


def test_a_rotated_key_is_fetched(idp: FakeIdp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetched, "LEAST_SECONDS", 0.0)
    provider = configured(tmp_path, text(idp))
    assert let_in(provider, idp.token())
    former = idp.token()
    idp.rotate(2)
    assert let_in(provider, idp.token())
    assert not let_in(provider, former), "a key that its issuer has withdrawn is worth nothing"


def test_made_up_keys_do_not_reach_the_identity_provider(idp: FakeIdp, tmp_path: Path) -> None:
    provider = configured(tmp_path, text(idp))
    assert let_in(provider, idp.token())
    for number in range(200):
        assert not let_in(provider, idp.sign(idp.claims("alice"), kid=f"made-up-{number}"))
    assert idp.requests["/keys"] <= 2
    assert idp.requests["/.well-known/openid-configuration"] == 1


def test_a_token_that_was_right_is_not_verified_with_every_call(
    idp: FakeIdp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    provider = configured(tmp_path, text(idp, clock_skew_secs=0))
    token = idp.token(exp=int(time.time()) + 2)
    assert let_in(provider, token)
    monkeypatch.setattr(Verifier, "claims", lambda self, token: pytest.fail("again"))
    assert let_in(provider, token)
    monkeypatch.undo()
    time.sleep(2.1)
    assert not let_in(provider, token), "its end is its end"


def test_clocks_may_differ_a_little(idp: FakeIdp, tmp_path: Path) -> None:
    strict, lenient = (configured(tmp_path, text(idp, clock_skew_secs=seconds)) for seconds in (0, 60))
    now = int(time.time())
    for token in (idp.token(exp=now - 20), idp.token(nbf=now + 20), idp.token(iat=now + 20)):
        assert not let_in(strict, token)
        assert let_in(lenient, token)


def test_two_issuers_that_know_an_alice_know_two_people(idp: FakeIdp, tmp_path: Path) -> None:
    other = FakeIdp()
    try:
        asked = chain(tmp_path, text(idp), text(other))
        ours, theirs = (asked.authenticate(Bearer(each.token()), peer=PEER) for each in (idp, other))
    finally:
        other.close()
    assert ours.user == theirs.user == "alice"
    assert ours != theirs and ours.who != theirs.who and ours.key != theirs.key


def test_claims_are_found_by_path_and_roles_are_mapped(idp: FakeIdp, tmp_path: Path) -> None:
    asked = chain(
        tmp_path,
        text(idp, roles_claim="resource_access.lake.roles", groups_claim="https://x.example/groups"),
        more='[auth.role_mappings]\nanalyst = ["sales_reader"]\nfinance = ["ledger_reader"]',
    )
    nested = {"resource_access": {"lake": {"roles": ["analyst"]}}, "https://x.example/groups": "finance"}
    token = idp.sign(idp.claims("alice") | nested)
    alice = asked.authenticate(Bearer(token), peer=PEER)
    assert alice.roles == {"sales_reader", "ledger_reader"} and alice.groups == {"finance"}


def down(idp: FakeIdp) -> None:
    idp.close()


def slow(idp: FakeIdp) -> None:
    idp.delay = 2.0


def dripping(idp: FakeIdp) -> None:
    idp.drip = True


def garbage(idp: FakeIdp) -> None:
    idp.garbage = b"<html>Welcome</html>"


def failing(idp: FakeIdp) -> None:
    idp.status = 500


def busy(idp: FakeIdp) -> None:
    idp.status = 429


def of_another_issuer(idp: FakeIdp) -> None:
    idp.document = {"issuer": "https://elsewhere.example"}


def without_endpoints(idp: FakeIdp) -> None:
    idp.document = {"jwks_uri": None, "token_endpoint": 7}


def huge(idp: FakeIdp) -> None:
    idp.garbage = b'{"keys": "' + b"x" * (2 << 20) + b'"}'


@pytest.mark.parametrize(
    "fault", [slow, dripping, garbage, failing, busy, of_another_issuer, without_endpoints, huge, down]
)
@pytest.mark.parametrize("kind", ["bearer_token", "oidc_password"])
def test_an_identity_provider_that_cannot_be_used_is_said_to_be(
    fault: Callable[[FakeIdp], None],
    kind: str,
    idp: FakeIdp,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    # Users are more patient than this test.
    monkeypatch.setattr(idp_http, "ANSWER_SECONDS", 0.5)
    token = idp.token()
    asked = chain(tmp_path, text(idp, kind), more="[rate_limit]\nauth_attempts_per_minute = 1")
    fault(idp)
    credentials = Bearer(token) if kind == "bearer_token" else Password("alice", "alice-secret")
    began = time.monotonic()
    for _ in range(3):  # none of them counts as a wrong password
        with pytest.raises(Unavailable, match="the identity provider cannot be used") as caught:
            asked.grant(credentials, peer=PEER)
        assert "127.0.0.1" not in str(caught.value)
    assert time.monotonic() - began < 60, "no hang"
    assert token not in caplog.text and "alice-secret" not in caplog.text
    assert any("cannot be used" in str(vars(record).get("reason")) for record in caplog.records)


def test_known_keys_are_enough_while_the_identity_provider_is_down(idp: FakeIdp, tmp_path: Path) -> None:
    provider = configured(tmp_path, text(idp))
    first, second = idp.token(), idp.token("bob")
    assert let_in(provider, first)
    idp.close()
    assert let_in(provider, second)


def test_our_own_wrong_secret_is_no_refusal_of_the_user(idp: FakeIdp, tmp_path: Path) -> None:
    provider = configured(tmp_path, text(idp, "oidc_password", client_secret="wrong"))
    with pytest.raises(Unavailable, match="it refuses the client sqe: invalid_client"):
        provider.authenticate(Password("alice", "alice-secret"))


def test_a_password_that_was_right_is_not_asked_about_with_every_call(idp: FakeIdp, tmp_path: Path) -> None:
    provider = configured(tmp_path, text(idp, "oidc_password"))
    answers = [provider.authenticate(Password("alice", "alice-secret")) for _ in range(50)]
    assert idp.requests["/token"] == 1
    assert len({id(answer.tokens) for answer in answers if isinstance(answer, LoggedIn)}) == 1


def test_a_password_that_is_asked_about_again_leaves_one_log_in_there(
    idp: FakeIdp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(remembered, "REMEMBERED_SECS", 0.0)
    provider = configured(tmp_path, text(idp, "oidc_password"))
    answers = [provider.authenticate(Password("alice", "alice-secret")) for _ in range(3)]
    assert len({id(answer.tokens) for answer in answers if isinstance(answer, LoggedIn)}) == 1
    deadline = time.monotonic() + 5
    while len(idp.revoked) < 2 and time.monotonic() < deadline:
        time.sleep(0.02)
    assert len(idp.revoked) == 2 and len(idp.refresh_tokens) == 1


def test_a_thousand_wrong_passwords_lock_nobody_else_out(idp: FakeIdp, tmp_path: Path) -> None:
    asked = chain(tmp_path, text(idp, "oidc_password"))
    asked.grant(Password("bob", "bob-secret"), peer="198.51.100.7")
    outcomes = {AuthenticationFailed: 0, LimitExceeded: 0}
    for number in range(1000):
        try:
            asked.grant(Password("alice", f"guess-{number}"), peer=PEER)
        except (AuthenticationFailed, LimitExceeded) as error:
            outcomes[type(error)] += 1
    assert outcomes == {AuthenticationFailed: 10, LimitExceeded: 990}
    assert idp.requests["/token"] == 11, "the limit keeps guesses from the identity provider too"
    assert asked.authenticate(Password("bob", "bob-secret"), peer="198.51.100.7").user == "bob"
