"""An issuer signs more than access tokens, with the same keys: none of the others logs anybody in."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.auth.fake_idp import FakeIdp
from tests.auth.people_of_idps import KeycloakPeople
from tests.auth.provider_cases import configured, identity_in

from sqe.auth.credentials import Bearer, Provider
from sqe.errors import AuthenticationFailed, Unavailable
from stack import keycloak

LOGGED_OUT: dict[str, Any] = {"http://schemas.openid.net/event/backchannel-logout": {}}
# What a token says of its kind, in its header and in its claims; and why it is refused, or None.
KINDS: list[tuple[dict[str, Any], dict[str, Any], str | None]] = [
    ({}, {}, None),
    ({"typ": "JWT"}, {}, None),
    ({"typ": "at+jwt"}, {}, None),
    ({"typ": "application/at+JWT"}, {"nonce": "n"}, None),
    ({}, {"typ": "Bearer"}, None),
    ({}, {"typ": "Bearer", "nonce": "n"}, None),
    ({}, {"token_use": "access"}, None),
    ({}, {"typ": "ID"}, "an ID token"),
    ({}, {"typ": "ID", "at_hash": "h"}, "an ID token"),
    ({}, {"token_use": "id"}, "an ID token"),
    ({}, {"nonce": "n"}, "an ID token"),
    ({}, {"at_hash": "h"}, "an ID token"),
    ({}, {"c_hash": "h"}, "an ID token"),
    ({}, {"typ": "Refresh"}, "another type"),
    ({}, {"typ": "Offline"}, "another type"),
    ({}, {"typ": "Logout", "events": LOGGED_OUT}, "an event"),
    ({}, {"typ": ["Bearer"]}, "another type"),
    ({}, {"token_use": "refresh"}, "another use"),
    ({"typ": "logout+jwt"}, {"events": LOGGED_OUT}, "an event"),
    ({"typ": "logout+jwt"}, {}, "header has another type"),
    ({"typ": "secevent+jwt"}, {}, "header has another type"),
    ({"typ": "dpop+jwt"}, {}, "header has another type"),
    ({"typ": "oauth-authz-req+jwt"}, {"typ": "Bearer"}, "header has another type"),
]


@pytest.fixture(scope="module")
def idp() -> Iterator[FakeIdp]:
    idp = FakeIdp()
    yield idp
    idp.close()


def provider(issuer: str, folder: Path, more: str = "", *, audience: str = "catalog") -> Provider:
    return configured(
        folder,
        f'type = "bearer_token"\nissuer = "{issuer}"\naudience = "{audience}"\n'
        f"allow_insecure_jwks = true\n{more}",
    )


def refusal(provider: Provider, token: str) -> str | None:
    """Why the token is refused, as the log tells it."""
    try:
        assert identity_in(provider.authenticate(Bearer(token))) is not None
    except AuthenticationFailed as error:
        assert str(error) == str(AuthenticationFailed("authentication failed"))
        return "; ".join(error.__notes__)
    return None


@pytest.mark.parametrize(("header", "claims", "reason"), KINDS)
def test_by_what_it_says(
    idp: FakeIdp, tmp_path: Path, header: dict[str, Any], claims: dict[str, Any], reason: str | None
) -> None:
    given = refusal(provider(idp.issuer, tmp_path), idp.sign(idp.claims("alice", **claims), **header))
    assert given is None if reason is None else reason in str(given)


def test_id_tokens_can_be_allowed_and_nothing_else(idp: FakeIdp, tmp_path: Path) -> None:
    asked = provider(idp.issuer, tmp_path, "allow_id_tokens = true\n")
    for header, claims, reason in KINDS:
        given = refusal(asked, idp.sign(idp.claims("alice", **claims), **header))
        assert (given is None) == (reason in (None, "an ID token")), claims


def test_one_type_can_be_asked_for(idp: FakeIdp, tmp_path: Path) -> None:
    asked = provider(idp.issuer, tmp_path, 'token_type = "at+jwt"\n')
    assert refusal(asked, idp.sign(idp.claims("alice"), typ="at+jwt")) is None
    for token in (idp.token(), idp.token(typ="Bearer"), idp.sign(idp.claims("alice"), typ="JWT")):
        assert "is not at+jwt" in str(refusal(asked, token))


@pytest.mark.integration
def test_what_keycloak_gives(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.ERROR)
    try:
        component = keycloak.start(tmp_path / "keycloak")
    except Unavailable as error:
        pytest.skip(str(error))
    try:
        people = KeycloakPeople(component)
        given = people.tokens("alice")
        assert refusal(provider(people.issuer, tmp_path), given["access_token"]) is None
        # For this client, as the server may be one to which people log in.
        asked = provider(people.issuer, tmp_path, audience="sqe")
        assert "an ID token" in str(refusal(asked, given["id_token"]))
        assert refusal(asked, given["refresh_token"]) is not None
    finally:
        component.stop()
