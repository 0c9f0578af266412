"""Formats of dates: MySQL's percent signs and Joda's letters, as Spark's patterns and DuckDB's formats."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from sqe.errors import NotSupported
from sqe.functions.spark_text import invalid, string

_PRINTED = {
    "a": "EEE",
    "b": "MMM",
    "c": "M",
    "d": "dd",
    "e": "d",
    "f": "SSSSSS",
    "H": "HH",
    "h": "hh",
    "I": "hh",
    "i": "mm",
    "j": "DDD",
    "k": "H",
    "l": "h",
    "M": "MMMM",
    "m": "MM",
    "p": "a",
    "r": "hh:mm:ss a",
    "S": "ss",
    "s": "ss",
    "T": "HH:mm:ss",
    "W": "EEEE",
    "Y": "yyyy",
    "y": "yy",
}
# Spark's patterns have no fields of a week.
_WEEK_FIELDS = {
    "v": "lpad(CAST(weekofyear({0}) AS STRING), 2, '0')",
    "x": "lpad(CAST(extract(YEAROFWEEK FROM {0}) AS STRING), 4, '0')",
}
_READ = {
    "b": "MMM",
    "f": "SSSSSS",
    "h": "h",
    "I": "h",
    "j": "D",
    "l": "h",
    "M": "MMMM",
    "p": "a",
    "r": "h:m:s a",
    "y": "yy",
    "Y": "y",
    "m": "M",
    "c": "M",
    "d": "d",
    "e": "d",
    "H": "H",
    "k": "H",
    "i": "m",
    "s": "s",
    "S": "s",
    "T": "H:m:s",
}
_READ_FIXED = {
    "Y": "yyyy",
    "y": "yy",
    "m": "MM",
    "d": "dd",
    "H": "HH",
    "h": "hh",
    "I": "hh",
    "i": "mm",
    "j": "DDD",
    "s": "ss",
    "S": "ss",
    "b": "MMM",
    "M": "MMMM",
    "p": "a",
}
# Numbers that stand side by side are told apart by their lengths.
_OF_LETTERS = "bMp"
_UNKNOWN_TO_TRINO = "DUuVwX"


def _pieces(call: Any, pattern: str) -> Iterator[tuple[str, bool]]:
    """Each letter after a percent sign, and each text between."""
    text = ""
    characters = iter(pattern)
    for character in characters:
        if character != "%":
            text += character
            continue
        letter = next(characters, "")
        if letter in _UNKNOWN_TO_TRINO and letter:
            raise invalid(call, f"%{letter} not supported in date format string")
        if letter in _PRINTED or letter in _WEEK_FIELDS:
            if text:
                yield text, False
            text = ""
            yield letter, True
        else:
            # A percent sign before anything else is only in the way: %% is %.
            text += letter
    if text:
        yield text, False


def quoted(text: str) -> str:
    """Text inside a Spark pattern, where letters and brackets mean something."""
    if all(c in " -:/,.;_" or c.isdigit() for c in text):
        return text
    return "'" + text.replace("'", "''") + "'"


def mysql_parts(call: Any, pattern: str) -> list[tuple[str, bool]]:
    """Spark patterns (True) and SQL over {0} (False), to be joined."""
    parts: list[tuple[str, bool]] = []
    for piece, is_letter in _pieces(call, pattern):
        if is_letter and piece in _WEEK_FIELDS:
            parts.append((_WEEK_FIELDS[piece], False))
            continue
        spark = _PRINTED[piece] if is_letter else quoted(piece)
        if parts and parts[-1][1] and not (spark[0] == "'" and parts[-1][0].endswith("'")):
            parts[-1] = (parts[-1][0] + spark, True)
        else:
            parts.append((spark, True))
    return parts


def mysql_to_parse(call: Any, pattern: str) -> str:
    """A pattern to read by. One or two digits are taken where something stands between the fields."""
    pieces = list(_pieces(call, pattern))
    letters = {piece for piece, is_letter in pieces if is_letter}
    _check_dated(call, letters, years="Yy", parts="mcbMdej")
    if "p" in letters and not letters & set("hIlr"):
        raise NotSupported("date_parse: %p without an hour of twelve", position=call.position)
    if letters & set("hIl") and "p" not in letters:
        raise NotSupported("date_parse: an hour of twelve without %p", position=call.position)
    if "f" in letters and not (pieces[-1] == ("f", True) and len(pieces) > 1 and not pieces[-2][1]):
        raise NotSupported("date_parse: %f that is not at the end", position=call.position)
    result = ""
    for index, (piece, is_letter) in enumerate(pieces):
        if not is_letter:
            result += quoted(piece)
            continue
        beside = any(_is_number(pieces, place) for place in (index - 1, index + 1))
        known = _READ_FIXED if beside else _READ
        if piece not in known:
            raise NotSupported(f"date_parse: %{piece} in {string(pattern)}", position=call.position)
        result += known[piece]
    return result


def _is_number(pieces: list[tuple[str, bool]], index: int) -> bool:
    if not 0 <= index < len(pieces):
        return False
    piece, is_letter = pieces[index]
    return is_letter and piece not in _OF_LETTERS


def _check_dated(call: Any, letters: set[str], *, years: str, parts: str) -> None:
    """A day of no year is one of 2000 in Trino, and of 1970 in Spark."""
    if letters & set(parts) and not letters & set(years):
        raise NotSupported(f"{call.function}: a part of a date without its year", position=call.position)


def joda_runs(call: Any, pattern: str) -> Iterator[tuple[str, bool]]:
    """Each run of one letter (True), and each text between, without its quotes."""
    text = ""
    index = 0
    while index < len(pattern):
        character = pattern[index]
        if character == "'":
            if pattern[index : index + 2] == "''":
                text += "'"
                index += 2
                continue
            end = index + 1
            while True:
                end = pattern.find("'", end)
                if end < 0:
                    raise invalid(call, f"Invalid format: {pattern}")
                if pattern[end : end + 2] != "''":
                    break
                end += 2
            text += pattern[index + 1 : end].replace("''", "'")
            index = end + 1
        elif character.isascii() and character.isalpha():
            run = index
            while run < len(pattern) and pattern[run] == character:
                run += 1
            if text:
                yield text, False
            text = ""
            yield pattern[index:run], True
            index = run
        else:
            text += character
            index += 1
    if text:
        yield text, False


# Letters of Joda's that Spark prints alike, with the longest run of each.
_JODA = {
    "y": 4,
    "M": 4,
    "d": 2,
    "E": 4,
    "H": 2,
    "h": 2,
    "K": 2,
    "k": 2,
    "m": 2,
    "s": 2,
    "S": 3,
    "a": 1,
    "D": 3,
}
_JODA_WEEKS = {
    "x": "CAST(extract(YEAROFWEEK FROM {0}) AS STRING)",
    "w": "CAST(weekofyear({0}) AS STRING)",
    "e": "CAST(weekday({0}) + 1 AS STRING)",
}


def joda_parts(call: Any, pattern: str) -> list[tuple[str, bool]]:
    """Spark patterns (True) and SQL over {0} (False), to be joined."""
    parts: list[tuple[str, bool]] = []
    for piece, is_letter in joda_runs(call, pattern):
        letter, count = piece[0], len(piece)
        if is_letter and letter in _JODA_WEEKS and (letter != "x" or count != 2):
            parts.append(
                (
                    f"lpad({_JODA_WEEKS[letter]}, {max(count, 1)}, '0')"
                    if count > 1
                    else _JODA_WEEKS[letter],
                    False,
                )
            )
            continue
        spark = _joda_field(call, piece) if is_letter else quoted(piece)
        if parts and parts[-1][1] and not (spark[0] == "'" and parts[-1][0].endswith("'")):
            parts[-1] = (parts[-1][0] + spark, True)
        else:
            parts.append((spark, True))
    return parts


def _joda_field(call: Any, run: str) -> str:
    # A year of its era is the year from 1 on.
    letter = "y" if run[0] == "Y" else run[0]
    if len(run) > _JODA.get(letter, 0) or (letter == "y" and len(run) == 3):
        raise NotSupported(f"{call.function}: {run}", position=call.position)
    # One to three letters are the short name.
    return "EEE" if letter == "E" and len(run) < 4 else letter * len(run)


_JODA_READ = {"y": "y", "Y": "y", "M": "M", "d": "d", "H": "H", "h": "h", "m": "m", "s": "s", "D": "D"}


def joda_to_parse(call: Any, pattern: str) -> str:
    """A pattern to read by, of the fields that Spark reads as Joda does."""
    runs = list(joda_runs(call, pattern))
    letters = {piece[0] for piece, is_letter in runs if is_letter}
    _check_dated(call, letters, years="yY", parts="MdD")
    if ("a" in letters) != ("h" in letters):
        raise NotSupported("parse_datetime: h and a belong together", position=call.position)
    result = ""
    for index, (piece, is_letter) in enumerate(runs):
        letter, count = piece[0], len(piece)
        beside = any(
            0 <= place < len(runs) and runs[place][1] and runs[place][0][0] not in "a"
            for place in (index - 1, index + 1)
        )
        if not is_letter:
            result += quoted(piece)
        elif letter == "a" or (letter == "M" and count in (3, 4)) or _is_fraction(runs, index):
            result += piece
        elif letter in _JODA_READ and count <= 4 and not (letter in "yY" and count == 2):
            result += _JODA_READ[letter] * (count if beside else 1)
        else:
            raise NotSupported(f"parse_datetime: {piece}", position=call.position)
    return result


def _is_fraction(runs: list[tuple[str, bool]], index: int) -> bool:
    """Of a second, with something before it that is no number."""
    piece, _ = runs[index]
    return piece[0] == "S" and len(piece) <= 3 and index > 0 and not runs[index - 1][1]


# DuckDB's --------------------------------------------------------------------------------------------

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


def mysql_to_strftime(call: Any, pattern: str) -> list[tuple[str, bool]]:
    """Formats (True) and SQL over {0} (False), to be joined."""
    pieces = _pieces(call, pattern)
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


def joda_to_strftime(call: Any, pattern: str) -> list[tuple[str, bool]]:
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


def mysql_to_read(call: Any, pattern: str) -> ReadBy:
    mysql_to_parse(call, pattern)
    expanded = list(_pieces(call, pattern.replace("%T", "%H:%i:%s")))
    return _read_by(call, [(_SAME.get(p, p) if is_letter else p, is_letter) for p, is_letter in expanded])


_SAME = {"c": "m", "e": "d", "k": "H", "s": "S"}


def _read_by(call: Any, pieces: list[tuple[str, bool]]) -> ReadBy:
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
        beside = any(_is_number(pieces, place) for place in (index - 1, index + 1))
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


def joda_to_read(call: Any, pattern: str) -> ReadBy:
    joda_to_parse(call, pattern)
    pieces = []
    for piece, is_letter in joda_runs(call, pattern):
        known = _JODA_AS_MYSQL.get(piece.replace("Y", "y")) if is_letter else piece
        if known is None:
            raise NotSupported(f"the fast lane has no {piece} in {call.function}", position=call.position)
        pieces.append((known, is_letter))
    runs = [(len(piece), is_letter) for piece, is_letter in joda_runs(call, pattern)]
    if any(a and b and m + n < 4 for (m, a), (n, b) in itertools.pairwise(runs)):
        raise NotSupported(f"the fast lane does not read {pattern}", position=call.position)
    return _read_by(call, pieces)
