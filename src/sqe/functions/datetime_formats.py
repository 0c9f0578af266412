"""Formats of dates: MySQL's percent signs and Joda's letters, as Spark's patterns."""

from __future__ import annotations

from collections.abc import Iterator
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
_READ_FIXED = {"Y": "yyyy", "m": "MM", "d": "dd", "H": "HH", "i": "mm", "s": "ss", "S": "ss"}
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
    result = ""
    for index, (piece, is_letter) in enumerate(pieces):
        if not is_letter:
            result += quoted(piece)
            continue
        beside = (index > 0 and pieces[index - 1][1]) or (index + 1 < len(pieces) and pieces[index + 1][1])
        known = _READ_FIXED if beside else _READ
        if piece not in known:
            raise NotSupported(f"date_parse: %{piece} in {string(pattern)}", position=call.position)
        result += known[piece]
    return result


_JODA = {"y": 4, "M": 4, "d": 2, "E": 4, "H": 2, "h": 2, "m": 2, "s": 2, "S": 3, "a": 1, "D": 3}


def joda_to_spark(call: Any, pattern: str) -> str:
    """Joda's letters that mean the same to Spark; the others are refused."""
    result = ""
    index = 0
    while index < len(pattern):
        character = pattern[index]
        if character == "'":
            end = pattern.find("'", index + 1)
            if end < 0:
                raise invalid(call, f"Invalid format: {pattern}")
            result += pattern[index : end + 1]
            index = end + 1
        elif character.isalpha():
            run = index
            while run < len(pattern) and pattern[run] == character:
                run += 1
            if run - index > _JODA.get(character, 0) or (character == "y" and run - index == 3):
                raise NotSupported(f"format_datetime: {pattern[index:run]}", position=call.position)
            result += pattern[index:run]
            index = run
        else:
            result += quoted(character)
            index += 1
    return result
