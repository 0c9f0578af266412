"""Digests, and hashes that an engine does not have."""

from __future__ import annotations

import hashlib
import hmac
import zlib

_64 = (1 << 64) - 1


def hmac_md5(data: bytes, key: bytes) -> bytes:
    return hmac.digest(key, data, "md5")


def hmac_sha1(data: bytes, key: bytes) -> bytes:
    return hmac.digest(key, data, "sha1")


def hmac_sha256(data: bytes, key: bytes) -> bytes:
    return hmac.digest(key, data, "sha256")


def hmac_sha512(data: bytes, key: bytes) -> bytes:
    return hmac.digest(key, data, "sha512")


def sha512(data: bytes) -> bytes:
    return hashlib.sha512(data).digest()


def crc32(data: bytes) -> int:
    return zlib.crc32(data)


def _rotated(value: int, bits: int) -> int:
    return ((value << bits) | (value >> (64 - bits))) & _64


# xxHash of 64 bits, seed 0.
_X1 = 0x9E3779B185EBCA87
_X2 = 0xC2B2AE3D27D4EB4F
_X3 = 0x165667B19E3779F9
_X4 = 0x85EBCA77C2B2AE63
_X5 = 0x27D4EB2F165667C5


def _round(lane: int, word: int) -> int:
    return _rotated((lane + word * _X2) & _64, 31) * _X1 & _64


def xxhash64(data: bytes) -> bytes:
    at, length = 0, len(data)
    if length >= 32:
        lanes = [(_X1 + _X2) & _64, _X2, 0, -_X1 & _64]
        while at + 32 <= length:
            for lane in range(4):
                word = int.from_bytes(data[at + 8 * lane : at + 8 * lane + 8], "little")
                lanes[lane] = _round(lanes[lane], word)
            at += 32
        value = sum(_rotated(lane, bits) for lane, bits in zip(lanes, (1, 7, 12, 18), strict=True)) & _64
        for lane_value in lanes:
            value = ((value ^ _round(0, lane_value)) * _X1 + _X4) & _64
    else:
        value = _X5
    value = (value + length) & _64
    while at + 8 <= length:
        value ^= _round(0, int.from_bytes(data[at : at + 8], "little"))
        value = (_rotated(value, 27) * _X1 + _X4) & _64
        at += 8
    if at + 4 <= length:
        value ^= int.from_bytes(data[at : at + 4], "little") * _X1 & _64
        value = (_rotated(value, 23) * _X2 + _X3) & _64
        at += 4
    for byte in data[at:]:
        value = _rotated(value ^ (byte * _X5 & _64), 11) * _X1 & _64
    value = (value ^ (value >> 33)) * _X2 & _64
    value = (value ^ (value >> 29)) * _X3 & _64
    return (value ^ (value >> 32)).to_bytes(8, "big")


# MurmurHash3 of 128 bits for 64-bit machines, seed 0.
_M1 = 0x87C37B91114253D5
_M2 = 0x4CF5AD432745937F


def _first(word: int) -> int:
    return _rotated(word * _M1 & _64, 31) * _M2 & _64


def _second(word: int) -> int:
    return _rotated(word * _M2 & _64, 33) * _M1 & _64


def _finished(value: int) -> int:
    value = (value ^ (value >> 33)) * 0xFF51AFD7ED558CCD & _64
    value = (value ^ (value >> 33)) * 0xC4CEB9FE1A85EC53 & _64
    return value ^ (value >> 33)


def murmur3(data: bytes) -> bytes:
    low = high = 0
    blocks = len(data) // 16
    for block in range(blocks):
        words = data[16 * block : 16 * block + 16]
        low ^= _first(int.from_bytes(words[:8], "little"))
        low = ((_rotated(low, 27) + high) * 5 + 0x52DCE729) & _64
        high ^= _second(int.from_bytes(words[8:], "little"))
        high = ((_rotated(high, 31) + low) * 5 + 0x38495AB5) & _64
    rest = data[16 * blocks :]
    if len(rest) > 8:
        high ^= _second(int.from_bytes(rest[8:], "little"))
    if rest:
        low ^= _first(int.from_bytes(rest[:8], "little"))
    low ^= len(data)
    high ^= len(data)
    low = (low + high) & _64
    high = (high + low) & _64
    low, high = _finished(low), _finished(high)
    low = (low + high) & _64
    high = (high + low) & _64
    return low.to_bytes(8, "little") + high.to_bytes(8, "little")
