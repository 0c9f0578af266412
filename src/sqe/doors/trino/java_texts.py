"""Values as Java writes them, where a text is sent and not the value."""

from __future__ import annotations

import math
from typing import Any

# Below, even the digits of a REAL that is not the smallest may be too few for two of them to be told apart.
_FEW_DIGITS = 1e-42


def java_text(value: Any) -> str:
    """Of Arrow's Python value: lists and rows in brackets, without quotes around what is in them."""
    match value:
        case None:
            return "null"
        case bool():
            return str(value).lower()
        case float():
            return java_double(value)
        case dict():
            return java_text(list(value.values()))
        case list():
            return f"[{', '.join(map(java_text, value))}]"
    return str(value)


def java_double(value: float, digits: str | None = None) -> str:
    """`1.0`, `1.0E10`: an exponent below 10^-3 and from 10^7 on. `digits` are the shortest ones, where they
    are not those of a double."""
    if math.isnan(value):
        return "NaN"
    if math.isinf(value):
        return "Infinity" if value > 0 else "-Infinity"
    sign = "-" if math.copysign(1.0, value) < 0 else ""
    if value == 0:
        return f"{sign}0.0"
    mantissa, _, exponent = (digits or java_digits(repr(value), value)).lstrip("-").lower().partition("e")
    whole, _, fraction = mantissa.partition(".")
    all_digits = (whole + fraction).lstrip("0")
    # The power of ten of the first digit.
    power = int(exponent or 0) + (len(whole.lstrip("0")) - 1 if whole.strip("0") else -1 - _zeros(fraction))
    all_digits = all_digits.rstrip("0") or "0"
    if -3 <= power < 7:
        if power < 0:
            return f"{sign}0.{'0' * (-power - 1)}{all_digits}"
        padded = all_digits.ljust(power + 1, "0")
        return f"{sign}{padded[: power + 1]}.{padded[power + 1 :] or '0'}"
    return f"{sign}{all_digits[0]}.{all_digits[1:] or '0'}E{power}"


def java_digits(shortest: str, value: float) -> str:
    """Java writes two digits at least, and of those the nearest: 1.4E-45 where one digit would do."""
    mantissa = shortest.lstrip("-").lower().partition("e")[0].replace(".", "").strip("0")
    return f"{value:.1e}" if len(mantissa) == 1 and 0 < abs(value) < _FEW_DIGITS else shortest


def _zeros(fraction: str) -> int:
    return len(fraction) - len(fraction.lstrip("0"))
