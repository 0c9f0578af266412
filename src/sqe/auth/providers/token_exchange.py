"""Tokens of a client, exchanged for tokens that catalogs take: RFC 8693. Of the same person, or of another
whom the identity provider lets them be.

What the client sends proves who it is; what is exchanged for it is what catalogs are asked with, and is never
seen by the client.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import replace

from sqe.auth.credentials import Bearer, Credentials, LoggedIn, refused
from sqe.auth.oidc.options import Judge, Options
from sqe.auth.oidc.refreshing import ended
from sqe.auth.oidc.remembered import RememberedLogIns
from sqe.auth.oidc.seen_tokens import SeenTokens
from sqe.auth.oidc.token_endpoint import GrantRefused, TokenEndpoint
from sqe.auth.tokens import ClientToken, Issued, RenewedTokens
from sqe.errors import AuthenticationFailed

# What was exchanged is as good as the token that it was exchanged for.
REMEMBERED_SECS = 24 * 3600.0


class TokenExchange:
    """`subject` judges what clients send, and `judge` what the identity provider gives for it."""

    name = "token_exchange"

    def __init__(
        self,
        issuer: str,
        endpoint: TokenEndpoint,
        *,
        audience: str,
        subject: Judge,
        judge: Judge,
        refresh_buffer: float,
        impersonation: bool = False,
    ) -> None:
        self._endpoint = endpoint
        self._audience = audience
        self._judge = judge
        self._refresh_buffer = refresh_buffer
        self.impersonate = self._as_another if impersonation else None
        self._remembered = RememberedLogIns(REMEMBERED_SECS)
        # Forged and expired ones are not sent on.
        self._seen = SeenTokens(issuer, subject.verified)

    def authenticate(self, credentials: Credentials) -> LoggedIn | None:
        if not isinstance(credentials, Bearer):
            return None
        seen = self._seen.verified(credentials.token)
        if seen is None:
            return None
        sent = ClientToken(credentials.token, seen.expires_at)
        try:
            tokens = self._remembered.tokens(
                credentials.token,
                log_in=lambda: self._exchanged(sent),
                renewing=lambda issued: self._renewing(issued, sent),
            )
        except GrantRefused as refusal:
            if refusal.is_of_client:
                raise self._endpoint.failure(refusal) from None
            raise refused(f"the identity provider says {refusal.error}") from None
        identity = tokens.identity
        if identity.subject != seen.identity.subject:
            raise refused("the token was exchanged for somebody else's")
        # Exchanged for the same token of the catalogs, or not: clients are told apart by what they sent.
        client = replace(identity, rights=seen.identity.rights)
        return LoggedIn(client, tokens, lambda: sent.holds() and tokens.holds_for(identity))

    def _as_another(self, credentials: Credentials, user: str) -> LoggedIn | None:
        """Another user, with a token of their own; None where the identity provider gives none, or one of
        anybody else: some leave out what they do not know."""
        if not isinstance(credentials, Bearer):
            return None
        seen = self._seen.verified(credentials.token)
        if seen is None:
            return None
        sent = ClientToken(credentials.token, seen.expires_at)
        try:
            tokens = self._remembered.tokens(
                credentials.token,
                user,
                log_in=lambda: self._exchanged(sent, user),
                renewing=lambda issued: self._renewing(issued, sent, user),
            )
        except GrantRefused:
            return None
        identity = tokens.identity
        if identity.user != user:
            return None
        # Nothing is shared with that user's own log-ins, nor with who else may be them.
        rights = hashlib.sha256(repr((seen.identity.key, user)).encode()).hexdigest()
        return LoggedIn(
            replace(identity, rights=rights), tokens, lambda: sent.holds() and tokens.holds_for(identity)
        )

    def _exchanged(self, sent: ClientToken, user: str | None = None) -> Issued:
        tokens = self._endpoint.exchange(sent.current(), self._audience, requested_subject=user)
        return self._judge.issued(tokens, None)

    def _renewing(self, issued: Issued, sent: ClientToken, user: str | None = None) -> RenewedTokens:
        def renew(former: Issued) -> Issued:
            try:
                return self._exchanged(sent, user)
            except GrantRefused as refusal:
                if refusal.is_of_client:
                    raise self._endpoint.failure(refusal) from None
                raise ended("the identity provider no longer exchanges the token") from None
            except AuthenticationFailed:
                raise ended("the identity provider gave a token that is not valid") from None

        return RenewedTokens(issued, renew, buffer=self._refresh_buffer)


def provider(options: Mapping[str, object]) -> TokenExchange:
    own = Options(TokenExchange.name, options)
    audience = own.needed("audience", hint="it is the client that the catalogs are to the identity provider")
    client = own.client()
    idp = own.idp()
    return TokenExchange(
        idp.issuer,
        own.token_endpoint(idp, client),
        audience=audience,
        # A token that is not meant for this server must not be worth one for the catalogs.
        subject=own.judge(idp, audience=client.id),
        judge=own.judge(idp, audience=audience),
        refresh_buffer=own.refresh_buffer,
        impersonation=own.flag("impersonation"),
    )
