"""Rows as the JSON of Trino's protocol, made a column at a time.

Arrow turns each column into texts; one join then puts the texts of a row beside one another, and the bytes of
the joined column are the rows. Python touches no value of the usual types.
"""

from __future__ import annotations

import datetime as dt
from binascii import b2a_base64
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sqe.doors.trino.java_texts import java_digits, java_double, java_text
from sqe.types import sql_types as t
from sqe.types.exact_times import date_text, read, rounded, write

LEGACY_DIGITS = 3
"""Fractions of a second for clients that know no precisions."""
_DAY = 86_400
# Arrow writes these years as Java does; later ones have a sign in Java.
_YEAR_1 = dt.date(1, 1, 1).toordinal() - dt.date(1970, 1, 1).toordinal()
_YEAR_10000 = dt.date.max.toordinal() - dt.date(1970, 1, 1).toordinal() + 1
# From here on Arrow writes a double with an exponent.
# See java_digits.
_FEW_DIGITS = 1e-42
_WITH_EXPONENT = 1e10
# Up to this scale Arrow writes a decimal without an exponent.
_PLAIN_SCALE = 6
# What Java prints of a tile.
_TILE_AS_KEY = (r'\{"x":(\d+),"y":(\d+),"zoom":(\d+)\}', r"BingTile{x=\1, y=\2, zoom_level=\3}")

_Texts = tuple[pa.Array, bool]
"""The texts of a column, NULL where it is, and whether they stand in quotes."""


def rows_as_json(batch: pa.RecordBatch, types: Sequence[t.Type], *, precise: bool) -> memoryview:
    """`[1,"a"],[2,"b"]`. Without `precise` times have three digits: the client knows no other."""
    if not batch.num_columns:
        return memoryview(b",".join([b"[]"] * batch.num_rows))
    columns = [_texts(column, type_, precise) for column, type_ in zip(batch.columns, types, strict=True)]
    rows = _joined(columns, "[", "],")
    return memoryview(rows.buffers()[2])[: _size(rows) - 1]


def _size(texts: pa.Array) -> int:
    return int(np.frombuffer(texts.buffers()[1], np.int32)[texts.offset + len(texts)])


def _joined(columns: Sequence[_Texts], start: str, end: str) -> pa.Array:
    """The texts beside one another, with commas between them."""
    pieces: list[Any] = []
    literal = start
    for number, (texts, quoted) in enumerate(columns):
        texts, quoted = _without_nulls(texts, quoted)
        literal += ("," if number else "") + ('"' if quoted else "")
        pieces += [pa.scalar(literal), texts]
        literal = '"' if quoted else ""
    return pc.binary_join_element_wise(*pieces, pa.scalar(literal + end), pa.scalar(""))


def _without_nulls(texts: pa.Array, quoted: bool) -> _Texts:
    if not texts.null_count:
        return texts, quoted
    return pc.fill_null(_wrapped('"', texts, '"') if quoted else texts, "null"), False


def _wrapped(start: str, texts: pa.Array, end: str) -> pa.Array:
    return pc.binary_join_element_wise(pa.scalar(start), texts, pa.scalar(end), pa.scalar(""))


def _texts(column: pa.Array, type_: t.Type, precise: bool) -> _Texts:
    match type_:
        case t.Varchar() | t.JSON | t.UUID:
            return _escaped(column), True
        case t.BING_TILE:
            # Its text is an object of JSON.
            return column, False
        case t.ConstantTime():
            return column if precise else _legacy_texts(column, type_), True
        case t.Opaque(_, carrier):
            return _texts(column, carrier, precise)
        case t.Char(length):
            return _escaped(pc.utf8_rpad(column, width=length)), True
        case t.Decimal(_, scale):
            return _decimals(column, scale), True
        case t.REAL | t.DOUBLE:
            return _floats(column), False
        case t.VARBINARY | t.Fixed():
            return _base64(column), True
        case t.DATE:
            return _dates(column.view(pa.int32())), True
        case t.Time(precision):
            return _times(column, precision if precise else LEGACY_DIGITS), True
        case t.Timestamp(precision) | t.TimestampTz(precision):
            return _timestamps(column, precision if precise else LEGACY_DIGITS), True
        case t.DAY_SECOND:
            return _day_seconds(column), True
        case t.YEAR_MONTH:
            return _year_months(column), True
        case t.UNKNOWN:
            return pa.nulls(len(column), pa.string()), False
        case t.Array(element):
            return _lists(column, element, precise), False
        case t.Map(key, value):
            return _maps(column, key, value, precise), False
        case t.Row(fields):
            members = [
                _texts(member, f.type, precise) for member, f in zip(column.flatten(), fields, strict=True)
            ]
            rows = _joined(members, "[", "]") if members else pa.repeat("[]", len(column))
            return _null_where(column, rows), False
    return pc.cast(column, pa.string()), False


def _null_where(column: pa.Array, texts: pa.Array) -> pa.Array:
    """NULL where `column` is: parts of a NULL are not its text."""
    if not column.null_count:
        return texts
    return pc.if_else(column.is_valid(), texts, pa.scalar(None, pa.string()))


