"""Values for the `?` of a statement, as clients send them: a row of an Arrow batch each."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.types as pt

from sqe.bind.parameters import expression_of
from sqe.doors.flight.constants import UnrepresentableValue, constant, text_constant
from sqe.errors import UserError
from sqe.tree.expressions import Expression, Literal
from sqe.types import sql_types as t
from sqe.types.arrow import SQL_TYPES, arrow_type

_SIMPLE: dict[pa.DataType, t.Type] = {
    **SQL_TYPES,
    pa.null(): t.UNKNOWN,
    pa.uint64(): t.Decimal(20, 0),
    pa.float16(): t.DOUBLE,
    pa.string_view(): t.VARCHAR,
    pa.binary_view(): t.VARBINARY,
    pa.date64(): t.DATE,
}
# What Flight SQL calls the name of a type in a field's metadata.
_TYPE_NAME = b"ARROW:FLIGHT:SQL:TYPE_NAME"
_TEXT = re.compile(rb"varchar\(([0-9]{1,9})\)")
_MAP_KEY = re.compile(rb"map\((unknown|varchar\([0-9]{1,9}\)), .*", re.DOTALL)
_MAP_VALUE = re.compile(rb"map\(.*, (varchar\([0-9]{1,9}\))\)", re.DOTALL)


def schema_of(parameters: Sequence[t.Type]) -> pa.Schema:
    """What is best sent; text where anything would do."""
    kinds = [t.VARCHAR if kind == t.UNKNOWN else kind for kind in parameters]
    return pa.schema(
        [pa.field(f"parameter_{i}", _parameter_type(kind)) for i, kind in enumerate(kinds, start=1)]
    )


def _parameter_type(kind: t.Type) -> pa.DataType:
    """JDBC's driver sends milliseconds whatever unit it is told, so that it must be told milliseconds."""
    match kind:
        case t.Time():
            return pa.time32("ms")
        case t.Timestamp():
            return pa.timestamp("ms")
        case t.TimestampTz(_, zone):
            return pa.timestamp("ms", zone)
    return arrow_type(kind)


def rows_of(
    batches: Sequence[pa.RecordBatch], parameters: Sequence[t.Type], *, writes: bool
) -> list[tuple[Expression, ...]]:
    """`parameters` are the types that clients were told; `writes` if the statement returns no rows."""
    rows: list[tuple[Expression, ...]] = []
    for batch in batches:
        columns = [
            _column(batch.column(at), batch.schema.field(at), at + 1, expected, writes)
            for at, expected in enumerate(parameters)
        ]
        # A statement may have no parameters, and be run for each of the rows nevertheless.
        rows += zip(*columns, strict=True) if columns else [()] * batch.num_rows
    return rows


def _column(
    column: pa.Array, field: pa.Field, number: int, expected: t.Type, writes: bool
) -> list[Expression]:
    try:
        return _values(column, _named(field), expected, writes)
    except (pa.ArrowException, ArithmeticError, LookupError, TypeError, ValueError):
        # Days that no calendar has, zones that are none, and the like.
        raise _unusable(number, column.type) from None
    except UserError as error:
        text = error.message.removeprefix(f"parameter {number}: ")
        raise type(error)(f"parameter {number}: {text}", code=error.code, hint=error.hint) from None


def _values(column: pa.Array, name: bytes, expected: t.Type, writes: bool) -> list[Expression]:
    kind = column.type
    if pt.is_union(kind):
        return _members(column, expected, writes)
    if pt.is_interval(kind):
        return [_interval(value, expected, writes) for value in column.to_pylist()]
    if pt.is_dictionary(kind):
        column = column.dictionary_decode()
    column = _microseconds(column)
    try:
        return _constants(column, sql_type(column.type, name), expected, writes)
    except UnrepresentableValue:
        # Some text is longer than its type says, as in a result that was changed and sent again.
        return _constants(column, sql_type(column.type), expected, writes)


def _constants(column: pa.Array, own: t.Type, expected: t.Type, writes: bool) -> list[Expression]:
    target = target_type(own, expected)
    null = _null(own, expected, writes)
    return [
        null if value is None else _typed(value, own, target)
        for value in (_python(value, column.type) for value in column.to_pylist())
    ]


