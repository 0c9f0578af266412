"""Everybody who sends no credentials is one configured user. Not part of any chain unless configured."""

from __future__ import annotations

from collections.abc import Mapping

from sqe.auth.credentials import Credentials, Password
from sqe.auth.entries import identity_of
from sqe.errors import ConfigError
from sqe.session import Identity


class Anonymous:
    name = "anonymous"
    proves = False

    def __init__(self, identity: Identity) -> None:
        self._identity = identity

    def authenticate(self, credentials: Credentials) -> Identity | None:
        """Nothing sent, or a name alone: many clients cannot be told to send neither. The name proves
        nothing, and is not taken over."""
        without_secret = isinstance(credentials, Password) and not credentials.password
        return self._identity if credentials is None or without_secret else None


def provider(options: Mapping[str, object]) -> Anonymous:
    try:
        return Anonymous(identity_of(options.get("user", "anonymous"), options))
    except ValueError as error:
        raise ConfigError(f'auth.providers: type "anonymous": {error}') from None
