"""system.metadata: catalogs, comments and properties."""

from __future__ import annotations

from collections.abc import Iterator

from sqe.system import definitions
from sqe.system.sources import Row, Sources

# What CREATE TABLE ... WITH (...) takes: name, default, type, description.
TABLE_OPTIONS = (
    ("format", "PARQUET", "varchar", "File format of the table: PARQUET, ORC or AVRO"),
    ("format_version", "2", "integer", "Iceberg's format version: 1, 2 or 3"),
    ("location", "", "varchar", "Where the files of the table are put"),
    ("partitioning", "[]", "array(varchar)", "Partition transforms, such as day(ts) or bucket(id, 16)"),
    ("sorted_by", "[]", "array(varchar)", "Columns that files are sorted by, such as id or ts DESC"),
)


def catalogs(of: Sources) -> Iterator[Row]:
    for catalog in of.listing.catalogs(of.accepts("catalog_name")):
        connector = "system" if catalog == definitions.SYSTEM else "iceberg"
        yield catalog, catalog, connector, "OPERATIONAL"


def table_comments(of: Sources) -> Iterator[Row]:
    catalog_names = of.listing.catalogs(of.accepts("catalog_name"))
    for entry in of.listing.walk(catalog_names, of.accepts("schema_name"), of.accepts("table_name")):
        table_or_view = None if entry.is_system else of.listing.load(entry)
        comment = None if table_or_view is None else table_or_view.comment
        yield entry.name.catalog, ".".join(entry.name.namespace), entry.name.name, comment


def table_properties(of: Sources) -> Iterator[Row]:
    for catalog in of.listing.catalogs(of.accepts("catalog_name")):
        if catalog != definitions.SYSTEM:
            for option in TABLE_OPTIONS:
                yield catalog, *option


def schema_properties(of: Sources) -> Iterator[Row]:
    for catalog in of.listing.catalogs(of.accepts("catalog_name")):
        if catalog != definitions.SYSTEM:
            yield catalog, "location", "", "varchar", "Where the files of the schema's tables are put"


def nothing(of: Sources) -> Iterator[Row]:
    """Tables that tools ask for, and of which there are none here."""
    return iter(())