def _typed(value: Any, own: t.Type, target: t.Type) -> Expression:
    """Of the type that was asked for if the value is one of it, else of the type that was sent."""
    if target != own:
        try:
            return constant(value, target)
        except UnrepresentableValue:
            pass
    # As 'abc' in a statement is of its own length.
    return text_constant(value) if own == t.VARCHAR else constant(value, own)


def _null(own: t.Type, expected: t.Type, writes: bool) -> Expression:
    """Whatever type a NULL was sent as, it fits where any NULL does."""
    if writes or own == t.UNKNOWN:
        return Literal(t.UNKNOWN, None)
    if expected == t.UNKNOWN or t.coerces(own, expected):
        return Literal(own, None)
    return Literal(expected, None)


def target_type(own: t.Type, expected: t.Type) -> t.Type:
    """What a value of a type is tried as where another was asked for, as a program's own values would be:
    drivers send integers as the widest that their language has, and have no type for some."""
    match own, expected:
        case (t.Varchar(), t.UUID) | (t.INTEGER, t.YEAR_MONTH):
            return expected
        case t.Array(element), t.Array(target):
            return t.Array(target_type(element, target))
        case t.Map(key, value), t.Map(target_key, target_value):
            return t.Map(target_type(key, target_key), target_type(value, target_value))
        case t.Row(fields), t.Row(others) if len(fields) == len(others):
            pairs = zip(fields, others, strict=True)
            return t.Row(tuple(t.RowField(f.name, target_type(f.type, o.type)) for f, o in pairs))
    if t.is_integer(own) and t.is_integer(expected) and not t.coerces(own, expected):
        return expected
    return own


def sql_type(kind: pa.DataType, name: bytes | None = None) -> t.Type:
    """By the Arrow type alone, so that all the values of a column, and none, are of one type. Only how long
    texts inside of others are may be said by types' names; `name` is None where that is not heard."""
    simple = _SIMPLE.get(kind)
    if simple is not None:
        return simple
    if pt.is_dictionary(kind) or pt.is_run_end_encoded(kind):
        return sql_type(kind.value_type)
    if isinstance(kind, pa.UuidType):
        return t.UUID
    if isinstance(kind, pa.Bool8Type):
        return t.BOOLEAN
    if isinstance(kind, pa.BaseExtensionType):
        return sql_type(kind.storage_type)
    if pt.is_decimal(kind):
        whole = max(kind.precision - kind.scale, 0)
        scale = min(max(kind.scale, 0), t.MAX_PRECISION)
        return t.Decimal(min(max(whole + scale, 1), t.MAX_PRECISION), scale)
    if pt.is_fixed_size_binary(kind):
        return t.VARBINARY
    if pt.is_time(kind):
        return t.Time(6)
    if pt.is_timestamp(kind):
        # With the zone as a value of it would have it.
        return expression_of(pa.scalar(0, pa.timestamp("us", kind.tz)).as_py()).type
    if pt.is_duration(kind):
        return t.DAY_SECOND
    if _is_list(kind):
        return t.Array(_inside(kind.value_field, name))
    if pt.is_map(kind):
        # Drivers lose what is said of a map's own fields.
        matches = [pattern.fullmatch(name or b"") for pattern in (_MAP_KEY, _MAP_VALUE)]
        key, value = (match and match[1] for match in matches)
        return t.Map(
            _with_length(_inside(kind.key_field, name), key),
            _with_length(_inside(kind.item_field, name), value),
        )
    if pt.is_struct(kind):
        return t.Row(tuple(t.RowField(_name(f.name, i), _inside(f, name)) for i, f in enumerate(kind)))
    raise TypeError(kind)


def _inside(field: pa.Field, outer: bytes | None) -> t.Type:
    name = None if outer is None else _named(field)
    return _with_length(sql_type(field.type, name), name)


def _named(field: pa.Field) -> bytes:
    return bytes((field.metadata or {}).get(_TYPE_NAME, b""))


