"""A user and a password that an identity provider knows: the resource owner password grant of RFC 6749.

The password is sent on and not kept. The refresh token that comes back renews the session's token.
"""

from __future__ import annotations

from collections.abc import Mapping

from sqe.auth.credentials import Credentials, LoggedIn, Password, refused
from sqe.auth.oidc.options import Judge, Options
from sqe.auth.oidc.refreshing import refresh, revoke
from sqe.auth.oidc.remembered import RememberedLogIns
from sqe.auth.oidc.token_endpoint import GrantRefused, TokenEndpoint
from sqe.auth.tokens import Issued, RenewedTokens

LONGEST = 1024


class OidcPasswords:
    """Without `fall_through` it decides about every password."""

    name = "oidc_password"

    def __init__(
        self, endpoint: TokenEndpoint, judge: Judge, *, refresh_buffer: float, fall_through: bool = False
    ) -> None:
        self._endpoint = endpoint
        self._judge = judge
        self._refresh_buffer = refresh_buffer
        self._fall_through = fall_through
        self._remembered = RememberedLogIns()

    def authenticate(self, credentials: Credentials) -> LoggedIn | None:
        # An empty password may be for `anonymous`.
        if not isinstance(credentials, Password) or not credentials.password:
            return None
        user, password = credentials.user, credentials.password
        if not user or max(len(user), len(password)) > LONGEST or not _is_text(user + password):
            self._reject("the user or the password is no text that can be sent on")
            return None
        try:
            tokens = self._remembered.tokens(
                user, password, log_in=lambda: self._log_in(user, password), renewing=self._renewing
            )
        except GrantRefused as refusal:
            if refusal.is_of_client:
                raise self._endpoint.failure(refusal) from None
            self._reject(f"the identity provider says {refusal.error}")
            return None
        identity = tokens.identity
        return LoggedIn(identity, tokens, lambda: tokens.holds_for(identity))

    def _log_in(self, user: str, password: str) -> Issued:
        tokens = self._endpoint.password(user, password)
        return self._judge.issued(tokens, tokens.refresh_token)

    def _renewing(self, issued: Issued) -> RenewedTokens:
        return RenewedTokens(
            issued,
            lambda former: refresh(self._endpoint, self._judge, former),
            buffer=self._refresh_buffer,
            revoke=lambda last: revoke(self._endpoint, last),
        )

    def _reject(self, reason: str) -> None:
        if not self._fall_through:
            raise refused(reason)


def provider(options: Mapping[str, object]) -> OidcPasswords:
    own = Options(OidcPasswords.name, options)
    idp = own.idp()
    return OidcPasswords(
        own.token_endpoint(idp, own.client()),
        own.judge(idp, audience=own.text("audience")),
        refresh_buffer=own.refresh_buffer,
        fall_through=own.flag("fallthrough_on_reject"),
    )


def _is_text(value: str) -> bool:
    try:
        value.encode()
    except UnicodeEncodeError:
        return False
    return True
