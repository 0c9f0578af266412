"""What a client sends to prove who it is, and what a provider makes of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import Protocol

from sqe.errors import AuthenticationFailed
from sqe.foundation.record import record
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


@record
class Grant:
    """Who somebody is. `lasting` gives, to who will rely on it for longer than a call, what says whether it
    still holds: an entry may be removed."""

    identity: Identity
    lasting: Callable[[], Callable[[], bool]]


class Provider(Protocol):
    """Knows some kind of credentials. `name` is a label of metrics, and never has anything of a user's.
    One whose entries can be removed has `lasting(credentials)` too, which gives a function that says whether
    what let these in is still there; it keeps nothing of the credentials."""

    name: str

    def authenticate(self, credentials: Credentials) -> Identity | None:
        """Who it is. None says that the credentials are not of this provider's kind, and the next one
        is asked; AuthenticationFailed that they are and are wrong. Any other error refuses too."""
        ...


def refused() -> AuthenticationFailed:
    """Always the same: whoever is refused must not learn why."""
    return AuthenticationFailed("authentication failed")
