"""Tokens that an identity provider has signed, sent by clients that have one: checked by its public keys."""

from __future__ import annotations

from collections.abc import Mapping

from sqe.auth.credentials import Bearer, Credentials, LoggedIn
from sqe.auth.oidc.options import Judge, Options
from sqe.auth.oidc.verifier import issuer_of
from sqe.auth.tokens import ClientToken
from sqe.errors import ConfigError


class BearerTokens:
    """Tokens of other issuers are left to the next provider."""

    name = "bearer_token"

    def __init__(self, issuer: str, judge: Judge) -> None:
        self._issuer = issuer
        self._judge = judge

    def authenticate(self, credentials: Credentials) -> LoggedIn | None:
        if not isinstance(credentials, Bearer) or issuer_of(credentials.token) != self._issuer:
            return None
        identity, expires_at = self._judge.identity(credentials.token)
        token = ClientToken(credentials.token, expires_at)
        return LoggedIn(identity, token, token.holds)


def provider(options: Mapping[str, object]) -> BearerTokens:
    own = Options(BearerTokens.name, options)
    audience = own.text("audience")
    if audience is None and not own.flag("allow_unbounded_audience"):
        raise ConfigError(
            'auth.providers: type "bearer_token" needs audience',
            hint="without it a token for any other service of the issuer would do;"
            " allow_unbounded_audience = true allows that",
        )
    idp = own.idp()
    return BearerTokens(idp.issuer, own.judge(idp, audience=audience))
