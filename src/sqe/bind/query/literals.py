"""Constants: text to typed values, with Trino's types."""

from __future__ import annotations

import datetime as dt
import decimal
import math
import re
import struct

from sqe.errors import NotSupported, Position, SyntaxFault, UserError
from sqe.tree.expressions import Literal
from sqe.types import sql_types as t

INT_MAX = 2**31 - 1
BIGINT_MAX = 2**63 - 1


def number(text: str, position: Position | None, *, negative: bool = False) -> Literal:
    """1 is an integer or bigint, 1.5 a decimal, 1e0 a double."""
    sign = "-" if negative else ""
    if re.search(r"[eE]", text):
        return Literal(t.DOUBLE, float(sign + text))
    if "." in text:
        value = decimal.Decimal(sign + text)
        digits = text.replace(".", "").lstrip("0")
        scale = len(text.split(".")[1])
        precision = max(len(digits), scale, 1)
        if precision > t.MAX_PRECISION:
            raise UserError(
                f"the decimal literal {text} has more than 38 digits",
                code="NUMERIC_VALUE_OUT_OF_RANGE",
                position=position,
            )
        return Literal(t.Decimal(precision, scale), value)
    integer = int(sign + text)
    if -INT_MAX - 1 <= integer <= INT_MAX:
        return Literal(t.INTEGER, integer)
    if -BIGINT_MAX - 1 <= integer <= BIGINT_MAX:
        return Literal(t.BIGINT, integer)
    raise UserError(
        f"the integer literal {text} is out of range",
        code="NUMERIC_VALUE_OUT_OF_RANGE",
        position=position,
        hint=f"write DECIMAL '{text}'",
    )


def string(text: str) -> Literal:
    return Literal(t.Varchar(len(text)), text)


def unicode_string(text: str, escape: str, position: Position | None) -> Literal:
    """Code points by their digits: four of them after the escape character, or six after it and a plus."""
    bad = UserError(f"U&'{text}' is not a valid text", code="INVALID_LITERAL", position=position)
    if len(escape) != 1 or escape in "+'\"" or escape.isspace() or escape in "0123456789abcdefABCDEF":
        raise UserError("the escape is one character", code="INVALID_LITERAL", position=position)
    result, at = "", 0
    while at < len(text):
        if text[at] != escape:
            result, at = result + text[at], at + 1
            continue
        if text[at + 1 : at + 2] == escape:
            result, at = result + escape, at + 2
            continue
        long = text[at + 1 : at + 2] == "+"
        digits = text[at + 2 : at + 8] if long else text[at + 1 : at + 5]
        if len(digits) != (6 if long else 4) or not re.fullmatch(r"[0-9A-Fa-f]+", digits):
            raise bad
        code = int(digits, 16)
        if code > 0x10FFFF or 0xD800 <= code <= 0xDFFF:
            raise bad
        result, at = result + chr(code), at + (8 if long else 5)
    return string(result)


def binary(digits: str, position: Position | None) -> Literal:
    try:
        return Literal(t.VARBINARY, bytes.fromhex(digits))
    except ValueError:
        raise SyntaxFault(f"X'{digits}' is not hexadecimal", position=position) from None


