"""Rows are written a column at a time, and say what an encoder that goes cell by cell says."""

from __future__ import annotations

import datetime as dt
import json
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.parity import wire

from sqe.doors.trino.java_texts import java_double
from sqe.doors.trino.json_columns import rows_as_json
from sqe.types import sql_types as t
from sqe.types.arrow import arrow_type

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
BIG = 9 * 10**18
SIMPLE: list[tuple[t.Type, st.SearchStrategy[Any]]] = [
    (t.BOOLEAN, st.booleans()),
    (t.TINYINT, st.integers(-128, 127)),
    (t.INTEGER, st.integers(-(2**31), 2**31 - 1)),
    (t.BIGINT, st.integers(-(2**63), 2**63 - 1)),
    (t.REAL, st.floats(width=32)),
    (t.DOUBLE, st.floats()),
    (t.DOUBLE, st.integers(-(10**12), 10**12).map(float)),
    (t.Decimal(10, 2), st.decimals(-(10**7), 10**7, places=2)),
    (t.Decimal(38, 20), st.decimals(-(10**17), 10**17, places=20)),
    (t.Decimal(20, 0), st.integers(-(10**19), 10**19).map(Decimal)),
    (t.VARCHAR, TEXTS),
    (t.Char(5), TEXTS.map(lambda text: text[:5].rstrip())),
    (t.JSON, TEXTS.map(json.dumps)),
    (t.VARBINARY, st.binary(max_size=6)),
    (t.DATE, st.integers(-800_000, 3_000_000)),
    (t.Time(6), st.integers(0, 86_400 * 10**6 - 1)),
    (t.Time(0), st.integers(0, 86_399).map(lambda seconds: seconds * 10**6)),
    (t.Timestamp(6), st.integers(-(10**17), 3 * 10**17)),
    (t.Timestamp(3), st.integers(-(10**14), 10**14).map(lambda millis: millis * 1000)),
    (t.Timestamp(0), st.integers(-(10**10), 10**10).map(lambda seconds: seconds * 10**6)),
    (t.Timestamp(9), st.integers(-BIG, BIG)),
    (t.TimestampTz(6, "UTC"), st.integers(-(10**16), 10**17)),
    (t.TimestampTz(6, "Europe/Berlin"), st.integers(0, 2 * 10**15)),
    (t.TimestampTz(3, "+02:30"), st.integers(0, 10**12).map(lambda millis: millis * 1000)),
    (t.DAY_SECOND, st.integers(-(10**15), 10**15).map(lambda millis: millis * 1000)),
    (t.YEAR_MONTH, st.integers(-(10**5), 10**5)),
    (t.UNKNOWN, st.none()),
    (t.GEOMETRY, st.just("POINT (1 2)")),
    (t.BING_TILE, st.integers(0, 7).map(lambda x: f'{{"x":{x},"y":0,"zoom":3}}')),
    (t.HYPER_LOG_LOG, st.binary(max_size=6)),
    (t.constant_time("time", 7, zoned=True), st.just("01:02:03.1234567+05:30")),
]
NESTED: list[tuple[t.Type, st.SearchStrategy[Any]]] = [
    (t.Array(t.INTEGER), st.lists(st.none() | st.integers(-5, 5), max_size=3)),
    (t.Array(t.VARCHAR), st.lists(st.none() | TEXTS, max_size=3)),
    (t.Array(t.Array(t.DOUBLE)), st.lists(st.none() | st.lists(st.floats(), max_size=2), max_size=2)),
    (
        t.Map(t.VARCHAR, t.Decimal(4, 1)),
        st.dictionaries(TEXTS, st.none() | st.decimals(-99, 99, places=1), max_size=3)
        .map(dict.items)
        .map(list),
    ),
    (
        t.Map(t.INTEGER, t.Array(t.VARCHAR)),
        st.dictionaries(st.integers(-9, 9), st.lists(TEXTS, max_size=2), max_size=2)
        .map(dict.items)
        .map(list),
    ),
    (
        t.Row((t.RowField("a", t.BIGINT), t.RowField("b", t.VARCHAR))),
        st.fixed_dictionaries({"a": st.none() | st.integers(-5, 5), "b": st.none() | TEXTS}),
    ),
    (
        t.Array(t.Row((t.RowField("x", t.Array(t.BOOLEAN)),))),
        st.lists(st.none() | st.fixed_dictionaries({"x": st.lists(st.booleans(), max_size=2)}), max_size=2),
    ),
]


def stored(type_: t.Type) -> pa.DataType:
    """As numbers, which Python's dates are too small for."""
    arrow = arrow_type(type_)
    if pa.types.is_date(arrow):
        return pa.int32()
    is_time = pa.types.is_timestamp(arrow) or pa.types.is_time64(arrow) or pa.types.is_duration(arrow)
    return pa.int64() if is_time else arrow


