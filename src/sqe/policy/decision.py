"""The answer of a policy about one table, and the protocol that policy sources implement."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Protocol

from sqe.errors import AccessDenied
from sqe.foundation.record import record
from sqe.session import Identity
from sqe.tree.privileges import ALL, Privilege
from sqe.tree.relations import TableName
from sqe.tree.rules import ColumnKey, Mask, Rule

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")


@record
class Decision:
    """What one user may do with one table, view or schema, and see of it. Filters see raw values; a mask
    keeps its column's type. What is allowed has no default: whoever decides says it."""

    privileges: frozenset[Privilege]
    row_filters: tuple[Rule, ...] = ()
    masks: Mapping[ColumnKey, Rule | Mask] = field(default_factory=dict)
    restricted: frozenset[ColumnKey] = frozenset()
    # Those that may be seen, where not all may: one that is added later may not.
    columns: frozenset[ColumnKey] | None = None

    @property
    def visible(self) -> bool:
        """Whether it exists for this user. Who may create knows nothing of what there is."""
        return bool(self.privileges - {Privilege.CREATE})

    @property
    def restricts(self) -> bool:
        """Whether some of it is hidden from this user."""
        hides = self.row_filters or self.masks or self.hides_columns
        return bool(hides or not self.visible)

    @property
    def hides_columns(self) -> bool:
        return bool(self.restricted) or self.columns is not None


EVERYTHING = Decision(ALL)
NOTHING = Decision(frozenset())


class Policy(Protocol):
    """A source of decisions. An error while deciding denies. Of one that has a `version`, a number that is
    another after every change, plans are kept for the next statement."""

    def table(self, identity: Identity, table: TableName) -> Decision: ...

    def may_read_files(self, identity: Identity, paths: Sequence[str]) -> bool: ...

    def may_place(self, identity: Identity, location: str) -> bool:
        """Whether whoever writes a table may put its files there."""


def write_denied(table: TableName) -> AccessDenied:
    """Whoever sees part of a table must not change the rest by rewriting its files."""
    return AccessDenied(f"cannot write to '{table}'")


class AllowAll:
    """Everybody sees all tables. Embedded, the user of the operating system also reads and writes what the
    operating system lets them; on a server, which has rights of its own, nothing outside of tables is read,
    and nothing is placed outside of `warehouses`."""

    version = 0

    def __init__(self, warehouses: Sequence[str] | None = None) -> None:
        self._warehouses = None if warehouses is None else tuple(filter(None, map(_plain, warehouses)))

    def table(self, identity: Identity, table: TableName) -> Decision:
        return EVERYTHING

    def may_read_files(self, identity: Identity, paths: Sequence[str]) -> bool:
        return self._warehouses is None

    def may_place(self, identity: Identity, location: str) -> bool:
        if self._warehouses is None:
            return True
        if "/.." in location:
            # Readers do not agree on what comes first: links, or the way up.
            return False
        place = _plain(location)
        return any(place.startswith(f"{warehouse}/") for warehouse in self._warehouses)


def _plain(location: str) -> str:
    """A local path without links and `..`, another address as it is; empty where it could lead elsewhere."""
    if location.startswith("file:"):
        authority, slash, path = location.removeprefix("file:").removeprefix("//").partition("/")
        # With a machine's name in it, readers do not agree on which path it is.
        if authority or not slash:
            return ""
        location = "/" + path.lstrip("/")
    if _SCHEME.match(location):
        return location.rstrip("/")
    return os.path.realpath(os.path.expanduser(location))
