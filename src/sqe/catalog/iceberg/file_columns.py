"""What hidden columns say of a row's file: its partition as Iceberg writes it, and when it was changed.

Made by the coordinator for all files of a snapshot and joined by the path, so that both lanes say the same.
"""

from __future__ import annotations

import base64
import datetime as dt
import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from urllib.parse import quote_plus

from sqe.catalog.iceberg.manifests import (
    DATA,
    avro_ordinal,
    known_types,
    live_files,
    manifests_of,
    partition_type,
    reading,
)
from sqe.catalog.iceberg.single_values import value
from sqe.catalog.io import file_system
from sqe.errors import NotSupported, Unavailable
from sqe.tree.relations import FILE_MODIFIED_TIME, PARTITION, PATH
from sqe.types import sql_types as t

if TYPE_CHECKING:
    from sqe.catalog.iceberg.table import PartitionField, Table

COLUMNS: dict[str, t.Type] = {PATH: t.VARCHAR, PARTITION: t.VARCHAR, FILE_MODIFIED_TIME: t.TimestampTz(3)}
_EPOCH = dt.datetime(1970, 1, 1)
_MICROSECONDS = 1_000_000
_DAY = 86_400
# The calendar repeats itself after as many years, which are as many days.
_CYCLE_YEARS, _CYCLE_DAYS = 400, 146_097
# Where Java changes to exponents.
_SMALLEST, _LARGEST = 1e-3, 1e7


def rows(table: Table, snapshot_id: int | None, columns: Collection[str]) -> Iterator[tuple[object, ...]]:
    """One for each data file, with a value for each of COLUMNS; a time that is not asked for is None, as it
    may cost a request."""
    snapshot = table.current_snapshot if snapshot_id is None else table.snapshots.get(snapshot_id)
    types = known_types(table)
    seen = set()
    for manifest in manifests_of(snapshot, table):
        fields = table.specs.get(manifest.spec_id, ())
        for file in live_files(manifest, table.name):
            location = file["file_path"]
            if (file.get("content") or DATA) != DATA or location in seen:
                continue
            seen.add(location)
            with reading(table.name):
                partition = partition_path(file["partition"], fields, types)
            modified = _modified(table, location) if FILE_MODIFIED_TIME in columns else None
            yield location, partition, modified


def partition_path(
    partition: Mapping[str, Any], fields: Sequence[PartitionField], types: Mapping[int, t.Type]
) -> str:
    """As Iceberg's PartitionSpec.partitionToPath."""
    return "/".join(f"{_escaped(f.name)}={_escaped(_shown(partition, f, types))}" for f in fields)


def _shown(partition: Mapping[str, Any], field: PartitionField, types: Mapping[int, t.Type]) -> str:
    stored = partition.get(f"_{field.id}")
    if stored is None:
        return "null"
    kind = partition_type(field, types)
    if kind is None:
        raise NotSupported(f"a hidden column cannot say a partition by {field.name}, whose column is gone")
    ordinal = avro_ordinal(stored, kind)
    if isinstance(ordinal, float):
        return _floating(ordinal, kind)
    if isinstance(ordinal, bytes):
        content = value(ordinal, kind)
        return base64.b64encode(content).decode() if isinstance(content, bytes) else str(content)
    match field.transform:
        case "year":
            return f"{1970 + ordinal:04d}"
        case "month":
            return f"{1970 + ordinal // 12:04d}-{ordinal % 12 + 1:02d}"
        case "hour":
            return f"{_day(ordinal // 24)}-{ordinal % 24:02d}"
    match kind:
        case t.BOOLEAN:
            return "true" if ordinal else "false"
        case t.DATE:
            return _day(ordinal)
        case t.Decimal():
            return str(value(ordinal, kind))
        case t.Time(6):
            return _time(ordinal)
        case t.Timestamp(6):
            return _moment(ordinal)
        case t.TimestampTz(6):
            return f"{_moment(ordinal)}+00:00"
        case t.INTEGER | t.BIGINT:
            return str(ordinal)
    raise NotSupported(f"a hidden column cannot say a partition by {field.name}, which is {kind}")


def _year_and_day(days: int) -> tuple[int, dt.date]:
    """The year, and a day that is the same in it as in a year that Python knows."""
    cycles, rest = divmod(days, _CYCLE_DAYS)
    date = (_EPOCH + dt.timedelta(days=rest)).date()
    return date.year + cycles * _CYCLE_YEARS, date


def _day(days: int) -> str:
    year, date = _year_and_day(days)
    return f"{year:04d}-{date:%m-%d}"


def _moment(microseconds: int) -> str:
    """As Java's ISO_LOCAL_DATE_TIME."""
    seconds, fraction = divmod(microseconds, _MICROSECONDS)
    days, rest = divmod(seconds, _DAY)
    year, date = _year_and_day(days)
    sign = "-" if year < 0 else "+" if year > 9999 else ""
    time = f"{rest // 3600:02d}:{rest // 60 % 60:02d}:{rest % 60:02d}"
    digits = f".{fraction:06d}".rstrip("0") if fraction else ""
    return f"{sign}{abs(year):04d}-{date:%m-%d}T{time}{digits}"


def _time(microseconds: int) -> str:
    """As Java's LocalTime: no seconds where there are none, and fractions by three digits."""
    seconds, fraction = divmod(microseconds, _MICROSECONDS)
    text = f"{seconds // 3600:02d}:{seconds // 60 % 60:02d}"
    if not seconds % 60 and not fraction:
        return text
    digits = f".{fraction:06d}".removesuffix("000") if fraction else ""
    return f"{text}:{seconds % 60:02d}{digits}"


def _floating(number: float, kind: t.Type) -> str:
    """As Java writes it."""
    if not math.isfinite(number):
        return "NaN" if number != number else "Infinity" if number > 0 else "-Infinity"
    import numpy as np

    shortest = np.float32(number) if kind == t.REAL else np.float64(number)
    if number == 0 or _SMALLEST <= abs(number) < _LARGEST:
        return np.format_float_positional(shortest, unique=True, trim="0")
    mantissa, _, exponent = np.format_float_scientific(shortest, unique=True, trim="0").partition("e")
    return f"{mantissa}E{int(exponent)}"


def _escaped(text: str) -> str:
    """As Java's URLEncoder."""
    return quote_plus(text, safe="*").replace("~", "%7E")


def _modified(table: Table, location: str) -> dt.datetime:
    try:
        milliseconds = file_system(location, table.storage).modified_ms(location)
    except OSError:
        raise Unavailable(f"a file of table '{table.name}' cannot be looked at") from None
    return (_EPOCH + dt.timedelta(milliseconds=milliseconds)).replace(tzinfo=dt.UTC)
