"""Types as the protocol names them: a text for people, and a signature for programs."""

from __future__ import annotations

from typing import Any

from sqe.types import sql_types as t

_UNBOUNDED = (1 << 31) - 1
_CAPITALS = {t.YEAR_MONTH, t.DAY_SECOND}


def type_name(type_: t.Type, *, precise: bool) -> str:
    """Without `precise` times have no precision: the client knows none."""
    match type_:
        case t.Decimal(precision, scale):
            return f"decimal({precision}, {scale})"
        case t.Array(element):
            return f"array({type_name(element, precise=precise)})"
        case t.Map(key, value):
            return f"map({type_name(key, precise=precise)}, {type_name(value, precise=precise)})"
        case t.Row(fields):
            members = (t.quote_field(f.name) + type_name(f.type, precise=precise) for f in fields)
            return f"row({', '.join(members)})"
        case t.Time() | t.Timestamp() | t.TimestampTz() | t.ConstantTime() if not precise:
            return _raw_name(type_)
    return str(type_).upper() if type_ in _CAPITALS else str(type_)


def signature(type_: t.Type, *, precise: bool) -> dict[str, Any]:
    arguments: list[dict[str, Any]] = []
    match type_:
        case t.Decimal(precision, scale):
            arguments = [_number(precision), _number(scale)]
        case t.Varchar(length):
            arguments = [_number(_UNBOUNDED if length is None else length)]
        case t.Char(length):
            arguments = [_number(length)]
        case t.Time(precision) | t.Timestamp(precision) | t.TimestampTz(precision) if precise:
            arguments = [_number(precision)]
        case t.Array(element):
            arguments = [_type(element, precise)]
        case t.Map(key, value):
            arguments = [_type(key, precise), _type(value, precise)]
        case t.Row(fields):
            arguments = [_member(f, precise) for f in fields]
        case t.ConstantTime():
            arguments = [_number(type_.precision)] if precise else []
        case t.Opaque():
            elements = [element for element, kind in t.Q_DIGESTS.items() if kind == type_]
            arguments = [_type(element, precise) for element in elements]
    return {"rawType": _raw_name(type_), "arguments": arguments}


def _raw_name(type_: t.Type) -> str:
    match type_:
        case t.TimestampTz():
            return "timestamp with time zone"
        case t.ConstantTime():
            return f"{type_.base} with time zone" if type_.zoned else type_.base
        case t.Simple():
            return str(type_)
    # What stands before the parenthesis of its parameters.
    return str(type_).partition("(")[0]


def _number(value: int) -> dict[str, Any]:
    return {"kind": "LONG", "value": value}


def _type(type_: t.Type, precise: bool) -> dict[str, Any]:
    return {"kind": "TYPE", "value": signature(type_, precise=precise)}


def _member(field: t.RowField, precise: bool) -> dict[str, Any]:
    name = {} if field.name is None else {"fieldName": {"name": field.name}}
    return {"kind": "NAMED_TYPE", "value": {**name, "typeSignature": signature(field.type, precise=precise)}}
