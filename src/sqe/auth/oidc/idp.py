"""One identity provider: where its endpoints are, and the keys that it signs with."""

from __future__ import annotations

from collections.abc import Mapping

from sqe.auth.oidc.fetched import Fetched
from sqe.auth.oidc.idp_http import IdpHttp, unavailable
from sqe.auth.oidc.signing_keys import SigningKeys


class Idp:
    """What is configured of `endpoints` goes before its discovery document, which is fetched when it is
    needed: a server starts without its identity provider."""

    def __init__(self, issuer: str, http: IdpHttp, endpoints: Mapping[str, str] | None = None) -> None:
        self.issuer = issuer
        self.http = http
        self._endpoints = dict(endpoints or {})
        self._discovery = Fetched(self._discover)
        self.keys = SigningKeys(lambda: http.get(self.endpoint("jwks_uri")))

    def endpoint(self, name: str) -> str:
        """By its name in a discovery document."""
        url = self.known_endpoint(name)
        if url is None:
            raise unavailable(self.issuer, f"it has no {name}")
        return url

    def known_endpoint(self, name: str) -> str | None:
        """None where the identity provider does not have it."""
        url = self._endpoints.get(name) or self._discovery.get().get(name)
        return url if isinstance(url, str) else None

    def _discover(self) -> Mapping[str, object]:
        url = self.issuer.rstrip("/") + "/.well-known/openid-configuration"
        document = self.http.get(url)
        if document.get("issuer") != self.issuer:
            # Else whoever can answer in its place could name keys of their own.
            raise unavailable(self.issuer, "its discovery document is another issuer's")
        return document
