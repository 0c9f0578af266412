"""What a client sends to prove who it is, and what a provider makes of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import Protocol

from sqe.errors import AuthenticationFailed
from sqe.foundation.record import record
from sqe.session import Identity, TokenSource


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
class LoggedIn:
    """An identity, and the tokens that prove it to others. `holds` says whether the identity is still what
    its tokens say."""

    identity: Identity
    tokens: TokenSource = field(repr=False)
    holds: Callable[[], bool] = field(repr=False)


@record
class Grant:
    """Who somebody is, and the tokens that came with it, if any did. `lasting` gives, to who will rely on it
    for longer than a call, what says whether it still holds: an entry may be removed. Without `is_proven`
    nothing was sent that proves it."""

    identity: Identity
    lasting: Callable[[], Callable[[], bool]]
    tokens: TokenSource | None = field(default=None, repr=False)
    is_proven: bool = True


class Provider(Protocol):
    """Knows some kind of credentials. `name` is a label of metrics, and never has anything of a user's.
    One whose entries can be removed has `lasting(credentials)` too, which gives a function that says whether
    what let these in is still there; it keeps nothing of the credentials. One that has tokens for others
    gives them with the identity. One that lets in whoever comes says `proves = False`. One by which somebody
    may be another has `impersonate(credentials, user)`, which gives that user with their tokens, or None."""

    name: str

    def authenticate(self, credentials: Credentials) -> Identity | LoggedIn | None:
        """Who it is. None says that the credentials are not of this provider's kind, and the next one
        is asked; AuthenticationFailed that they are and are wrong; Unavailable that nobody can say now. Any
        other error refuses too."""
        ...


def refused(reason: str | None = None) -> AuthenticationFailed:
    """Always the same: whoever is refused must not learn why. The reason is a note for the log, and has
    nothing of what was sent."""
    error = AuthenticationFailed("authentication failed")
    if reason is not None:
        error.add_note(reason)
    return error
