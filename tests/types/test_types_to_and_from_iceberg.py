from __future__ import annotations

import itertools
from typing import Any

import pytest

from sqe.errors import NotSupported
from sqe.types import sql_types as t
from sqe.types.iceberg import from_iceberg, needs_version_3, to_iceberg, unsupported


@pytest.mark.parametrize(
    ("stored", "ours"),
    [
        ("boolean", "boolean"),
        ("int", "integer"),
        ("long", "bigint"),
        ("float", "real"),
        ("double", "double"),
        ("decimal(9, 2)", "decimal(9,2)"),
        ("decimal(38,0)", "decimal(38,0)"),
        ("date", "date"),
        ("time", "time(6)"),
        ("timestamp", "timestamp(6)"),
        ("timestamptz", "timestamp(6) with time zone"),
        ("timestamp_ns", "timestamp(9)"),
        ("timestamptz_ns", "timestamp(9) with time zone"),
        ("string", "varchar"),
        ("uuid", "uuid"),
        ("fixed[16]", "varbinary"),
        ("binary", "varbinary"),
        ("unknown", "unknown"),
        (
            {
                "type": "map",
                "key-id": 2,
                "key": "string",
                "value-id": 3,
                "value-required": False,
                "value": {"type": "list", "element-id": 4, "element": "int", "element-required": True},
            },
            "map(varchar, array(integer))",
        ),
        (
            {"type": "struct", "fields": [{"id": 5, "name": "X y", "required": True, "type": "date"}]},
            'row("X y" date)',
        ),
    ],
)
def test_every_stored_type_has_ours(stored: Any, ours: str) -> None:
    assert str(from_iceberg(stored)) == ours
    assert unsupported(from_iceberg(stored)) is None


@pytest.mark.parametrize(
    ("stored", "name"),
    [
        ("variant", "variant"),
        ("geometry", "geometry"),
        ("geometry('OGC:CRS84')", "geometry"),
        ("geography(srid:4326, spherical)", "geography"),
        ("tensor<float, 3>", "tensor"),
        ({"type": "list", "element-id": 1, "element": "variant", "element-required": False}, "variant"),
        ({"type": "struct", "fields": [{"id": 1, "name": "g", "required": False, "type": "blob"}]}, "blob"),
    ],
)
def test_a_type_without_a_word_of_ours_is_named_where_it_is_used(stored: Any, name: str) -> None:
    assert unsupported(from_iceberg(stored)) == name


@pytest.mark.parametrize(
    ("ours", "stored"),
    [
        (t.TINYINT, "int"),
        (t.SMALLINT, "int"),
        (t.BIGINT, "long"),
        (t.REAL, "float"),
        (t.Decimal(12, 2), "decimal(12, 2)"),
        (t.Varchar(10), "string"),
        (t.Char(3), "string"),
        (t.JSON, "string"),
        (t.UUID, "uuid"),
        (t.Fixed(4), "fixed[4]"),
        (t.Time(3), "time"),
        (t.Timestamp(0), "timestamp"),
        (t.Timestamp(7), "timestamp_ns"),
        (t.TimestampTz(3), "timestamptz"),
        (t.TimestampTz(9), "timestamptz_ns"),
    ],
)
def test_our_types_are_stored_as(ours: t.Type, stored: str) -> None:
    assert to_iceberg(ours, itertools.count(1).__next__, column="c") == stored


@pytest.mark.parametrize(
    "ours",
    [
        t.DAY_SECOND,
        t.YEAR_MONTH,
        t.UNKNOWN,
        t.Time(9),
        t.Timestamp(12),
        t.Simple("variant"),
        t.FunctionType((), t.BIGINT),
        t.Array(t.DAY_SECOND),
        t.Row((t.RowField(None, t.BIGINT),)),
        t.Row((t.RowField("a", t.BIGINT), t.RowField("a", t.BIGINT))),
    ],
    ids=str,
)
def test_what_iceberg_cannot_store_is_refused_with_the_column(ours: t.Type) -> None:
    with pytest.raises(NotSupported, match="column 'c'"):
        to_iceberg(ours, itertools.count(1).__next__, column="c")


def test_nested_fields_are_numbered_after_their_siblings() -> None:
    inner = t.Row((t.RowField("a", t.BIGINT), t.RowField("b", t.Array(t.DATE)), t.RowField("c", t.DATE)))
    stored = to_iceberg(inner, itertools.count(10).__next__, column="r")
    assert [f["id"] for f in stored["fields"]] == [10, 11, 12]
    assert stored["fields"][1]["type"]["element-id"] == 13


def test_nanoseconds_need_version_3_at_any_depth() -> None:
    ids = itertools.count(1).__next__
    assert needs_version_3(to_iceberg(t.Map(t.VARCHAR, t.Array(t.Timestamp(9))), ids, column="c"))
    assert not needs_version_3(to_iceberg(t.Row((t.RowField("x", t.Timestamp(6)),)), ids, column="c"))
