"""`X-Trino-User` that is another user: with a token of theirs that the identity provider gives, or not."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import jwt
import pytest
from tests.auth.fake_idp import FakeIdp
from tests.doors.trino.trino_door import Opened, Wire, opened_door

from sqe.doors.trino.sessions import session_for
from sqe.session import Session

WHO = "SELECT current_user"
PROVIDER = """[[auth.providers]]
type = "token_exchange"
issuer = "{issuer}"
client_id = "exchange"
client_secret = "exchange-secret"
audience = "catalog"
allow_insecure_jwks = true
{more}
"""


@pytest.fixture
def idp() -> Iterator[FakeIdp]:
    fake = FakeIdp()
    fake.audience = ["exchange"]
    yield fake
    fake.close()


@pytest.fixture
def door(idp: FakeIdp, tmp_path: Path) -> Iterator[Opened]:
    providers = PROVIDER.format(issuer=idp.issuer, more="impersonation = true")
    with opened_door(tmp_path, providers=providers) as opened:
        yield opened


def asking(door: Opened, token: str, user: str) -> Wire:
    return Wire(door.url, **{"Authorization": f"Bearer {token}", "X-Trino-User": user})


def test_who_may_be_another_is_them_with_their_own_token(
    idp: FakeIdp, door: Opened, monkeypatch: pytest.MonkeyPatch
) -> None:
    sessions: list[Session] = []

    def kept(*arguments: Any) -> Session:
        sessions.append(session_for(*arguments))
        return sessions[-1]

    monkeypatch.setattr("sqe.doors.trino.app.session_for", kept)
    idp.impersonators = {"alice": {"bob"}}
    token = idp.token("alice")
    assert asking(door, token, "alice").run(WHO).rows == [["alice"]]
    for _ in range(3):
        assert asking(door, token, "bob").run(WHO).rows == [["bob"]]
    own, as_bob = sessions[0], sessions[-1]
    assert as_bob.identity.roles == {"admin"} and own.identity.roles == {"analyst"}
    assert as_bob.tokens is not None
    theirs = as_bob.tokens.current()
    assert theirs is not None
    claims = jwt.decode(theirs, options={"verify_signature": False})
    assert (claims["preferred_username"], claims["aud"]) == ("bob", "catalog")
    assert idp.requests["/token"] == 2, "one exchange for each of the two, not for each statement"
    assert as_bob.identity.rights != own.identity.rights != ""


def test_who_may_not_is_denied(idp: FakeIdp, door: Opened) -> None:
    idp.impersonators = {"alice": {"bob"}}
    for token, user in ((idp.token("bob"), "alice"), (idp.token("alice"), "service-account-etl")):
        error = asking(door, token, user).run(WHO).error
        assert error["errorName"] == "PERMISSION_DENIED" and "cannot impersonate" in error["message"]


def test_a_token_of_somebody_else_does_not_do(idp: FakeIdp, door: Opened) -> None:
    """An identity provider that does not know the parameter gives the token of who asks."""
    error = asking(door, idp.token("alice"), "bob").run(WHO).error
    assert error["errorName"] == "PERMISSION_DENIED"


def test_it_is_asked_of_nobody_unless_it_is_configured(idp: FakeIdp, tmp_path: Path) -> None:
    idp.impersonators = {"alice": {"bob"}}
    with opened_door(tmp_path, providers=PROVIDER.format(issuer=idp.issuer, more="")) as door:
        token = idp.token("alice")
        assert asking(door, token, "alice").run(WHO).rows == [["alice"]]
        before = idp.requests["/token"]
        assert asking(door, token, "bob").run(WHO).error["errorName"] == "PERMISSION_DENIED"
        assert idp.requests["/token"] == before


def test_attempts_are_counted(idp: FakeIdp, tmp_path: Path) -> None:
    idp.impersonators = {}
    providers = PROVIDER.format(issuer=idp.issuer, more="impersonation = true")
    limit = "auth_attempts_per_minute = 3"
    with opened_door(tmp_path, f"[rate_limit]\n{limit}\n", providers=providers) as door:
        wire = asking(door, idp.token("alice"), "bob")
        statuses = [wire.send("POST", "/v1/statement", WHO).status for _ in range(6)]
        assert statuses[:3] == [200] * 3 and 200 not in statuses[3:]
        assert idp.requests["/token"] <= 4
