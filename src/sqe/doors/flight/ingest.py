"""Bulk ingest: the rows of a stream, staged as Parquet, then written to a table in one commit."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pyarrow.types as pt

from sqe.bind.query.files import type_of
from sqe.catalog.names import Visible
from sqe.coordinator import Coordinator
from sqe.doors.flight.coerce_batches import coerce_batches
from sqe.doors.flight.flight_sql_pb2 import CommandStatementIngest
from sqe.doors.flight.stream import Received
from sqe.errors import (
    AlreadyExists,
    InvalidArgument,
    LimitExceeded,
    NotFound,
    NotSupported,
    SqeError,
)
from sqe.foundation.identifiers import quoted
from sqe.observe.request_ids import request_ids
from sqe.policy.secure import Guard
from sqe.results.result import spool_failure
from sqe.server.calls import Call
from sqe.server.clients import Clients
from sqe.session import Session
from sqe.statement import Statement, run
from sqe.tree.names import expands
from sqe.tree.relations import TableName
from sqe.types.sql_types import Type

# What stands for the stream in the statement that writes it.
STREAM = "$stream.parquet"
ROW_GROUP_BYTES = 64 << 20
_Options = CommandStatementIngest.TableDefinitionOptions


class Ingest:
    def __init__(self, clients: Clients) -> None:
        self._running = clients.running
        self._questions = clients.questions
        self._coordinator = clients.coordinator

    def run(self, call: Call, command: Any, first: Any, messages: Iterator[Any]) -> int:
        """How many rows were written. Nothing is written before the whole stream is there."""
        session = call.session.session
        missing, present = _table_options(command)
        table = self._table(command, session)
        # Said before a gigabyte is sent.
        appended = present == _Options.TABLE_EXISTS_OPTION_APPEND
        columns = self._questions.answer(
            call.session,
            f"Ingest: {table}",
            client=call.client,
            label="metadata",
            work=lambda statement: self._columns(table, session, appended=appended),
        )
        exists = columns is not None
        if exists and present == _Options.TABLE_EXISTS_OPTION_FAIL:
            raise AlreadyExists(f"table '{table}' already exists")
        if not exists and missing == _Options.TABLE_NOT_EXIST_OPTION_FAIL:
            raise NotFound(f"table '{table}' does not exist")
        stream = Received(
            first,
            messages,
            largest=self._coordinator.config.server.max_ingest_size,
            limit="coordinator.max_ingest_size",
        )
        received = stream.batches()
        if received is None:
            raise InvalidArgument("no rows and no columns were sent")
        schema, batches = received
        nulls: set[str] = set()
        if columns is not None and appended:
            nulls = {
                field.name for field in schema if pt.is_null(field.type) and field.name.lower() in columns
            }
            schema, batches = coerce_batches(schema, batches, columns)
        target = storable(schema)
        with Staged(self._coordinator, session.identity.who) as staged:
            rows = staged.write(batches, target)
            written = self._write(call, table, target, nulls, str(staged.path), exists, present)
        return rows if written is None else written

    def _write(
        self,
        call: Call,
        table: TableName,
        schema: pa.Schema,
        nulls: set[str],
        path: str,
        exists: bool,
        present: int,
    ) -> int | None:
        name = ".".join(map(quoted, (table.catalog, *table.namespace, table.name)))
        columns = ", ".join(map(quoted, schema.names))
        values = ", ".join(
            "NULL" if field.name in nulls else f"{_read(number, field)} AS {quoted(field.name)}"
            for number, field in enumerate(schema)
        )
        rows = f"SELECT {values} FROM '{STREAM}'"
        if not exists:
            text = f"CREATE TABLE {name} AS {rows}"
        elif present == _Options.TABLE_EXISTS_OPTION_REPLACE:
            text = f"CREATE OR REPLACE TABLE {name} AS {rows}"
        else:
            text = f"INSERT INTO {name} ({columns}) {rows}"
        statement = Statement(
            text, call.session.session, staged={STREAM: (path,)}, request=request_ids(call.client.headers)
        )
        try:
            with self._running.attended(statement, call.client):
                run(statement, self._coordinator)
        except SqeError as error:
            # The client never saw the statement.
            error.position = None
            error.hint = None if error.hint == "add a CAST" else error.hint
            raise
        return statement.updated

    def _table(self, command: Any, session: Session) -> TableName:
        if not command.table:
            raise InvalidArgument("a table needs a name")
        if command.temporary:
            raise NotSupported("there are no temporary tables")
        if command.options:
            raise InvalidArgument(f"there is no option '{min(command.options)}' of an ingest")
        catalog = self._coordinator.catalogs_of(session).get(command.catalog or session.catalog)
        namespace = tuple(command.schema.split(".")) if command.schema else session.namespace
        return TableName(catalog.name, namespace, command.table)

    def _columns(self, table: TableName, session: Session, *, appended: bool) -> dict[str, Type] | None:
        """None where there is no such table. By their names in lower case; those that cannot be told apart by
        it are left out. Of a table that is not appended to, or that the user sees but part of, nothing is
        said: writing to the latter is refused."""
        catalog = self._coordinator.catalogs_of(session).get(table.catalog)
        visible = self._visible(table, session)
        try:
            if not appended:
                # Its metadata need not be readable.
                catalog.find_table_name(table.namespace, table.name, visible=visible)
                return {}
            stored = catalog.find_table(table.namespace, table.name, visible=visible)
        except NotFound as error:
            if error.code == "SCHEMA_NOT_FOUND":
                raise
            return None
        if not Guard(self._coordinator.policy, session.identity).sees_all_of(stored.name):
            return {}
        names = Counter(column.name.lower() for column in stored.columns)
        return {c.name.lower(): c.type for c in stored.columns if names[c.name.lower()] == 1}

    def _visible(self, table: TableName, session: Session) -> Visible:
        guard = Guard(self._coordinator.policy, session.identity)

        def visible(namespace: tuple[str, ...], name: str | None) -> bool:
            return name is None or guard.exists(TableName(table.catalog, namespace, name))

        return visible


class Staged:
    """A private file of rows, counted with the user's spools and removed in any case."""

    def __init__(self, coordinator: Coordinator, user: str) -> None:
        self._spools = coordinator.spools
        self._user = user
        self._counted = 0
        self.path = Path()

    def __enter__(self) -> Staged:
        self.path, descriptor = self._spools.new_file()
        os.close(descriptor)
        return self

    def __exit__(self, *_: object) -> None:
        self.path.unlink(missing_ok=True)
        self._spools.release(self._user, self._counted)

    def write(self, batches: Iterator[pa.RecordBatch], schema: pa.Schema) -> int:
        try:
            return self._write(batches, schema)
        except (pa.ArrowException, OSError) as error:
            raise _unwritable(error) from None

    def _write(self, batches: Iterator[pa.RecordBatch], schema: pa.Schema) -> int:
        rows = 0
        pending: list[pa.RecordBatch] = []
        size = 0
        staged = neutral(schema)
        with pq.ParquetWriter(self.path, staged, compression="zstd", compression_level=1) as writer:
            for batch in batches:
                rows += batch.num_rows
                pending.append(_renamed(_stored(batch, schema), staged))
                size += pending[-1].nbytes
                # Small batches would be as many row groups.
                if size >= ROW_GROUP_BYTES:
                    self._flush(writer, pending, staged)
                    pending, size = [], 0
            self._flush(writer, pending, staged)
        return rows

    def _flush(self, writer: pq.ParquetWriter, batches: list[pa.RecordBatch], schema: pa.Schema) -> None:
        if not batches:
            return
        writer.write_table(pa.Table.from_batches(batches, schema))
        grown = self.path.stat().st_size - self._counted
        if grown > 0:
            self._spools.reserve(self._user, grown)
            self._counted += grown


