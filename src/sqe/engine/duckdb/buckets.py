"""Iceberg's bucket transform: the Murmur3 hash, of 32 bits, of a value as Iceberg stores it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqe.types import sql_types as t

if TYPE_CHECKING:
    from fractions import Fraction

_WORD = 0xFFFFFFFF


def bucket(value: Fraction | bytes, kind: t.Type, count: int) -> int | None:
    """The bucket of an ordinal; None if the type has no bucket transform, or no such value."""
    content = _content(value, kind)
    return None if content is None else (murmur3(content) & 0x7FFFFFFF) % count


def _content(value: Fraction | bytes, kind: t.Type) -> bytes | None:
    if isinstance(value, bytes):
        return value
    number = int(value)
    if number != value:
        return None
    if isinstance(kind, t.Decimal):
        # As few bytes as hold it.
        size = (number if number >= 0 else ~number).bit_length() // 8 + 1
        return number.to_bytes(size, "big", signed=True)
    numbers = kind in (t.INTEGER, t.BIGINT, t.DATE) or isinstance(kind, (t.Timestamp, t.TimestampTz))
    if not numbers or not -(2**63) <= number < 2**63:
        return None
    return number.to_bytes(8, "little", signed=True)


def murmur3(content: bytes) -> int:
    """x86, 32 bits, seed 0."""
    state = 0
    whole = len(content) // 4 * 4
    for start in range(0, whole, 4):
        state ^= _mixed(int.from_bytes(content[start : start + 4], "little"))
        state = (_rotated(state, 13) * 5 + 0xE6546B64) & _WORD
    if whole < len(content):
        state ^= _mixed(int.from_bytes(content[whole:], "little"))
    state ^= len(content)
    state = (state ^ (state >> 16)) * 0x85EBCA6B & _WORD
    state = (state ^ (state >> 13)) * 0xC2B2AE35 & _WORD
    return state ^ (state >> 16)


def _mixed(word: int) -> int:
    return _rotated(word * 0xCC9E2D51 & _WORD, 15) * 0x1B873593 & _WORD


def _rotated(word: int, bits: int) -> int:
    return (word << bits | word >> (32 - bits)) & _WORD
