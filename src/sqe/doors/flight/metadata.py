"""Flight SQL's metadata commands: which catalogs, schemas, tables, keys and types there are.

Names come from the product's own listing, so that what is hidden from a user looks absent here too, and the
number of calls to a catalog grows with its schemas, and with its tables only if columns are asked for.
"""

from __future__ import annotations

import logging
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any

import pyarrow as pa
from google.protobuf.json_format import MessageToJson

from sqe.bind.binder import Binder
from sqe.bind.views.reader import ViewReader
from sqe.catalog.iceberg.table import Table
from sqe.coordinator import Coordinator
from sqe.doors.flight import flight_sql_pb2 as sql
from sqe.doors.flight import schemas, sql_info, xdbc_types
from sqe.doors.flight.column_metadata import table_schema
from sqe.doors.flight.keys import primary_key
from sqe.errors import InvalidArgument, NotFound
from sqe.foundation.record import record
from sqe.policy.secure import Guard
from sqe.statement import Statement
from sqe.system.listing import Accepts, Entry, Listing, anything
from sqe.system.patterns import like

log = logging.getLogger(__name__)

# As system.jdbc calls them; a system table is a table.
_KINDS = {"BASE TABLE": "TABLE", "VIEW": "VIEW"}
# A backslash that escapes nothing stands for itself: not every driver escapes the names that it passes.
_ESCAPE = re.compile(r"\\[%_\\]|\\")
_BATCH_BYTES = 4 << 20
_LONGEST_PATTERN = 4096
Row = tuple[object, ...]


@record
class Metadata:
    """The answer to one kind of command: its schema is known without asking anything."""

    schema: Callable[[Any], pa.Schema]
    table: Callable[[Any, Statement, Coordinator], pa.Table]


def text_of(command: Any) -> str:
    """What the history and the logs call it."""
    name = type(command).__name__.removeprefix("Command")
    return f"{name}: {MessageToJson(command, indent=None, preserving_proto_field_name=True)}"


def _catalogs(listing: Listing, command: sql.CommandGetCatalogs) -> Iterator[Row]:
    for name in listing.catalogs():
        yield (name,)


def _db_schemas(listing: Listing, command: sql.CommandGetDbSchemas) -> Iterator[Row]:
    yield from _schemas(
        listing, _field_or_none(command, "catalog"), _pattern(command, "db_schema_filter_pattern")
    )


def _tables(listing: Listing, command: sql.CommandGetTables) -> Iterator[Row]:
    entries = _entries(
        listing,
        _field_or_none(command, "catalog"),
        _pattern(command, "db_schema_filter_pattern"),
        _pattern(command, "table_name_filter_pattern"),
    )
    for entry in entries:
        kind = _KINDS[entry.kind]
        if command.table_types and kind not in command.table_types:
            continue
        row = (*_named(entry), kind)
        if not command.include_schema:
            yield row
            continue
        stored = kind == "TABLE" and not entry.is_system
        schema = table_schema(entry.name, listing.columns(entry), stored=stored)
        yield (*row, schema.serialize().to_pybytes())


def _table_types(listing: Listing, command: sql.CommandGetTableTypes) -> Iterator[Row]:
    for name in sorted(_KINDS.values()):
        yield (name,)


def _primary_keys(listing: Listing, command: sql.CommandGetPrimaryKeys) -> Iterator[Row]:
    in_schema, in_table = _exactly(_field_or_none(command, "db_schema")), _exactly(command.table)
    for entry in _entries(listing, _field_or_none(command, "catalog"), in_schema, in_table):
        table = None if entry.is_system or entry.kind == "VIEW" else listing.load(entry)
        if not isinstance(table, Table):
            continue
        for column, number in primary_key(table, listing.visible(table)):
            yield (*_named(entry), column, number, None)


def _no_rows(listing: Listing, command: object) -> Iterator[Row]:
    return iter(())


def _schemas(listing: Listing, catalog: str | None, accepts: Accepts) -> Iterator[tuple[str, str]]:
    if catalog is None:
        yield from listing.each_schema(listing.catalogs(), accepts)
    elif catalog in listing.catalogs():
        # A catalog that was asked for by its name and cannot answer is an error, not an empty one.
        yield from ((catalog, schema) for schema in listing.schemas(catalog, accepts))


def _entries(listing: Listing, catalog: str | None, in_schema: Accepts, accepts: Accepts) -> Iterator[Entry]:
    if catalog is None:
        yield from listing.walk(listing.catalogs(), in_schema, accepts)
        return
    for _, schema in _schemas(listing, catalog, in_schema):
        listing.check()
        try:
            yield from listing.entries(catalog, schema, accepts)
        except NotFound:
            continue  # dropped since