def typed(target: t.Type, text: str, position: Position | None) -> Literal | None:
    """DATE '…', DECIMAL '…', CHAR '…' and so on; None where it is a CAST of the text."""
    try:
        match target:
            case t.Decimal():
                return _decimal(text)
            case t.Char():
                # The length in UTF-16 code units, as Java counts it.
                return Literal(t.Char(len(text.encode("utf-16-le")) // 2), text)
        if target == t.DATE:
            return _date(text)
        if target == t.BOOLEAN:
            return Literal(t.BOOLEAN, _BOOLEANS[text.lower()])
        if target == t.UUID and not _UUID.fullmatch(text):
            raise ValueError(text)
        if t.is_integer(target):
            return _integer(target, text)
        if target in t.APPROXIMATE and re.fullmatch(r"[+-]?[0-9]+(\.[0-9]*)?([eE][+-]?[0-9]{1,3})?", text):
            return _approximate(target, float(text))
    except (ValueError, KeyError):
        name = str(target).split("(")[0].upper()
        raise UserError(
            f"'{text}' is not a valid {name} literal", code="INVALID_LITERAL", position=position
        ) from None
    return None


_BOOLEANS = {"t": True, "true": True, "1": True, "f": False, "false": False, "0": False}
_UUID = re.compile(r"[0-9A-Fa-f]{8}-([0-9A-Fa-f]{4}-){3}[0-9A-Fa-f]{12}")
_DATE = re.compile(r"\s*([+-]?[0-9]+)-([0-9]{1,2})-([0-9]{1,2})\s*")
_DECIMAL = re.compile(r"([+-]?)((?:[0-9]+(?:_[0-9]+)*)?)(?:\.((?:[0-9]+(?:_[0-9]+)*)?))?")


def _date(text: str) -> Literal | None:
    match = _DATE.fullmatch(text)
    if match is None:
        raise ValueError(text)
    year, month, day = map(int, match.groups())
    # The calendar repeats after 400 years. Years that Python does not have are left to the CAST.
    dt.date(2000 + year % 400, month, day)
    return Literal(t.DATE, dt.date(year, month, day)) if dt.MINYEAR <= year <= dt.MAXYEAR else None


def time(text: str, position: Position | None) -> Literal:
    return _moment("TIME", text, position)


def timestamp(text: str, position: Position | None) -> Literal:
    return _moment("TIMESTAMP", text, position)


def _moment(name: str, text: str, position: Position | None) -> Literal:
    from sqe.bind.query import folded_times
    from sqe.types import exact_times

    try:
        moment = exact_times.read_time(text) if name == "TIME" else exact_times.read_timestamp(text)
    except NotSupported as error:
        error.position = position
        raise
    except ValueError:
        raise UserError(
            f"'{text}' is not a valid {name} literal", code="INVALID_LITERAL", position=position
        ) from None
    digits = moment.type.precision
    if digits > exact_times.MAX_PRECISION:
        raise UserError(
            f"{name} precision must be in range [0, 12]: {digits}",
            code="NUMERIC_VALUE_OUT_OF_RANGE",
            position=position,
        )
    return folded_times.literal(moment)


def _decimal(text: str) -> Literal:
    match = _DECIMAL.fullmatch(text)
    if match is None or not (match[2] or match[3]):
        raise ValueError(text)
    whole, fraction = match[2].replace("_", ""), (match[3] or "").replace("_", "")
    precision = max(len((whole + fraction).lstrip("0")), len(fraction), 1)
    if precision > t.MAX_PRECISION:
        raise ValueError(text)
    value = decimal.Decimal(f"{match[1]}{whole or '0'}.{fraction}")
    return Literal(t.Decimal(precision, len(fraction)), value)


def _integer(target: t.Type, text: str) -> Literal:
    bits = 8 << t.INTEGERS.index(target)
    if not re.fullmatch(r"[+-]?[0-9]+", text.strip()) or not -1 << bits - 1 <= int(text) < 1 << bits - 1:
        raise ValueError(text)
    return Literal(target, int(text))


def _approximate(target: t.Type, value: float) -> Literal | None:
    """Infinity is left to the CAST."""
    if target == t.REAL:
        try:
            value = struct.unpack("f", struct.pack("f", value))[0]
        except OverflowError:
            return None
    return Literal(target, value) if math.isfinite(value) else None


_SECONDS = {"SECOND": 1, "MINUTE": 60, "HOUR": 3600, "DAY": 86400, "WEEK": 7 * 86400}
_MOST_SECONDS = 106_751_991 * 86400 + 4 * 3600
_MONTHS = {"MONTH": 1, "QUARTER": 3, "YEAR": 12}


def interval(text: str, unit: str, to: str | None, position: Position | None) -> Literal:
    """INTERVAL '3' DAY, INTERVAL '1-2' YEAR TO MONTH, INTERVAL '2 10:00:00' DAY TO SECOND."""
    unit, to = unit.upper().rstrip("S"), to.upper().rstrip("S") if to else None
    sign, body = (-1, text.strip()[1:]) if text.strip().startswith("-") else (1, text.strip().lstrip("+"))
    bad = UserError(f"'{text}' is not a valid interval literal", code="INVALID_LITERAL", position=position)
    try:
        if to is None:
            if unit in _MONTHS:
                return Literal(t.YEAR_MONTH, _months(sign * int(body) * _MONTHS[unit]))
            if unit in _SECONDS:
                seconds = decimal.Decimal(body if unit == "SECOND" else int(body)) * _SECONDS[unit]
                return Literal(t.DAY_SECOND, sign * _milliseconds(seconds))
        elif (unit, to) == ("YEAR", "MONTH"):
            years, months = body.split("-")
            return Literal(t.YEAR_MONTH, _months(sign * (int(years) * 12 + int(months))))
        elif unit in _SECONDS and to in _SECONDS:
            return Literal(t.DAY_SECOND, sign * _day_to_second(body, unit, to))
    except NotSupported as error:
        error.position = position
        raise
    except (ValueError, KeyError, OverflowError, decimal.InvalidOperation):
        raise bad from None
    raise bad


def _months(number: int) -> int:
    if not -(1 << 31) <= number < 1 << 31:
        raise ValueError(number)
    return number


def _day_to_second(body: str, unit: str, to: str) -> dt.timedelta:
    every_unit = ["DAY", "HOUR", "MINUTE", "SECOND"]
    units = every_unit[every_unit.index(unit) : every_unit.index(to) + 1]
    values = re.split(r"[ :]", body)
    if len(values) != len(units):
        raise ValueError(body)
    seconds = sum(decimal.Decimal(v) * _SECONDS[u] for v, u in zip(values, units, strict=True))
    return _milliseconds(decimal.Decimal(seconds))


def _milliseconds(seconds: decimal.Decimal) -> dt.timedelta:
    """Intervals count milliseconds; smaller fractions are cut off. Engines count microseconds, and so far."""
    if abs(seconds) > _MOST_SECONDS:
        raise NotSupported(f"an interval has at most {_MOST_SECONDS // 86400} days here")
    return dt.timedelta(milliseconds=int(seconds * 1000))
