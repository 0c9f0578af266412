"""Formats of dates: MySQL's percent signs and Joda's letters, read into fields and the texts between."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from sqe.errors import NotSupported
from sqe.functions.constants import invalid
from sqe.tree.expressions import Call

_MYSQL_LETTERS = "abcdefHhIijklMmprSsTWYyvx"
_UNKNOWN_TO_TRINO = "DUuVwX"
# What date_parse reads: where something stands between the fields, and beside a number.
_READ_ALONE = "bfhIjlMpryYmcdeHkisST"
_READ_BESIDE = "YymdHhIijsSbMp"
# Numbers that stand side by side are told apart by their lengths.
_OF_LETTERS = "bMp"


class ReadPiece(NamedTuple):
    """A field of a format to read by, or a text between; `beside` is whether a number stands next to it."""

    text: str
    is_field: bool
    beside: bool


def mysql_pieces(call: Call, pattern: str) -> Iterator[tuple[str, bool]]:
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
        if letter and letter in _MYSQL_LETTERS:
            if text:
                yield text, False
            text = ""
            yield letter, True
        else:
            # A percent sign before anything else is only in the way: %% is %.
            text += letter
    if text:
        yield text, False


def mysql_fields(call: Call, pattern: str) -> list[ReadPiece]:
    """A format to read by. One or two digits are taken where something stands between the fields."""
    pieces = list(mysql_pieces(call, pattern))
    letters = {piece for piece, is_letter in pieces if is_letter}
    _check_dated(call, letters, years="Yy", parts="mcbMdej")
    if "p" in letters and not letters & set("hIlr"):
        raise NotSupported("date_parse: %p without an hour of twelve", position=call.position)
    if letters & set("hIl") and "p" not in letters:
        raise NotSupported("date_parse: an hour of twelve without %p", position=call.position)
    if "f" in letters and not (pieces[-1] == ("f", True) and len(pieces) > 1 and not pieces[-2][1]):
        raise NotSupported("date_parse: %f that is not at the end", position=call.position)
    fields = []
    for index, (piece, is_letter) in enumerate(pieces):
        beside = any(is_number(pieces, place) for place in (index - 1, index + 1))
        if is_letter and piece not in (_READ_BESIDE if beside else _READ_ALONE):
            raise NotSupported(f"date_parse: %{piece} in '{pattern}'", position=call.position)
        fields.append(ReadPiece(piece, is_letter, beside))
    return fields


def is_number(pieces: list[tuple[str, bool]], index: int) -> bool:
    if not 0 <= index < len(pieces):
        return False
    piece, is_letter = pieces[index]
    return is_letter and piece not in _OF_LETTERS


def _check_dated(call: Call, letters: set[str], *, years: str, parts: str) -> None:
    """A day of no year is one of 2000 in Trino, and of 1970 in Spark."""
    if letters & set(parts) and not letters & set(years):
        raise NotSupported(f"{call.function}: a part of a date without its year", position=call.position)


def joda_runs(call: Call, pattern: str) -> Iterator[tuple[str, bool]]:
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


_READ_NUMBERS = "yYMdHhmsD"


def joda_fields(call: Call, pattern: str) -> list[ReadPiece]:
    """A format to read by."""
    runs = list(joda_runs(call, pattern))
    letters = {piece[0] for piece, is_letter in runs if is_letter}
    _check_dated(call, letters, years="yY", parts="MdD")
    if ("a" in letters) != ("h" in letters):
        raise NotSupported("parse_datetime: h and a belong together", position=call.position)
    fields = []
    for index, (piece, is_letter) in enumerate(runs):
        beside = any(
            0 <= place < len(runs) and runs[place][1] and runs[place][0][0] not in "a"
            for place in (index - 1, index + 1)
        )
        if is_letter and not (is_joda_word(piece) or _is_fraction(runs, index) or _is_read_number(piece)):
            raise NotSupported(f"parse_datetime: {piece}", position=call.position)
        fields.append(ReadPiece(piece, is_letter, beside))
    return fields


def is_joda_word(run: str) -> bool:
    """The half of the day, or the name of a month."""
    return run[0] == "a" or run in ("MMM", "MMMM")


def _is_read_number(run: str) -> bool:
    return run[0] in _READ_NUMBERS and len(run) <= 4 and not (run[0] in "yY" and len(run) == 2)


def _is_fraction(runs: list[tuple[str, bool]], index: int) -> bool:
    """Of a second, with something before it that is no number."""
    piece, _ = runs[index]
    return piece[0] == "S" and len(piece) <= 3 and index > 0 and not runs[index - 1][1]
