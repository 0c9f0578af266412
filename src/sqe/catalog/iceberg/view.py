"""A view as its metadata file describes it: a query's text, and where the names in it belong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from sqe.catalog.iceberg.table import Column
from sqe.foundation.record import record
from sqe.tree.definitions import ColumnDefinition
from sqe.tree.relations import TableName

# The dialect of the text that we read and write; an Iceberg view may have one text for each dialect.
DIALECT = "trino"
SPARK_DIALECT = "spark"
# DEFINER or INVOKER, as it was written; every view is evaluated as its invoker's.
SECURITY = "sqe.view-security"
DEFINER = "sqe.view-definer"
COMMENT = "comment"


@record
class View:
    """Names in `sql` that have no catalog or schema of their own are in the default ones."""

    name: TableName
    sql: str
    default_catalog: str
    default_namespace: tuple[str, ...]
    columns: tuple[Column, ...]
    properties: Mapping[str, str] = field(default_factory=dict)

    @property
    def comment(self) -> str | None:
        return self.properties.get(COMMENT)

    @property
    def security(self) -> str | None:
        return self.properties.get(SECURITY)


@record
class ViewDefinition:
    """A view to be made. `texts` has its query in each dialect, ours among them."""

    name: TableName
    texts: Mapping[str, str]
    columns: tuple[ColumnDefinition, ...]
    default_catalog: str
    default_namespace: tuple[str, ...]
    properties: Mapping[str, str] = field(default_factory=dict)