def storable(schema: pa.Schema) -> pa.Schema:
    """The columns as a table can have them; NotSupported names one that it cannot."""
    if not schema.names:
        raise InvalidArgument("no columns were sent")
    seen: set[str] = set()
    for name in schema.names:
        if not name.strip():
            raise InvalidArgument("there is a column without a name", code="INVALID_COLUMN_NAME")
        if name.lower() in seen:
            raise InvalidArgument(f"there are two columns '{name}'", code="DUPLICATE_COLUMN_NAME")
        seen.add(name.lower())
    return pa.schema([pa.field(field.name, _storable(field.type, field.name)) for field in schema])


def neutral(schema: pa.Schema) -> pa.Schema:
    """The same with names of ours: what an engine makes of a name in a file is not for the client to try."""
    return pa.schema([pa.field(_column(number), _neutral(f)) for number, f in enumerate(schema)])


def _column(number: int) -> str:
    return f"c{number}"


def _neutral(field: pa.Field) -> pa.DataType:
    return _unnamed(field.type) if expands("", type_of(field.type, field.name, None)) else field.type


def _unnamed(kind: pa.DataType) -> pa.DataType:
    if pt.is_list(kind):
        return pa.list_(pa.field("element", _unnamed(kind.value_type)))
    if pt.is_map(kind):
        return pa.map_(_unnamed(kind.key_type), _unnamed(kind.item_type))
    if pt.is_struct(kind):
        return pa.struct([pa.field(_column(number), _unnamed(f.type)) for number, f in enumerate(kind)])
    return kind


