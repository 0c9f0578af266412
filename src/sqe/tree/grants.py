"""Grants: who may do what with what, and which rules come with it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from enum import StrEnum

from sqe.foundation.record import record
from sqe.tree.privileges import Privilege
from sqe.tree.relations import TableName
from sqe.tree.rules import Mask, Rule


class GranteeKind(StrEnum):
    USER = "user"
    ROLE = "role"
    GROUP = "group"
    PUBLIC = "public"


@record
class Grantee:
    """PUBLIC is everybody, and has no name."""

    kind: GranteeKind
    name: str = ""


class Scope(StrEnum):
    """What a grant is on: its `on` has no name of a table for a schema, and no namespace for a catalog."""

    TABLE = "table"
    SCHEMA = "schema"
    CATALOG = "catalog"
    # The tables of a schema, those that are there and those that will be.
    TABLES = "tables"


@record
class Grant:
    """`columns` by id; None is all, with those that will be added. `denies` is DENY."""

    privilege: Privilege
    scope: Scope
    on: TableName
    grantee: Grantee
    denies: bool = False
    columns: frozenset[int] | None = None
    row_filter: Rule | None = None
    masks: Mapping[int, Rule | Mask] = field(default_factory=dict)
    grantable: bool = False
    grantor: str = ""

    def covers(self, table: TableName) -> bool:
        """A grant on a schema is on what is in it, and one on a catalog on what is in its schemas."""
        match self.scope:
            case Scope.TABLE:
                return self.on == table
            case Scope.TABLES:
                return bool(table.name) and self._holds(table)
            case Scope.SCHEMA:
                return self._holds(table)
            case Scope.CATALOG:
                return self.on.catalog == table.catalog

    def _holds(self, table: TableName) -> bool:
        depth = len(self.on.namespace)
        return self.on.catalog == table.catalog and self.on.namespace == table.namespace[:depth]
