"""Every way to log in with an identity provider: a fake one in this process, and a real Keycloak."""

from __future__ import annotations

import json
import re
import stat
import threading
import time
import webbrowser
from collections.abc import Iterator
from pathlib import Path

import jwt
import pytest
from tests.auth.fake_idp import FakeIdp
from tests.auth.people_of_idps import FakePeople, KeycloakPeople, LiveIdp
from tests.auth.provider_cases import configured, identity_in
from tests.server.token_server import rows, token_server

from sqe.auth.credentials import Bearer, Credentials, LoggedIn, Password, Provider
from sqe.auth.oidc import fetched
from sqe.auth.oidc.token_endpoint import GrantRefused
from sqe.auth.tokens import RenewedTokens, SessionTokens
from sqe.cli.auth import kept_log_ins
from sqe.cli.main import sqe
from sqe.errors import AuthenticationFailed, Unavailable
from stack import keycloak

WHO = "SELECT current_user"


@pytest.fixture(scope="module", params=["fake", pytest.param("keycloak", marks=pytest.mark.integration)])
def idp(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[LiveIdp]:
    if request.param == "fake":
        fake = FakeIdp()
        yield FakePeople(fake)
        fake.close()
        return
    try:
        component = keycloak.start(tmp_path_factory.mktemp("keycloak"))
    except Unavailable as error:
        pytest.skip(str(error))
    yield KeycloakPeople(component)
    component.stop()


def text(idp: LiveIdp, kind: str, **more: object) -> str:
    lines = {"type": kind, "issuer": idp.issuer, "allow_insecure_jwks": True, **more}
    return "\n".join(f"{key} = {json.dumps(value)}" for key, value in lines.items()) + "\n"


def tokens_of(idp: LiveIdp) -> str:
    return text(idp, "bearer_token", audience="catalog")


def passwords_of(idp: LiveIdp) -> str:
    return text(idp, "oidc_password", client_id="sqe", client_secret="sqe-secret", scope="openid")


def logged_in(provider: Provider, credentials: Credentials) -> LoggedIn:
    answer = provider.authenticate(credentials)
    assert isinstance(answer, LoggedIn)
    return answer


def audience_of(token: str | None) -> list[str]:
    assert token is not None
    claim = jwt.decode(token, options={"verify_signature": False})["aud"]
    return [claim] if isinstance(claim, str) else claim


def test_a_token_says_who_somebody_is(idp: LiveIdp, tmp_path: Path) -> None:
    provider = configured(tmp_path, tokens_of(idp))
    token = idp.token("alice")
    answer = logged_in(provider, Bearer(token))
    alice = answer.identity
    assert (alice.user, alice.issuer, alice.groups) == ("alice", idp.issuer, frozenset({"staff"}))
    assert "analyst" in alice.roles and "admin" not in alice.roles and alice.subject
    assert answer.tokens.current() == token and answer.holds()
    assert "admin" in logged_in(provider, Bearer(idp.token("bob"))).identity.roles


def test_a_token_that_was_changed_is_refused(idp: LiveIdp, tmp_path: Path) -> None:
    provider = configured(tmp_path, tokens_of(idp))
    header, _, signature = idp.token("alice").split(".")
    claims = idp.token("bob").split(".")[1]
    with pytest.raises(AuthenticationFailed):
        provider.authenticate(Bearer(f"{header}.{claims}.{signature}"))
    with pytest.raises(AuthenticationFailed):
        configured(tmp_path, text(idp, "bearer_token", audience="mail")).authenticate(
            Bearer(idp.token("bob"))
        )


def test_a_password_gives_tokens_that_are_renewed_and_revoked(idp: LiveIdp, tmp_path: Path) -> None:
    provider = configured(tmp_path, passwords_of(idp))
    answer = logged_in(provider, Password("alice", "alice-secret"))
    by_token = logged_in(configured(tmp_path, tokens_of(idp)), Bearer(idp.token("alice")))
    assert answer.identity == identity_in(by_token), "the same person"
    tokens = answer.tokens
    assert isinstance(tokens, RenewedTokens)
    session = SessionTokens()
    session.take(tokens)
    first = session.current()
    assert first is not None
    second = session.renewed_after(first)
    assert second not in (None, first) and session.current() == second
    assert answer.holds() and tokens.identity == answer.identity
    session.close()
    assert tokens.ended
    for wrong in (Password("alice", "bob-secret"), Password("nobody", "alice-secret")):
        with pytest.raises(AuthenticationFailed):
            provider.authenticate(wrong)


def test_a_program_logs_in_with_its_own_secret(idp: LiveIdp, tmp_path: Path) -> None:
    provider = configured(tmp_path, text(idp, "client_credentials", audience="catalog"))
    answer = logged_in(provider, Password("etl", "etl-secret"))
    assert answer.identity.user == "service-account-etl" and "writer" in answer.identity.roles
    first = answer.tokens.current()
    assert first is not None and answer.tokens.renewed_after(first) != first
    with pytest.raises(AuthenticationFailed):
        provider.authenticate(Password("etl", "sqe-secret"))


def test_a_token_is_exchanged_for_one_of_the_catalog_s(idp: LiveIdp, tmp_path: Path) -> None:
    more = {"client_id": "exchange", "client_secret": "exchange-secret", "audience": "catalog"}
    provider = configured(tmp_path, text(idp, "token_exchange", **more))
    sent = idp.token("alice")
    answer = logged_in(provider, Bearer(sent))
    exchanged = answer.tokens.current()
    assert answer.identity.user == "alice" and exchanged != sent
    assert "exchange" in audience_of(sent) and audience_of(exchanged) == ["catalog"]
    assert logged_in(provider, Bearer(sent)).tokens.current() == exchanged, "not exchanged with each call"
    assert exchanged is not None and answer.tokens.renewed_after(exchanged) != exchanged


def test_two_people_at_the_same_time(idp: LiveIdp, tmp_path: Path) -> None:
    providers = f"[[auth.providers]]\n{tokens_of(idp)}[[auth.providers]]\n{passwords_of(idp)}"
    with (
        token_server(tmp_path, providers) as server,
        server.connect(idp.token("alice")) as alice,
        server.connect_by_password("bob", "bob-secret") as bob,
    ):
        for _ in range(5):
            assert rows(alice, WHO) == [("alice",)]
            assert rows(bob, WHO) == [("bob",)]
        sessions = server.server.clients.sessions.all()
        found = {s.identity.user: s.session.tokens for s in sessions}
        users = {}
        for user, tokens in found.items():
            assert tokens is not None
            claims = jwt.decode(tokens.current() or "", options={"verify_signature": False})
            users[user] = claims["preferred_username"]
        assert users == {"alice": "alice", "bob": "bob"}


def _browser(idp: LiveIdp, user: str, url: str) -> bool:
    """A browser is another process: the command waits for it to come back."""
    threading.Thread(target=idp.browse, args=(url, user), daemon=True).start()
    return True


def test_a_person_logs_in_in_a_browser_and_out(
    idp: LiveIdp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SQE_AUTH__EXTERNAL__CHALLENGE_TIMEOUT_SECS", "30")
    monkeypatch.setattr(webbrowser, "open", lambda url: _browser(idp, "alice", url))
    with token_server(tmp_path, f"[[auth.providers]]\n{tokens_of(idp)}") as server:
        here = ["-H", "127.0.0.1", "-p", str(server.port)]
        words = ["--issuer", idp.issuer, "--client-id", "cli", *here]
        assert sqe(["auth", "login", *words]) == 0, capsys.readouterr().err
        assert f"logged in to 127.0.0.1:{server.port} as alice" in capsys.readouterr().out
        assert sqe([*here, "-e", WHO, "-f", "csv"]) == 0, capsys.readouterr().err
        assert "alice" in capsys.readouterr().out
    file = tmp_path / ".sqe" / "log-ins.json"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert sqe(["auth", "status"]) == 0
    output = capsys.readouterr().out
    assert f"{server.port}: alice of {idp.issuer}; the token holds until " in output and "eyJ" not in output
    (kept,) = kept_log_ins().all()
    assert sqe(["auth", "logout", *here]) == 0
    assert f"logged out of 127.0.0.1:{server.port}" in capsys.readouterr().out
    assert sqe(["auth", "status"]) == 0
    assert capsys.readouterr().out == "nobody is logged in\n"
    assert kept.refresh_token is not None
    with pytest.raises(GrantRefused, match="invalid_grant"):
        kept.endpoint().refresh(kept.refresh_token)


def test_a_person_logs_in_by_a_code(
    idp: LiveIdp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SQE_AUTH__EXTERNAL__CHALLENGE_TIMEOUT_SECS", "30")
    shown = threading.Event()

    def show(text: str) -> None:
        match = re.search(r"Open (\S+) and confirm the code \S+", text)
        assert match is not None
        _browser(idp, "bob", match[1])
        shown.set()

    monkeypatch.setattr("sqe.cli.auth._show", show)
    words = ["--issuer", idp.issuer, "--client-id", "cli", "-H", "lake.example", "-p", "443"]
    assert sqe(["auth", "login", "--device", *words]) == 0, capsys.readouterr().err
    assert shown.is_set() and "logged in to lake.example:443 as bob" in capsys.readouterr().out


# These change the identity provider, so they come last.


def test_a_rotated_key_is_found(idp: LiveIdp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fetched, "LEAST_SECONDS", 0.0)
    provider = configured(tmp_path, tokens_of(idp))
    logged_in(provider, Bearer(idp.token("alice")))
    idp.rotate_keys()
    logged_in(provider, Bearer(idp.token("alice")))


def test_a_token_that_ends_in_use_is_renewed(
    idp: LiveIdp, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sqe.server.clients.TOKEN_SECONDS", 0.2)
    idp.set_lifetime(3)
    with (
        token_server(tmp_path, f"[[auth.providers]]\n{passwords_of(idp)}") as server,
        server.connect_by_password("alice", "alice-secret") as connection,
    ):
        assert rows(connection, WHO) == [("alice",)]
        (session,) = server.server.clients.sessions.all()
        source = session.session.tokens
        assert source is not None
        seen = set()
        for _ in range(30):
            seen.add(source.current())
            time.sleep(0.2)
        assert len(seen) >= 2
        assert rows(connection, WHO) == [("alice",)]
        assert server.server.clients.sessions.all() == [session]
    idp.set_lifetime(300)


def test_a_role_that_was_taken_away_ends_the_session(idp: LiveIdp, tmp_path: Path) -> None:
    answer = logged_in(configured(tmp_path, passwords_of(idp)), Password("alice", "alice-secret"))
    assert answer.holds()
    idp.set_roles("alice")
    token = answer.tokens.current()
    assert token is not None and answer.tokens.renewed_after(token) != token
    assert not answer.holds()
