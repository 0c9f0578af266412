"""Who asks, and with which settings."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field
from typing import Protocol

from sqe.foundation.record import record

UNPROVEN = "anonymous"
"""The issuer of names that nobody has proven, so that they are not taken for those who have."""


@record
class Identity:
    """Who somebody is, and what they may do. Two issuers may each know an `alice`; embedded, it is the user
    of the operating system. Tokens are no part of it: nothing of this changes when a token is renewed."""

    user: str
    roles: frozenset[str] = frozenset()
    groups: frozenset[str] = frozenset()
    issuer: str = ""
    subject: str = ""
    # A hash of what the token says that a client sent; empty for whoever came without one. Two tokens of one
    # person may be good for different things, and share nothing.
    rights: str = field(default="", repr=False)

    @property
    def is_proven(self) -> bool:
        """Whether somebody has let them in as that user; else it is a name that they say."""
        return self.issuer != UNPROVEN

    @property
    def who(self) -> str:
        """Who it is, whatever roles they have now: limits and history count by this."""
        if not self.issuer and not self.subject:
            return self.user
        return "\0".join((self.issuer, self.subject, self.user))

    @property
    def key(self) -> str:
        """The key of what is kept for this identity alone."""
        return repr(
            (self.issuer, self.subject, self.user, sorted(self.roles), sorted(self.groups), self.rights)
        )


class TokenSource(Protocol):
    """Where the token comes from that catalogs are asked with, on behalf of one identity."""

    def current(self) -> str | None:
        """As it is now: it may be another one a moment later. SessionExpired, if it has run out and cannot be
        renewed; Unavailable, if it cannot be renewed now."""

    def renewed_after(self, refused: str) -> str | None:
        """Another one, after a catalog has refused this; None if there is none."""


@dataclass(slots=True)
class Session:
    """One connection of one identity. `namespace` is the schema of names without one; `prepared` are the
    texts of prepared statements; `written` counts what was written since START TRANSACTION; `tokens` is
    where the user's own token comes from, if there is one; `charged` is whom limits count its statements for,
    where that is not its identity."""

    identity: Identity
    catalog: str
    namespace: tuple[str, ...] = ("default",)
    time_zone: str = "UTC"
    properties: dict[str, str] = field(default_factory=dict)
    prepared: dict[str, str] = field(default_factory=dict)
    written: int | None = None
    tokens: TokenSource | None = field(default=None, repr=False, compare=False)
    charged: str | None = None
    id: str = field(default_factory=lambda: secrets.token_hex(16))

    def wrote(self) -> None:
        """Counts what a ROLLBACK would have to take back."""
        if self.written is not None:
            self.written += 1
