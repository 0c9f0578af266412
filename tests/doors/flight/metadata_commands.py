"""Asks the metadata commands of a connection, as the server does."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from sqe.api.connection import Connection
from sqe.doors.flight.metadata import COMMANDS
from sqe.statement import Statement

PREFIX = b"ARROW:FLIGHT:SQL:"


def ask(connection: Connection, command: Any) -> pa.Table:
    answer = COMMANDS[type(command)]
    table = answer.table(command, Statement("", connection.session), connection.coordinator)
    table.validate(full=True)
    assert table.schema.equals(answer.schema(command), check_metadata=True)
    return table


def rows(connection: Connection, command: Any) -> list[tuple[Any, ...]]:
    return [tuple(row.values()) for row in ask(connection, command).to_pylist()]


def schema_of(message: bytes) -> pa.Schema:
    return pa.ipc.read_schema(pa.py_buffer(message))


def told(field: pa.Field) -> dict[str, str]:
    """What a field's metadata says, by the protocol's names."""
    return {
        key.removeprefix(PREFIX).decode(): value.decode()
        for key, value in (field.metadata or {}).items()
        if key.startswith(PREFIX)
    }
