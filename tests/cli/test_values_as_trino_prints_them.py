from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from sqe.cli.values import as_json, plain
from sqe.types import sql_types as t

MOMENT = dt.datetime(2024, 1, 2, 3, 4, 5, 123456)
ROW = t.Row((t.RowField("x", t.DATE), t.RowField(None, t.BOOLEAN)))


@pytest.mark.parametrize(
    ("type_", "value", "text"),
    [
        (t.BOOLEAN, True, "true"),
        (t.BIGINT, -(2**63), "-9223372036854775808"),
        (t.Decimal(38, 2), Decimal("1.10"), "1.10"),
        (t.Decimal(38, 10), Decimal("0E-10"), "0.0000000000"),
        (t.DOUBLE, 0.0, "0.0"),
        (t.DOUBLE, -0.0, "-0.0"),
        (t.DOUBLE, 1.0, "1.0"),
        (t.DOUBLE, 123.456, "123.456"),
        (t.DOUBLE, 1e7, "1.0E7"),
        (t.DOUBLE, 9999999.0, "9999999.0"),
        (t.DOUBLE, 0.001, "0.001"),
        (t.DOUBLE, 0.00099, "9.9E-4"),
        (t.DOUBLE, -1.5e300, "-1.5E300"),
        (t.DOUBLE, 5e-324, "5.0E-324"),
        (t.DOUBLE, float("nan"), "NaN"),
        (t.DOUBLE, float("-inf"), "-Infinity"),
        (t.REAL, 0.10000000149011612, "0.1"),
        (t.REAL, 16777216.0, "1.6777216E7"),
        (t.VARCHAR, "a\tb", "a\tb"),
        (t.VARBINARY, b"\x00\xff", "00ff"),
        (t.DATE, dt.date(33, 4, 5), "0033-04-05"),
        (t.Timestamp(0), MOMENT, "2024-01-02 03:04:05"),
        (t.Timestamp(3), MOMENT, "2024-01-02 03:04:05.123"),
        (t.Timestamp(6), MOMENT, "2024-01-02 03:04:05.123456"),
        (t.TimestampTz(3), MOMENT.replace(tzinfo=dt.UTC), "2024-01-02 03:04:05.123 UTC"),
        (t.TimestampTz(0), MOMENT.replace(tzinfo=ZoneInfo("Asia/Tokyo")), "2024-01-02 03:04:05 Asia/Tokyo"),
        (
            t.TimestampTz(0),
            MOMENT.replace(tzinfo=dt.timezone(dt.timedelta(hours=1))),
            "2024-01-02 03:04:05 +01:00",
        ),
        (t.Time(3), dt.time(3, 4, 5, 678000), "03:04:05.678"),
        (t.UUID, bytes(range(16)), "00010203-0405-0607-0809-0a0b0c0d0e0f"),
        (t.YEAR_MONTH, 14, "1-2"),
        (t.YEAR_MONTH, -1, "-0-1"),
        (t.DAY_SECOND, dt.timedelta(days=2, hours=3, milliseconds=5), "2 03:00:00.005"),
        (t.DAY_SECOND, -dt.timedelta(seconds=1), "-0 00:00:01.000"),
        (t.Array(t.INTEGER), [1, None], "[1, null]"),
        (t.Map(t.VARCHAR, t.Array(t.DOUBLE)), [("k", [1e9])], "{k=[1.0E9]}"),
        (ROW, {"x": dt.date(2024, 1, 1), "y": None}, "{x=2024-01-01, field1=null}"),
    ],
)
def test_plain(type_: t.Type, value: Any, text: str) -> None:
    assert plain(type_)(value) == text


@pytest.mark.parametrize(
    ("type_", "value", "text"),
    [
        (t.BOOLEAN, False, "false"),
        (t.BIGINT, 2**63 - 1, "9223372036854775807"),
        (t.Decimal(38, 2), Decimal("12345678901234567890123456789012345.10"),
         "12345678901234567890123456789012345.10"),
        (t.DOUBLE, 1e10, "10000000000.0"),
        (t.DOUBLE, float("nan"), '"NaN"'),
        (t.REAL, 0.10000000149011612, "0.1"),
        (t.VARCHAR, 'é "\n', '"é \\"\\n"'),
        (t.VARBINARY, b"\x01", '"01"'),
        (t.Timestamp(3), MOMENT, '"2024-01-02 03:04:05.123"'),
        (t.Array(t.VARCHAR), ["a", None], '["a", null]'),
        (t.Map(t.INTEGER, t.BOOLEAN), [(1, True)], '{"1": true}'),
        (ROW, {"x": None, "y": True}, '{"x": null, "field1": true}'),
    ],
)  # fmt: skip
def test_as_json(type_: t.Type, value: Any, text: str) -> None:
    assert as_json(type_)(value) == text
