"""Who asks, and with which settings."""

from __future__ import annotations

import secrets
from dataclasses import dataclass, field

from sqe.foundation.record import record


@record
class Identity:
    """An authenticated user. Embedded, it is the user of the operating system."""

    user: str
    roles: frozenset[str] = frozenset()
    groups: frozenset[str] = frozenset()
    catalog_token: str | None = field(default=None, repr=False)


@dataclass(slots=True)
class Session:
    """One connection of one identity. `namespace` is the schema of names without one; `prepared` are the
    texts of prepared statements; `written` counts what was written since START TRANSACTION."""

    identity: Identity
    catalog: str
    namespace: tuple[str, ...] = ("default",)
    time_zone: str = "UTC"
    properties: dict[str, str] = field(default_factory=dict)
    prepared: dict[str, str] = field(default_factory=dict)
    written: int | None = None
    id: str = field(default_factory=lambda: secrets.token_hex(16))
