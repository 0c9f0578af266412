"""The rows of a system table."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sqe.errors import InternalError
from sqe.system import definitions, information_schema, jdbc, metadata, runtime
from sqe.system.sources import Row, Sources

_MAKERS: dict[tuple[str, str], Callable[[Sources], Iterator[Row]]] = {
    ("information_schema", "schemata"): information_schema.schemata,
    ("information_schema", "tables"): information_schema.tables,
    ("information_schema", "columns"): information_schema.columns,
    ("information_schema", "views"): information_schema.views,
    ("information_schema", "roles"): information_schema.roles,
    ("information_schema", "enabled_roles"): information_schema.roles,
    ("information_schema", "applicable_roles"): information_schema.applicable_roles,
    ("information_schema", "table_privileges"): information_schema.table_privileges,
    ("runtime", "queries"): runtime.queries,
    ("runtime", "nodes"): runtime.nodes,
    ("metadata", "catalogs"): metadata.catalogs,
    ("metadata", "table_comments"): metadata.table_comments,
    ("metadata", "table_properties"): metadata.table_properties,
    ("metadata", "schema_properties"): metadata.schema_properties,
    ("jdbc", "catalogs"): jdbc.catalogs,
    ("jdbc", "schemas"): jdbc.schemas,
    ("jdbc", "table_types"): jdbc.table_types,
    ("jdbc", "tables"): jdbc.tables,
    ("jdbc", "columns"): jdbc.columns,
    ("jdbc", "types"): jdbc.types,
}


def rows(of: Sources) -> Iterator[Row]:
    """All of them, with a value for each column that the table has."""
    name = of.scan.table
    table = definitions.find(name.catalog, ".".join(name.namespace), name.name)
    if table is None:
        raise InternalError(f"there is no system table {name}")
    return _MAKERS.get((table.schema, table.name), metadata.nothing)(of)