def _named(entry: Entry) -> tuple[str, str, str]:
    return entry.name.catalog, ".".join(entry.name.namespace), entry.name.name


def _field_or_none(command: Any, field: str) -> str | None:
    """None where nothing was sent; an empty text asks for what has no such name, which is nothing here."""
    return getattr(command, field) if command.HasField(field) else None


def _exactly(expected: str | None) -> Accepts:
    return anything if expected is None else lambda name: name == expected


def _pattern(command: Any, field: str) -> Accepts:
    pattern = _field_or_none(command, field)
    if pattern is None:
        return anything
    if len(pattern) > _LONGEST_PATTERN:
        raise InvalidArgument(f"a pattern has at most {_LONGEST_PATTERN} characters")
    matches = like(_ESCAPE.sub(lambda match: match[0] if len(match[0]) == 2 else r"\\", pattern), "\\")
    return lambda name: matches.match(name) is not None


def _of_names(schema: Callable[[Any], pa.Schema], rows: Callable[[Listing, Any], Iterator[Row]]) -> Metadata:
    def table(command: Any, statement: Statement, coordinator: Coordinator) -> pa.Table:
        session = statement.session
        guard, catalogs = Guard(coordinator.policy, session.identity), coordinator.catalogs_of(session)
        # As the session is now; there is no text of a statement, and views have their own.
        binder = Binder("", replace(session), catalogs, guard)
        views = ViewReader(binder)
        listing = Listing(catalogs, guard, views.columns, views.shows_text, binder.warn)
        listing.check = statement.check
        table = _arrow(schema(command), rows(listing, command))
        statement.check()
        for warning in binder.warnings:
            log.warning(warning)
        return table

    return Metadata(schema, table)


def _always(schema: pa.Schema) -> Callable[[Any], pa.Schema]:
    return lambda command: schema


def _tables_schema(command: sql.CommandGetTables) -> pa.Schema:
    return schemas.TABLES_WITH_SCHEMA if command.include_schema else schemas.TABLES


def _arrow(schema: pa.Schema, rows: Iterable[Row]) -> pa.Table:
    """In batches that a driver takes in one message: the columns of thousands of tables are larger."""
    batches: list[pa.RecordBatch] = []
    pending: list[Row] = []
    size = 0
    for row in rows:
        pending.append(row)
        size += sum(len(value) for value in row if isinstance(value, (str, bytes)))
        if size >= _BATCH_BYTES:
            batches.append(_batch(schema, pending))
            pending, size = [], 0
    batches.append(_batch(schema, pending))
    return pa.Table.from_batches(batches, schema)


def _batch(schema: pa.Schema, rows: list[Row]) -> pa.RecordBatch:
    columns = list(zip(*rows, strict=True)) or [()] * len(schema)
    arrays = [pa.array(column, field.type) for column, field in zip(columns, schema, strict=True)]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


COMMANDS: Mapping[type, Metadata] = {
    sql.CommandGetCatalogs: _of_names(_always(schemas.CATALOGS), _catalogs),
    sql.CommandGetDbSchemas: _of_names(_always(schemas.DB_SCHEMAS), _db_schemas),
    sql.CommandGetTables: _of_names(_tables_schema, _tables),
    sql.CommandGetTableTypes: _of_names(_always(schemas.TABLE_TYPES), _table_types),
    sql.CommandGetPrimaryKeys: _of_names(_always(schemas.PRIMARY_KEYS), _primary_keys),
    sql.CommandGetExportedKeys: _of_names(_always(schemas.FOREIGN_KEYS), _no_rows),
    sql.CommandGetImportedKeys: _of_names(_always(schemas.FOREIGN_KEYS), _no_rows),
    sql.CommandGetCrossReference: _of_names(_always(schemas.FOREIGN_KEYS), _no_rows),
    sql.CommandGetXdbcTypeInfo: Metadata(
        _always(schemas.XDBC_TYPES),
        lambda command, statement, coordinator: _arrow(
            schemas.XDBC_TYPES,
            xdbc_types.rows(command.data_type if command.HasField("data_type") else None),
        ),
    ),
    sql.CommandGetSqlInfo: Metadata(
        _always(schemas.SQL_INFO),
        lambda command, statement, coordinator: sql_info.table(command.info, coordinator.config),
    ),
}
