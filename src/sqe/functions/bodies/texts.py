"""Text: normal forms, how a name sounds, and numbers for people to read."""

from __future__ import annotations

import math
import unicodedata
from decimal import ROUND_HALF_UP, Decimal, localcontext

from sqe.functions.bodies.arrow import BodyError

_SOUNDS = dict(zip("ABCDEFGHIJKLMNOPQRSTUVWXYZ", "01230120022455012623010202", strict=True))


def normalize(text: str, form: str) -> str:
    return unicodedata.normalize(form, text)  # type: ignore[arg-type]


def soundex(text: str) -> str:
    letters = "".join(c for c in text if c.isalpha()).upper()
    if not letters:
        return ""
    if any(letter not in _SOUNDS for letter in letters):
        raise BodyError("INVALID_FUNCTION_ARGUMENT", "A character has no Soundex code")
    code, last = letters[0], _SOUNDS[letters[0]]
    for letter in letters[1:]:
        if letter in "HW":
            continue
        sound = _SOUNDS[letter]
        if sound not in ("0", last):
            code += sound
            if len(code) == 4:
                break
        last = sound
    return code.ljust(4, "0")


def levenshtein_distance(one: str, other: str) -> int:
    distances = list(range(len(other) + 1))
    for row, character in enumerate(one, 1):
        left, above = row, distances[0]
        distances[0] = row
        for column, second in enumerate(other, 1):
            left = min(left + 1, distances[column] + 1, above + (character != second))
            above, distances[column] = distances[column], left
    return distances[-1]


def format_fixed(number: float, places: int) -> str:
    """As Java does it: the fewest digits that tell the number from its neighbours, rounded a half up."""
    if not math.isfinite(number):
        return "NaN" if math.isnan(number) else "Infinity" if number > 0 else "-Infinity"
    with localcontext() as context:
        context.prec = 400 + places
        return f"{Decimal(repr(number)).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP):f}"


def format_number(number: int) -> str:
    """1234567 is 1.23M: three digits at most, unless there are more before the point."""
    value, unit = float(number), ""
    for following in "KMBTQ":
        if -1000 < value < 1000:
            break
        value, unit = value / 1000, following
    places = 2 if value < 10 else 1 if value < 100 else 0
    text = format(Decimal(value).quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP), "f")
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return text + unit
