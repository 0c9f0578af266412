"""The grants of a token endpoint: RFC 6749, 8628 (device code) and 8693 (exchange)."""

from __future__ import annotations

import re
import time
from collections.abc import Mapping
from dataclasses import field

from sqe.auth.oidc.idp import Idp
from sqe.auth.oidc.idp_http import Client, unavailable
from sqe.errors import Unavailable
from sqe.foundation.record import record

# Refusals that are about the client that asks, and not about whom it asks for.
_OF_CLIENT = frozenset({"invalid_client", "unauthorized_client", "unsupported_grant_type", "invalid_scope"})
# What it says is logged: nothing else may be in it.
_ERROR = re.compile(r"[a-z_]{1,40}")
ACCESS_TOKEN = "urn:ietf:params:oauth:token-type:access_token"
_EXCHANGE = "urn:ietf:params:oauth:grant-type:token-exchange"


class GrantRefused(Exception):
    """The answer is no; `error` is its code of RFC 6749 or 8628."""

    def __init__(self, error: str) -> None:
        super().__init__(error)
        self.error = error
        self.is_of_client = error in _OF_CLIENT


@record
class Tokens:
    """`expires_at` is in seconds since 1970, by this machine's clock."""

    access_token: str = field(repr=False)
    expires_at: float
    lifetime: float
    refresh_token: str | None = field(default=None, repr=False)
    id_token: str | None = field(default=None, repr=False)


class TokenEndpoint:
    """As one client of an identity provider. `scope` is what is asked for; empty is what the client has."""

    def __init__(self, idp: Idp, client: Client, *, scope: str = "") -> None:
        self._idp = idp
        self.client = client
        self._scope = scope

    def password(self, user: str, password: str) -> Tokens:
        return self._grant({"grant_type": "password", "username": user, "password": password})

    def refresh(self, refresh_token: str) -> Tokens:
        """What the answer leaves out stays as it was."""
        fields = {"grant_type": "refresh_token", "refresh_token": refresh_token}
        return self._grant(fields, refresh_token=refresh_token, scope=False)

    def client_credentials(self) -> Tokens:
        return self._grant({"grant_type": "client_credentials"})

    def exchange(self, subject_token: str, audience: str, *, requested_subject: str | None = None) -> Tokens:
        """For a token of the same person; or, where the identity provider lets them, of `requested_subject`,
        a parameter of Keycloak's and others' beside RFC 8693."""
        fields = {
            "grant_type": _EXCHANGE,
            "subject_token": subject_token,
            "subject_token_type": ACCESS_TOKEN,
            "requested_token_type": ACCESS_TOKEN,
            "audience": audience,
        }
        if requested_subject is not None:
            fields["requested_subject"] = requested_subject
        return self._grant(fields)

    def grant(self, fields: Mapping[str, str]) -> Tokens:
        """Any other grant; the scope was asked for before."""
        return self._grant(fields, scope=False)

    def failure(self, refusal: GrantRefused) -> Unavailable:
        """For a refusal that nobody who logs in can mend."""
        return unavailable(self._idp.issuer, f"it refuses the client {self.client.id}: {refusal.error}")

    def revoke(self, token: str) -> None:
        """RFC 7009, where the identity provider has it."""
        url = self._idp.known_endpoint("revocation_endpoint")
        if url is not None:
            self._idp.http.post(url, {"token": token, "token_type_hint": "refresh_token"}, self.client)

    def _grant(
        self, fields: Mapping[str, str], *, refresh_token: str | None = None, scope: bool = True
    ) -> Tokens:
        url = self._idp.endpoint("token_endpoint")
        form = {**fields, "scope": self._scope} if scope and self._scope else fields
        answer = self._idp.http.post(url, form, self.client)
        content = answer.content
        if answer.status != 200:
            raise _refusal(url, answer.status, content)
        access_token = content.get("access_token")
        if not isinstance(access_token, str) or str(content.get("token_type")).lower() != "bearer":
            raise unavailable(url, "its answer has no bearer token")
        lifetime = content.get("expires_in")
        # RFC 6749 lets it be left out; a minute is short enough to be right.
        seconds = float(lifetime) if isinstance(lifetime, int | float) and lifetime > 0 else 60.0
        return Tokens(
            access_token,
            time.time() + seconds,
            seconds,
            _text(content, "refresh_token") or refresh_token,
            _text(content, "id_token"),
        )


def _refusal(url: str, status: int, content: Mapping[str, object]) -> GrantRefused | Unavailable:
    error = _text(content, "error")
    if status not in (400, 401, 403) or error is None:
        return unavailable(url, f"its token endpoint answers {status}")
    return GrantRefused(error if _ERROR.fullmatch(error) else "no")


def _text(content: Mapping[str, object], key: str) -> str | None:
    value = content.get(key)
    return value if isinstance(value, str) and value else None
