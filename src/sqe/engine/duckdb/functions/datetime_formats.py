"""Formats of MySQL and Joda for dates and times, as DuckDB's."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass

from sqe.errors import NotSupported
from sqe.functions.datetime_formats import is_number, joda_fields, joda_runs, mysql_fields, mysql_pieces
from sqe.tree.expressions import Call

_STRFTIME = {
    **{letter: f"%{letter}" for letter in "abdfHIjpSmYy"},
    **{"c": "%-m", "e": "%-d", "h": "%I", "i": "%M", "k": "%-H", "l": "%-I", "M": "%B", "s": "%S"},
    **{"r": "%I:%M:%S %p", "T": "%H:%M:%S", "W": "%A", "v": "%V", "x": "%G"},
}


def _merged(parts: Iterator[tuple[str, bool]]) -> list[tuple[str, bool]]:
    """Formats that stand side by side are one."""
    merged: list[tuple[str, bool]] = []
    for text, is_format in parts:
        if is_format and merged and merged[-1][1]:
            merged[-1] = (merged[-1][0] + text, True)
        else:
            merged.append((text, is_format))
    return merged


def _literal(text: str) -> str:
    return text.replace("%", "%%")


def mysql_to_strftime(call: Call, pattern: str) -> list[tuple[str, bool]]:
    """Formats (True) and SQL over {0} (False), to be joined."""
    pieces = mysql_pieces(call, pattern)
    return _merged((_STRFTIME[piece] if is_letter else _literal(piece), True) for piece, is_letter in pieces)


_JODA_STRFTIME = {
    **{"yyyy": "%Y", "yy": "%y", "M": "%-m", "MM": "%m", "MMM": "%b", "MMMM": "%B", "d": "%-d", "dd": "%d"},
    **{"E": "%a", "EE": "%a", "EEE": "%a", "EEEE": "%A", "H": "%-H", "HH": "%H", "h": "%-I", "hh": "%I"},
    **{"m": "%-M", "mm": "%M", "s": "%-S", "ss": "%S", "SSS": "%g", "a": "%p", "D": "%-j", "DDD": "%j"},
    **{"xxxx": "%G", "ww": "%V", "e": "%u"},
}
_JODA_SQL = {
    "y": "CAST(year({0}) AS VARCHAR)",
    "S": "left(strftime({0}, '%g'), 1)",
    "SS": "left(strftime({0}, '%g'), 2)",
    "K": "CAST(hour({0}) % 12 AS VARCHAR)",
    "KK": "lpad(CAST(hour({0}) % 12 AS VARCHAR), 2, '0')",
    "k": "CAST((hour({0}) + 23) % 24 + 1 AS VARCHAR)",
    "kk": "lpad(CAST((hour({0}) + 23) % 24 + 1 AS VARCHAR), 2, '0')",
    "x": "CAST(isoyear({0}) AS VARCHAR)",
    "w": "CAST(week({0}) AS VARCHAR)",
}


def joda_to_strftime(call: Call, pattern: str) -> list[tuple[str, bool]]:
    """Formats (True) and SQL over {0} (False), to be joined."""

    def part(piece: str, is_letter: bool) -> tuple[str, bool]:
        if not is_letter:
            return _literal(piece), True
        run = piece.replace("Y", "y")
        if run in _JODA_SQL:
            return _JODA_SQL[run], False
        if run not in _JODA_STRFTIME:
            raise NotSupported(f"the fast lane has no {piece} in {call.function}", position=call.position)
        return _JODA_STRFTIME[run], True

    return _merged(part(piece, is_letter) for piece, is_letter in joda_runs(call, pattern))


@dataclass(frozen=True, slots=True)
class ReadBy:
    """A regular expression of the texts that DuckDB reads as Java does, and the format that reads them."""

    pattern: str
    strptime: str
    has_fraction: bool = False


_YEARS = "(?:000[1-9]|00[1-9][0-9]|0[1-9][0-9]{2}|[1-9][0-9]{3})"
_SHORT_MONTHS = "(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
_LONG_MONTHS = "(?:January|February|March|April|May|June|July|August|September|October|November|December)"
# Of each letter of MySQL's: what it is as digits where something stands around it, and beside a number.
_DIGITS = {**{letter: ("[0-9]{1,2}", "[0-9]{2}") for letter in "mdHiSs"}, "Y": (_YEARS, _YEARS)}
_WORDS = {"b": _SHORT_MONTHS, "M": _LONG_MONTHS}


def mysql_to_read(call: Call, pattern: str) -> ReadBy:
    mysql_fields(call, pattern)
    expanded = list(mysql_pieces(call, pattern.replace("%T", "%H:%i:%s")))
    return _read_by(call, [(_SAME.get(p, p) if is_letter else p, is_letter) for p, is_letter in expanded])


_SAME = {"c": "m", "e": "d", "k": "H", "s": "S"}


def _read_by(call: Call, pieces: list[tuple[str, bool]]) -> ReadBy:
    letters = {piece for piece, is_letter in pieces if is_letter}
    # Without a year or a month DuckDB would add others than Java does.
    if "Y" not in letters or ("d" in letters and not letters & set("mbM")):
        raise NotSupported(
            f"the fast lane does not read such a format in {call.function}", position=call.position
        )
    expression = strptime = ""
    for index, (piece, is_letter) in enumerate(pieces):
        if not is_letter:
            expression += re.escape(piece)
            strptime += _literal(piece)
            continue
        beside = any(is_number(pieces, place) for place in (index - 1, index + 1))
        if piece in _DIGITS:
            expression += _DIGITS[piece][1 if beside else 0]
        elif piece in _WORDS:
            expression += _WORDS[piece]
        elif piece == "f" and index == len(pieces) - 1:
            expression += "[0-9]{1,6}"
        else:
            raise NotSupported(
                f"the fast lane does not read %{piece} in {call.function}", position=call.position
            )
        strptime += _STRFTIME[piece]
    return ReadBy(expression, strptime, "f" in letters)


_JODA_AS_MYSQL = {
    **{"yyyy": "Y", "y": "Y", "M": "m", "MM": "m", "MMM": "b", "MMMM": "M", "d": "d", "dd": "d"},
    **{"H": "H", "HH": "H", "m": "i", "mm": "i", "s": "S", "ss": "S"},
}


def joda_to_read(call: Call, pattern: str) -> ReadBy:
    joda_fields(call, pattern)
    pieces = []
    for piece, is_letter in joda_runs(call, pattern):
        letter = _JODA_AS_MYSQL.get(piece.replace("Y", "y")) if is_letter else piece
        if letter is None:
            raise NotSupported(f"the fast lane has no {piece} in {call.function}", position=call.position)
        pieces.append((letter, is_letter))
    runs = [(len(piece), is_letter) for piece, is_letter in joda_runs(call, pattern)]
    if any(a and b and m + n < 4 for (m, a), (n, b) in itertools.pairwise(runs)):
        raise NotSupported(f"the fast lane does not read {pattern}", position=call.position)
    return _read_by(call, pieces)
