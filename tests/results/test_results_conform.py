"""What an engine returns gets the announced names and types, however deep."""

from __future__ import annotations

from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from typing import Any

import pyarrow as pa
import pytest

from sqe.errors import InternalError
from sqe.results.result import conform
from sqe.tree.expressions import Field
from sqe.types import sql_types as t
from sqe.types.arrow import arrow_type


def conformed(array: pa.Array, announced: t.Type) -> pa.Array:
    batch = pa.RecordBatch.from_arrays([array], ["engine_name"])
    out = conform(batch, [Field(7, "ours", announced)])
    assert out.schema == pa.schema([pa.field("ours", arrow_type(announced))])
    return out.column(0)


MOMENT = datetime(2024, 2, 29, 12, 30, 15, 123456)

SAME: list[tuple[Any, pa.DataType, t.Type]] = [
    (True, pa.bool_(), t.BOOLEAN),
    (1, pa.int8(), t.TINYINT),
    (1, pa.int32(), t.BIGINT),
    (1.5, pa.float32(), t.REAL),
    (Decimal("1.20"), pa.decimal128(10, 2), t.Decimal(12, 2)),
    ("x", pa.string(), t.Varchar(3)),
    ("x", pa.large_string(), t.VARCHAR),
    ("x ", pa.string(), t.Char(2)),
    (b"x", pa.binary(), t.VARBINARY),
    (b"xy", pa.binary(), t.Fixed(2)),
    (date(2024, 2, 29), pa.date32(), t.DATE),
    (time(12, 30), pa.time64("us"), t.Time(6)),
    (MOMENT, pa.timestamp("us"), t.Timestamp(6)),
    (MOMENT.replace(tzinfo=UTC), pa.timestamp("us", "UTC"), t.TimestampTz(6)),
    (timedelta(days=1, microseconds=5), pa.duration("us"), t.DAY_SECOND),
    (14, pa.int32(), t.YEAR_MONTH),
    (None, pa.null(), t.UNKNOWN),
    ([1, None], pa.list_(pa.int32()), t.Array(t.BIGINT)),
    ([("k", 1)], pa.map_(pa.string(), pa.int32()), t.Map(t.VARCHAR, t.BIGINT)),
]


@pytest.mark.parametrize(("value", "engine", "announced"), SAME, ids=lambda v: str(v))
def test_values_stay_and_types_become_ours(value: Any, engine: pa.DataType, announced: t.Type) -> None:
    assert conformed(pa.array([value, None], engine), announced).to_pylist() == [value, None]


def test_fields_of_rows_are_renamed_by_position() -> None:
    engine = pa.list_(
        pa.struct([("col1", pa.int32()), ("col2", pa.map_(pa.string(), pa.struct([("q", pa.int8())])))])
    )
    inner = t.Map(t.VARCHAR, t.Row((t.RowField(None, t.TINYINT),)))
    announced = t.Array(t.Row((t.RowField("a", t.BIGINT), t.RowField("b", inner))))
    rows = [[{"col1": 1, "col2": [("k", {"q": 2})]}, None], None, []]
    assert conformed(pa.array(rows, engine), announced).to_pylist() == [
        [{"a": 1, "b": [("k", {"field0": 2})]}, None],
        None,
        [],
    ]


def test_a_slice_of_nested_values_conforms() -> None:
    engine = pa.list_(pa.struct([("x", pa.int32())]))
    announced = t.Array(t.Row((t.RowField("y", t.INTEGER),)))
    whole = pa.array([[{"x": n}] for n in range(10)], engine)
    assert conformed(whole.slice(3, 2), announced).to_pylist() == [[{"y": 3}], [{"y": 4}]]


def test_names_may_repeat() -> None:
    batch = pa.RecordBatch.from_arrays([pa.array([1]), pa.array([2])], ["p", "q"])
    out = conform(batch, [Field(1, "a", t.BIGINT), Field(2, "a", t.BIGINT)])
    assert (out.schema.names, out.column(1).to_pylist()) == (["a", "a"], [2])


def test_a_value_that_does_not_fit_is_an_error() -> None:
    with pytest.raises(InternalError):
        conformed(pa.array([300], pa.int32()), t.TINYINT)


def test_nested_values_without_offsets_are_read_nowhere() -> None:
    """As Java sends lists of lists of which there are none: the inner ones have no offsets at all."""
    nothing = pa.py_buffer(b"")
    inner = pa.Array.from_buffers(
        pa.list_(pa.string()), 0, [None, nothing], children=[pa.array([], pa.string())]
    )
    no_row = pa.py_buffer(b"\x00")
    offsets = pa.py_buffer(bytes(8))
    outer = pa.Array.from_buffers(pa.list_(pa.list_(pa.string())), 1, [no_row, offsets], children=[inner])
    column = conformed(outer, t.Array(t.Array(t.VARCHAR)))
    column.validate(full=True)
    assert column.nbytes >= 0
    assert column.to_pylist() == [None]
