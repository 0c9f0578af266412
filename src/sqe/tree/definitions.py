"""What the definition of a table is made of: its columns, how it is partitioned and sorted."""

from __future__ import annotations

from sqe.foundation.record import record
from sqe.types.sql_types import Type

# Properties of a table that say where its files go.
PLACE_PROPERTIES = (
    *("write.data.path", "write.metadata.path"),
    *("write.object-storage.path", "write.folder-storage.path"),
)


@record
class ColumnDefinition:
    name: str
    type: Type
    nullable: bool = True
    comment: str | None = None


@record
class PartitionField:
    """transform: identity, bucket, truncate, year, month, day, hour. `argument`: of bucket and truncate."""

    transform: str
    column: str
    argument: int | None = None


@record
class SortField:
    """A column by which the files of a table are sorted."""

    column: str
    descending: bool = False
    nulls_first: bool = True
