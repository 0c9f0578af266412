"""Scans that read what was bound, whatever a name leads to when Spark gets to it.

Between bind and run a name may have come to mean something else: another table, a view whose text nobody
has secured, or, by Iceberg's selectors, a branch or the metadata of the table that has the name of the
schema. So Spark is told the snapshot, which no other table has, or the metadata file itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, TypeVar

from sqe.catalog.iceberg.table import Table
from sqe.catalog.selectors import is_selector
from sqe.tree.expressions import transform
from sqe.tree.relations import AsOf, Scan, TableName
from sqe.tree.statements import Statement

S = TypeVar("S", bound=Statement)


def pinned(statement: S, tables: Mapping[TableName, Table]) -> S:
    """`tables` are those that the statement was bound with."""

    def change(node: Any) -> Any:
        if not isinstance(node, Scan) or node.metadata is not None:
            return node
        table = tables[node.table]
        if is_selector(node.table.name):
            # Iceberg refuses some of them at a snapshot, and answers others with no rows.
            return replace(node, metadata_file=table.metadata_location)
        if node.as_of is not None:
            return node
        snapshot = table.current_snapshot
        if snapshot is not None and snapshot.schema_id == table.schema_id:
            return replace(node, as_of=AsOf(snapshot.id))
        # At a snapshot Spark sees the columns that it was written with.
        return replace(node, metadata_file=table.metadata_location)

    changed = transform(statement, change)
    assert isinstance(changed, type(statement))
    return changed
