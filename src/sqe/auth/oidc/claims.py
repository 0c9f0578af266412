"""What the claims of a verified token say about somebody."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping

from sqe.auth.credentials import refused
from sqe.auth.entries import identity_of
from sqe.foundation.record import record
from sqe.session import Identity

USER, SUBJECT, ROLES, GROUPS = "preferred_username", "sub", "realm_access.roles", "groups"

# Claims that differ from one token of a log-in to the next, and from one log-in to the next: RFC 7519 and
# 9068, OpenID Connect, Keycloak's, and those of Entra ID.
_OF_ONE_TOKEN = frozenset(
    (
        *("exp", "iat", "nbf", "jti", "auth_time", "nonce", "at_hash", "c_hash", "s_hash"),
        *("sid", "session_state", "trsid", "uti", "aio", "rh", "ipaddr", "xms_ftd"),
    )
)


@record
class ClaimNames:
    """Each is the name of a claim, or the path to one inside of others: `realm_access.roles`."""

    user: str = USER
    subject: str = SUBJECT
    roles: str = ROLES
    groups: str = GROUPS


def identity_from(claims: Mapping[str, object], names: ClaimNames) -> Identity:
    """AuthenticationFailed where the token does not say who somebody is; without roles or groups there are
    none."""
    subject, issuer = claim_at(claims, names.subject), claims.get("iss")
    if not isinstance(subject, str) or not subject or not isinstance(issuer, str):
        raise refused(f"the token has no claim {names.subject}")
    lists = {"roles": _texts(claims, names.roles), "groups": _texts(claims, names.groups)}
    try:
        person = identity_of(claim_at(claims, names.user), lists)
    except ValueError:
        usable = f"{names.user}, {names.roles} or {names.groups}"
        raise refused(f"the token has no usable claim {usable}") from None
    return Identity(person.user, person.roles, person.groups, issuer, subject, _rights(claims))


def _rights(claims: Mapping[str, object]) -> str:
    """The same for tokens that differ in nothing but when they were issued: a token of fewer scopes, or of
    another client, may do other things than the user's others."""
    lasting = {name: value for name, value in claims.items() if name not in _OF_ONE_TOKEN}
    text = json.dumps(lasting, sort_keys=True, default=str)
    return hashlib.sha256(text.encode(errors="surrogatepass")).hexdigest()


def claim_at(claims: Mapping[str, object], path: str) -> object:
    """By its name first: names of claims may be addresses, which have dots in them."""
    if path in claims:
        return claims[path]
    value: object = claims
    for part in path.split("."):
        value = value.get(part) if isinstance(value, Mapping) else None
    return value


def _texts(claims: Mapping[str, object], path: str) -> object:
    value = claim_at(claims, path)
    if value is None:
        return ()
    return (value,) if isinstance(value, str) else value
