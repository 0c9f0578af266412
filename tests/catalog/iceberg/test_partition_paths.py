"""Partitions as Iceberg writes them in paths; what is expected was recorded from Trino 476."""

from __future__ import annotations

from typing import Any

import pytest

from sqe.catalog.iceberg.file_columns import partition_path
from sqe.catalog.iceberg.table import PartitionField
from sqe.errors import NotSupported
from sqe.types import sql_types as t

_DAY_1960, _DAY_2020 = -3653, 18262
_SECOND = 1_000_000
_UUID = "12151fd2-7586-11e9-8f9e-2a86e4085a59"
_MORNING = 3 * 3600 + 4 * 60

CASES: list[tuple[t.Type, str, Any, str]] = [
    (t.INTEGER, "identity", -3, "-3"),
    (t.INTEGER, "bucket[3]", 0, "0"),
    (t.BOOLEAN, "identity", True, "true"),
    (t.VARCHAR, "identity", "", ""),
    (t.VARCHAR, "identity", None, "null"),
    (t.VARCHAR, "identity", "x y/ü=&", "x+y%2F%C3%BC%3D%26"),
    (t.VARCHAR, "identity", "a+b~*-._c'\"", "a%2Bb%7E*-._c%27%22"),
    (t.VARCHAR, "truncate[2]", "é😀", "%C3%A9%F0%9F%98%80"),
    (t.VARBINARY, "identity", b"\x0a\xff", "Cv8%3D"),
    (t.VARBINARY, "identity", b"", ""),
    (t.UUID, "identity", bytes.fromhex(_UUID.replace("-", "")), _UUID),
    (t.Decimal(10, 2), "identity", (150).to_bytes(2, "big"), "1.50"),
    (t.Decimal(10, 2), "identity", b"\x00", "0.00"),
    (t.Decimal(10, 2), "identity", (-5).to_bytes(1, "big", signed=True), "-0.05"),
    (t.REAL, "identity", 0.1, "0.1"),
    (t.REAL, "identity", 1e7, "1.0E7"),
    (t.REAL, "identity", 3.4e38, "3.4E38"),
    (t.DOUBLE, "identity", 0.001, "0.001"),
    (t.DOUBLE, "identity", -1e-7, "-1.0E-7"),
    (t.DOUBLE, "identity", 123456789.125, "1.23456789125E8"),
    (t.DOUBLE, "identity", 1e20, "1.0E20"),
    (t.DOUBLE, "identity", float("nan"), "NaN"),
    (t.DATE, "identity", _DAY_2020 + 1, "2020-01-02"),
    (t.DATE, "identity", -735598, "-044-01-02"),
    (t.DATE, "identity", 3679454, "12044-01-02"),
    (t.DATE, "year", -2930, "-960"),
    (t.DATE, "year", 17630, "19600"),
    (t.DATE, "month", 50 * 12, "2020-01"),
    (t.DATE, "month", -10 * 12, "1960-01"),
    (t.DATE, "month", -2014 * 12, "-044-01"),
    (t.TimestampTz(6), "day", _DAY_1960 + 1, "1960-01-02"),
    (t.Timestamp(6), "hour", (_DAY_1960 + 1) * 24 + 3, "1960-01-02-03"),
    (t.Time(6), "identity", (3600 + 120) * _SECOND, "01%3A02"),
    (t.Time(6), "identity", 3723_500_000, "01%3A02%3A03.500"),
    (t.Time(6), "identity", 3723_123_456, "01%3A02%3A03.123456"),
    (t.Timestamp(6), "identity", -1, "1969-12-31T23%3A59%3A59.999999"),
    (t.Timestamp(6), "identity", ((_DAY_1960 + 1) * 86400 + _MORNING) * _SECOND, "1960-01-02T03%3A04%3A00"),
    (t.Timestamp(6), "identity", 3679527 * 86400 * _SECOND, "%2B12044-03-15T00%3A00%3A00"),
    (t.Timestamp(6), "identity", -735525 * 86400 * _SECOND, "-0044-03-15T00%3A00%3A00"),
    (
        t.TimestampTz(6),
        "identity",
        ((_DAY_2020 + 1) * 86400 + _MORNING) * _SECOND + 5_600_000,
        "2020-01-02T03%3A04%3A05.6%2B00%3A00",
    ),
]  # fmt: skip


@pytest.mark.parametrize(("kind", "transform", "stored", "expected"), CASES)
def test_values_are_written_as_java_does(kind: t.Type, transform: str, stored: Any, expected: str) -> None:
    field = PartitionField(1000, 1, "my col", transform)
    assert partition_path({"_1000": stored}, (field,), {1: kind}) == f"my+col={expected}"


def test_a_table_without_partitions_has_an_empty_path() -> None:
    assert partition_path({}, (), {}) == ""


def test_what_cannot_be_written_is_refused() -> None:
    for kinds in ({1: t.Timestamp(9)}, {}):
        with pytest.raises(NotSupported):
            partition_path({"_1000": 5}, (PartitionField(1000, 1, "x", "identity"),), kinds)
