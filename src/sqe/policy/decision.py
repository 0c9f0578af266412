"""The answer of a policy about one table, and the protocol that policy sources implement."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from typing import Protocol

from sqe.errors import AccessDenied
from sqe.record import record
from sqe.session import Identity
from sqe.tree.expressions import Expression
from sqe.tree.relations import TableName

# A condition or a mask over a table's raw columns, given by stored name.
OverColumns = Callable[[Mapping[str, Expression]], Expression]


@record
class Decision:
    """What one user may see of one table. Filters see raw values; a mask keeps its column's type."""

    visible: bool = True
    row_filters: tuple[OverColumns, ...] = ()
    masks: Mapping[str, OverColumns] = field(default_factory=dict)
    restricted: frozenset[str] = frozenset()

    @property
    def restricts(self) -> bool:
        return bool(self.row_filters or self.masks or self.restricted or not self.visible)


EVERYTHING = Decision()


class Policy(Protocol):
    """A source of decisions. An error while deciding denies."""

    def table(self, identity: Identity, table: TableName) -> Decision: ...

    def may_read_files(self, identity: Identity, paths: Sequence[str]) -> bool: ...


def write_denied(table: TableName) -> AccessDenied:
    """Whoever sees part of a table must not change the rest by rewriting its files."""
    return AccessDenied(f"cannot write to '{table}'")


class AllowAll:
    """Embedded use: the user of the operating system sees what the operating system lets them see."""

    def table(self, identity: Identity, table: TableName) -> Decision:
        return EVERYTHING

    def may_read_files(self, identity: Identity, paths: Sequence[str]) -> bool:
        return True
