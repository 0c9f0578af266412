"""Constants keep their value and their type, and none can end its own quotes."""

from __future__ import annotations

import datetime as dt
import re
from decimal import Decimal

import pytest

from sqe.engine.spark.literals import literal, string
from sqe.errors import InvalidArgument
from sqe.types import sql_types as t
from sqe.types.sql_types import Type


@pytest.mark.parametrize(
    ("value", "of", "text"),
    [
        (None, t.UNKNOWN, "CAST(NULL AS STRING)"),
        (None, t.Decimal(12, 2), "CAST(NULL AS DECIMAL(12,2))"),
        (True, t.BOOLEAN, "true"),
        (5, t.TINYINT, "5Y"),
        (5, t.SMALLINT, "5S"),
        (-5, t.INTEGER, "(-5)"),
        (-9223372036854775808, t.BIGINT, "(-9223372036854775808L)"),
        (1.5, t.DOUBLE, "1.5D"),
        (-0.0, t.DOUBLE, "(-0.0D)"),
        (1e300, t.DOUBLE, "1e+300D"),
        (float("nan"), t.DOUBLE, "double('NaN')"),
        (float("-inf"), t.REAL, "float('-Infinity')"),
        (0.5, t.REAL, "CAST(0.5D AS FLOAT)"),
        (Decimal("1.5"), t.Decimal(3, 2), "1.50BD"),
        (Decimal("0.05"), t.Decimal(3, 2), "CAST(0.05BD AS DECIMAL(3,2))"),
        (Decimal("-1.5"), t.Decimal(38, 10), "CAST((-1.5000000000BD) AS DECIMAL(38,10))"),
        (Decimal("0"), t.Decimal(1, 0), "0BD"),
        (7, t.Decimal(3, 0), "CAST(7BD AS DECIMAL(3,0))"),
        (Decimal("1E+5"), t.Decimal(6, 0), "100000BD"),
        ("ab", t.Varchar(2), "'ab'"),
        ("ab", t.Char(4), "'ab  '"),
        (b"\x00\xff", t.VARBINARY, "X'00FF'"),
        (dt.date(2020, 2, 29), t.DATE, "DATE '2020-02-29'"),
        (dt.datetime(2020, 1, 2, 3, 4, 5, 6), t.Timestamp(6), "TIMESTAMP_NTZ '2020-01-02 03:04:05.000006'"),
        (dt.time(1, 2, 3), t.Time(0), "TIME '01:02:03'"),
        (14, t.YEAR_MONTH, "INTERVAL '1-2' YEAR TO MONTH"),
        (-14, t.YEAR_MONTH, "INTERVAL '-1-2' YEAR TO MONTH"),
        (
            dt.timedelta(days=1, hours=2, microseconds=3),
            t.DAY_SECOND,
            "INTERVAL '1 02:00:00.000003' DAY TO SECOND",
        ),
        (dt.timedelta(seconds=-1), t.DAY_SECOND, "INTERVAL '-0 00:00:01.000000' DAY TO SECOND"),
        ("12151fd2-7586-11e9-8f9e-2a86e4085a59", t.UUID, "'12151fd2-7586-11e9-8f9e-2a86e4085a59'"),
    ],
)
def test_a_constant_carries_its_type(value: object, of: Type, text: str) -> None:
    assert literal(value, of) == text


def test_a_zoned_timestamp_is_an_instant() -> None:
    moment = dt.datetime(2020, 1, 1, 1, tzinfo=dt.timezone(dt.timedelta(hours=2)))
    assert literal(moment, t.TimestampTz(3)) == "TIMESTAMP_LTZ '2019-12-31 23:00:00+00:00'"


def test_a_text_stays_between_its_quotes() -> None:
    nasty = "'; DROP TABLE x; --\\' \\ \0\n\r\t\x1a\u2028{over}{0}${env:HOME} \N{SNOWMAN} \U0001d11e"
    text = string(nasty)
    assert re.fullmatch(r"'(?:\\(?:[\\']|u[0-9a-f]{4})|[^'\\])*'", text)
    assert not re.search(r"[{}\x00-\x1f\u2028]", text)
    unescaped = re.sub(r"\\u(....)|\\(.)", lambda m: chr(int(m[1], 16)) if m[1] else m[2], text[1:-1])
    assert unescaped == nasty


def test_half_a_character_is_refused() -> None:
    with pytest.raises(InvalidArgument):
        string("\ud83d")
