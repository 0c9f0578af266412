"""A value of every SQL type: as SQL, as Arrow's type, and as Python has it."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from typing import Any

import pyarrow as pa

from sqe.foundation.record import record

ZONE = "Europe/Zurich"
LONGEST = "9" * 38


@record
class Value:
    """`sql` is of type `type`, which Arrow has as `arrow`. A table can keep those that are `stored`."""

    name: str
    type: str
    sql: str
    arrow: pa.DataType
    python: Any
    stored: bool = True

    @property
    def typed(self) -> str:
        # Nothing is cast to an interval; its literal has its type.
        return self.sql if self.type.startswith("interval") else f"CAST({self.sql} AS {self.type})"


def _moment(zone: dt.tzinfo | None = None) -> dt.datetime:
    return dt.datetime(2024, 2, 29, 12, 34, 56, 789012, zone)


def _array(of: pa.DataType) -> pa.DataType:
    return pa.list_(pa.field("element", of))


VALUES = (
    Value("yes", "boolean", "true", pa.bool_(), True),
    Value("tiny", "tinyint", "-128", pa.int8(), -128, stored=False),
    Value("small", "smallint", "32767", pa.int16(), 32767, stored=False),
    Value("whole", "integer", "-2147483648", pa.int32(), -(2**31)),
    Value("big", "bigint", "9223372036854775807", pa.int64(), 2**63 - 1),
    Value("float", "real", "1.5e0", pa.float32(), 1.5),
    Value("float_end", "real", "infinity()", pa.float32(), float("inf")),
    Value("double", "double", "4.9e-324", pa.float64(), 5e-324),
    Value("double_end", "double", "-infinity()", pa.float64(), float("-inf")),
    Value("cents", "decimal(5,2)", "-999.99", pa.decimal128(5, 2), Decimal("-999.99")),
    Value("longest", "decimal(38,0)", f"DECIMAL '{LONGEST}'", pa.decimal128(38, 0), Decimal(LONGEST)),
    Value(
        "finest", "decimal(38,38)", f"DECIMAL '-0.{LONGEST}'", pa.decimal128(38, 38), Decimal(f"-0.{LONGEST}")
    ),
    Value("text", "varchar", "'naïve 東京 🙂'", pa.string(), "naïve 東京 🙂"),
    Value("short", "varchar(3)", "'abc'", pa.string(), "abc", stored=False),
    Value("padded", "char(3)", "'ab'", pa.string(), "ab ", stored=False),
    Value("bytes", "varbinary", "X'00FF'", pa.binary(), b"\x00\xff"),
    Value("day", "date", "DATE '0001-01-01'", pa.date32(), dt.date(1, 1, 1)),
    Value(
        "clock",
        "time(6)",
        "TIME '23:59:59.999999'",
        pa.time64("us"),
        dt.time(23, 59, 59, 999999),
        stored=False,
    ),
    Value("local", "timestamp(6)", "TIMESTAMP '2024-02-29 12:34:56.789012'", pa.timestamp("us"), _moment()),
    Value(
        "instant",
        "timestamp(6) with time zone",
        "TIMESTAMP '2024-02-29 12:34:56.789012 UTC'",
        pa.timestamp("us", "UTC"),
        _moment(dt.UTC),
    ),
    Value(
        "id",
        "uuid",
        "UUID '12151fd2-7586-11e9-8f9e-2a86e4085a59'",
        pa.string(),
        "12151fd2-7586-11e9-8f9e-2a86e4085a59",
    ),
    Value("document", "json", """JSON '{"a": [1, null]}'""", pa.string(), '{"a":[1,null]}', stored=False),
    Value(
        "days",
        "interval day to second",
        "INTERVAL '2 03:04:05.006' DAY TO SECOND",
        pa.duration("us"),
        dt.timedelta(2, 11045, 6000),
        stored=False,
    ),
    Value("months", "interval year to month", "INTERVAL '3-2' YEAR TO MONTH", pa.int32(), 38, stored=False),
    Value("list", "array(bigint)", "ARRAY[1, NULL, 3]", _array(pa.int64()), [1, None, 3]),
    Value("empty", "array(varchar)", "ARRAY[]", _array(pa.string()), []),
    Value(
        "map",
        "map(varchar, double)",
        "MAP(ARRAY['a', 'b'], ARRAY[1e0, NULL])",
        pa.map_(pa.string(), pa.float64()),
        [("a", 1.0), ("b", None)],
    ),
    Value(
        "row",
        'row("x" bigint, "y" varchar)',
        "ROW(1, NULL)",
        pa.struct([("x", pa.int64()), ("y", pa.string())]),
        {"x": 1, "y": None},
    ),
    Value(
        "nested",
        'array(row("k" varchar, "v" map(varchar, array(decimal(38,2)))))',
        "ARRAY[ROW('k', MAP(ARRAY['m'], ARRAY[ARRAY[1.25, NULL]])), NULL]",
        _array(pa.struct([("k", pa.string()), ("v", pa.map_(pa.string(), _array(pa.decimal128(38, 2))))])),
        [{"k": "k", "v": [("m", [Decimal("1.25"), None])]}, None],
    ),
)
STORED = tuple(value for value in VALUES if value.stored)