def _with_length(kind: t.Type, name: bytes | None) -> t.Type:
    if kind != t.VARCHAR or not name:
        return kind
    # The keys of a map that has none.
    if name == b"unknown":
        return t.UNKNOWN
    length = _TEXT.fullmatch(name)
    return t.Varchar(int(length[1])) if length else kind


def _name(name: str, index: int) -> str | None:
    """Arrow has no fields without a name; ours travel so."""
    return None if name == f"field{index}" else name


def _is_list(kind: pa.DataType) -> bool:
    plain = pt.is_list(kind) or pt.is_large_list(kind) or pt.is_fixed_size_list(kind)
    return bool(plain or pt.is_list_view(kind) or pt.is_large_list_view(kind))


def _python(value: Any, kind: pa.DataType) -> Any:
    """Maps are their pairs and rows are tuples, however deep."""
    if value is None:
        return None
    if _is_list(kind):
        return [_python(item, kind.value_type) for item in value]
    if pt.is_map(kind):
        return [(_python(key, kind.key_type), _python(item, kind.item_type)) for key, item in value]
    if pt.is_struct(kind):
        return tuple(_python(item, kind.field(i).type) for i, item in enumerate(value.values()))
    return value


def _members(column: pa.Array, expected: t.Type, writes: bool) -> list[Expression]:
    """Of a union, each value by the type that it is of."""
    kind = column.type
    children = {
        code: _values(column.field(i), b"", expected, writes) for i, code in enumerate(kind.type_codes)
    }
    places = column.offsets.to_pylist() if kind.mode == "dense" else range(len(column))
    return [children[code][at] for code, at in zip(column.type_codes.to_pylist(), places, strict=True)]


def _interval(value: Any, expected: t.Type, writes: bool) -> Expression:
    """Arrow's has months, days and nanoseconds; SQL's months alone, or time alone, of days of 24 hours."""
    if value is None:
        return _null(t.UNKNOWN, expected, writes)
    months, days, nanoseconds = value
    if not days and not nanoseconds and (months or expected == t.YEAR_MONTH):
        return Literal(t.YEAR_MONTH, months)
    if months:
        raise UserError(
            "an interval is of months, or of days and time, and not of both", code="INVALID_PARAMETER_USAGE"
        )
    microseconds, finer = divmod(nanoseconds, 1000)
    if finer:
        raise _too_fine()
    return constant((days, microseconds), t.DAY_SECOND)


def _microseconds(column: pa.Array) -> pa.Array:
    """Python would leave out what is finer, or need another library for it."""
    kind = _coarser(column.type)
    if kind == column.type:
        return column
    try:
        return column.cast(kind)
    except pa.ArrowInvalid:
        raise _too_fine() from None


def _coarser(kind: pa.DataType) -> pa.DataType:
    if pt.is_timestamp(kind) and kind.unit == "ns":
        return pa.timestamp("us", kind.tz)
    if pt.is_time64(kind) and kind.unit == "ns":
        return pa.time64("us")
    if pt.is_duration(kind) and kind.unit == "ns":
        return pa.duration("us")
    if pt.is_dictionary(kind):
        value = _coarser(kind.value_type)
        return kind if value == kind.value_type else value
    if pt.is_map(kind):
        key, item = kind.key_field, kind.item_field
        return pa.map_(key.with_type(_coarser(key.type)), item.with_type(_coarser(item.type)))
    if _is_list(kind):
        element = _coarser(kind.value_type)
        if element == kind.value_type:
            return kind
        if pt.is_list_view(kind) or pt.is_large_list_view(kind):
            raise TypeError(kind)
        field = kind.value_field.with_type(element)
        return pa.large_list(field) if pt.is_large_list(kind) else pa.list_(field)
    if pt.is_struct(kind):
        return pa.struct([field.with_type(_coarser(field.type)) for field in kind])
    return kind


def _too_fine() -> UserError:
    return UserError(
        "there are microseconds here, and the value is finer",
        code="NUMERIC_VALUE_OUT_OF_RANGE",
        hint="round it first",
    )


def _unusable(number: int, kind: pa.DataType) -> UserError:
    return UserError(
        f"parameter {number}: a value of Arrow's type {kind} cannot be a value of SQL",
        code="INVALID_PARAMETER_USAGE",
    )
