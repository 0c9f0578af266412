"""The formats of format(), which are those of java.util.Formatter."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sqe.errors import NotSupported, UserError
from sqe.functions.constants import invalid
from sqe.functions.longest import LONGEST_TEXT
from sqe.tree.expressions import Call
from sqe.types.sql_types import APPROXIMATE, Decimal, Type, is_integer

_PLACE = re.compile(
    r"%(?:(?P<number>\d+)\$)?(?P<flags>[-#+ 0,(<]*)(?P<width>\d+)?(?:\.(?P<places>\d+))?(?P<letter>[a-zA-Z%])"
)


def parts(call: Call, pattern: str) -> Iterator[str | tuple[re.Match[str], int]]:
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


def not_printed(call: Call, place: re.Match[str], t: Type) -> UserError | NotSupported:
    """Why no value of the type is printed there."""
    kind = place["letter"].lower()
    if kind in "sbdxofeghact":
        numeric = is_integer(t) or isinstance(t, Decimal) or t in APPROXIMATE
        wrong = (kind in "dxo" and not is_integer(t)) or (kind in "fegac" and not numeric)
        if wrong and not isinstance(t, Decimal):
            return invalid(call, f"Invalid format string: {place.group()} cannot print {t}")
        return NotSupported(f"format: {place.group()} of {t}", position=call.position)
    return invalid(call, f"Invalid format string: unknown conversion {place.group()}")


def printed_null(place: re.Match[str]) -> str:
    """Java cuts the word as it would cut a text."""
    return "null" if place["places"] is None else "null"[: int(place["places"])]


def rounded_digits(call: Call, place: re.Match[str], t: Decimal) -> tuple[int, int]:
    """How many digits a decimal has before and after the point when it is printed."""
    places = 6 if place["places"] is None else int(place["places"])
    whole = min(38 - places, t.precision - t.scale + 1)
    if set(place["flags"]) - {"-", ",", "<"} or whole < t.precision - t.scale:
        raise NotSupported(f"format: {place.group()} of {t}", position=call.position)
    return whole, places
