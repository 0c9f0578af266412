"""What PEP 249 asks of the module: its globals, exceptions, type objects and constructors."""

from __future__ import annotations

import datetime as dt
from typing import NamedTuple

from sqe.errors import (
    DatabaseError,
    DataError,
    IntegrityError,
    InterfaceError,
    InternalError,
    NotSupportedError,
    OperationalError,
    ProgrammingError,
    SqeError,
)

__all__ = [
    "BINARY",
    "DATETIME",
    "NUMBER",
    "ROWID",
    "STRING",
    "Binary",
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
    "Time",
    "TimeFromTicks",
    "Timestamp",
    "TimestampFromTicks",
    "Warning",
    "apilevel",
    "paramstyle",
    "threadsafety",
]

apilevel = "2.0"
# Threads may share connections; a cursor belongs to one thread, save for its cancel() and progress().
threadsafety = 2
paramstyle = "qmark"

Error = SqeError


class Warning(Exception):
    """What a user should know of a statement that was run all the same; never raised."""


class TypeObject:
    """Equal to the name of each SQL type of its kind: `description[0].type_code == sqe.NUMBER`."""

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, name: str, *types: str) -> None:
        self._name = name
        self._types = types

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, str):
            return self is other
        return other.split("(")[0].split(" ")[0] in self._types

    def __repr__(self) -> str:
        return f"sqe.{self._name}"


STRING = TypeObject("STRING", "varchar", "char", "json")
BINARY = TypeObject("BINARY", "varbinary")
NUMBER = TypeObject("NUMBER", "tinyint", "smallint", "integer", "bigint", "decimal", "real", "double")
DATETIME = TypeObject("DATETIME", "date", "time", "timestamp", "interval")
# Rows have no identity of their own.
ROWID = TypeObject("ROWID")

Date = dt.date
Time = dt.time
Timestamp = dt.datetime
Binary = bytes


def DateFromTicks(ticks: float) -> dt.date:
    return dt.date.fromtimestamp(ticks)


def TimeFromTicks(ticks: float) -> dt.time:
    return dt.datetime.fromtimestamp(ticks).time()


def TimestampFromTicks(ticks: float) -> dt.datetime:
    return dt.datetime.fromtimestamp(ticks)


class Column(NamedTuple):
    """One column of a cursor's description. `type_code` is the name of its SQL type; `precision` is that
    of a decimal, or the digits of a second."""

    name: str
    type_code: str
    display_size: int | None = None
    internal_size: int | None = None
    precision: int | None = None
    scale: int | None = None
    null_ok: bool | None = None


class Progress(NamedTuple):
    """How far a statement is: tasks done, tasks in all, rows that have arrived."""

    done: int
    total: int
    rows: int
