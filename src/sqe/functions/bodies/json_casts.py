"""CAST of JSON to any type that has such a cast: what each part of a value becomes, as text.

A type without parts gives the text of its value. One with parts gives JSON that an engine reads without a
doubt: each value without parts is a text, a row is an object with the names that it is told, and a map is a
list of rows `key` and `value`.
"""

from __future__ import annotations

import json
import math
import re
import struct
from collections.abc import Callable, Sequence
from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation
from typing import Any

from sqe.functions.bodies.arrow import BodyError
from sqe.functions.bodies.json_text import Number, raw_text_of, read, write
from sqe.functions.bodies.kept import kept

Reader = Callable[[Any], Any]

_INTEGER = re.compile(r"-?[0-9]+")
_INTEGER_TEXT = re.compile(r"[\x00-\x20]*([+-]?[0-9]+)[\x00-\x20]*")
_DOUBLE_TEXT = re.compile(
    r"[\x00-\x20]*([+-]?(?:NaN|Infinity|(?:[0-9]+[.]?[0-9]*|[.][0-9]+)(?:[eE][+-]?[0-9]+)?))[fFdD]?[\x00-\x20]*"
)
_DECIMAL_TEXT = re.compile(r"[+-]?(?:[0-9]+[.]?[0-9]*|[.][0-9]+)(?:[eE][+-]?[0-9]{1,9})?")
_BITS = {"tinyint": 7, "smallint": 15, "integer": 31, "bigint": 63}
_TRUE, _FALSE = ("t", "true", "1"), ("f", "false", "0")
# From here on a double is nearer to infinity than to the largest real.
_BEYOND_REAL = 3.4028235677973366e38
# Digits beyond any that a decimal has.
_EXACT = Context(prec=800)


def cast(text: str, shape: str) -> str | None:
    """`shape` is the type, as `shape_of` in functions/json_shapes.py writes it."""
    reader = _compiled(shape)
    try:
        value = read(text)
    except (ValueError, RecursionError):
        raise _refused("what is no JSON") from None
    made = reader(value)
    if made is None or isinstance(made, str):
        return made
    return json.dumps(made, ensure_ascii=False, separators=(",", ":"))


@kept
def _compiled(shape: str) -> Reader:
    return _reader(json.loads(shape))


def _reader(shape: Any) -> Reader:
    kind, *rest = shape
    if kind in _BITS:
        return _known(_integer(1 << _BITS[kind]))
    match kind:
        case "boolean":
            return _known(_boolean)
        case "double":
            return _known(_double)
        case "real":
            return _known(_real)
        case "decimal":
            return _known(_decimal(*rest))
        case "varchar":
            return _known(_varchar(*rest))
        case "json":
            return lambda value: write(value, ordered=False, quote=raw_text_of)
        case "array":
            return _known(_array(_reader(rest[0])))
        case "map":
            return _known(_map(_reader(rest[0]), _reader(rest[1])))
        case "row":
            names, keys, fields = rest
            return _known(_row(names, keys, [_reader(field) for field in fields]))
    raise ValueError(kind)


def _known(reader: Reader) -> Reader:
    return lambda value: None if value is None else reader(value)


def _refused(what: str) -> BodyError:
    return BodyError("INVALID_CAST_ARGUMENT", f"Cannot cast {what}")


def _scalar(value: Any) -> None:
    if isinstance(value, (dict, list)):
        raise _refused("a JSON object or array to a type without parts")


def _integer(limit: int) -> Reader:
    def read_integer(value: Any) -> str:
        _scalar(value)
        if isinstance(value, bool):
            return str(int(value))
        if isinstance(value, Number) and not _INTEGER.fullmatch(value):
            number = float(value)
            if not math.isfinite(number) or not -limit - 1 < number < limit + 1:
                raise _refused("a JSON number that is out of range")
            # A half away from zero.
            whole = math.floor(abs(number) + 0.5) if abs(number) < 1 << 52 else int(abs(number))
            made = -whole if number < 0 else whole
        else:
            found = _INTEGER_TEXT.fullmatch(value)
            if found is None or len(found[1]) > 40:
                raise _refused("a JSON text that is no integer")
            made = int(found[1])
        if not -limit <= made < limit:
            raise _refused("a JSON number that is out of range")
        return str(made)

    return read_integer


def _boolean(value: Any) -> str:
    _scalar(value)
    if isinstance(value, bool):
        made = value
    elif isinstance(value, Number):
        if _INTEGER.fullmatch(value) and (len(value) > 20 or not -(1 << 63) <= int(value) < 1 << 63):
            raise _refused("a JSON number that is out of range")
        made = float(value) != 0
    elif value.lower() in (*_TRUE, *_FALSE):
        made = value.lower() in _TRUE
    else:
        raise _refused("a JSON text that is no boolean")
    return "true" if made else "false"


