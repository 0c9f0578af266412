"""A type is read from its name, and from nothing else."""

from __future__ import annotations

import pytest

from sqe.types import sql_types as t
from sqe.types.text import read_type


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("decimal(10,2)", t.Decimal(10, 2)),
        ("decimal(10, 2)", t.Decimal(10, 2)),
        ("varchar", t.VARCHAR),
        ("timestamp(3) with time zone", t.TimestampTz(3)),
        ("interval day to second", t.DAY_SECOND),
        (
            'row(a integer, "b ""c" array(varchar))',
            t.Row((t.RowField("a", t.INTEGER), t.RowField('b "c', t.Array(t.VARCHAR)))),
        ),
        ("Geometry", t.GEOMETRY),
        ("array(BingTile)", t.Array(t.BING_TILE)),
        ("map(integer, qdigest(real))", t.Map(t.INTEGER, t.Q_DIGESTS[t.REAL])),
        ("row(date date, date)", t.Row((t.RowField("date", t.DATE), t.RowField(None, t.DATE)))),
        ("map(uuid, row(interval year to month))", t.Map(t.UUID, t.Row((t.RowField(None, t.YEAR_MONTH),)))),
    ],
)
def test_a_name_and_its_type(text: str, kind: t.Type) -> None:
    assert read_type(text) == kind


@pytest.mark.parametrize(
    "text",
    [
        *("", " ", "thing", "INTEGER", "array", "array(", "array()", "decimal(1)", "decimal(-1, 0)"),
        *("row(a", "integer)", "integer integer", "time(x)", "time(٣)", "timestamp(3) with time"),
        *('row("a integer)', "map(integer)", "varchar(1, 2)", "interval day", "date(3)"),
    ],
)
def test_what_is_no_name_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="there is no type"):
        read_type(text)
