"""The keys that providers of OpenID Connect have in common, and what they make."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import cast

from sqe.auth.oidc.claims import GROUPS, ROLES, SUBJECT, USER, ClaimNames, identity_from
from sqe.auth.oidc.idp import Idp
from sqe.auth.oidc.idp_http import Client, IdpHttp, check_url
from sqe.auth.oidc.seen_tokens import SeenToken
from sqe.auth.oidc.token_endpoint import TokenEndpoint, Tokens
from sqe.auth.oidc.token_kinds import TokenKinds
from sqe.auth.oidc.verifier import Verifier
from sqe.auth.tokens import REFRESH_BUFFER_SECS, Issued
from sqe.config.providers import CLOCK_SKEW_SECS
from sqe.errors import ConfigError
from sqe.foundation.record import record


class Options:
    """Of one provider, whose `kind` complaints name."""

    def __init__(self, kind: str, options: Mapping[str, object]) -> None:
        self.kind = kind
        self._options = options
        self._allow_http = bool(options.get("allow_insecure_jwks", False))

    def text(self, key: str) -> str | None:
        return cast("str | None", self._options.get(key)) or None

    def flag(self, key: str) -> bool:
        return bool(self._options.get(key, False))

    def number(self, key: str, default: int) -> int:
        value = self._options.get(key)
        return default if value is None else cast("int", value)

    def needed(self, key: str, *, hint: str | None = None) -> str:
        value = self.text(key)
        if value is None:
            raise ConfigError(f'auth.providers: type "{self.kind}" needs {key}', hint=hint)
        return value

    @property
    def refresh_buffer(self) -> int:
        return self.number("token_refresh_buffer_secs", REFRESH_BUFFER_SECS)

    def idp(self, token_key: str = "token_url") -> Idp:
        issuer = self._url("issuer", self.needed("issuer", hint="it is the `iss` of the tokens"))
        keys = {"jwks_uri": "jwks_url", "token_endpoint": token_key}
        endpoints = {name: self._url(key, url) for name, key in keys.items() if (url := self.text(key))}
        return Idp(issuer, IdpHttp(allow_http=self._allow_http), endpoints)

    def judge(self, idp: Idp, *, audience: str | None) -> Judge:
        skew = self.number("clock_skew_secs", CLOCK_SKEW_SECS)
        names = ClaimNames(
            user=self.text("user_claim") or USER,
            subject=self.text("subject_claim") or SUBJECT,
            roles=self.text("roles_claim") or ROLES,
            groups=self.text("groups_claim") or GROUPS,
        )
        kinds = TokenKinds(self.text("token_type"), self.flag("allow_id_tokens"))
        verifier = Verifier(idp.keys, issuer=idp.issuer, audience=audience, skew=skew, kinds=kinds)
        return Judge(verifier, names)

    def token_endpoint(self, idp: Idp, client: Client) -> TokenEndpoint:
        return TokenEndpoint(idp, client, scope=self.text("scope") or "")

    def client(self) -> Client:
        return Client(self.needed("client_id"), self.text("client_secret"))

    def _url(self, key: str, url: str) -> str:
        return check_url(f'auth.providers: type "{self.kind}": {key}', url, allow_http=self._allow_http)


@record
class Judge:
    """Says of a token who it is."""

    verifier: Verifier
    names: ClaimNames

    def verified(self, token: str) -> SeenToken:
        """AuthenticationFailed, Unavailable."""
        claims = self.verifier.claims(token)
        expires = cast("float", claims["exp"])
        return SeenToken(identity_from(claims, self.names), float(expires) + self.verifier.skew)

    def issued(self, tokens: Tokens, renewal: str | None) -> Issued:
        """What a token endpoint gave is proven as if a client had sent it. What it may do is what the log-in
        may: nobody else can send the same."""
        identity = replace(self.verified(tokens.access_token).identity, rights="")
        return Issued(tokens.access_token, identity, tokens.expires_at, tokens.lifetime, renewal)
