"""The next token by a refresh token, and its end."""

from __future__ import annotations

from sqe.auth.oidc.options import Judge
from sqe.auth.oidc.token_endpoint import GrantRefused, TokenEndpoint
from sqe.auth.tokens import Issued
from sqe.errors import AuthenticationFailed, SessionExpired


def refresh(endpoint: TokenEndpoint, judge: Judge, former: Issued) -> Issued:
    if former.renewal is None:
        raise ended("the token of the session has expired, and its issuer gave none to renew it with")
    try:
        tokens = endpoint.refresh(former.renewal)
        return judge.issued(tokens, tokens.refresh_token)
    except GrantRefused as refusal:
        if refusal.is_of_client:
            raise endpoint.failure(refusal) from None
        raise ended("the identity provider has ended the log-in") from None
    except AuthenticationFailed:
        raise ended("the identity provider gave a token that is not valid") from None


def revoke(endpoint: TokenEndpoint, last: Issued) -> None:
    if last.renewal is not None:
        endpoint.revoke(last.renewal)


def ended(message: str) -> SessionExpired:
    return SessionExpired(message, hint="log in again")