def _escaped(column: pa.Array) -> pa.Array:
    """What JSON does not allow in a text is rare, and is looked for in all texts at once."""
    offsets = np.frombuffer(column.buffers()[1], np.int32) if len(column) else np.zeros(1, np.int32)
    data = column.buffers()[2]
    if data is None or not len(column):
        return column
    first, last = offsets[column.offset], offsets[column.offset + len(column)]
    content = np.frombuffer(data, np.uint8)[first:last]
    special = content[(content < 0x20) | (content == 0x22) | (content == 0x5C)]
    if not len(special):
        return column
    # The backslash first: the others are written with it.
    for code in sorted(set(special.tolist()), key=lambda code: code != 0x5C):
        escape = "\\" + chr(code) if code in (0x22, 0x5C) else f"\\u{code:04x}"
        column = pc.replace_substring(column, pattern=chr(code), replacement=escape)
    return column


def _floats(column: pa.Array) -> pa.Array:
    """Java's clients take a number without a point or an exponent for none of these."""
    texts = pc.cast(column, pa.string())
    whole = pc.and_(pc.equal(pc.floor(column), column), pc.less(pc.abs(column), _WITH_EXPONENT))
    if pc.any(whole).as_py():
        texts = pc.if_else(whole, pc.binary_join_element_wise(texts, pa.scalar(".0"), pa.scalar("")), texts)
    tiny = pc.and_(pc.greater(pc.abs(column), 0), pc.less(pc.abs(column), _FEW_DIGITS))
    if pc.any(tiny).as_py():
        values = zip(texts.to_pylist(), column.to_pylist(), strict=True)
        texts = pa.array([None if value is None else java_digits(text, value) for text, value in values])
    finite = pc.is_finite(column)
    if pc.all(finite).as_py() is False:
        infinite = pc.if_else(pc.greater(column, 0), '"Infinity"', '"-Infinity"')
        texts = pc.if_else(finite, texts, pc.if_else(pc.is_nan(column), '"NaN"', infinite))
    return texts


def _decimals(column: pa.Array, scale: int) -> pa.Array:
    if scale <= _PLAIN_SCALE:
        return pc.cast(column, pa.string())
    # Its digits without the point, with as many zeros before them as the point needs.
    digits = pc.cast(column.view(pa.decimal128(38, 0)), pa.string())
    sign = pc.if_else(pc.starts_with(digits, "-"), "-", "")
    digits = pc.utf8_lpad(pc.utf8_ltrim(digits, "-"), width=scale + 1, padding="0")
    whole = pc.utf8_slice_codeunits(digits, 0, -scale)
    return pc.binary_join_element_wise(
        sign, whole, pa.scalar("."), pc.utf8_slice_codeunits(digits, -scale), pa.scalar("")
    )


def _base64(column: pa.Array) -> pa.Array:
    values = (None if v is None else b2a_base64(v, newline=False) for v in column.to_pylist())
    return pa.array(values, pa.binary()).cast(pa.string())


def _dates(days: pa.Array) -> pa.Array:
    """Of any year, by days since 1970."""
    low, high = pc.min_max(days).values()
    if low.as_py() is None or (low.as_py() >= _YEAR_1 and high.as_py() < _YEAR_10000):
        return pc.cast(days.cast(pa.int32()).view(pa.date32()), pa.string())
    return pa.array([None if day is None else date_text(day) for day in days.to_pylist()], pa.string())


def _legacy_texts(column: pa.Array, type_: t.ConstantTime) -> pa.Array:
    texts = (
        None if text is None else write(rounded(read(text, type_), LEGACY_DIGITS))
        for text in column.to_pylist()
    )
    return pa.array(texts, pa.string())


def _times(column: pa.Array, digits: int) -> pa.Array:
    micros = _rounded(column.view(pa.int64()), 6, digits)
    # Just before midnight rounds to midnight.
    day = _DAY * 10**6
    micros = pc.subtract(micros, pc.multiply(pc.divide(micros, day), day))
    return _cut(pc.cast(micros.view(pa.time64("us")), pa.string()), len("HH:MM:SS"), digits)


def _timestamps(column: pa.Array, digits: int) -> pa.Array:
    zone = column.type.tz
    wall = column if zone is None else pc.local_timestamp(column)
    unit_digits = 9 if column.type.unit == "ns" else 6
    values = _rounded(wall.view(pa.int64()), unit_digits, digits)
    low, high = pc.min_max(values).values()
    day = _DAY * 10**unit_digits
    if low.as_py() is None or (low.as_py() >= _YEAR_1 * day and high.as_py() < _YEAR_10000 * day):
        texts = pc.cast(values.view(pa.timestamp(column.type.unit)), pa.string())
        texts = _cut(texts, len("YYYY-MM-DD HH:MM:SS"), digits)
    else:
        texts = _far_timestamps(values, column.type.unit, day, digits)
    return texts if zone is None else pc.binary_join_element_wise(texts, pa.scalar(zone), pa.scalar(" "))


