"""Tokens that an identity provider has signed, sent by clients that have one: checked by its public keys."""

from __future__ import annotations

from collections.abc import Mapping

from sqe.auth.credentials import Bearer, Credentials, LoggedIn
from sqe.auth.oidc.options import Judge, Options
from sqe.auth.oidc.seen_tokens import SeenTokens
from sqe.auth.tokens import ClientToken
from sqe.errors import ConfigError


class BearerTokens:
    """Tokens of other issuers are left to the next provider."""

    name = "bearer_token"

    def __init__(self, issuer: str, judge: Judge) -> None:
        self._seen = SeenTokens(issuer, judge.verified)

    def authenticate(self, credentials: Credentials) -> LoggedIn | None:
        if not isinstance(credentials, Bearer):
            return None
        seen = self._seen.verified(credentials.token)
        if seen is None:
            return None
        token = ClientToken(credentials.token, seen.expires_at)
        return LoggedIn(seen.identity, token, token.holds)


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