def _renamed(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    if batch.schema.types == schema.types:
        return pa.RecordBatch.from_arrays(batch.columns, schema=schema)
    # The same bytes under other names: Arrow has no cast that goes by position.
    return pa.ipc.read_record_batch(batch.serialize(), schema)


def _read(number: int, field: pa.Field) -> str:
    """A column of the staged file, with the names inside its type put back."""
    column, kind = quoted(_column(number)), type_of(field.type, field.name, None)
    return f"CAST({column} AS {kind})" if expands("", kind) else column


def _storable(kind: pa.DataType, name: str) -> pa.DataType:
    if pt.is_dictionary(kind):
        return _storable(kind.value_type, name)
    if pt.is_string_view(kind) or pt.is_large_string(kind):
        return pa.string()
    if pt.is_binary_view(kind) or pt.is_large_binary(kind) or pt.is_fixed_size_binary(kind):
        return pa.binary()
    if pt.is_timestamp(kind):
        return pa.timestamp("us", "UTC" if kind.tz else None)
    if pt.is_date64(kind):
        return pa.date32()
    if pt.is_float16(kind):
        return pa.float32()
    if pt.is_uint8(kind):
        return pa.int16()
    if pt.is_uint16(kind):
        return pa.int32()
    if pt.is_uint32(kind):
        return pa.int64()
    if pt.is_uint64(kind):
        return pa.decimal128(20, 0)
    if pt.is_decimal(kind) and kind.precision <= 38 and 0 <= kind.scale <= kind.precision:
        return pa.decimal128(kind.precision, kind.scale)
    if pt.is_list(kind) or pt.is_large_list(kind) or pt.is_fixed_size_list(kind):
        return pa.list_(pa.field("element", _storable(kind.value_type, name)))
    if pt.is_map(kind):
        return pa.map_(_storable(kind.key_type, name), _storable(kind.item_type, name))
    if pt.is_struct(kind):
        return pa.struct([pa.field(f.name, _storable(f.type, f"{name}.{f.name}")) for f in kind])
    try:
        type_of(kind, name, None)
    except SqeError:
        raise NotSupported(f"column '{name}': a table cannot have values of Arrow's type {kind}") from None
    return kind


def _stored(batch: pa.RecordBatch, schema: pa.Schema) -> pa.RecordBatch:
    columns = []
    for column, field in zip(batch.columns, schema, strict=True):
        try:
            if pt.is_dictionary(column.type):
                column = column.dictionary_decode()
            columns.append(column if column.type == field.type else column.cast(field.type))
        except pa.ArrowException:
            raise InvalidArgument(
                f"column '{field.name}': a value of Arrow's type {column.type} does not fit into"
                f" {field.type}",
                code="NUMERIC_VALUE_OUT_OF_RANGE",
            ) from None
    return pa.RecordBatch.from_arrays(columns, schema=schema)


def _unwritable(error: Exception) -> SqeError:
    if isinstance(error, MemoryError):
        return LimitExceeded("out of memory")
    # Arrow has OSErrors of its own, too.
    if isinstance(error, OSError) and error.errno is not None:
        return spool_failure(error)
    return NotSupported("some column is of a type, or has values, that Parquet cannot have")


def _table_options(command: Any) -> tuple[int, int]:
    options = command.table_definition_options
    missing, present = options.if_not_exist, options.if_exists
    if missing not in (
        _Options.TABLE_NOT_EXIST_OPTION_CREATE,
        _Options.TABLE_NOT_EXIST_OPTION_FAIL,
    ) or present not in (
        _Options.TABLE_EXISTS_OPTION_FAIL,
        _Options.TABLE_EXISTS_OPTION_APPEND,
        _Options.TABLE_EXISTS_OPTION_REPLACE,
    ):
        raise InvalidArgument("an ingest says what to do if the table exists, and if it does not")
    return missing, present
