"""Programs that are clients of an identity provider: each logs in with its own id and secret, as user and
password. There is no secret in the configuration: everybody would be one service with it.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqe.auth.credentials import Credentials, LoggedIn, Password, refused
from sqe.auth.oidc.idp import Idp
from sqe.auth.oidc.idp_http import Client
from sqe.auth.oidc.options import Judge, Options
from sqe.auth.oidc.refreshing import ended
from sqe.auth.oidc.remembered import RememberedLogIns
from sqe.auth.oidc.token_endpoint import GrantRefused, TokenEndpoint
from sqe.auth.tokens import Issued, RenewedTokens
from sqe.errors import AuthenticationFailed, ConfigError

LONGEST = 1024


class ClientCredentials:
    """With `only`, clients of other names are left to the next provider."""

    name = "client_credentials"

    def __init__(
        self,
        idp: Idp,
        judge: Judge,
        *,
        scope: str,
        refresh_buffer: float,
        only: str | None = None,
        fall_through: bool = False,
    ) -> None:
        self._idp = idp
        self._judge = judge
        self._scope = scope
        self._refresh_buffer = refresh_buffer
        self._only = only
        self._fall_through = fall_through
        self._remembered = RememberedLogIns()

    def authenticate(self, credentials: Credentials) -> LoggedIn | None:
        if not isinstance(credentials, Password) or not credentials.password:
            return None
        if self._only is not None and credentials.user != self._only:
            return None
        client = Client(credentials.user, credentials.password)
        if not _is_sendable(client):
            self._reject("the client is no text that can be sent on")
            return None
        endpoint = TokenEndpoint(self._idp, client, scope=self._scope)
        try:
            tokens = self._remembered.tokens(
                credentials.user,
                credentials.password,
                log_in=lambda: self._issued(endpoint),
                renewing=lambda issued: self._renewing(issued, endpoint),
            )
        except GrantRefused as refusal:
            self._reject(f"the identity provider says {refusal.error}")
            return None
        identity = tokens.identity
        return LoggedIn(identity, tokens, lambda: tokens.holds_for(identity))

    def _issued(self, endpoint: TokenEndpoint) -> Issued:
        return self._judge.issued(endpoint.client_credentials(), None)

    def _renewing(self, issued: Issued, endpoint: TokenEndpoint) -> RenewedTokens:
        """This grant has no refresh token: the next one is had with the secret, which stays in memory."""

        def renew(former: Issued) -> Issued:
            try:
                return self._issued(endpoint)
            except (GrantRefused, AuthenticationFailed):
                raise ended("the identity provider no longer takes this client") from None

        return RenewedTokens(issued, renew, buffer=self._refresh_buffer)

    def _reject(self, reason: str) -> None:
        if not self._fall_through:
            raise refused(reason)


def provider(options: Mapping[str, object]) -> ClientCredentials:
    own = Options(ClientCredentials.name, options)
    if own.text("client_secret") is not None:
        raise ConfigError(
            'auth.providers: type "client_credentials" takes no client_secret: whoever logs in would be'
            " that one service",
            hint="remove it; programs log in with their own client id and secret",
        )
    idp = own.idp("token_endpoint")
    return ClientCredentials(
        idp,
        own.judge(idp, audience=own.text("audience")),
        scope=own.text("scope") or "",
        refresh_buffer=own.refresh_buffer,
        only=own.text("client_id"),
        fall_through=own.flag("fallthrough_on_reject"),
    )


def _is_sendable(client: Client) -> bool:
    text = client.id + (client.secret or "")
    return bool(client.id) and len(text) <= 2 * LONGEST and text.isprintable()
