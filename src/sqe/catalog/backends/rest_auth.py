"""With whose token a REST catalog is asked: the user's own, unless its `auth` block says otherwise."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from sqe.errors import AccessDenied, ConfigError
from sqe.session import Identity, TokenSource

if TYPE_CHECKING:
    from sqe.auth.tokens import RenewedTokens
    from sqe.config.config import CatalogSettings

ChooseTokens = Callable[[TokenSource | None], TokenSource | None]
"""The tokens that a catalog is asked with, by those that the user has."""


def choose_tokens(settings: CatalogSettings) -> ChooseTokens:
    auth = settings.auth
    match str(auth.get("type") or "session_bearer"):
        case "session_bearer":
            return lambda tokens: tokens
        case "anonymous":
            return lambda _: None
        case "static":
            static = StaticToken(str(auth["token"]))
            return lambda _: static
        case "client_credentials":
            service = ServiceTokens(settings.name, auth)
            return lambda _: service
        case other:
            raise ConfigError(f"catalog '{settings.name}': auth of type \"{other}\" is not for type rest")


class StaticToken:
    """One that was issued for the catalog, and does not change."""

    def __init__(self, token: str) -> None:
        self._token = token

    def current(self) -> str:
        return self._token

    def renewed_after(self, refused: str) -> str | None:
        return None


class ServiceTokens:
    """Of a client of the catalog's own token endpoint: everybody reaches the catalog as that client."""

    def __init__(self, catalog: str, auth: Mapping[str, object]) -> None:
        from sqe.auth.oidc.idp_http import check_url

        self._catalog = catalog
        self._allow_http = bool(auth.get("allow_http"))
        self._url = check_url(
            f"catalogs.{catalog}.auth.token_endpoint",
            str(auth["token_endpoint"]),
            allow_http=self._allow_http,
            permit="allow_http",
        )
        self._client_id, self._secret = str(auth["client_id"]), str(auth["client_secret"])
        self._scope = str(auth.get("scope") or "")
        self._lock = threading.Lock()
        self._renewed: RenewedTokens | None = None

    def __repr__(self) -> str:
        return f"ServiceTokens({self._catalog!r}, {self._client_id!r})"

    def current(self) -> str:
        return self._tokens().current()

    def renewed_after(self, refused: str) -> str | None:
        return self._tokens().renewed_after(refused)

    def _tokens(self) -> RenewedTokens:
        with self._lock:
            if self._renewed is None:
                self._renewed = self._log_in()
            return self._renewed

    def _log_in(self) -> RenewedTokens:
        from sqe.auth.oidc.idp import Idp
        from sqe.auth.oidc.idp_http import Client, IdpHttp
        from sqe.auth.oidc.token_endpoint import GrantRefused, TokenEndpoint
        from sqe.auth.tokens import Issued, RenewedTokens

        http = IdpHttp(allow_http=self._allow_http)
        idp = Idp(self._url, http, {"token_endpoint": self._url})
        endpoint = TokenEndpoint(idp, Client(self._client_id, self._secret), scope=self._scope)
        identity = Identity(self._client_id, issuer=self._url)

        def issue(_: Issued | None = None) -> Issued:
            try:
                tokens = endpoint.client_credentials()
            except GrantRefused as refusal:
                raise AccessDenied(
                    f"catalog '{self._catalog}': its token endpoint refuses the client: {refusal.error}",
                    hint="check client_id, client_secret and scope of the catalog's auth",
                ) from None
            return Issued(tokens.access_token, identity, tokens.expires_at, tokens.lifetime)

        return RenewedTokens(issue(), issue)
