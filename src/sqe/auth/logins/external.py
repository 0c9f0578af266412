"""With whom a person logs in, and the flow that asks for it."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import urlsplit

from sqe.auth.oidc.idp import Idp
from sqe.auth.oidc.idp_http import Client, IdpHttp, is_allowed
from sqe.config.providers import ExternalSettings
from sqe.errors import AuthenticationFailed, ConfigError
from sqe.foundation.loopback import is_loopback
from sqe.foundation.record import record

SCOPES = ("openid", "profile")

Show = Callable[[str], None]
"""Says something to the person who logs in."""


@record
class External:
    """An identity provider, and as which client to ask it."""

    idp: Idp
    client: Client
    scope: str
    timeout: float
    redirect_uri: str | None = None


def external_of(settings: ExternalSettings, *, device: bool) -> External:
    if settings.issuer is None or settings.client_id is None:
        raise ConfigError(
            "there is no identity provider to log in with",
            hint="give --issuer and --client-id, or set issuer and client_id in [auth.external]",
        )
    endpoints = {
        "authorization_endpoint": settings.authorization_endpoint,
        "token_endpoint": settings.token_endpoint,
        "jwks_uri": settings.jwks_url,
    }
    known = {name: url for name, url in endpoints.items() if url}
    for name, url in (("issuer", settings.issuer), *known.items()):
        if not is_allowed(url, allow_http=is_loopback(urlsplit(url).hostname or "")):
            raise ConfigError(f"auth.external: {name} must be an https address")
    # What an identity provider on this machine names is on this machine, too.
    http = IdpHttp(allow_http=is_loopback(urlsplit(settings.issuer).hostname or ""))
    client, scopes = Client(settings.client_id, settings.client_secret), settings.scopes or SCOPES
    if device and settings.device_client_id is not None:
        client = Client(settings.device_client_id)
    if device and settings.device_scopes:
        scopes = settings.device_scopes
    return External(
        Idp(settings.issuer, http, known),
        client,
        " ".join(scopes),
        settings.challenge_timeout_secs,
        settings.redirect_uri,
    )


def not_logged_in(reason: str) -> AuthenticationFailed:
    return AuthenticationFailed(f"nobody has logged in: {reason}", hint="run sqe auth login again")
