"""Whether a token is one of an identity provider's, for us, and valid now. Every reason that it is not is for
the log; whoever sent it hears none."""

from __future__ import annotations

from collections.abc import Mapping

import jwt

from sqe.auth.credentials import refused
from sqe.auth.oidc.signing_keys import SigningKeys
from sqe.auth.oidc.token_kinds import TokenKinds
from sqe.errors import AuthenticationFailed

LARGEST_TOKEN = 16 << 10
# What PyJWT raises for tokens that somebody has made up.
_MALFORMED = (jwt.PyJWTError, ValueError, TypeError, OverflowError, RecursionError)


def issuer_of(token: str) -> str | None:
    """Who a token says that it is from, which decides whose it is to check; None if it is no JWT at all."""
    if token.count(".") != 2:
        return None
    if len(token) > LARGEST_TOKEN:
        raise refused(f"the token has more than {LARGEST_TOKEN} bytes")
    try:
        issuer = jwt.decode(token, options={"verify_signature": False}).get("iss")
    except _MALFORMED:
        return None
    return issuer if isinstance(issuer, str) else None


class Verifier:
    """Tokens of one issuer. Without an `audience` those for anybody are taken. `skew` is how many seconds the
    clocks may differ; `kinds` says what is an access token."""

    def __init__(
        self,
        keys: SigningKeys,
        *,
        issuer: str,
        audience: str | None,
        skew: int,
        kinds: TokenKinds | None = None,
    ) -> None:
        self._keys = keys
        self._issuer = issuer
        self._audience = audience
        self.skew = skew
        self._kinds = kinds or TokenKinds()

    def claims(self, token: str) -> Mapping[str, object]:
        """AuthenticationFailed with a note that says why; Unavailable if the keys cannot be had."""
        if len(token) > LARGEST_TOKEN:
            raise refused(f"the token has more than {LARGEST_TOKEN} bytes")
        try:
            header = jwt.get_unverified_header(token)
        except _MALFORMED:
            raise refused("the token is malformed") from None
        key = self._keys.find(header.get("kid"))
        if key is None:
            raise refused("the token is signed with a key that its issuer does not have")
        try:
            claims = jwt.decode(
                token,
                key.key,
                algorithms=key.algorithms,
                issuer=self._issuer,
                audience=self._audience,
                leeway=self.skew,
                options={
                    "require": ["exp", "iss", *(["aud"] if self._audience is not None else [])],
                    "verify_aud": self._audience is not None,
                    "enforce_minimum_key_length": True,
                },
            )
        except _MALFORMED as error:
            raise _refused(error) from None
        reason = self._kinds.refusal(header, claims)
        if reason is not None:
            raise refused(reason)
        if "cnf" in claims:
            # RFC 9449 and 8705: it is worth nothing without the key that it is bound to.
            raise refused("the token is bound to a key of its client")
        return claims


def _refused(error: Exception) -> AuthenticationFailed:
    match error:
        case jwt.ExpiredSignatureError():
            reason = "the token has expired"
        case jwt.ImmatureSignatureError():
            reason = "the token is not valid yet"
        case jwt.InvalidAudienceError():
            reason = "the token is for another audience"
        case jwt.InvalidIssuerError():
            reason = "the token is from another issuer"
        case jwt.InvalidAlgorithmError():
            reason = "the token's algorithm is not allowed for its key"
        case jwt.InvalidSignatureError():
            reason = "the token's signature is wrong"
        case jwt.InvalidKeyError():
            reason = "the issuer's key is too short"
        case jwt.MissingRequiredClaimError():
            reason = f"the token has no claim {error.claim}"
        case _:
            reason = "the token is malformed"
    return refused(reason)
