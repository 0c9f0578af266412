"""format() in DuckDB's SQL: each place of the format is an expression of its own."""

from __future__ import annotations

import re
from collections.abc import Sequence

from sqe.engine.duckdb.functions.casts import java_text, printed
from sqe.engine.duckdb.functions.text import give_up, share, string
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

# Java counts these as two characters.
_PAIRS = string(r"[\x{10000}-\x{10ffff}]")
_FLAGS = {"s": "-", "b": "-", "d": "-0,+ ", "x": "-0", "o": "-0", "f": "-,"}
# Java's years have four digits, or a sign.
_FOUR_DIGITS = "{0} >= DATE '0001-01-01' AND {0} < DATE '10000-01-01'"


def format_text(call: Call, texts: Sequence[str]) -> str:
    pattern = constant_text(call, 0, "the format")
    if pattern is None:
        return "CAST(NULL AS VARCHAR)"
    pieces = [
        string(part)
        if isinstance(part, str)
        else _placed(call, part[0], call.arguments[part[1]].type, texts[part[1]])
        for part in parts(call, pattern)
    ]
    return f"({' || '.join(pieces)})" if pieces else "''"


def _placed(call: Call, place: re.Match[str], t: Type, text: str) -> str:
    letter = place["letter"]
    kind = letter.lower()
    flags = set(place["flags"].replace("<", ""))
    refused = NotSupported(f"format: {place.group()} of {t}", position=call.position)
    if flags - set(_FLAGS.get(kind, "")) or {"-", "0"} <= flags or {"+", " "} <= flags:
        raise refused
    if flags & {"-", "0"} and not place["width"]:
        raise refused
    if kind == "s" and letter == "s":
        output = f"coalesce({_as_java_prints(call, place, t, text)}, 'null')"
        return _justified(_cut(output, place), flags, place, checked=isinstance(t, (Varchar, Char)))
    if kind == "b" and t in (BOOLEAN, UNKNOWN):
        output = _cut(f"coalesce(CAST({text} AS VARCHAR), 'false')", place)
    elif place["places"] is not None and kind in "dxo":
        raise refused
    elif kind == "d" and letter == "d" and is_integer(t):
        output = _integer(text, flags, int(place["width"] or 0))
    elif kind in "xo" and letter != "O" and is_integer(t):
        zeros = f"0{place['width']}" if "0" in flags else ""
        output = f"coalesce(printf('%{zeros}{kind}', CAST({text} AS BIGINT)), 'null')"
    elif letter == "f" and (isinstance(t, Decimal) or t in APPROXIMATE):
        output = _fixed(call, place, t, text, flags)
    elif kind in "dxof" and t == UNKNOWN:
        output = f"'{printed_null(place)}'"
    else:
        raise not_printed(call, place, t)
    return _justified(f"upper({output})" if letter.isupper() else output, flags, place, checked=False)


def _cut(text: str, place: re.Match[str]) -> str:
    return f"left({text}, {place['places']})" if place["places"] is not None else text


def _justified(text: str, flags: set[str], place: re.Match[str], *, checked: bool) -> str:
    """`checked`: it may have characters that Java counts otherwise than we do."""
    if not place["width"] and (place["places"] is None or not checked):
        return text
    pad = "rpad" if "-" in flags else "lpad"
    width = place["width"] or 0
    output = f"{pad}({{0}}, CAST(greatest(length({{0}}), {width}) AS INTEGER), ' ')"
    if checked:
        beyond = give_up("format of such a text")
        output = f"(CASE WHEN regexp_matches({{0}}, {_PAIRS}) THEN {beyond} ELSE {output} END)"
    return share(output, (text,))


def _integer(text: str, flags: set[str], width: int) -> str:
    digits = "ltrim(CAST({0} AS VARCHAR), '-')"
    if "," in flags:
        digits = _grouped(digits)
    sign = "+" if "+" in flags else " " if " " in flags else ""
    prefix = f"CASE WHEN {{0}} < 0 THEN '-' ELSE '{sign}' END"
    if "0" in flags:
        most = f"CAST(greatest(length({digits}), {width} - length({prefix})) AS INTEGER)"
        digits = f"lpad({digits}, {most}, '0')"
    return share(f"coalesce({prefix} || {digits}, 'null')", (text,))


def _grouped(digits: str) -> str:
    """1,234,567: a comma after each three from the end."""
    return f"ltrim(reverse(regexp_replace(reverse({digits}), '(...)', '\\1,', 'g')), ',')"


def _fixed(call: Call, place: re.Match[str], t: Type, text: str, flags: set[str]) -> str:
    if isinstance(t, Decimal):
        whole, places = rounded_digits(call, place, t)
        number = Decimal(whole + places, places)
        cast = f"CAST({{0}} AS DECIMAL({number.precision},{number.scale}))"
        # Java keeps the sign of what it rounds to zero.
        zero = f"CASE WHEN {{0}} < 0 AND {cast} = 0 THEN '-' ELSE '' END"
        output = share(f"({zero} || {printed(cast, number)})", (text,))
    else:
        places = 6 if place["places"] is None else int(place["places"])
        output = f"sqe_texts_format_fixed(CAST({text} AS DOUBLE), CAST({places} AS BIGINT))"
    if "," in flags:
        sign, digits, rest = (f"regexp_extract({{0}}, '^(-?)([0-9]*)(.*)$', {n})" for n in (1, 2, 3))
        output = share(f"({sign} || {_grouped(digits)} || {rest})", (output,))
    return f"coalesce({output}, '{printed_null(place)}')"


def _as_java_prints(call: Call, place: re.Match[str], t: Type, text: str) -> str:
    """toString() of the value that Trino gives to the formatter."""
    if t == UNKNOWN:
        return "CAST(NULL AS VARCHAR)"
    if isinstance(t, (Varchar, Char)):
        return text
    if t in (BOOLEAN, DATE) or is_integer(t) or (isinstance(t, Decimal) and t.scale <= 6):
        return printed(text, t)
    if t in APPROXIMATE:
        special = "CASE WHEN isnan({0}) THEN 'NaN' WHEN {0} > 0 THEN 'Infinity' ELSE '-Infinity' END"
        return share(f"CASE WHEN NOT isfinite({{0}}) THEN {special} ELSE {java_text('{0}')} END", (text,))
    if isinstance(t, Timestamp):
        # Seconds and their fraction are left out where they are zero; a fraction has 3 or 6 digits.
        return share(
            f"CASE WHEN NOT ({_FOUR_DIGITS}) THEN {give_up('year of other than four digits')}"
            " ELSE strftime({0}, '%Y-%m-%dT%H:%M') || CASE WHEN microsecond({0}) = 0 THEN ''"
            " WHEN microsecond({0}) % 1000000 = 0 THEN strftime({0}, ':%S')"
            " WHEN microsecond({0}) % 1000 = 0 THEN strftime({0}, ':%S.%g')"
            " ELSE strftime({0}, ':%S.%f') END END",
            (text,),
        )
    raise NotSupported(f"format: {place.group()} of {t}", position=call.position)
