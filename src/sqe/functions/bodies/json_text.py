"""JSON as Trino keeps it: text without blanks, the names of an object sorted, the last of equal ones."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from typing import Any

from sqe.functions.bodies.arrow import BodyError
from sqe.functions.bodies.kept import kept


class Number(str):
    """The text of a number, as it was written."""


class _Missing:
    pass


MISSING = _Missing()
_INTEGER = re.compile(r"-?\d+")
_INDEX = re.compile(r"[0-9]{1,9}")
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_HALF = re.compile(r"\\u[dD][89a-fA-F]")
_ESCAPED = re.compile(r'["\\\x00-\x1f]')
_ABOVE = re.compile("[\ud800-\udfff\U00010000-\U0010ffff]")
# $.name, $.0, $[1], $["name"], $['name']
_STEP = re.compile(
    r"\.(?P<name>[^\s.\[\]\"'()*?@$:]+)|\[(?P<index>\d+)\]|\[\"(?P<quoted>(?:[^\"\\]|\\.)*)\"\]|\['(?P<single>[^']*)'\]"
)


def parse(text: str) -> str:
    try:
        return write(_read(text), ordered=True)
    except (ValueError, RecursionError):
        raise BodyError("INVALID_FUNCTION_ARGUMENT", "Cannot convert value to JSON") from None


def extract(text: str, path: str) -> str | None:
    found = _found(text, path, _read)
    return None if found is MISSING else write(found, ordered=False)


def extract_scalar(text: str, path: str) -> str | None:
    found = _found(text, path)
    if found is MISSING or found is None or isinstance(found, (dict, list)):
        return None
    if isinstance(found, bool):
        return "true" if found else "false"
    return str(found)


def size(text: str, path: str) -> int | None:
    found = _found(text, path)
    if found is MISSING:
        return None
    return len(found) if isinstance(found, (dict, list)) else 0


def array_length(text: str) -> int | None:
    items = _array(text)
    return None if items is None else len(items)


def array_get(text: str, index: int) -> str | None:
    items = _array(text)
    if items is None or not -len(items) <= index < len(items):
        return None
    item = items[index]
    if item is None:
        return None
    return str(item) if _is_text(item) else write(item, ordered=False, quote=raw_text_of)


def array_contains_text(text: str, value: str) -> bool | None:
    items = _array(text)
    return None if items is None else any(_is_text(item) and item == value for item in items)


def array_contains_number(text: str, value: str) -> bool | None:
    """`value` is true, false, an integer, or a double: each is found among its own kind alone."""
    if value not in ("true", "false") and not math.isfinite(float(value)):
        # Of no JSON at all, as Trino says.
        return False
    items = _array(text)
    if items is None:
        return None
    if value in ("true", "false"):
        return any(item is (value == "true") for item in items)
    numbers = [item for item in items if isinstance(item, Number)]
    if _INTEGER.fullmatch(value):
        return any(_INTEGER.fullmatch(n) and _integer(n) == value for n in numbers)
    return any(not _INTEGER.fullmatch(n) and float(n) == float(value) for n in numbers)


def is_scalar(text: str) -> bool:
    try:
        return not isinstance(read(text), (dict, list))
    except (ValueError, RecursionError):
        raise BodyError("INVALID_FUNCTION_ARGUMENT", "Invalid JSON value") from None


def _is_text(item: object) -> bool:
    return isinstance(item, str) and not isinstance(item, Number)


def _array(text: str) -> list[Any] | None:
    try:
        value = read(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, list) else None


def _found(text: str, path: str, reader: Callable[[str], Any] | None = None) -> Any:
    found = steps(path)
    try:
        value = (reader or read)(text)
    except (ValueError, RecursionError):
        return MISSING
    for step in found:
        if isinstance(value, dict):
            value = value.get(str(step), MISSING)
        elif isinstance(value, list) and _INDEX.fullmatch(step):
            value = value[int(step)] if int(step) < len(value) else MISSING
        else:
            return MISSING
        if value is MISSING:
            return MISSING
    return value


@kept
def steps(path: str) -> tuple[str, ...]:
    """The names and indexes of a path."""
    found, at = [], 1
    while path.startswith("$") and at < len(path):
        match = _STEP.match(path, at)
        if match is None:
            break
        quoted = match["quoted"]
        step = match["name"] or match["index"] or match["single"]
        found.append(re.sub(r"\\(.)", r"\1", quoted) if quoted is not None else step or "")
        at = match.end()
    if not path.startswith("$") or at < len(path):
        raise BodyError("INVALID_FUNCTION_ARGUMENT", "Invalid JSON path")
    return tuple(found)


def read(text: str) -> Any:
    """Numbers as they are written. Half a pair of surrogates is no character: Java writes ? for it."""
    value = _read(text)
    return _whole(value) if _HALF.search(text) else value


def _read(text: str) -> Any:
    """With halves of pairs as they are, which JSON can write."""
    return json.loads(text, parse_int=Number, parse_float=Number, parse_constant=_no_constant, strict=True)


def _whole(value: Any) -> Any:
    if isinstance(value, list):
        return [_whole(item) for item in value]
    if isinstance(value, dict):
        return {_whole(name): _whole(item) for name, item in value.items()}
    return value.encode("utf-8", "replace").decode() if _is_text(value) else value


def _no_constant(name: str) -> Any:
    raise ValueError(name)


def write(value: Any, *, ordered: bool, quote: Callable[[str], str] | None = None) -> str:
    quote = quote or text_of
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Number):
        return _integer(value) if _INTEGER.fullmatch(value) else double(float(value))
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, list):
        return "[" + ",".join(write(item, ordered=ordered, quote=quote) for item in value) + "]"
    items = (
        sorted(value.items(), key=lambda i: i[0].encode("utf-16-be", "surrogatepass"))
        if ordered
        else value.items()
    )
    members = (f"{quote(name)}:{write(item, ordered=ordered, quote=quote)}" for name, item in items)
    return "{" + ",".join(members) + "}"


def _integer(number: str) -> str:
    """By its text: Python reads no number of thousands of digits."""
    return "0" if number == "-0" else str(number)


def text_of(text: str) -> str:
    """What is beyond U+FFFF is written as a pair of surrogates, as Trino does in most places."""
    return _ABOVE.sub(_pair, raw_text_of(text))


def _pair(found: re.Match[str]) -> str:
    units = found[0].encode("utf-16-be", "surrogatepass").hex().upper()
    return "".join(f"\\u{units[at : at + 4]}" for at in range(0, len(units), 4))


def raw_text_of(text: str) -> str:
    """As Trino writes JSON that is an element of another value."""
    return '"' + _ESCAPED.sub(lambda m: _ESCAPES.get(m[0]) or f"\\u{ord(m[0]):04X}", text) + '"'


def double(value: float) -> str:
    """As Java prints it: plain from 1e-3 to 1e7, else 1.5E10."""
    if not math.isfinite(value):
        return '"NaN"' if value != value else '"Infinity"' if value > 0 else '"-Infinity"'
    if value == 0:
        return "-0.0" if math.copysign(1, value) < 0 else "0.0"
    mantissa, _, exponent = repr(abs(value)).partition("e")
    whole, _, fraction = mantissa.partition(".")
    digits = (whole + fraction).lstrip("0")
    power = len(whole) - (len(whole + fraction) - len(digits)) - 1 + int(exponent or 0)
    digits = digits.rstrip("0")
    sign = "-" if value < 0 else ""
    if not -3 <= power < 7:
        return f"{sign}{digits[0]}.{digits[1:] or '0'}E{power}"
    if power < 0:
        return f"{sign}0.{'0' * (-power - 1)}{digits}"
    return f"{sign}{digits[: power + 1].ljust(power + 1, '0')}.{digits[power + 1 :] or '0'}"
