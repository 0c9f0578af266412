"""What a client sends to prove who it is, and what a provider makes of it."""

from __future__ import annotations

from dataclasses import field
from typing import Protocol

from sqe.errors import AuthenticationFailed
from sqe.record import record
from sqe.session import Identity


@record
class Password:
    """A user and a password, however they came: Basic, a handshake, a form."""

    user: str
    password: str = field(repr=False)


@record
class Bearer:
    token: str = field(repr=False)


Credentials = Password | Bearer | None
"""None: nothing was sent."""


class Provider(Protocol):
    """Knows some kind of credentials. `name` is a label of metrics, and never has anything of a user's."""

    name: str

    def authenticate(self, credentials: Credentials) -> Identity | None:
        """Who it is. None says that the credentials are not of this provider's kind, and the next one
        is asked; AuthenticationFailed that they are and are wrong. Any other error refuses too."""
        ...


def refused() -> AuthenticationFailed:
    """Always the same: whoever is refused must not learn why."""
    return AuthenticationFailed("authentication failed")
