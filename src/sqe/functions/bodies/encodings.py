"""Bytes as text in UTF-8 and in base 32, and floating-point numbers as bytes."""

from __future__ import annotations

import base64
import math
import struct

from sqe.functions.bodies.arrow import BodyError

_DIGITS = {character: value for value, character in enumerate("ABCDEFGHIJKLMNOPQRSTUVWXYZ234567")}
# Bits that are left over by a whole number of bytes, for as many digits as a last group may have.
_LAST_GROUPS = {0: 0, 2: 1, 4: 2, 5: 3, 7: 4}


def from_utf8(data: bytes) -> str:
    return data.decode(errors="replace")


def to_base32(data: bytes) -> str:
    return base64.b32encode(data).decode("ascii")


def from_base32(text: str) -> bytes:
    digits = text.rstrip("=")
    if len(digits) % 8 not in _LAST_GROUPS or any(digit not in _DIGITS for digit in digits):
        raise BodyError("INVALID_FUNCTION_ARGUMENT", "Not a text in base 32")
    value = 0
    for digit in digits:
        value = value << 5 | _DIGITS[digit]
    count = len(digits) // 8 * 5 + _LAST_GROUPS[len(digits) % 8]
    return (value >> (5 * len(digits) - 8 * count)).to_bytes(count, "big")


def to_ieee754_64(number: float) -> bytes:
    # There is one NaN, whatever bits it came with.
    return struct.pack(">d", math.nan if math.isnan(number) else number)


def to_ieee754_32(number: float) -> bytes:
    return struct.pack(">f", math.nan if math.isnan(number) else number)


def from_ieee754_64(data: bytes) -> float:
    return _number(">d", data)


def from_ieee754_32(data: bytes) -> float:
    return _number(">f", data)


def _number(layout: str, data: bytes) -> float:
    size = struct.calcsize(layout)
    if len(data) != size:
        raise BodyError(
            "INVALID_FUNCTION_ARGUMENT", f"Input floating-point value must be exactly {size} bytes long"
        )
    return float(struct.unpack(layout, data)[0])