def written(columns: list[pa.Array], types: list[t.Type], *, precise: bool = True) -> list[list[Any]]:
    batch = pa.RecordBatch.from_arrays(columns, names=[str(number) for number in range(len(columns))])
    content = rows_as_json(batch, types, precise=precise)
    rows: list[list[Any]] = json.loads(b"[" + bytes(content) + b"]")
    return rows


def same(value: Any, other: Any) -> bool:
    """-0.0 is another number than 0.0."""
    return repr(value) == repr(other)


@pytest.mark.parametrize(("type_", "values"), SIMPLE + NESTED, ids=lambda item: str(item)[:30])
@settings(max_examples=25, deadline=None)
@given(data=st.data())
def test_values_are_those_of_the_slow_encoder(
    type_: t.Type, values: st.SearchStrategy[Any], data: st.DataObject
) -> None:
    column = data.draw(st.lists(st.none() | values, min_size=1, max_size=8))
    array = pa.array(column, stored(type_)).view(arrow_type(type_)) if column else pa.nulls(0)
    first = data.draw(st.integers(0, len(column) - 1))
    part = array.slice(first)
    expected = wire.column(pa.chunked_array([part]), type_)
    rows = written([part, part], [type_, type_])
    for row, value in zip(rows, expected, strict=True):
        assert same(row, [value, value]), (row, value)


def test_a_double_is_never_a_whole_number() -> None:
    """Java's clients refuse it."""
    batch = pa.RecordBatch.from_pydict({"a": pa.array([1.0, -0.0, 1e10, 1e22, 5e-324, 123456789.0])})
    texts = bytes(rows_as_json(batch, [t.DOUBLE], precise=True)).decode()
    assert all("." in text or "e" in text for text in texts.split(","))


def test_without_precisions_times_have_three_digits() -> None:
    micros = [1_500, 1_499, 86_399_999_600, -1]
    moments = pa.array(micros, pa.int64()).view(pa.timestamp("us"))
    clock = pa.array([86_399_999_600, 500], pa.int64()).view(pa.time64("us"))
    assert written([moments], [t.Timestamp(6)], precise=False) == [
        ["1970-01-01 00:00:00.002"],
        ["1970-01-01 00:00:00.001"],
        ["1970-01-02 00:00:00.000"],
        ["1970-01-01 00:00:00.000"],
    ]
    assert written([clock], [t.Time(6)], precise=False) == [["00:00:00.000"], ["00:00:00.001"]]
    seconds = pa.array([0], pa.int64()).view(pa.timestamp("us"))
    assert written([seconds], [t.Timestamp(0)], precise=False) == [["1970-01-01 00:00:00.000"]]
    zoned = t.constant_time("timestamp", 4, zoned=True)
    forward = ["2022-03-27 01:59:59.9999 Europe/Brussels", None]
    assert written([pa.array(forward)], [zoned], precise=False) == [
        ["2022-03-27 03:00:00.000 Europe/Brussels"],
        [None],
    ]
    # Keys are not rounded.
    time = t.constant_time("time", 0, zoned=True)
    entries = pa.array([[("01:01:01+05:30", "23:59:59-05:00")]], pa.map_(pa.string(), pa.string()))
    assert written([entries], [t.Map(time, time)], precise=False) == [
        [{"01:01:01+05:30": "23:59:59.000-05:00"}]
    ]


def test_keys_of_maps_are_java_s_texts() -> None:
    type_ = t.Map(t.DOUBLE, t.BOOLEAN)
    column = pa.array([[(1.0, True), (1e10, None), (0.001, False), (0.0001, True)]], arrow_type(type_))
    assert written([column], [type_]) == [[{"1.0": True, "1.0E10": None, "0.001": False, "1.0E-4": True}]]
    pairs = t.Map(t.Array(t.VARCHAR), t.INTEGER)
    column = pa.array([[(["a", None], 1)]], arrow_type(pairs))
    assert written([column], [pairs]) == [[{"[a, null]": 1}]]
    flags = t.Map(t.BOOLEAN, t.DATE)
    column = pa.array([[(True, dt.date(2026, 1, 2))]], arrow_type(flags))
    assert written([column], [flags]) == [[{"true": "2026-01-02"}]]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (1234567.0, "1234567.0"),
        (12345678.0, "1.2345678E7"),
        (1.5e300, "1.5E300"),
    ],
)
def test_doubles_as_java_writes_them(value: float, text: str) -> None:
    assert java_double(value) == text


def test_rows_without_columns() -> None:
    empty = pa.RecordBatch.from_struct_array(pa.array([{}, {}], pa.struct([])))
    assert bytes(rows_as_json(empty, [], precise=True)) == b"[],[]"
