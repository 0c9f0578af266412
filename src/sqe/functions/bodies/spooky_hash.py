"""SpookyHash V2 of Bob Jenkins, with both seeds zero."""

from __future__ import annotations

_64 = (1 << 64) - 1
_CONSTANT = 0xDEADBEEFDEADBEEF
_BLOCK = 96
_MIX = (11, 32, 43, 31, 17, 28, 39, 57, 55, 54, 22, 46)
_END = (44, 15, 34, 21, 38, 33, 10, 13, 38, 53, 42, 54)
_SHORT_MIX = (50, 52, 30, 41, 54, 48, 38, 37, 62, 34, 5, 36)
_SHORT_END = (15, 52, 26, 51, 28, 9, 47, 54, 32, 25, 63)


def spooky_hash_v2_32(data: bytes) -> bytes:
    return (_hashed(data) & 0xFFFFFFFF).to_bytes(4, "big")


def spooky_hash_v2_64(data: bytes) -> bytes:
    return _hashed(data).to_bytes(8, "big")


def _hashed(data: bytes) -> int:
    return _short(data) if len(data) < 2 * _BLOCK else _long(data)


def _rotated(value: int, bits: int) -> int:
    return ((value << bits) | (value >> (64 - bits))) & _64


def _word(data: bytes) -> int:
    return int.from_bytes(data, "little")


def _short(data: bytes) -> int:
    state = [0, 0, _CONSTANT, _CONSTANT]
    at = 0
    while at + 32 <= len(data):
        _add(state, 2, data[at : at + 16])
        _mix_short(state)
        _add(state, 0, data[at + 16 : at + 32])
        at += 32
    if at + 16 <= len(data):
        _add(state, 2, data[at : at + 16])
        _mix_short(state)
        at += 16
    rest = data[at:]
    state[3] = (state[3] + (len(data) << 56)) & _64
    if rest:
        _add(state, 2, rest)
    else:
        state[2] = (state[2] + _CONSTANT) & _64
        state[3] = (state[3] + _CONSTANT) & _64
    for step, bits in enumerate(_SHORT_END):
        # d and c, a and d, b and a, c and b, over and over.
        first, second = (3 + step) % 4, (2 + step) % 4
        state[first] ^= state[second]
        state[second] = _rotated(state[second], bits)
        state[first] = (state[first] + state[second]) & _64
    return state[0]


def _add(state: list[int], place: int, data: bytes) -> None:
    """At most sixteen bytes, to two words."""
    state[place] = (state[place] + _word(data[:8])) & _64
    state[place + 1] = (state[place + 1] + _word(data[8:])) & _64


def _mix_short(state: list[int]) -> None:
    for step, bits in enumerate(_SHORT_MIX):
        # c, d and a; d, a and b; a, b and c; b, c and d; over and over.
        first, second, third = (2 + step) % 4, (3 + step) % 4, step % 4
        state[first] = (_rotated(state[first], bits) + state[second]) & _64
        state[third] ^= state[first]


def _long(data: bytes) -> int:
    state = [0, 0, _CONSTANT] * 4
    blocks = len(data) // _BLOCK
    for block in range(blocks):
        words = data[_BLOCK * block : _BLOCK * (block + 1)]
        for place, bits in enumerate(_MIX):
            state[place] = (state[place] + _word(words[8 * place : 8 * place + 8])) & _64
            state[(place + 2) % 12] ^= state[(place + 10) % 12]
            state[(place + 11) % 12] ^= state[place]
            state[place] = _rotated(state[place], bits)
            state[(place + 11) % 12] = (state[(place + 11) % 12] + state[(place + 1) % 12]) & _64
    rest = data[_BLOCK * blocks :]
    last = rest.ljust(_BLOCK - 1, b"\0") + bytes([len(rest)])
    for place in range(12):
        state[place] = (state[place] + _word(last[8 * place : 8 * place + 8])) & _64
    for _ in range(3):
        for place, bits in enumerate(_END):
            before, after = (place + 11) % 12, (place + 1) % 12
            state[before] = (state[before] + state[after]) & _64
            state[(place + 2) % 12] ^= state[before]
            state[after] = _rotated(state[after], bits)
    return state[0]
