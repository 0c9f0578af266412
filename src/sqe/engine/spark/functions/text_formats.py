"""format() in Spark SQL, which formats as Java does.

Spark hands its own objects to the formatter: a date is a number of days there, and no decimal can be rounded.
So each place of a constant format gets what prints as Trino's value would.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqe.engine.spark.functions.text import share, string
from sqe.errors import NotSupported
from sqe.functions.constants import constant_text
from sqe.functions.text_formats import not_printed, parts, printed_null, rounded_digits
from sqe.tree.expressions import Call
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


def format_text(call: Call, texts: Sequence[str]) -> str:
    pattern = constant_text(call, 0, "the format")
    if pattern is None:
        return "CAST(NULL AS STRING)"
    pieces: list[str] = []
    values: list[str] = []
    for part in parts(call, pattern):
        if isinstance(part, str):
            pieces.append(part.replace("%", "%%"))
            continue
        place, index = part
        spec, text = _placed(call, place, call.arguments[index].type, texts[index])
        pieces.append(spec)
        values.append(text)
    return f"format_string({', '.join([string(''.join(pieces)), *values])})"


def _placed(call: Call, place: re.Match[str], t: Type, text: str) -> tuple[str, str]:
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


def _float(t: Type) -> str:
    return "DOUBLE" if str(t) == "double" else "FLOAT"


def _rounded_decimal(call: Call, place: re.Match[str], t: Decimal, text: str) -> tuple[str, str]:
    flags = set(place["flags"].replace("<", ""))
    whole, places = rounded_digits(call, place, t)
    number = f"CAST(round({{0}}, {places}) AS DECIMAL({whole + places},{places}))"
    printed = f"format_number({number}, {places})" if "," in flags else f"CAST({number} AS STRING)"
    # Java keeps the sign of what it rounds to zero.
    printed = share(f"concat(if({{0}} < 0 AND {number} = 0, '-', ''), {printed})", (text,))
    align = "-" if "-" in flags else ""
    return f"%{align}{place['width'] or ''}s", f"coalesce({printed}, {string(printed_null(place))})"


def _as_java_prints(call: Call, place: re.Match[str], t: Type, text: str) -> str:
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
