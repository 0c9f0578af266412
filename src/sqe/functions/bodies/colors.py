"""Colors for terminals. One is a number: 0xRRGGBB, or -1 - n for color n of the terminal's own."""

from __future__ import annotations

import math
import struct

from sqe.functions.bodies.arrow import BodyError

_NAMES = ("BLACK", "RED", "GREEN", "YELLOW", "BLUE", "MAGENTA", "CYAN", "WHITE")
_RESET = "\x1b[0m"
_MOST = 1 << 16


def rgb(red: int, green: int, blue: int) -> int:
    for name, part in (("red", red), ("green", green), ("blue", blue)):
        if not 0 <= part <= 255:
            raise _invalid(f"{name} must be between 0 and 255")
    return red << 16 | green << 8 | blue


def named(text: str) -> int:
    """#rgb, or one of eight names."""
    if len(text) == 4 and text[0] == "#" and all(c in "0123456789abcdefABCDEF" for c in text[1:]):
        return rgb(*(17 * int(digit, 16) for digit in text[1:]))
    if text.upper() not in _NAMES:
        raise _invalid("Invalid color")
    return -1 - _NAMES.index(text.upper())


def between(fraction: float, low: int, high: int) -> int:
    for name, color in (("lowColor", low), ("highColor", high)):
        if color < 0:
            raise _invalid(f"{name} not a valid RGB color")
    return _between(_float(fraction if fraction != fraction else max(0.0, min(1.0, fraction))), low, high)


def render(text: str, color: int) -> str:
    return _escape(color) + text + _RESET


def bar(percent: float, width: int, low: int, high: int) -> str:
    if width > _MOST:
        raise BodyError("NOT_SUPPORTED", f"a bar of more than {_MOST} characters")
    share = percent * width
    count = 0 if share != share else max(0, min(width, int(max(-1.0, min(float(width), share)))))
    blocks = []
    for place in range(count):
        fraction = _float(place / (width - 1)) if width > 1 else math.nan
        blocks.append(_escape(_between(fraction, low, high)) + "\u2588")
    return "".join(blocks) + _RESET + " " * (width - count)


def _invalid(message: str) -> BodyError:
    return BodyError("INVALID_FUNCTION_ARGUMENT", message)


def _float(number: float) -> float:
    """As Java computes: each step is rounded to 32 bits."""
    made: float = struct.unpack("f", struct.pack("f", number))[0]
    return made


def _parts(color: int) -> tuple[int, int, int]:
    if color < 0:
        raise _invalid("color is not a valid rgb value")
    return color >> 16 & 255, color >> 8 & 255, color & 255


def _escape(color: int) -> str:
    if color < 0:
        return f"\x1b[38;5;{-color - 1}m"
    red, green, blue = (part * 6 // 256 for part in _parts(color))
    return f"\x1b[38;5;{16 + red * 36 + green * 6 + blue}m"


def _between(fraction: float, low: int, high: int) -> int:
    first, last = _hsb(*_parts(low)), _hsb(*_parts(high))
    hue, saturation, brightness = (
        _float(_float(fraction * _float(b - a)) + a) for a, b in zip(first, last, strict=True)
    )
    return _of_hsb(hue, saturation, brightness)


def _hsb(red: int, green: int, blue: int) -> tuple[float, float, float]:
    most, least = max(red, green, blue), min(red, green, blue)
    brightness = _float(most / 255)
    saturation = _float((most - least) / most) if most else 0.0
    if saturation == 0:
        return 0.0, saturation, brightness
    r, g, b = (_float((most - part) / (most - least)) for part in (red, green, blue))
    if red == most:
        hue = _float(b - g)
    elif green == most:
        hue = _float(_float(2 + r) - b)
    else:
        hue = _float(_float(4 + g) - r)
    hue = _float(hue / 6)
    return _float(hue + 1) if hue < 0 else hue, saturation, brightness


def _of_hsb(hue: float, saturation: float, brightness: float) -> int:
    if saturation == 0:
        return _byte(brightness) * 0x010101
    turned = _float(_float(hue - _floor(hue)) * 6)
    rest = _float(turned - _floor(turned))
    p = _float(brightness * _float(1 - saturation))
    q = _float(brightness * _float(1 - _float(saturation * rest)))
    t = _float(brightness * _float(1 - _float(saturation * _float(1 - rest))))
    v = brightness
    sector = 0 if turned != turned else int(turned)
    red, green, blue = ((v, t, p), (q, v, p), (p, v, t), (p, q, v), (t, p, v), (v, p, q))[sector]
    return _byte(red) << 16 | _byte(green) << 8 | _byte(blue)


def _floor(number: float) -> float:
    return number if number != number else float(math.floor(number))


def _byte(share: float) -> int:
    number = _float(_float(share * 255) + 0.5)
    return 0 if number != number else int(number) & 255