def _double(value: Any) -> str:
    number = _number(value)
    if math.isnan(number):
        return "NaN"
    return repr(number) if math.isfinite(number) else "Infinity" if number > 0 else "-Infinity"


def _real(value: Any) -> str:
    number = _number(value)
    if not math.isfinite(number) or abs(number) >= _BEYOND_REAL:
        return _double(str(number) if math.isnan(number) else "Infinity" if number > 0 else "-Infinity")
    return repr(struct.unpack("f", struct.pack("f", number))[0])


def _number(value: Any) -> float:
    _scalar(value)
    if isinstance(value, bool):
        return float(value)
    found = _DOUBLE_TEXT.fullmatch(value)
    if found is None:
        raise _refused("a JSON text that is no number")
    return float(found[1])


def _decimal(precision: int, scale: int) -> Reader:
    def read_decimal(value: Any) -> str:
        _scalar(value)
        text = str(int(value)) if isinstance(value, bool) else value
        if not _DECIMAL_TEXT.fullmatch(text):
            raise _refused("a JSON text that is no decimal")
        number = Decimal(text)
        if number and number.adjusted() >= precision - scale:
            raise _refused("a JSON number that is out of range")
        try:
            made = number.quantize(Decimal(1).scaleb(-scale), ROUND_HALF_UP, _EXACT)
        except InvalidOperation:
            raise _refused("a JSON number that is out of range") from None
        if made and made.adjusted() >= precision - scale:
            raise _refused("a JSON number that is out of range")
        return f"{made if made else abs(made):f}"

    return read_decimal


def _varchar(length: int | None = None) -> Reader:
    def read_text(value: Any) -> str:
        _scalar(value)
        if isinstance(value, bool):
            made = "true" if value else "false"
        elif isinstance(value, Number) and not _INTEGER.fullmatch(value):
            made = _scientific(float(value))
        else:
            made = str(value)
        if length is not None and len(made) > length:
            raise _refused(f"a JSON value to varchar({length}), which it is too long for")
        return made

    return read_text


def _scientific(number: float) -> str:
    """A double as it is printed as text: one digit before the point, and an exponent."""
    if not math.isfinite(number):
        return "Infinity" if number > 0 else "-Infinity"
    if number == 0:
        return "-0E0" if math.copysign(1, number) < 0 else "0E0"
    mantissa, _, exponent = repr(abs(number)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    power = len(whole) - (len(whole + fraction) - len(digits)) - 1 + int(exponent or 0)
    digits = digits.rstrip("0")
    return f"{'-' if number < 0 else ''}{digits[0]}.{digits[1:] or '0'}E{power}"


def _array(element: Reader) -> Reader:
    def read_array(value: Any) -> list[Any]:
        if not isinstance(value, list):
            raise _refused("JSON that is no array to an array")
        return [element(item) for item in value]

    return read_array


def _map(key: Reader, item: Reader) -> Reader:
    def read_map(value: Any) -> list[Any]:
        if not isinstance(value, dict):
            raise _refused("JSON that is no object to a map")
        made = [{"key": key(name), "value": item(member)} for name, member in value.items()]
        if len({entry["key"] for entry in made}) < len(made):
            raise _refused("JSON to a map: duplicate keys are not allowed")
        return made

    return read_map


def _row(names: Sequence[str] | None, keys: Sequence[str], fields: Sequence[Reader]) -> Reader:
    """`names` are those of its fields; without, only an array can be cast. `keys` are what an engine calls
    them. Of two fields of one name the last is meant."""
    places = {name: index for index, name in enumerate(names or ())}

    def read_row(value: Any) -> dict[str, Any]:
        if isinstance(value, list):
            if len(value) != len(fields):
                raise _refused("a JSON array to a row of another number of fields")
            return {key: field(item) for key, field, item in zip(keys, fields, value, strict=True)}
        if not isinstance(value, dict):
            raise _refused("JSON that is neither an array nor an object to a row")
        if names is None:
            raise _refused("a JSON object to a row without names")
        made: dict[str, Any] = dict.fromkeys(keys)
        seen = set()
        for name, item in value.items():
            index = places.get(name.lower())
            if index is None:
                continue
            if index in seen:
                raise _refused("a JSON object with duplicate fields to a row")
            seen.add(index)
            made[keys[index]] = fields[index](item)
        return made

    return read_row
