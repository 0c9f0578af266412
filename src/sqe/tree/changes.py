"""What ALTER and COMMENT change of a table or a view.

A column is given by its path: `a`, or `a`, `b` for the field b of the row a; `element`, `key` and `value` are
the parts of arrays and maps.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from sqe.foundation.record import record
from sqe.tree.definitions import PLACE_PROPERTIES, ColumnDefinition
from sqe.types.sql_types import Type

Path = tuple[str, ...]


@record
class Change(ABC):
    """One change."""

    @property
    @abstractmethod
    def words(self) -> str:
        """What Trino's clients call it."""

    @property
    def label(self) -> str:
        """What metrics and logs call a statement that makes it."""
        return "altertable"

    @property
    def places(self) -> tuple[str, ...]:
        """The locations that it would have files put at."""
        return ()


@record
class AddColumn(Change):
    """At the end of the table, or of the row that `within` leads to."""

    words = "ADD COLUMN"

    column: ColumnDefinition
    within: Path = ()
    if_not_exists: bool = False


@record
class DropColumn(Change):
    words = "DROP COLUMN"

    column: Path
    if_exists: bool = False


@record
class RenameColumn(Change):
    words = "RENAME COLUMN"

    column: Path
    to: str
    if_exists: bool = False


@record
class SetColumnType(Change):
    words = "SET COLUMN TYPE"

    column: Path
    type: Type


@record
class SetNullable(Change):
    column: Path
    nullable: bool

    @property
    def words(self) -> str:
        # Trino has a name for one direction only.
        return "DROP NOT NULL CONSTRAINT" if self.nullable else "SET NOT NULL CONSTRAINT"


@record
class SetProperties(Change):
    """As Iceberg spells them; None removes a property."""

    words = "SET PROPERTIES"
    label = "altertableprops"

    properties: tuple[tuple[str, str | None], ...]

    @property
    def places(self) -> tuple[str, ...]:
        return tuple(
            value for name, value in self.properties if name in PLACE_PROPERTIES and value is not None
        )


@record
class SetComment(Change):
    words = "COMMENT"
    label = "comment"

    comment: str | None


@record
class SetColumnComment(Change):
    words = "COMMENT"
    label = "comment"

    column: Path
    comment: str | None
