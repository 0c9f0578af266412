"""A view as its metadata file describes it: a query's text, and where the names in it belong."""

from __future__ import annotations

from dataclasses import dataclass

from sqe.catalog.table import Column
from sqe.tree.relations import TableName

# The dialect of the text that we read and write; an Iceberg view may have one text for each dialect.
DIALECT = "trino"


@dataclass(frozen=True, slots=True)
class View:
    """Names in `sql` that have no catalog or schema of their own are in the default ones."""

    name: TableName
    sql: str
    default_catalog: str
    default_namespace: tuple[str, ...]
    columns: tuple[Column, ...]
