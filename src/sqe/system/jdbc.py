"""system.jdbc: what JDBC drivers ask for."""

from __future__ import annotations

from collections.abc import Iterator

from sqe.system.sources import Row, Sources
from sqe.types import sql_types as t
from sqe.types.jdbc import NUMBERS, column_size, decimal_digits, jdbc_type, radix

_NULLABLE, _NOT_NULL = 1, 0


def catalogs(of: Sources) -> Iterator[Row]:
    for catalog in of.listing.catalogs(of.accepts("table_cat")):
        yield (catalog,)


def schemas(of: Sources) -> Iterator[Row]:
    catalog_names = of.listing.catalogs(of.accepts("table_catalog"))
    for catalog, schema in of.listing.each_schema(catalog_names, of.accepts("table_schem")):
        yield schema, catalog


def table_types(of: Sources) -> Iterator[Row]:
    yield ("TABLE",)
    yield ("VIEW",)


def tables(of: Sources) -> Iterator[Row]:
    catalog_names = of.listing.catalogs(of.accepts("table_cat"))
    kinds = {"BASE TABLE": "TABLE", "VIEW": "VIEW"}
    for entry in of.listing.walk(catalog_names, of.accepts("table_schem"), of.accepts("table_name")):
        kind = kinds[entry.kind]
        if of.accepts("table_type")(kind):
            schema = ".".join(entry.name.namespace)
            yield entry.name.catalog, schema, entry.name.name, kind, *[None] * 6


def columns(of: Sources) -> Iterator[Row]:
    catalog_names = of.listing.catalogs(of.accepts("table_cat"))
    accepts = of.accepts("column_name")
    for entry in of.listing.walk(catalog_names, of.accepts("table_schem"), of.accepts("table_name")):
        table = (entry.name.catalog, ".".join(entry.name.namespace), entry.name.name)
        for position, column in enumerate(of.listing.columns(entry), 1):
            if not accepts(column.name):
                continue
            size = column_size(column.type)
            is_text = isinstance(column.type, (t.Varchar, t.Char)) or column.type == t.VARBINARY
            yield (
                *table,
                column.name,
                jdbc_type(column.type),
                str(column.type),
                size,
                0,
                decimal_digits(column.type),
                radix(column.type),
                _NULLABLE if column.nullable else _NOT_NULL,
                column.comment,
                None,
                None,
                None,
                size if is_text else None,
                position,
                "YES" if column.nullable else "NO",
                *[None] * 6,
            )


def types(of: Sources) -> Iterator[Row]:
    """Those that a column or a result can have, as java.sql.DatabaseMetaData.getTypeInfo orders them."""
    sql_types: list[t.Type] = [
        *NUMBERS,
        t.VARCHAR,
        t.Char(1),
        t.Decimal(38, 0),
        t.Time(3),
        t.Timestamp(3),
        t.TimestampTz(3),
        t.JSON,
        t.UUID,
        t.UNKNOWN,
        t.YEAR_MONTH,
        t.DAY_SECOND,
        t.Array(t.UNKNOWN),
        t.Map(t.UNKNOWN, t.UNKNOWN),
        t.Row(()),
    ]
    for type_ in sorted(sql_types, key=jdbc_type):
        name = str(type_).partition("(")[0].strip()
        if isinstance(type_, t.TimestampTz):
            name = "timestamp with time zone"
        size = None if isinstance(type_, (t.Array, t.Map, t.Row)) else column_size(type_)
        scales = (0, 38) if isinstance(type_, t.Decimal) else (0, 0)
        is_text = isinstance(type_, (t.Varchar, t.Char))
        yield (
            name,
            jdbc_type(type_),
            size,
            *[None] * 3,
            _NULLABLE,
            is_text,
            3,
            None,
            False,
            None,
            None,
            *scales,
            None,
            None,
            radix(type_),
        )
