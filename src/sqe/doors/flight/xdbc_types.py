"""The types of our SQL as ODBC and JDBC describe types; numbers are those of the protocol's enumerations."""

from __future__ import annotations

from collections.abc import Iterator

from sqe.doors.flight.column_metadata import is_case_sensitive, size_of
from sqe.foundation.record import record
from sqe.types import sql_types as t
from sqe.types.jdbc import CHAR, DECIMAL, TIMESTAMP, VARBINARY, VARCHAR, jdbc_type

_UNKNOWN, _BIT = 0, -7
_DATETIME, _INTERVAL = 9, 10
_NULLABLE = 1
_BASIC, _FULL = 2, 3
# A year or a day has nine digits at most.
_INTERVAL_DIGITS = 9
_FINEST = 6
_LONGEST_CHAR = 65536
Row = tuple[object, ...]


@record
class XdbcType:
    """`number` is what a driver asks for. `general` stands for all dates and times, or all intervals, and
    `subcode` says which; `literal` is what stands before and after a value."""

    kind: t.Type
    number: int
    literal: tuple[str | None, str | None] = (None, None)
    parameters: tuple[str, ...] = ()
    scales: tuple[int | None, int | None] = (None, None)
    radix: int | None = None
    general: int | None = None
    subcode: int | None = None

    @property
    def name(self) -> str:
        """Without its parameters."""
        before, _, rest = str(self.kind).partition("(")
        return before + rest.partition(")")[2]


def _integer(kind: t.Type) -> XdbcType:
    return XdbcType(kind, jdbc_type(kind), scales=(0, 0), radix=10)


def _moment(kind: t.Type, word: str, subcode: int) -> XdbcType:
    fine = not isinstance(kind, t.Simple)
    return XdbcType(
        kind,
        # The protocol has no number of its own for timestamps with a zone.
        TIMESTAMP if isinstance(kind, t.TimestampTz) else jdbc_type(kind),
        literal=(f"{word} '", "'"),
        parameters=("precision",) if fine else (),
        scales=(0, _FINEST) if fine else (None, None),
        general=_DATETIME,
        subcode=subcode,
    )


_ANY = t.UNKNOWN
# ODBC takes the first type of a number: what cannot be stored in its place has none of its own.
TYPES: tuple[XdbcType, ...] = (
    XdbcType(t.BOOLEAN, _BIT),
    _integer(t.TINYINT),
    _integer(t.SMALLINT),
    _integer(t.INTEGER),
    _integer(t.BIGINT),
    XdbcType(t.REAL, jdbc_type(t.REAL), radix=2),
    XdbcType(t.DOUBLE, jdbc_type(t.DOUBLE), radix=2),
    XdbcType(t.Decimal(38, 0), DECIMAL, parameters=("precision", "scale"), scales=(0, 38), radix=10),
    XdbcType(t.VARCHAR, VARCHAR, literal=("'", "'"), parameters=("length",)),
    XdbcType(t.Char(_LONGEST_CHAR), CHAR, literal=("CHAR '", "'"), parameters=("length",)),
    XdbcType(t.VARBINARY, VARBINARY, literal=("X'", "'")),
    _moment(t.DATE, "DATE", 1),
    _moment(t.Time(_FINEST), "TIME", 2),
    _moment(t.Timestamp(_FINEST), "TIMESTAMP", 3),
    _moment(t.TimestampTz(_FINEST), "TIMESTAMP", 5),
    XdbcType(t.YEAR_MONTH, 107, literal=("INTERVAL '", "' YEAR TO MONTH"), general=_INTERVAL, subcode=7),
    XdbcType(t.DAY_SECOND, 110, literal=("INTERVAL '", "' DAY TO SECOND"), general=_INTERVAL, subcode=10),
    XdbcType(t.UUID, _UNKNOWN, literal=("UUID '", "'")),
    XdbcType(t.JSON, _UNKNOWN, literal=("JSON '", "'")),
    XdbcType(t.Array(_ANY), _UNKNOWN),
    XdbcType(t.Map(_ANY, _ANY), _UNKNOWN),
    XdbcType(t.Row(()), _UNKNOWN),
    XdbcType(t.UNKNOWN, _UNKNOWN),
)


def rows(number: int | None) -> Iterator[Row]:
    """All types, or those of one number, in the protocol's order."""
    for entry in sorted(TYPES, key=lambda entry: (entry.number, entry.name)):
        if number in (None, entry.number):
            yield _row(entry)


def _row(entry: XdbcType) -> Row:
    kind = entry.kind
    signed = None if entry.radix is None else False
    return (
        entry.name,
        entry.number,
        size_of(kind),
        *entry.literal,
        list(entry.parameters) or None,
        _NULLABLE,
        is_case_sensitive(kind),
        _FULL if isinstance(kind, (t.Varchar, t.Char)) else _BASIC,
        signed,
        False,
        signed,
        None,
        *entry.scales,
        entry.number if entry.general is None else entry.general,
        entry.subcode,
        entry.radix,
        _INTERVAL_DIGITS if entry.general == _INTERVAL else None,
    )
