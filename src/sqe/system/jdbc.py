"""system.jdbc: what JDBC drivers ask for. Numbers are those of java.sql.Types."""

from __future__ import annotations

from collections.abc import Iterator

from sqe.system.sources import Row, Sources
from sqe.types import sql_types as t

_OTHER = 2000
_JDBC_TYPES: dict[t.Type, int] = {
    t.BOOLEAN: 16,
    t.TINYINT: -6,
    t.SMALLINT: 5,
    t.INTEGER: 4,
    t.BIGINT: -5,
    t.REAL: 7,
    t.DOUBLE: 8,
    t.VARBINARY: -3,
    t.DATE: 91,
}
_SIZES: dict[t.Type, int] = {
    t.TINYINT: 3,
    t.SMALLINT: 5,
    t.INTEGER: 10,
    t.BIGINT: 19,
    t.REAL: 24,
    t.DOUBLE: 53,
    t.DATE: 14,
    t.VARBINARY: 2147483647,
}
_UNBOUNDED = 2147483647
_NULLABLE, _NOT_NULL = 1, 0


def catalogs(of: Sources) -> Iterator[Row]:
    for catalog in of.listing.catalogs(of.accepts("table_cat")):
        yield (catalog,)


def schemas(of: Sources) -> Iterator[Row]:
    wanted = of.listing.catalogs(of.accepts("table_catalog"))
    for catalog, schema in of.listing.each_schema(wanted, of.accepts("table_schem")):
        yield schema, catalog


def table_types(of: Sources) -> Iterator[Row]:
    yield ("TABLE",)
    yield ("VIEW",)


def tables(of: Sources) -> Iterator[Row]:
    wanted = of.listing.catalogs(of.accepts("table_cat"))
    kinds = {"BASE TABLE": "TABLE", "VIEW": "VIEW"}
    for entry in of.listing.walk(wanted, of.accepts("table_schem"), of.accepts("table_name")):
        kind = kinds[entry.kind]
        if of.accepts("table_type")(kind):
            schema = ".".join(entry.name.namespace)
            yield entry.name.catalog, schema, entry.name.name, kind, *[None] * 6


def columns(of: Sources) -> Iterator[Row]:
    wanted = of.listing.catalogs(of.accepts("table_cat"))
    accepts = of.accepts("column_name")
    for entry in of.listing.walk(wanted, of.accepts("table_schem"), of.accepts("table_name")):
        named = (entry.name.catalog, ".".join(entry.name.namespace), entry.name.name)
        for position, column in enumerate(of.listing.columns(entry), 1):
            if not accepts(column.name):
                continue
            size = column_size(column.type)
            is_text = isinstance(column.type, (t.Varchar, t.Char)) or column.type == t.VARBINARY
            yield (
                *named,
                column.name,
                jdbc_type(column.type),
                str(column.type),
                size,
                0,
                decimal_digits(column.type),
                _radix(column.type),
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
    known: list[t.Type] = [
        *_JDBC_TYPES,
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
    for type_ in sorted(known, key=jdbc_type):
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
            _radix(type_),
        )


def nothing(of: Sources) -> Iterator[Row]:
    return iter(())


def jdbc_type(type_: t.Type) -> int:
    match type_:
        case t.Decimal():
            return 3
        case t.Varchar():
            return 12
        case t.Char():
            return 1
        case t.Time():
            return 92
        case t.Timestamp():
            return 93
        case t.TimestampTz():
            return 2014
        case t.Array():
            return 2003
        case t.Fixed():
            return -3
    return _JDBC_TYPES.get(type_, 2000 if type_ != t.UNKNOWN else 0) or _OTHER


def column_size(type_: t.Type) -> int | None:
    match type_:
        case t.Decimal(precision, _):
            return precision
        case t.Varchar(length):
            return _UNBOUNDED if length is None else length
        case t.Char(length):
            return length
        case t.Time(precision):
            return 8 + (precision + 1 if precision else 0)
        case t.Timestamp(precision):
            return 19 + (precision + 1 if precision else 0)
        case t.TimestampTz(precision):
            return 19 + (precision + 1 if precision else 0) + 6
    return _SIZES.get(type_)


def decimal_digits(type_: t.Type) -> int | None:
    match type_:
        case t.Decimal(_, scale):
            return scale
        case t.Time(precision) | t.Timestamp(precision) | t.TimestampTz(precision):
            return precision
    return None


def _radix(type_: t.Type) -> int | None:
    if t.is_integer(type_) or isinstance(type_, t.Decimal):
        return 10
    return 2 if type_ in (t.REAL, t.DOUBLE) else None
