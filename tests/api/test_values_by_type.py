"""Arrow's values as Python's, each by its SQL type."""

from __future__ import annotations

import datetime as dt
import uuid
import zoneinfo
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

import sqe
from sqe.api.values import rows
from sqe.tree.expressions import Field
from sqe.types import sql_types as t
from sqe.types.arrow import arrow_type

BERLIN = zoneinfo.ZoneInfo("Europe/Berlin")
ID = uuid.UUID("12151fd2-7586-11e9-8f9e-2a86e4085a59")


def python(type_: t.Type, values: list[Any], arrow: pa.DataType | None = None) -> list[Any]:
    column = pa.array(values, arrow or arrow_type(type_))
    batch = pa.record_batch([column], ["c"])
    return [row[0] for row in rows(batch, [Field(1, "c", type_)])]


SAME: list[tuple[t.Type, list[Any]]] = [
    (t.BOOLEAN, [True, False]),
    (t.TINYINT, [-128, 127]),
    (t.SMALLINT, [-32768]),
    (t.INTEGER, [2**31 - 1]),
    (t.BIGINT, [-(2**63)]),
    (t.REAL, [0.5]),
    (t.DOUBLE, [0.1, float("inf")]),
    (t.Decimal(12, 3), [Decimal("1.500"), Decimal("-0.001")]),
    (t.Decimal(38, 0), [Decimal(10**37)]),
    (t.VARCHAR, ["", "ä"]),
    (t.VARBINARY, [b"\0\xff"]),
    (t.Fixed(2), [b"ab"]),
    (t.DATE, [dt.date(1, 1, 1), dt.date(9999, 12, 31)]),
    (t.Time(6), [dt.time(23, 59, 59, 999999)]),
    (t.Timestamp(6), [dt.datetime(1, 1, 1), dt.datetime(9999, 12, 31, 23, 59, 59, 999999)]),
    (t.DAY_SECOND, [dt.timedelta(days=-1, milliseconds=5)]),
    (t.JSON, ['{"a": 1}']),
    (t.UNKNOWN, []),
    (t.Array(t.Decimal(3, 1)), [[Decimal("1.0"), None], []]),
]


@pytest.mark.parametrize(("type_", "values"), SAME, ids=[str(type_) for type_, _ in SAME])
def test_values_that_arrow_has_right(type_: t.Type, values: list[Any]) -> None:
    found = python(type_, [*values, None])
    assert found == [*values, None]
    assert [type(value) for value in found] == [type(value) for value in [*values, None]]
    assert str(found) == str([*values, None])


def test_char_is_padded() -> None:
    assert python(t.Char(4), ["ä", "abcd", None]) == ["ä   ", "abcd", None]


def test_a_uuid() -> None:
    assert python(t.UUID, [str(ID), None]) == [ID, None]


def test_an_interval_of_months_is_text() -> None:
    assert python(t.YEAR_MONTH, [14, -14, 0, 11, None]) == ["1-2", "-1-2", "0-0", "0-11", None]


@pytest.mark.parametrize(
    ("name", "zone", "offset"),
    [
        ("UTC", dt.UTC, 0),
        ("Europe/Berlin", BERLIN, 2),
        ("+01:00", dt.timezone(dt.timedelta(hours=1)), 1),
    ],
)
def test_a_zoned_timestamp_keeps_its_zone(name: str, zone: dt.tzinfo, offset: int) -> None:
    moment = dt.datetime(2020, 7, 1, 12, 0, 0, 1, tzinfo=dt.UTC)
    found, nothing = python(t.TimestampTz(6), [moment, None], pa.timestamp("us", name))
    assert found == moment and nothing is None
    assert found.tzinfo == zone
    assert found.utcoffset() == dt.timedelta(hours=offset)


