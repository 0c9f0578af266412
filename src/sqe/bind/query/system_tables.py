"""Names of system tables: `information_schema` of any catalog, and the catalog `system`."""

from __future__ import annotations

from collections.abc import Sequence

from sqe.bind.binder import Binder
from sqe.bind.names import Name
from sqe.catalog.names import nearest
from sqe.errors import NotFound, NotSupported, Position
from sqe.system import definitions
from sqe.tree.relations import Relation, Scan, SystemScan, TableName


def bind_system_table(b: Binder, parts: Sequence[Name], position: Position | None) -> SystemScan | None:
    """None where the name is not in a schema of the system."""
    written = [part.folded for part in parts]
    owner = system_schema(b, written[:-1] or b.namespace, position)
    if owner is None:
        return None
    catalog, schema = owner
    table = definitions.find(catalog, schema, written[-1])
    if table is None:
        raise NotFound(
            f"table '{catalog}.{schema}.{written[-1]}' does not exist",
            position=position,
            hint=nearest(written[-1], [other.name for other in definitions.tables_in(schema)]),
        )
    fields = tuple(b.fresh(column, kind) for column, kind in table.columns)
    names = tuple(column for column, _ in table.columns)
    return SystemScan(fields, TableName(catalog, (table.schema,), table.name), names)


def system_schema(
    b: Binder, names: Sequence[str], position: Position | None = None
) -> tuple[str, str] | None:
    """The catalog and the name of a schema of the system; None where a catalog's own schema is meant.
    `names` is a schema's, with or without its catalog."""
    if not 1 <= len(names) <= 2:
        return None
    written = names[0] if len(names) == 2 else b.catalog
    catalogs = [*b.catalogs.names(), definitions.SYSTEM]
    catalog = next((c for c in catalogs if c.lower() == written.lower()), None)
    schema = names[-1].lower()
    if catalog is not None and schema in definitions.schemas_of(catalog):
        return catalog, schema
    if catalog == definitions.SYSTEM:
        raise NotFound(
            f"schema '{catalog}.{names[-1]}' does not exist",
            code="SCHEMA_NOT_FOUND",
            position=position,
            hint=nearest(schema, definitions.schemas_of(catalog)),
        )
    return None


def refuse_system_schema(b: Binder, names: Sequence[str], position: Position | None = None) -> None:
    """For what creates, changes or drops something, and for what needs a stored table."""
    schema = system_schema(b, names, position)
    if schema is not None:
        raise NotSupported(
            f"schema '{'.'.join(schema)}' belongs to the system",
            position=position,
            hint="its tables can be read, and no more",
        )


def hidden_columns(relation: Relation) -> frozenset[str]:
    """Columns that can be named, and that * leaves out."""
    if isinstance(relation, Scan):
        return frozenset(relation.hidden)
    if not isinstance(relation, SystemScan):
        return frozenset()
    table = definitions.find(relation.table.catalog, relation.table.namespace[0], relation.table.name)
    assert table is not None
    return table.hidden
