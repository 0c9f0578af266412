"""Credentials in an Authorization header, as gRPC's and HTTP's clients send them."""

from __future__ import annotations

import base64
import binascii

from sqe.auth.credentials import Bearer, Credentials, Password, refused


def credentials_of(header: str | None) -> Credentials:
    """AuthenticationFailed for a scheme that is not known."""
    if header is None:
        return None
    scheme, _, rest = header.strip().partition(" ")
    if scheme.lower() == "bearer" and rest.strip():
        return Bearer(rest.strip())
    if scheme.lower() == "basic":
        return _basic(rest.strip())
    raise refused()


def _basic(text: str) -> Password:
    """Padded or not, in either alphabet; a password may have colons."""
    plain = text.rstrip("=").replace("-", "+").replace("_", "/")
    try:
        decoded = base64.b64decode(plain + "=" * (-len(plain) % 4), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError, ValueError):
        raise refused() from None
    user, colon, password = decoded.partition(":")
    if not colon:
        raise refused()
    return Password(user, password)