@pytest.mark.parametrize("type_", [t.Timestamp(9), t.TimestampTz(9)], ids=str)
def test_nanoseconds_are_dropped_only_where_they_are_zero(type_: t.Type) -> None:
    column = pa.array([1_000, None], pa.int64()).view(arrow_type(type_))
    zone = dt.UTC if isinstance(type_, t.TimestampTz) else None
    found = rows(pa.record_batch([column], ["c"]), [Field(1, "c", type_)])
    assert found == [(dt.datetime(1970, 1, 1, 0, 0, 0, 1, tzinfo=zone),), (None,)]
    assert type(found[0][0]) is dt.datetime
    finer = pa.record_batch([pa.array([1_001], pa.int64()).view(arrow_type(type_))], ["c"])
    with pytest.raises(sqe.DataError, match="column 'c' has nanoseconds"):
        rows(finer, [Field(1, "c", type_)])


@pytest.mark.parametrize(
    ("type_", "raw"),
    [
        (t.DATE, pa.array([3_000_000], pa.int32())),
        (t.DATE, pa.array([-800_000], pa.int32())),
        (t.Timestamp(6), pa.array([10**18], pa.int64())),
        (t.TimestampTz(6), pa.array([-(10**17)], pa.int64())),
    ],
    ids=str,
)
def test_years_that_python_has_not(type_: t.Type, raw: pa.Array) -> None:
    batch = pa.record_batch([raw.view(arrow_type(type_))], ["born"])
    with pytest.raises(sqe.DataError, match=r"column 'born' .*1 to 9999") as caught:
        rows(batch, [Field(1, "born", type_)])
    assert caught.value.hint is not None and "CAST it AS varchar" in caught.value.hint


def test_the_edge_of_the_years_in_another_zone() -> None:
    last = dt.datetime(9999, 12, 31, 23, 30, tzinfo=dt.UTC)
    assert python(t.TimestampTz(6), [last]) == [last]
    with pytest.raises(sqe.DataError):
        python(t.TimestampTz(6), [last], pa.timestamp("us", "+01:00"))


ROW = t.Row((t.RowField("id", t.UUID), t.RowField(None, t.Array(t.YEAR_MONTH))))


def test_a_row_is_a_tuple() -> None:
    values = [{"id": str(ID), "field1": [14]}, None, {"id": None, "field1": None}]
    assert python(ROW, values) == [(ID, ["1-2"]), None, (None, None)]


def test_a_map_is_a_dict() -> None:
    type_ = t.Map(t.VARCHAR, ROW)
    values = [[("a", {"id": str(ID), "field1": []}), ("b", None)], [], None]
    assert python(type_, values) == [{"a": (ID, []), "b": None}, {}, None]


def test_keys_that_python_could_not_have() -> None:
    assert python(t.Map(t.Array(t.INTEGER), t.INTEGER), [[([1, 2], 3)]]) == [{(1, 2): 3}]


def test_fields_of_one_name_are_both_there() -> None:
    type_ = t.Row((t.RowField("a", t.INTEGER), t.RowField("a", t.INTEGER)))
    column = pa.StructArray.from_arrays([pa.array([1]), pa.array([2])], ["a", "a"])
    assert rows(pa.record_batch([column], ["c"]), [Field(1, "c", type_)]) == [((1, 2),)]


@pytest.mark.parametrize("start", [0, 1, 2, 3])
@pytest.mark.parametrize(
    ("type_", "values", "wanted"),
    [
        (t.Array(t.UUID), [[str(ID)], None, [], [None, str(ID)]], [[ID], None, [], [None, ID]]),
        (
            t.Map(t.VARCHAR, t.UUID),
            [[("a", str(ID))], None, [], [("b", None), ("c", str(ID))]],
            [{"a": ID}, None, {}, {"b": None, "c": ID}],
        ),
        (
            ROW,
            [{"id": str(ID), "field1": []}, None, {"id": None, "field1": [1]}, None],
            [(ID, []), None, (None, ["0-1"]), None],
        ),
        (t.Array(t.Array(t.UUID)), [[[str(ID)], None], None, [[]], []], [[[ID], None], None, [[]], []]),
    ],
    ids=["array", "map", "row", "nested"],
)
def test_slices_of_nested_columns(start: int, type_: t.Type, values: list[Any], wanted: list[Any]) -> None:
    column = pa.array(values, arrow_type(type_))
    for stop in range(start, 5):
        batch = pa.record_batch([column], ["c"]).slice(start, stop - start)
        assert [row[0] for row in rows(batch, [Field(1, "c", type_)])] == wanted[start:stop]
