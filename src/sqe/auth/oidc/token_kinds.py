"""Whether a signed token is an access token. Issuers sign others with the same keys, for the same client: ID
tokens, which clients hand around, refresh tokens, and those that tell of a log-out."""

from __future__ import annotations

from collections.abc import Mapping

from sqe.foundation.record import record

# RFC 9068; most issuers write the first, or nothing.
_TYPES_OF_HEADERS = ("jwt", "at+jwt")
# Keycloak's, in the claim `typ`.
_TYPES_OF_CLAIMS = ("bearer", "at+jwt", "jwt", "access")
# Hashes of what was given out with an ID token.
_HASHES = ("at_hash", "c_hash", "s_hash")


@record
class TokenKinds:
    """Which are taken. `token_type` has to be the `typ` of the header or of the claims; without it tokens are
    taken that say nothing of their type. `allow_id_tokens` takes those too."""

    token_type: str | None = None
    allow_id_tokens: bool = False

    def refusal(self, header: Mapping[str, object], claims: Mapping[str, object]) -> str | None:
        """Why a verified token is not taken; None if it is."""
        of_header, of_claims, use = _text(header, "typ"), _text(claims, "typ"), _text(claims, "token_use")
        of_header = of_header.removeprefix("application/")
        if self.token_type is not None and self.token_type.lower() not in (of_header, of_claims):
            return f"the token's type is not {self.token_type}"
        if "events" in claims:
            return "the token tells of an event, such as a log-out"
        if _is_id_token(of_header, of_claims, use, claims):
            return None if self.allow_id_tokens else "the token is an ID token"
        wanted = () if self.token_type is None else (self.token_type.lower(),)
        if of_header and of_header not in (*_TYPES_OF_HEADERS, *wanted):
            return "the token's header has another type than that of access tokens"
        if of_claims and of_claims not in (*_TYPES_OF_CLAIMS, *wanted):
            return "the token has another type than that of access tokens"
        if use and use != "access":
            return "the token is for another use than access"
        return None


def _is_id_token(of_header: str, of_claims: str, use: str, claims: Mapping[str, object]) -> bool:
    if of_claims == "id" or use == "id":
        return True
    if of_header == "at+jwt" or of_claims or use:
        return False
    # Where nothing says what it is. A nonce is what a client sent with the log-in, to see it in the ID token.
    return "nonce" in claims or any(name in claims for name in _HASHES)


def _text(values: Mapping[str, object], name: str) -> str:
    """What is not text is no type that anybody knows."""
    value = values.get(name)
    return "" if value is None else str(value).lower()
