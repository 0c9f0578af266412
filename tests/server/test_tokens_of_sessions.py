"""The user's token is in the session, whichever door it came through, and its renewal changes nobody."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest
import urllib3
from adbc_driver_manager import Error
from tests.auth.fake_idp import EXCHANGE, FakeIdp
from tests.server.token_server import HEADER, TokenServer, rows, token_server

WHO = "SELECT current_user"


@pytest.fixture
def idp() -> Iterator[FakeIdp]:
    idp = FakeIdp()
    yield idp
    idp.close()


def providers(idp: FakeIdp) -> str:
    common = f'issuer = "{idp.issuer}"\nallow_insecure_jwks = true\n'
    return (
        f'[[auth.providers]]\ntype = "bearer_token"\naudience = "catalog"\n{common}'
        f'[[auth.providers]]\ntype = "oidc_password"\nclient_id = "sqe"\n{common}'
        'client_secret = "sqe-secret"\n'
    )


@pytest.fixture
def server(idp: FakeIdp, tmp_path: Path) -> Iterator[TokenServer]:
    with token_server(tmp_path, providers(idp)) as opened:
        yield opened


def current(server: TokenServer) -> list[str | None]:
    return [None if tokens is None else tokens.current() for tokens in server.tokens()]


def test_a_token_that_a_client_sends_is_the_session_s(server: TokenServer, idp: FakeIdp) -> None:
    token = idp.token("alice")
    with server.connect(token) as connection:
        assert rows(connection, WHO) == [("alice",)]
        assert current(server) == [token]


def test_a_renewed_token_is_the_same_session(server: TokenServer, idp: FakeIdp) -> None:
    first, second = idp.token("alice"), idp.token("alice", exp=int(time.time()) + 600)
    with server.connect(first) as connection:
        rows(connection, "CREATE SCHEMA lake.other_schema")
        rows(connection, "USE lake.other_schema")
        rows(connection, "PREPARE mine FROM SELECT 7")
        with connection.cursor() as reader:
            reader.execute("SELECT * FROM TABLE(sequence(1, 10))")
            connection.adbc_connection.set_options(**{HEADER: f"Bearer {second}"})
            assert len(reader.fetchall()) == 10, "its ticket survives"
        assert rows(connection, "EXECUTE mine") == [(7,)]
        assert rows(connection, "SELECT current_schema") == [("other_schema",)]
        assert current(server) == [second]


def test_other_roles_are_another_session(server: TokenServer, idp: FakeIdp) -> None:
    with server.connect(idp.token("alice")) as connection:
        rows(connection, "PREPARE mine FROM SELECT 7")
        fewer = idp.token("alice", realm_access={"roles": []})
        connection.adbc_connection.set_options(**{HEADER: f"Bearer {fewer}"})
        with pytest.raises(Error):
            rows(connection, "EXECUTE mine")


def test_a_token_of_fewer_scopes_is_another_session(server: TokenServer, idp: FakeIdp) -> None:
    """One user, one address, one cookie, one name for the session: what the one token may is not lent to the
    other, whichever came first and whichever holds longer."""
    until = int(time.time()) + 600
    wide = idp.token("alice", scope="read write", exp=until)
    narrow = idp.token("alice", scope="read")
    with server.connect(wide) as connection, server.connect(narrow) as another:
        rows(connection, "PREPARE mine FROM SELECT 7")
        rows(another, WHO)
        assert set(current(server)) == {wide, narrow}
        first, second = (session.identity for session in server.server.clients.sessions.all())
        assert first.who == second.who
        assert first.key != second.key, "caches, children and Spark sessions are by this key"
        connection.adbc_connection.set_options(**{HEADER: f"Bearer {narrow}"})
        with pytest.raises(Error, match="mine"):
            rows(connection, "EXECUTE mine")
        assert set(current(server)) == {wide, narrow}
        connection.adbc_connection.set_options(**{HEADER: f"Bearer {wide}"})
        assert rows(connection, "EXECUTE mine") == [(7,)]


def test_a_password_gives_a_token_that_is_renewed(
    server: TokenServer, idp: FakeIdp, monkeypatch: pytest.MonkeyPatch
) -> None:
    idp.lifetime = 2
    with server.connect_by_password("alice", "alice-secret") as connection:
        assert rows(connection, WHO) == [("alice",)]
        (first,) = current(server)
        time.sleep(2.1)
        (second,) = current(server)
        assert first is not None and second is not None and first != second
        assert rows(connection, WHO) == [("alice",)]


def test_sessions_go_on_while_the_identity_provider_is_down(server: TokenServer, idp: FakeIdp) -> None:
    idp.lifetime = 1
    with server.connect_by_password("alice", "alice-secret") as connection:
        assert rows(connection, WHO) == [("alice",)]
        idp.close()
        time.sleep(1.1)
        assert rows(connection, WHO) == [("alice",)]
        (tokens,) = server.tokens()
        assert tokens is not None
        with pytest.raises(Exception, match="the token of the session cannot be renewed"):
            tokens.current()
        with pytest.raises(Error, match="the identity provider cannot be used"):
            server.connect_by_password("bob", "bob-secret").cursor().execute(WHO)


def test_who_is_locked_out_there_is_locked_out_here(server: TokenServer, idp: FakeIdp) -> None:
    idp.lifetime = 1
    with server.connect_by_password("alice", "alice-secret") as connection:
        assert rows(connection, WHO) == [("alice",)]
        idp.refresh_tokens.clear()
        idp.passwords.clear()
        time.sleep(1.1)
        with pytest.raises(Error, match="the session has ended"):
            rows(connection, WHO)


def test_revoked_roles_end_the_session(server: TokenServer, idp: FakeIdp) -> None:
    idp.lifetime = 1
    with server.connect_by_password("alice", "alice-secret") as connection:
        assert rows(connection, WHO) == [("alice",)]
        idp.roles["alice"] = []
        time.sleep(1.1)
        with pytest.raises(Error, match="the session has ended"):
            rows(connection, WHO)


def test_a_log_out_reaches_the_identity_provider(server: TokenServer, idp: FakeIdp) -> None:
    with server.connect_by_password("alice", "alice-secret") as connection:
        assert rows(connection, WHO) == [("alice",)]
        (session,) = server.server.clients.sessions.all()
        server.server.clients.sessions.close(session)
    deadline = time.monotonic() + 5
    while not idp.revoked and time.monotonic() < deadline:
        time.sleep(0.02)
    assert len(idp.revoked) == 1 and idp.refresh_tokens == {}


def test_the_iceberg_door_has_it_too(server: TokenServer, idp: FakeIdp) -> None:
    url = f"{server.iceberg_url}/v1/config"
    first, second = idp.token("alice"), idp.token("alice", exp=int(time.time()) + 600)
    for token in (first, second):
        answer = urllib3.request("GET", url, headers={"Authorization": f"Bearer {token}"}, retries=False)
        assert answer.status == 200, answer.data
        assert current(server) == [token]
    wrong = idp.token("alice", aud="mail")
    answer = urllib3.request("GET", url, headers={"Authorization": f"Bearer {wrong}"}, retries=False)
    assert answer.status == 401 and b"authentication failed" in answer.data


def test_the_iceberg_door_exchanges_a_token_for_a_session(server: TokenServer, idp: FakeIdp) -> None:
    token = idp.token("alice")
    answer = urllib3.request(
        "POST",
        f"{server.iceberg_url}/v1/oauth/tokens",
        body=urlencode({"grant_type": EXCHANGE, "subject_token": token}),
        headers={"Content-Type": "application/x-www-form-urlencoded"},
        retries=False,
    )
    assert answer.status == 200
    bearer = json.loads(answer.data)["access_token"]
    assert bearer != token
    asked = {"Authorization": f"Bearer {bearer}"}
    assert urllib3.request("GET", f"{server.iceberg_url}/v1/config", headers=asked).status == 200
    assert current(server) == [token]


def test_no_token_is_in_the_log(server: TokenServer, idp: FakeIdp, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    idp.lifetime = 1
    with server.connect_by_password("alice", "alice-secret") as connection:
        rows(connection, WHO)
        first = current(server)
        time.sleep(1.1)
        tokens = [*first, *current(server), *idp.refresh_tokens]
        shown = repr([vars(session.session.tokens) for session in server.server.clients.sessions.all()])
    for secret in (*tokens, "alice-secret", "sqe-secret"):
        assert secret is not None
        assert secret not in caplog.text and secret not in shown


def test_a_session_of_a_handshake_ends_with_its_token(server: TokenServer, idp: FakeIdp) -> None:
    """Nobody has said since that its user may come in."""
    expires = int(time.time()) + 1
    body = urlencode({"grant_type": EXCHANGE, "subject_token": idp.token("alice", exp=expires - 30)})
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    url = f"{server.iceberg_url}/v1"
    answer = urllib3.request("POST", f"{url}/oauth/tokens", body=body, headers=form, retries=False)
    asked = {"Authorization": f"Bearer {json.loads(answer.data)['access_token']}"}
    assert urllib3.request("GET", f"{url}/config", headers=asked, retries=False).status == 200
    time.sleep(max(0.0, expires - time.time()) + 0.1)
    assert urllib3.request("GET", f"{url}/config", headers=asked, retries=False).status >= 400


def test_a_server_that_has_no_such_provider_loads_nothing_of_it(tmp_path: Path) -> None:
    code = "import sys, sqe.doors.open; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert not loaded & {"jwt", "cryptography", "sqe.auth.oidc"}
