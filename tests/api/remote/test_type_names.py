"""A type's name is read as the type that has it."""

from __future__ import annotations

import pytest

from sqe.api.remote.type_names import type_of
from sqe.errors import InternalError
from sqe.types import sql_types as t
from sqe.types.arrow import arrow_type

TYPES: list[t.Type] = [
    *(t.BOOLEAN, *t.INTEGERS, *t.APPROXIMATE, t.VARBINARY, t.DATE, t.UUID, t.JSON, t.UNKNOWN),
    *(t.YEAR_MONTH, t.DAY_SECOND, t.VARCHAR, t.Varchar(0), t.Varchar(7), t.Char(3), t.Decimal(38, 10)),
    *(
        t.Time(3),
        t.Timestamp(6),
        t.TimestampTz(3),
        t.TimestampTz(9, "Europe/Berlin"),
        t.TimestampTz(0, "+05:30"),
    ),
    t.constant_time("time", 0, zoned=True),
    t.constant_time("timestamp", 12, zoned=False),
    t.Array(t.constant_time("timestamp", 3, zoned=True)),
    t.Array(t.Array(t.TimestampTz(3, "Asia/Tokyo"))),
    t.Map(
        t.Varchar(1),
        t.Row((t.RowField(None, t.DAY_SECOND), t.RowField(None, t.TimestampTz(3, "Asia/Tokyo")))),
    ),
    t.Row((t.RowField("a", t.INTEGER), t.RowField(None, t.Decimal(3, 1)), t.RowField("date", t.DATE))),
    t.Row((t.RowField('A "b", (c)', t.Array(t.JSON)), t.RowField("interval", t.YEAR_MONTH))),
    t.Row(
        (t.RowField("time", t.Time(3)), t.RowField("varchar", t.VARCHAR), t.RowField("row", t.Array(t.DATE)))
    ),
]


@pytest.mark.parametrize("kind", TYPES, ids=str)
def test_every_name_is_read_back(kind: t.Type) -> None:
    assert type_of(str(kind), arrow_type(kind)) == kind


@pytest.mark.parametrize(
    "name", ["", "thing", "array", "array(", "decimal(1)", "row(a", "integer)", "time(x)"]
)
def test_other_names_are_refused(name: str) -> None:
    with pytest.raises(InternalError, match="not known"):
        type_of(name, None)
