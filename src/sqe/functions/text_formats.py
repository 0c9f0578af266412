"""format(): the texts of java.util.Formatter, which is what Spark formats with too.

Spark hands its own objects to the formatter: a date is a number of days there, and no decimal can be
rounded. So each place of a constant format gets what prints as Trino's value would.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from sqe.errors import NotSupported, UserError
from sqe.functions.longest import LONGEST_TEXT
from sqe.functions.spark_text import constant_text, invalid, share, string
from sqe.types.sql_types import (
    APPROXIMATE,
    BOOLEAN,
    DATE,
    UNKNOWN,
    Char,
    Decimal,
    Timestamp,
    Type,
    Varchar,
    is_integer,
)

_PLACE = re.compile(
    r"%(?:(?P<number>\d+)\$)?(?P<flags>[-#+ 0,(<]*)(?P<width>\d+)?(?:\.(?P<places>\d+))?(?P<letter>[a-zA-Z%])"
)


def format_text(call: Any, texts: Sequence[str]) -> str:
    pattern = constant_text(call, 0, "the format")
    if pattern is None:
        return "CAST(NULL AS STRING)"
    pieces: list[str] = []
    given: list[str] = []
    for part in parts(call, pattern):
        if isinstance(part, str):
            pieces.append(part.replace("%", "%%"))
            continue
        place, index = part
        spec, text = _placed(call, place, call.arguments[index].type, texts[index])
        pieces.append(spec)
        given.append(text)
    return f"format_string({', '.join([string(''.join(pieces)), *given])})"


def parts(call: Any, pattern: str) -> Iterator[str | tuple[re.Match[str], int]]:
    """The texts of a format, and its places, each with the argument that is printed there."""
    at, ordinary, last = 0, 0, 0
    while at < len(pattern):
        if pattern[at] != "%":
            end = pattern.find("%", at)
            end = len(pattern) if end < 0 else end
            yield pattern[at:end]
            at = end
            continue
        place = _PLACE.match(pattern, at)
        if place is None:
            raise invalid(call, f"Invalid format string: {pattern}")
        at = place.end()
        if place["letter"] in "%n":
            if place.group() not in ("%%", "%n"):
                raise NotSupported(f"format: {place.group()}", position=call.position)
            yield "%" if place["letter"] == "%" else "\n"
            continue
        if any(int(place[size] or 0) > LONGEST_TEXT for size in ("width", "places")):
            raise invalid(call, f"format: {place.group()} is longer than {LONGEST_TEXT}")
        if place["number"]:
            last = int(place["number"])
        elif "<" not in place["flags"]:
            ordinary += 1
            last = ordinary
        if not 1 <= last < len(call.arguments):
            raise invalid(call, f"Invalid format string: {pattern} (MissingFormatArgument: {place.group()})")
        yield place, last


def _placed(call: Any, place: re.Match[str], t: Type, text: str) -> tuple[str, str]:
    """How Spark is told to print one value, and the value that it is given."""
    letter = place["letter"]
    flags = place["flags"].replace("<", "")
    spec = "%" + flags + (place["width"] or "")
    with_places = spec + (f".{place['places']}" if place["places"] is not None else "")
    kind = letter.lower()
    if kind == "s":
        if set(flags) - {"-"}:
            raise NotSupported(f"format: {place.group()}", position=call.position)
        return with_places + letter, _as_java_prints(call, place, t, text)
    if kind == "b" and t in (BOOLEAN, UNKNOWN):
        return with_places + letter, f"CAST({text} AS BOOLEAN)"
    if kind in "dxo" and (is_integer(t) or t == UNKNOWN) and letter != "D" and letter != "O":
        return spec + letter, f"CAST({text} AS BIGINT)"
    if kind in "feg" and letter != "F" and (t in APPROXIMATE or t == UNKNOWN):
        if letter in "gG":
            raise NotSupported(f"format: {place.group()}", position=call.position)
        return with_places + letter, f"CAST({text} AS {'DOUBLE' if t == UNKNOWN else _float(t)})"
    if letter == "f" and isinstance(t, Decimal):
        return _rounded_decimal(call, place, t, text)
    raise not_printed(call, place, t)


def not_printed(call: Any, place: re.Match[str], t: Type) -> UserError | NotSupported:
    """Why no value of the type is printed there."""
    kind = place["letter"].lower()
    if kind in "sbdxofeghact":
        numeric = is_integer(t) or isinstance(t, Decimal) or t in APPROXIMATE
        wrong = (kind in "dxo" and not is_integer(t)) or (kind in "fegac" and not numeric)
        if wrong and not isinstance(t, Decimal):
            return invalid(call, f"Invalid format string: {place.group()} cannot print {t}")
        return NotSupported(f"format: {place.group()} of {t}", position=call.position)
    return invalid(call, f"Invalid format string: unknown conversion {place.group()}")


def _float(t: Type) -> str:
    return "DOUBLE" if str(t) == "double" else "FLOAT"


def _rounded_decimal(call: Any, place: re.Match[str], t: Decimal, text: str) -> tuple[str, str]:
    flags = set(place["flags"].replace("<", ""))
    whole, places = rounded_digits(call, place, t)
    number = f"CAST(round({{0}}, {places}) AS DECIMAL({whole + places},{places}))"
    printed = f"format_number({number}, {places})" if "," in flags else f"CAST({number} AS STRING)"
    # Java keeps the sign of what it rounds to zero.
    printed = share(f"concat(if({{0}} < 0 AND {number} = 0, '-', ''), {printed})", (text,))
    align = "-" if "-" in flags else ""
    return f"%{align}{place['width'] or ''}s", f"coalesce({printed}, {string(printed_null(place))})"


def printed_null(place: re.Match[str]) -> str:
    """Java cuts the word as it would cut a text."""
    return "null" if place["places"] is None else "null"[: int(place["places"])]


def rounded_digits(call: Any, place: re.Match[str], t: Decimal) -> tuple[int, int]:
    """How many digits a decimal has before and after the point when it is printed."""
    places = 6 if place["places"] is None else int(place["places"])
    whole = min(38 - places, t.precision - t.scale + 1)
    if set(place["flags"]) - {"-", ",", "<"} or whole < t.precision - t.scale:
        raise NotSupported(f"format: {place.group()} of {t}", position=call.position)
    return whole, places


def _as_java_prints(call: Any, place: re.Match[str], t: Type, text: str) -> str:
    """toString() of the value that Trino gives to the formatter."""
    if isinstance(t, (Varchar, Char)) or t in (BOOLEAN, UNKNOWN) or is_integer(t) or t in APPROXIMATE:
        return f"CAST({text} AS STRING)"
    if t == DATE:
        return f"CAST({text} AS STRING)"
    if isinstance(t, Decimal):
        # Java turns to exponents where many zeros follow the point.
        return f"CAST({text} AS STRING)" if t.scale <= 6 else text
    if isinstance(t, Timestamp):
        # Seconds and their fraction are left out where they are zero; a fraction has 3 or 6 digits.
        return share(
            "concat(date_format({0}, 'yyyy-MM-dd\\'T\\'HH:mm'),"
            " CASE WHEN extract(SECOND FROM {0}) = 0 THEN ''"
            " WHEN date_format({0}, 'SSSSSS') = '000000' THEN date_format({0}, ':ss')"
            " WHEN date_format({0}, 'SSSSSS') LIKE '%000' THEN date_format({0}, ':ss.SSS')"
            " ELSE date_format({0}, ':ss.SSSSSS') END)",
            (text,),
        )
    raise NotSupported(f"format: {place.group()} of {t}", position=call.position)
