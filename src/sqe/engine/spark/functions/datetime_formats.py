"""Formats of dates as Spark's patterns."""

from __future__ import annotations

from sqe.errors import NotSupported
from sqe.functions.datetime_formats import is_joda_word, joda_fields, joda_runs, mysql_fields, mysql_pieces
from sqe.tree.expressions import Call

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


def quoted(text: str) -> str:
    """Text inside a Spark pattern, where letters and brackets mean something."""
    if all(c in " -:/,.;_" or c.isdigit() for c in text):
        return text
    return "'" + text.replace("'", "''") + "'"


def mysql_parts(call: Call, pattern: str) -> list[tuple[str, bool]]:
    """Spark patterns (True) and SQL over {0} (False), to be joined."""
    parts: list[tuple[str, bool]] = []
    for piece, is_letter in mysql_pieces(call, pattern):
        if is_letter and piece in _WEEK_FIELDS:
            parts.append((_WEEK_FIELDS[piece], False))
            continue
        spark = _PRINTED[piece] if is_letter else quoted(piece)
        if parts and parts[-1][1] and not (spark[0] == "'" and parts[-1][0].endswith("'")):
            parts[-1] = (parts[-1][0] + spark, True)
        else:
            parts.append((spark, True))
    return parts


def mysql_to_parse(call: Call, pattern: str) -> str:
    """A pattern to read by."""
    return "".join(
        (_READ_FIXED if beside else _READ)[text] if is_field else quoted(text)
        for text, is_field, beside in mysql_fields(call, pattern)
    )


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


def joda_parts(call: Call, pattern: str) -> list[tuple[str, bool]]:
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


def _joda_field(call: Call, run: str) -> str:
    # A year of its era is the year from 1 on.
    letter = "y" if run[0] == "Y" else run[0]
    if len(run) > _JODA.get(letter, 0) or (letter == "y" and len(run) == 3):
        raise NotSupported(f"{call.function}: {run}", position=call.position)
    # One to three letters are the short name.
    return "EEE" if letter == "E" and len(run) < 4 else letter * len(run)


def joda_to_parse(call: Call, pattern: str) -> str:
    """A pattern to read by, of the fields that Spark reads as Joda does."""
    return "".join(
        _joda_to_read(text, beside) if is_field else quoted(text)
        for text, is_field, beside in joda_fields(call, pattern)
    )


def _joda_to_read(run: str, beside: bool) -> str:
    if is_joda_word(run) or run[0] == "S":
        return run
    return ("y" if run[0] == "Y" else run[0]) * (len(run) if beside else 1)
