"""Trino's checksum: what a value adds to it, and the sum as bytes.

A value comes as its text, with the kind of its type: each kind is hashed as Trino stores it.
"""

from __future__ import annotations

import re
import struct

from sqe.functions.bodies.hashes import xxhash64

_64 = (1 << 64) - 1
_PRIME = 0x9E3779B185EBCA87
_MOMENT = re.compile(
    r"([+-]?[0-9]+)-([0-9]+)-([0-9]+)(?: ([0-9]+):([0-9]+):([0-9]+)(?:[.]([0-9]+))?)?(?: UTC)?"
)


def part(text: str, kind: str) -> int:
    """As a signed number, of which an engine makes a sum."""
    product = _hash(text, kind) * _PRIME & _64
    return product - (1 << 64) if product >> 63 else product


def total(text: str) -> bytes:
    return (int(text) & _64).to_bytes(8, "little")


def _hash(text: str, kind: str) -> int:
    match kind:
        case "boolean":
            return _of_number(int(text == "true"))
        case "integer" | "short decimal":
            return _of_number(int(text.replace(".", "")))
        case "long decimal":
            number = int(text.replace(".", ""))
            return _of_number(number >> 64) ^ _of_number(number)
        case "double":
            return _of_number(struct.unpack("<q", struct.pack("<d", _canonical(text)))[0])
        case "real":
            return _of_number(struct.unpack("<i", struct.pack("<f", _canonical(text)))[0])
        case "varchar":
            return _of_bytes(text.encode())
        case "char":
            return _of_bytes(text.rstrip(" ").encode())
        case "varbinary":
            return _of_bytes(bytes.fromhex(text))
        case "uuid":
            stored = bytes.fromhex(text.replace("-", ""))
            return _of_bytes(stored[:8]) ^ _of_bytes(stored[8:])
        case "date":
            return _of_number(_microseconds(text) // 86_400_000_000)
        case "timestamp":
            return _of_number(_microseconds(text))
        case "short instant":
            return _of_number(_microseconds(text) // 1000)
        case "long instant":
            milliseconds, rest = divmod(_microseconds(text), 1000)
            return _of_number(milliseconds) ^ _of_number(rest * 1_000_000)
    raise ValueError(kind)


def _of_bytes(data: bytes) -> int:
    return int.from_bytes(xxhash64(data), "big")


def _of_number(number: int) -> int:
    return _of_bytes((number & _64).to_bytes(8, "little"))


def _canonical(text: str) -> float:
    """Both zeros are one, and so are all NaN."""
    number = float(text)
    return number + 0.0 if number == number else float("nan")


def _microseconds(text: str) -> int:
    """Since 1970, also of years that Python's dates do not have."""
    found = _MOMENT.fullmatch(text)
    assert found is not None
    year, month, day, hour, minute, second = (int(group or 0) for group in found.groups()[:6])
    # Years that begin in March end with the leap day.
    year, month = (year, month - 3) if month > 2 else (year - 1, month + 9)
    days = 365 * year + year // 4 - year // 100 + year // 400 + (153 * month + 2) // 5 + day - 719_469
    seconds = ((days * 24 + hour) * 60 + minute) * 60 + second
    return seconds * 1_000_000 + int((found[7] or "").ljust(6, "0")[:6])
