"""SQE, the Sovereign Query Engine: Iceberg-first SQL with Spark behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from sqe.api.dbapi import (
    BINARY,
    DATETIME,
    NUMBER,
    ROWID,
    STRING,
    Binary,
    DatabaseError,
    DataError,
    Date,
    DateFromTicks,
    Error,
    IntegrityError,
    InterfaceError,
    InternalError,
    NotSupportedError,
    OperationalError,
    ProgrammingError,
    Time,
    TimeFromTicks,
    Timestamp,
    TimestampFromTicks,
    Warning,
    apilevel,
    paramstyle,
    threadsafety,
)
from sqe.errors import SqeError
from sqe.foundation.version import __version__ as __version__

if TYPE_CHECKING:
    from sqe.api.connection import Connection, Cursor, connect

__all__ = [
    "BINARY",
    "DATETIME",
    "NUMBER",
    "ROWID",
    "STRING",
    "Binary",
    "Connection",
    "Cursor",
    "DataError",
    "DatabaseError",
    "Date",
    "DateFromTicks",
    "Error",
    "IntegrityError",
    "InterfaceError",
    "InternalError",
    "NotSupportedError",
    "OperationalError",
    "ProgrammingError",
    "SqeError",
    "Time",
    "TimeFromTicks",
    "Timestamp",
    "TimestampFromTicks",
    "Warning",
    "apilevel",
    "connect",
    "paramstyle",
    "threadsafety",
]


def __getattr__(name: str) -> Any:
    # `import sqe` stays cheap: the engine is imported by the first `sqe.connect`.
    if name in ("connect", "Connection", "Cursor"):
        from sqe.api import connection

        return getattr(connection, name)
    raise AttributeError(f"module 'sqe' has no attribute {name!r}")
