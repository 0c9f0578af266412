"""What drivers are told of a column beside its Arrow type, as the field metadata that Flight SQL names."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import pyarrow as pa

from sqe.catalog.iceberg.table import Column
from sqe.tree.expressions import Field
from sqe.tree.relations import TableName
from sqe.types import sql_types as t
from sqe.types.arrow import arrow_type
from sqe.types.iceberg import unsupported
from sqe.types.jdbc import column_size, decimal_digits

_PREFIX = "ARROW:FLIGHT:SQL:"
_SIZES: dict[t.Type, int] = {
    t.BOOLEAN: 1,
    t.DATE: len("2020-01-01"),
    t.UUID: 36,
    t.JSON: 2**31 - 1,
}


def result_schema(fields: Sequence[Field]) -> pa.Schema:
    """The schema of a result. Which of its columns may be NULL is not known."""
    return pa.schema([_field(field.type).with_name(field.name) for field in fields])


def _field(kind: t.Type) -> pa.Field:
    # Types of users' making can be large, and are seldom seen twice.
    return _build_field(kind) if isinstance(kind, (t.Array, t.Map, t.Row)) else _cached_field(kind)


def _build_field(kind: t.Type) -> pa.Field:
    arrow, metadata = _type_and_metadata(kind)
    return pa.field("", arrow, metadata=metadata)


# Metadata costs more to make than everything else of a schema.
_cached_field = lru_cache(maxsize=1024)(_build_field)


def table_schema(table: TableName, columns: Sequence[Column], *, stored: bool) -> pa.Schema:
    """The schema of a table, as its columns are declared; a view or a system table is not `stored`."""
    schema = ".".join(table.namespace)
    named = {
        _PREFIX + "CATALOG_NAME": table.catalog,
        _PREFIX + "DB_SCHEMA_NAME": schema,
        # The protocol's text has the name above, all drivers look for this one.
        _PREFIX + "SCHEMA_NAME": schema,
        _PREFIX + "TABLE_NAME": table.name,
        _PREFIX + "IS_READ_ONLY": _flag(not stored),
    }
    fields = []
    for column in columns:
        kind, metadata = _type_and_metadata(column.type) if not stored else _stored(column.type)
        field_metadata = {**metadata, **named}
        if column.comment:
            field_metadata[_PREFIX + "REMARKS"] = column.comment
        fields.append(pa.field(column.name, kind, nullable=column.nullable, metadata=field_metadata))
    return pa.schema(fields)


def size_of(kind: t.Type) -> int | None:
    """Digits of a number, characters of a text, bytes of a binary, and of a time the length of its text."""
    if isinstance(kind, t.Fixed):
        return kind.length
    return _SIZES.get(kind) or column_size(kind)


def is_case_sensitive(kind: t.Type) -> bool:
    return isinstance(kind, (t.Varchar, t.Char)) or kind == t.JSON


def _type_and_metadata(kind: t.Type) -> tuple[pa.DataType, dict[str, str]]:
    metadata = {
        "TYPE_NAME": str(kind),
        "IS_AUTO_INCREMENT": _flag(False),
        "IS_CASE_SENSITIVE": _flag(is_case_sensitive(kind)),
        "IS_SEARCHABLE": _flag(True),
    }
    for name, number in (("PRECISION", size_of(kind)), ("SCALE", decimal_digits(kind))):
        if number is not None:
            metadata[name] = str(number)
    return arrow_type(kind), {_PREFIX + name: value for name, value in metadata.items()}


def _stored(kind: t.Type) -> tuple[pa.DataType, dict[str, str]]:
    """A column that no statement can read yet has a type's name and no values."""
    if unsupported(kind) is None:
        return _type_and_metadata(kind)
    arrow, metadata = _type_and_metadata(t.UNKNOWN)
    return arrow, {**metadata, _PREFIX + "TYPE_NAME": str(kind), _PREFIX + "IS_SEARCHABLE": _flag(False)}


def _flag(value: bool) -> str:
    return "1" if value else "0"