def _far_timestamps(values: pa.Array, unit: str, day: int, digits: int) -> pa.Array:
    days = pa.array([None if value is None else value // day for value in values.to_pylist()], pa.int64())
    rest = pc.subtract(values, pc.multiply(days, day)).view(pa.time64(unit))
    clock = _cut(pc.cast(rest, pa.string()), len("HH:MM:SS"), digits)
    return pc.binary_join_element_wise(_dates(days), clock, pa.scalar(" "))


def _rounded(values: pa.Array, has: int, digits: int) -> pa.Array:
    """Whole numbers of 10**-`has` seconds, rounded to `digits` of them; half is rounded up."""
    if digits >= has:
        return values
    step = 10 ** (has - digits)
    shifted = np.asarray(pc.fill_null(values, 0)) + step // 2
    rounded = pa.array(shifted - shifted % step, pa.int64())
    return _null_numbers_where(values, rounded)


def _null_numbers_where(values: pa.Array, numbers: pa.Array) -> pa.Array:
    if not values.null_count:
        return numbers
    return pc.if_else(values.is_valid(), numbers, pa.scalar(None, pa.int64()))


def _cut(texts: pa.Array, whole: int, digits: int) -> pa.Array:
    return pc.utf8_slice_codeunits(texts, 0, whole + 1 + digits if digits else whole)


def _day_seconds(column: pa.Array) -> pa.Array:
    micros = column.view(pa.int64())
    numbers = np.asarray(pc.fill_null(micros, 0))
    millis = np.abs(numbers) // 1000
    # Java rounds down, and an interval of less than a millisecond is none.
    sign = pa.array(np.where((numbers < 0) & (millis > 0), "-", ""), pa.string())
    days = pc.cast(pa.array(millis // (_DAY * 1000)), pa.string())
    clock = pc.cast(pa.array((millis % (_DAY * 1000)).astype(np.int32)).view(pa.time32("ms")), pa.string())
    signed = pc.binary_join_element_wise(sign, days, pa.scalar(""))
    return _null_where(column, pc.binary_join_element_wise(signed, clock, pa.scalar(" ")))


def _year_months(column: pa.Array) -> pa.Array:
    numbers = np.asarray(pc.fill_null(column, 0)).astype(np.int64)
    sign = pa.array(np.where(numbers < 0, "-", ""), pa.string())
    months = np.abs(numbers)
    years = pc.binary_join_element_wise(sign, pc.cast(pa.array(months // 12), pa.string()), pa.scalar(""))
    rest = pc.cast(pa.array(months % 12), pa.string())
    return _null_where(column, pc.binary_join_element_wise(years, rest, pa.scalar("-")))


def _lists(column: pa.Array, element: t.Type, precise: bool) -> pa.Array:
    # What flatten() leaves out are the elements of lists that are NULL.
    texts, quoted = _texts(column.flatten(), element, precise)
    lengths = np.asarray(pc.fill_null(column.value_lengths(), 0))
    return _null_where(column, _gathered("[", _in_quotes(texts, quoted), lengths, "]"))


def _maps(column: pa.Array, key: t.Type, value: t.Type, precise: bool) -> pa.Array:
    # keys and items are those of the whole array, of which this may be a slice; its offsets tell.
    offsets = np.asarray(column.offsets)
    first, size = int(offsets[0]), int(offsets[-1] - offsets[0])
    keys = _keys(column.keys.slice(first, size), key, precise)
    items, quoted = _texts(column.items.slice(first, size), value, precise)
    entries = pc.binary_join_element_wise(_wrapped('"', keys, '"'), _in_quotes(items, quoted), pa.scalar(":"))
    return _null_where(column, _gathered("{", entries, np.diff(offsets), "}"))


def _in_quotes(texts: pa.Array, quoted: bool) -> pa.Array:
    texts, quoted = _without_nulls(texts, quoted)
    return _wrapped('"', texts, '"') if quoted else texts


def _gathered(start: str, texts: pa.Array, lengths: Any, end: str) -> pa.Array:
    """As many of the texts as each length says, in one text."""
    offsets = np.zeros(len(lengths) + 1, np.int32)
    np.cumsum(lengths, out=offsets[1:])
    groups = pa.ListArray.from_arrays(pa.array(offsets), texts)
    return _wrapped(start, pc.binary_join(groups, ","), end)


def _keys(column: pa.Array, type_: t.Type, precise: bool) -> pa.Array:
    """Keys are texts in JSON, those that Java makes of them."""
    if type_ == t.REAL:
        values = zip(pc.cast(column, pa.string()).to_pylist(), column.to_pylist(), strict=True)
        return pa.array([java_double(value, java_digits(text, value)) for text, value in values], pa.string())
    if type_ == t.BING_TILE:
        return pc.replace_substring_regex(column, *_TILE_AS_KEY)
    if type_ == t.DOUBLE or isinstance(type_, (t.Array, t.Map, t.Row)):
        return _escaped(pa.array([java_text(value) for value in column.to_pylist()], pa.string()))
    if isinstance(type_, t.ConstantTime):
        # Trino rounds values for old clients, and not keys.
        return column
    return _texts(column, type_, precise)[0]
