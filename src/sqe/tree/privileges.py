"""What a user may be allowed to do with a table, a view or a schema, and what a statement needs of it."""

from __future__ import annotations

from enum import StrEnum

from sqe.foundation.record import record
from sqe.tree.relations import TableName


class Privilege(StrEnum):
    SELECT = "select"
    INSERT = "insert"
    UPDATE = "update"
    DELETE = "delete"
    TRUNCATE = "truncate"
    # Of what is in a schema, or of schemas in a catalog.
    CREATE = "create"
    ALTER = "alter"
    DROP = "drop"


ALL = frozenset(Privilege)


@record
class Need:
    """A schema's `table` has an empty name, a catalog's no namespace either."""

    privilege: Privilege
    table: TableName


def schema_of(table: TableName) -> TableName:
    return TableName(table.catalog, table.namespace, "")
